"""The pages of moderation in a browser: a report by keyboard, a warning, a ban, an impersonation."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from games.accounts import people
from games.accounts.models import Sanction
from games.models import Player
from games.moderation import impersonation, sanctions
from games.moderation.models import Report
from tests.browser.conftest import Live
from tests.browser.test_axe import WAYS, Way, look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "lamp and lantern 7"


def person(name: str) -> Player:
    return people.create_profile_and_player(User.objects.create_user(name.lower(), password=PASSWORD), name)


@pytest.fixture
def ada(transactional_db: None) -> User:
    user = User.objects.create_superuser("ada")
    people.create_profile_and_player(user, "Ada")
    return user


def well_made(page: Page, way: Way) -> None:
    """Check that the page has no fault and fits the narrowest phone."""
    assert look(page, way) == []


in_every_way = pytest.mark.parametrize("way", WAYS, ids=str)


@in_every_way
def test_a_person_is_reported_by_keyboard(live: Live, page: Page, martha: Player, laura: Player, way: Way) -> None:
    live.sign_in(page, laura)
    page.goto(f"{live.address}/players/{martha.pk}/")
    page.get_by_role("link", name="Report Martha").press("Enter")
    well_made(page, way)
    page.get_by_label("Harassment or threats").press("Space")
    page.get_by_label("What happened?").fill("She insults me in every game.")
    page.get_by_role("button", name="Report").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("An admin will read")
    assert Report.objects.get().cause == "harassment"


@pytest.mark.slow
@in_every_way
def test_a_warning_is_read_and_objected_to(live: Live, page: Page, martha: Player, ada: User, way: Way) -> None:
    assert martha.user
    sanctions.warn(user=martha.user, by=ada, reason="Be kind to who loses.")
    live.sign_in(page, martha)
    page.goto(live.address)
    page.get_by_role("link", name="Read warning").click()
    well_made(page, way)
    page.get_by_role("button", name="I have read it").click()
    expect(page.get_by_text("You can post again.")).to_be_visible()
    page.locator("summary", has_text="Appeal").click()
    page.get_by_label("Why is this decision wrong?").fill("I only said hello.")
    page.get_by_role("button", name="Appeal").click()
    expect(page.get_by_text("I only said hello.")).to_be_visible()
    well_made(page, way)
    assert Sanction.objects.get().seen_at


@pytest.mark.slow
@in_every_way
def test_who_is_banned_reads_why_and_objects(live: Live, page: Page, ada: User, complaints: set[str], way: Way) -> None:
    complaints.add("status of 403")
    tove = person("Tove")
    assert tove.user
    sanctions.ban(user=tove.user, by=ada, reason="Sold her wins.")
    page.goto(f"{live.address}/accounts/login/")
    page.fill("input[name=login]", "Tove")
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    expect(page.get_by_role("heading", name="You are banned permanently")).to_be_visible()
    expect(page.get_by_text("Sold her wins.")).to_be_visible()
    well_made(page, way)
    page.get_by_label("Why is this decision wrong?").fill("I gave them away.")
    page.get_by_role("button", name="Appeal").click()
    expect(page.get_by_text("I gave them away.")).to_be_visible()
    well_made(page, way)


@pytest.mark.slow
@in_every_way
def test_an_admin_looks_on_with_a_banner_and_ends_it(
    live: Live, page: Page, martha: Player, ada: User, complaints: set[str], way: Way
) -> None:
    complaints.add("status of 403")
    assert martha.user
    view = impersonation.begin_impersonation(admin=ada, user=martha.user, reason="She sees no games.")
    live.sign_in(page, Player.objects.get(user=ada))
    page.goto(f"{live.address}/support/look/{view.pk}/")
    well_made(page, way)
    page.get_by_role("button", name="Start support view").click()
    expect(page.get_by_text("Viewing as Martha until")).to_be_visible()
    well_made(page, way)
    page.goto(f"{live.address}/me/tokens/")
    expect(page.get_by_role("heading", name="Not shown in a support view")).to_be_visible()
    well_made(page, way)
    page.get_by_role("button", name="End support view").click()
    page.goto(f"{live.address}/me/")
    expect(page.get_by_role("heading", name="Ada")).to_be_visible()
