"""An organiser sets up a Swiss and a knockout season in a browser, and sees their first rounds."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import Browser, Error, Page, Route, expect

from games.common import clock
from games.models import Player
from tests.browser.conftest import Live
from tests.browser.season_form import unfold
from tests.browser.test_axe import WAYS, Way, look
from tests.tournaments.club import new_club
from tournaments.director import director
from tournaments.seasons.models import League, Match, Season

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PATH = "/clubs/lantern/new-season/"


@pytest.fixture
def niamh(transactional_db: None) -> Player:
    """Return the club's owner."""
    user = get_user_model().objects.create_user("niamh")
    club = new_club(name="Lantern Street Card Club", slug="lantern", zone="Europe/Dublin", owner=user)
    League.objects.create(club=club, name="Chinese Ten League", slug="chinese-ten")
    return Player.objects.create(name="Niamh", user=user)


def set_up(live: Live, page: Page, name: str, format: str) -> None:
    """Fill in the first fields. All others keep their defaults."""
    page.goto(live.address + PATH)
    page.fill("#id_name", name)
    unfold(page, "entrants")
    page.select_option("#id_bot_random", "3")
    page.select_option("#id_bot_sensible", "2")
    unfold(page, "format")
    page.select_option("#id_format", format)
    expect(page.locator("#made")).to_contain_text("with 5 entrants")


def first_round() -> None:
    """Let the director work two days later, when the first round is due."""
    with clock.frozen_at(clock.now() + timedelta(days=2)):
        director.advance()


@pytest.mark.usefixtures("is_asked")
def test_a_swiss_season_is_set_up_and_its_first_round_seen(live: Live, page: Page, niamh: Player) -> None:
    live.sign_in(page, niamh)
    set_up(live, page, "Swiss", "swiss")
    page.locator("#id_format_swiss_rounds").fill("3")
    unfold(page, "fair")
    page.locator("#fair summary", has_text="Tie-breaks").click()
    page.select_option("#tie_add", "buchholz")
    page.get_by_role("button", name="Add", exact=True).press("Enter")
    for place in (5, 4, 3, 2, 1):  # the button keeps the focus while its row moves
        up = page.get_by_role("button", name=f"Move Buchholz up, now {place + 1}")
        up.press("Enter")
        expect(page.get_by_role("button", name=f"Move Buchholz up, now {place}")).to_be_focused()
    expect(page.locator("#made .sheethead")).to_contain_text("2 per round, 1 bye")
    assert Season.objects.count() == 0
    page.get_by_role("button", name="Save and start…").click()
    page.get_by_role("button", name="Start season").click()
    expect(page.locator("h1")).to_have_text("Chinese Ten League, Swiss")
    first_round()
    page.reload()
    expect(page.locator("#round tbody tr")).to_have_count(3)
    expect(page.locator("#round")).to_contain_text("has the bye")
    assert Season.objects.get().tie_breaks[0] == "buchholz"


def test_what_it_makes_follows_the_last_change_though_an_older_answer_comes_late(
    live: Live, page: Page, niamh: Player, complaints: set[str]
) -> None:
    """The answer to the first request is held until the second request is answered."""
    complaints.update({"htmx:sendAbort", "htmx:afterRequest"})  # messages about the first request, which htmx aborts
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    live.sign_in(page, niamh)
    page.goto(live.address + PATH)
    page.fill("#id_name", "Late")
    unfold(page, "entrants")
    page.route("**/*part=made", hold_the_first)
    with page.expect_request("**/*part=made"):
        page.select_option("#id_bot_random", "3")
    page.select_option("#id_bot_sensible", "2")
    expect(page.locator("#made")).to_contain_text("with 5 entrants")
    with suppress(Error):  # the browser has aborted the request
        held[0].continue_()
    page.unroute("**/*part=made")
    page.select_option("#id_bot_sensible", "3")
    expect(page.locator("#made")).to_contain_text("with 6 entrants")


@pytest.mark.slow
@pytest.mark.usefixtures("is_asked")
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_knockout_is_set_up_and_its_bracket_seen(live: Live, page: Page, niamh: Player, way: Way) -> None:
    page.set_viewport_size(way.size)
    live.sign_in(page, niamh)
    set_up(live, page, "Cup", "knockout")
    page.select_option("#id_format_knockout_third_place", "yes")
    expect(page.locator("#made")).to_contain_text("1, 2, 2 by round")
    for topic in ("options", "entrants", "calendar", "fair", "terms"):
        unfold(page, topic)
        expect(page.locator("details.topic[open]")).to_have_count(1)
        for fold in page.locator(f"#{topic} details.more").all():
            fold.locator("summary").click()
        assert look(page, way) == []
    page.get_by_role("button", name="Save and start…").click()
    page.get_by_role("button", name="Start season").click()
    first_round()
    page.reload()
    bracket = page.locator(".bracket.upper")
    expect(bracket).to_contain_text("winner of W1.2")
    bracket.focus()
    expect(bracket).to_be_focused()
    assert look(page, way) == []
    page.get_by_role("link", name="W1.2").press("Enter")
    expect(page).to_have_url(f"{live.address}/matches/{Match.objects.get().pk}/")


def test_what_is_wrong_in_a_folded_part_is_in_sight(live: Live, browser: Browser, niamh: Player) -> None:
    page = browser.new_context().new_page()
    live.sign_in(page, niamh)
    set_up(live, page, "Cup", "knockout")
    page.get_by_text("Divisions, promotion and relegation").click()
    page.fill("#id_promoted", "2")
    page.get_by_role("button", name="Open for entries").click()
    expect(page.locator("#id_promoted_error")).to_be_visible()
    assert Season.objects.count() == 0
    page.context.close()
