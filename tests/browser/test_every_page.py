"""Every page of the table of permissions is opened in a browser. No page has a serious or critical fault, an error in
the console, or anything that is wider than the narrowest phone.

A page is viewed in light and at the size of a desktop, as the first role that may see it; a club's page as its owner,
who is shown most. With `--all` it is viewed in both sizes and all four looks, and as each of the other roles in light
on a desktop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page

from games.accounts import people
from games.models import Player
from tests.browser.conftest import Live
from tests.browser.test_axe import DESKTOP, WAYS, Way, look
from tests.permissions.requests import filled
from tests.permissions.table_rows import ROLES, Row, rows
from tests.permissions.world import PASSWORD, permissions_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Django-unfold draws the admin's pages; our own ones among them are in test_dashboard_page.py. The key of a password
# reset leaves its address immediately and logs out other people.
PAGES: Final = [row for row in rows() if row.method == "GET" and not row.api and not row.address.startswith("/admin/")]
PAGES_A_TEST: Final = 20
MOVES_ON: Final = "/accounts/password/reset/key/<reset>/"
# Addresses that answer with a file or with data for machines. They are requested, but not viewed.
FILES: Final = {
    "/health/live/",
    "/health/ready/",
    "/me/export/",
    "/support/export/<martha_user>/",
    "/calendar/<calendar>/me.ics",
    "/players/<martha_player>/calendar.ics",
    "/clubs/<club>/calendar.ics",
    "/clubs/<club>/<league>/<running>/calendar.ics",
    "/help/scorebook_client.py",
    "/kit/remote.py",
    "/robots.txt",
    "/words/de/0.js",
    "/bots/<bot>/v1/source/",
    "/bots/lab/frame/",
    "/bots/lab/starters/palace/small.py",
    "/clubs/<club>/<league>/<running>/export/",
    "/clubs/<club>/picture.png",
    "/clubs/<club>/<league>/<running>/picture.png",
    "/clubs/<club>/<league>/<team_season>/teams/<team>/picture.png",
    "/matches/<match>/picture.png",
    "/puzzles/<puzzle_kind>/<puzzle_date>/picture.png",
    "/players/<martha_player>/picture.png",
    "/bots/<bot>/picture.png",
    "/bots/<bot>/badge.svg",
    "/bots/<open_bot>/v1/source/",
    "/games/<over>/picture.png",
    "/service-worker.js",
    "/me/turn/",
}
EMPTY_PAGE: Final = "/bots/lab/frame/"  # of its files, the one in HTML: the frame in which bots run
# Pages that no role in the table can see, with the reason.
NO_PAGE: Final = {
    "/metrics": "for Prometheus, and off",
    "/oembed/": "for other sites, which name a game: tests/replays/test_link_pictures.py",
    **dict.fromkeys(["/help/", "/rules/"], "leads to /learn/"),
    "/me/keep/": "leads guests only; see the last test",
    "/play/seek/": "leads to /play/ who does not wait: tests/games/lobby/test_seekers.py",
    "/talk/messages/<message>/": "leads to the message in its room",
    "/support/password/<martha_user>/": "once an admin has asked: tests/games/moderation/test_account_recovery.py",
    "/accounts/password/set/": "leads to the change of a password who has one, and everybody has",
    "/accounts/login/code/confirm/": "login by code is off",
    "/accounts/2fa/authenticate/": "needs a second factor; same parts as the login",
    "/accounts/2fa/reauthenticate/": "needs a second factor; same parts as the login",
    "/accounts/2fa/totp/activate/": "after the password was given again; see below",
    **dict.fromkeys(
        [
            "/accounts/2fa/totp/deactivate/",
            "/accounts/2fa/recovery-codes/",
            "/accounts/2fa/recovery-codes/generate/",
            "/accounts/2fa/recovery-codes/download/",
        ],
        "needs a second factor; same parts as its activation",
    ),
}


def shown(row: Row) -> list[str]:
    """Return the roles that may see a page."""
    return [role for role in ROLES if row.answer(role) == "200"]


def looked_at(role: str) -> list[str]:
    """Return the addresses that are viewed as this role by default."""
    return [row.address for row in PAGES if role in who_looks(row)]


def parts() -> list[Any]:
    """Return each role with a part of the addresses that are viewed as this role. Each part is one test."""
    return [
        pytest.param(role, looked_at(role)[first : first + PAGES_A_TEST], id=f"{role}-{first}")
        for role in ROLES
        for first in range(0, len(looked_at(role)), PAGES_A_TEST)
    ]


def who_looks(row: Row) -> list[str]:
    """Return the role as which the page is viewed: the first that may see it, or the owner for a club's page; none if
    nobody may see it."""
    first = shown(row)[:1]
    leads = first == ["organiser"] or row.private is None or row.answer("owner") != "200"
    return first if leads else ["owner"]


@pytest.fixture(autouse=True)
def nobody_has_tried_before() -> Iterator[None]:
    """Clear the cache, in which limits on attempts are counted."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def names(transactional_db: None) -> dict[str, Any]:
    """Return the values of the <names> in addresses, from the world of the table of permissions."""
    return permissions_world().at


def sign_in(live: Live, page: Page, role: str) -> None:
    if name := ROLES[role]:
        live.sign_in(page, Player.objects.get(name=name))


def fault_of_file(page: Page, address: str) -> list[str]:
    """Return what is wrong with the file at an address."""
    answer = page.request.get(address, max_redirects=0)
    kind = answer.headers["content-type"]
    as_wanted = answer.status == 200 and ("html" in kind) == address.endswith(EMPTY_PAGE)
    return [] if as_wanted else [f"answered {answer.status}, {kind}"]


def fault_of_page(page: Page, address: str, way: Way, *, moves_on: bool) -> list[str]:
    page.set_viewport_size(DESKTOP)
    answer = page.goto(address)
    assert answer
    kind = answer.headers["content-type"]
    if answer.status != 200 or "html" not in kind or (page.url != address and not moves_on):
        return [f"answered {answer.status}, {kind}, at {page.url}"]
    return look(page, way)


def faults_of_pages(
    live: Live, page: Page, addresses: list[str], names: dict[str, Any], way: Way
) -> dict[str, list[str]]:
    """Return what is wrong with each of these pages and files."""
    wrong: dict[str, list[str]] = {}
    for address in addresses:
        wanted = live.address + filled(address, names)
        if address in FILES:
            found = fault_of_file(page, wanted)
        else:
            found = fault_of_page(page, wanted, way, moves_on=address == MOVES_ON)
        if found:
            wrong[address] = found
    return wrong


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize(("role", "addresses"), parts())
def test_a_page_has_no_fault_as_it_is_shown(
    live: Live, page: Page, names: dict[str, Any], role: str, addresses: list[str], way: Way
) -> None:
    sign_in(live, page, role)
    assert faults_of_pages(live, page, addresses, names, way) == {}


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_a_page_has_no_fault_for_anybody_else_who_is_shown_it(
    live: Live, page: Page, names: dict[str, Any], role: str
) -> None:
    sign_in(live, page, role)
    others = [row.address for row in PAGES if role in shown(row) and row.address not in looked_at(role)]
    others.sort(key=lambda address: address == MOVES_ON)
    assert faults_of_pages(live, page, others, names, WAYS[0]) == {}


def test_every_page_that_anybody_is_shown_is_looked_at() -> None:
    """A new page needs a role in the table that may see it, or a reason."""
    there = {row.address for row in PAGES}
    assert {address for role in ROLES for address in looked_at(role)} == there - NO_PAGE.keys()
    assert NO_PAGE.keys() | FILES <= there
    assert not NO_PAGE.keys() & FILES


def test_a_second_factor_is_set_up_after_the_password_was_given_again(
    live: Live, page: Page, names: dict[str, Any]
) -> None:
    page.goto(live.address + reverse("account_login"))
    page.fill("input[name=login]", "martha")
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url(lambda url: "login" not in url)
    page.goto(live.address + reverse("mfa_activate_totp"))
    assert "/reauthenticate/" in page.url
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url("**" + reverse("mfa_activate_totp"))
    assert look(page) == []


def test_a_guest_may_keep_their_games(live: Live, page: Page, names: dict[str, Any]) -> None:
    live.sign_in(
        page, people.create_profile_and_player(User.objects.create_user("guest-1000"), "Guest 1000", guest=True)
    )
    assert faults_of_pages(live, page, [reverse("guest-signup")], names, WAYS[0]) == {}
