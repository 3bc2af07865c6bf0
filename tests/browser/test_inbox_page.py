"""An organiser works in the inbox in a browser: with and without scripts, with a keyboard, on a phone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from playwright.sync_api import Browser, Page, expect

from games.accounts import people
from games.accounts.models import Notice
from games.accounts.names import NAME_MAX_LENGTH
from games.common import clock
from games.models import Player
from tests.browser.conftest import Live
from tests.browser.test_axe import PHONE, Way, look
from tests.tournaments.club import new_club
from tests.tournaments.entries.test_entries import season_of
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.seasons.models import League, Match, Round, Season

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
A_DAY = timedelta(days=1)


@pytest.fixture
def niamh(transactional_db: None) -> Player:
    """Return the club's owner, whose inbox has an unplayed match and a request to enter."""
    cache.clear()
    niamh, martha, laura, otto = (
        people.create_profile_and_player(User.objects.create_user(name.lower()), name)
        for name in ("Niamh", "Martha", "Laura", "Otto")
    )
    assert niamh.user
    club = new_club(name="Lantern Street Card Club", slug="lantern", zone="Europe/Dublin", owner=niamh.user)
    league = League.objects.create(club=club, name="Chinese Ten League", slug="chinese-ten")
    began = clock.now().replace(microsecond=0) - 6 * A_DAY
    season_of(league, [martha, laura], starts_at=began, on_round_deadline="adjudicate")
    with clock.frozen_at(began):
        director.advance()
    winter = season_of(
        league, [], start=False, name="Winter", starts_at=began + 30 * A_DAY, entry={"invited_only": True}
    )
    entries.enter_season(season=winter, player=otto, by_organiser=False)
    return niamh


def evening(live: Live, page: Page) -> None:
    """Remind players, extend a round and accept a request. Then the inbox is empty, and everything is recorded."""
    ends = Round.objects.get().closes_at
    assert ends
    page.goto(live.address + "/clubs/")
    page.get_by_role("button", name="2 items in your inbox need you").press("Enter")
    page.get_by_role("link", name="Inbox 2 items need you").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Needs your attention")
    page.get_by_role("button", name="Remind").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("were reminded to play.")
    expect(page.get_by_role("button", name="Remind")).to_have_count(0)
    assert Notice.objects.filter(subject="nudge").count() == 1
    page.get_by_role("button", name="Extend by 3 days round 1").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Round 1 was extended by 3 days.")
    assert Round.objects.get().closes_at == ends + 3 * A_DAY
    page.get_by_role("button", name="Accept Otto").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nothing needs your attention")
    assert Season.objects.get(name="Winter").entries.get().status == "in"
    page.goto(live.address + "/clubs/lantern/audit-log/")
    expect(page.locator(".log li")).to_have_count(3)


def test_an_organisers_evening(live: Live, page: Page, niamh: Player) -> None:
    live.sign_in(page, niamh)
    evening(live, page)


def test_the_inbox_unfolded_fits_the_narrowest_phone_whatever_people_are_called(
    live: Live, page: Page, niamh: Player
) -> None:
    for number, player in enumerate(Player.objects.exclude(pk=niamh.pk)):
        Player.objects.filter(pk=player.pk).update(name=f"{number}{'W' * (NAME_MAX_LENGTH - 1)}")
    live.sign_in(page, niamh)
    page.goto(live.address + "/inbox/")
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    expect(page.get_by_role("button", name="Remind")).to_be_visible()
    assert look(page, Way(PHONE)) == []


@pytest.mark.slow
def test_the_evening_needs_no_scripts_and_a_reason_is_asked_before_somebody_goes(
    live: Live, browser: Browser, niamh: Player
) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 740})
    page = context.new_page()
    live.sign_in(page, niamh)
    page.goto(live.address + "/clubs/lantern/inbox/")
    page.locator("summary", has_text="Withdraw a player").click()
    page.get_by_role("button", name="Withdraw…", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Withdraw ")
    page.get_by_role("button", name="Withdraw", exact=True).click()
    assert (
        Match.objects.get().entrants.filter(entrant__status="withdrawn").count() == 0
    )  # the browser requires a reason
    evening(live, page)
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 360, 1280])
@pytest.mark.parametrize("path", ["/inbox/", "/clubs/lantern/inbox/", "/clubs/lantern/audit-log/", "/me/seasons/"])
def test_no_page_of_the_inbox_scrolls_sideways(live: Live, page: Page, niamh: Player, path: str, width: Any) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    live.sign_in(page, niamh)
    page.goto(live.address + path)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
