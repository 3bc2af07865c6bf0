"""Pages may load and run only what their policy allows. Every browser test fails on an error in the console, so also on
a script or style that the policy refuses. This file opens pages that other tests do not open, and tests the purpose of
the policy."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page

from games.accounts import people
from games.models import Deal, Player
from games.play import services as play
from tests.browser.conftest import Live
from tests.factories.builtin_bots import ensure_builtin_bots

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def admins_page(live: Live, page: Page, transactional_db: None) -> Page:
    """Provide a browser in which an admin with all permissions is logged in."""
    live.sign_in(page, people.create_profile_and_player(User.objects.create_superuser("ambrose"), "Ambrose"))
    return page


def lists() -> list[str]:
    """Return the address of one of each sort of the admin's lists. All lists of a sort have the same templates, scripts
    and styles."""
    sorts = {}
    for model, own in admin.site._registry.items():
        filters = {each[1] if isinstance(each, tuple) else type(each) for each in own.list_filter}
        sort = (
            str(own.media),
            frozenset(filters),
            bool(own.search_fields),
            own.change_list_template,
            type(own).changelist_view,
        )
        sorts[sort] = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return list(sorts.values())


def test_the_admin_works_under_its_policy(live: Live, admins_page: Page, martha: Player) -> None:
    for path in [reverse("admin:index"), reverse("dashboard"), *lists()]:
        answer = admins_page.goto(live.address + path)
        assert answer
        assert answer.status == 200, path
    admins_page.goto(live.address + reverse("admin:games_player_change", args=[martha.pk]))
    assert admins_page.evaluate("typeof window.Alpine") == "object"
    green = admins_page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--color-primary-600')")
    assert green.strip() == "#1c6b50"


def test_the_documentation_of_the_api_draws_itself(live: Live, page: Page, transactional_db: None) -> None:
    page.goto(live.address + reverse("api-docs"))
    page.locator(".opblock-summary").first.wait_for()


def test_a_script_that_got_into_a_page_does_nothing(live: Live, browser: Browser, transactional_db: None) -> None:
    page = browser.new_page()  # errors in the console of this page do not fail the test
    page.goto(live.address + reverse("home"))
    refused = page.evaluate(
        """() => new Promise((answer) => {
            document.addEventListener('securitypolicyviolation', (event) => answer(event.effectiveDirective))
            const script = document.createElement('script')
            script.textContent = 'window.stolen = true'
            document.body.append(script)
        })"""
    )
    assert refused == "script-src-elem"
    assert page.evaluate("'stolen' in window") is False
    page.close()


@pytest.mark.parametrize("path", ["/", "/api/v1/", "/nowhere/", "/health/live/", "/admin/login/"])
def test_every_answer_has_a_policy_without_inline_code(path: str, db: None) -> None:
    policy = Client().get(path).headers["Content-Security-Policy"]
    sentence = dict(part.split(" ", 1) for part in policy.split("; "))
    assert "'unsafe-inline'" not in sentence["script-src"] + sentence["style-src"] + sentence["default-src"]
    assert ("'unsafe-inline'" in policy) == path.startswith("/admin/")  # only in style attributes of the admin
    assert "frame-ancestors 'none'" in policy


def test_a_replay_may_be_framed_by_anybody_where_it_is_meant_to_be(db: None) -> None:
    deal = Deal.objects.create(seed=b"7" * 32)
    game = play.open_game(kind="plates", players=[ensure_builtin_bots()["random"]] * 2, deal=deal)
    embedded = Client().get(reverse("embed", args=[game.public_id])).headers
    assert "frame-ancestors *" in embedded["Content-Security-Policy"]
    assert "X-Frame-Options" not in embedded
    assert Client().get(reverse("replay", args=[game.public_id])).headers["X-Frame-Options"] == "DENY"
