"""The pages of a league in a browser: what scripts add, that pages work without scripts, and that they fit a phone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect

from games.accounts import people
from tests.browser.conftest import Live
from tests.factories import worlds
from tests.tournaments.club import play_all
from tournaments.director import director
from tournaments.seasons.models import Entrant, Match, Season
from tournaments.standings.models import Standing

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def season(transactional_db: None) -> Season:
    return worlds.demo_league()


@pytest.fixture
def without_scripts(browser: Browser) -> Iterator[Page]:
    """Provide a page in a browser without scripts."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


def address(live: Live, season: Season, page: str = "") -> str:
    return f"{live.address}/clubs/{season.league.club.slug}/{season.league.slug}/{season.slug}/{page}"


def test_a_row_unfolds_by_keyboard_in_its_place_and_keeps_the_focus(live: Live, page: Page, season: Season) -> None:
    page.goto(address(live, season, "standings/"))
    page.evaluate("window.stayed = true")
    row = page.locator("#standings .fold").nth(2)
    row.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#standings .sum tfoot")).to_contain_text("Total")
    opened = page.locator("#standings .fold[aria-expanded=true]")
    expect(opened).to_be_focused()
    assert page.evaluate("window.stayed")
    assert "?row=" in page.url
    page.keyboard.press("Enter")
    expect(page.locator("#standings .sum")).to_have_count(0)


@pytest.mark.slow
def test_a_row_unfolds_without_scripts_too(live: Live, without_scripts: Page, season: Season) -> None:
    page = without_scripts
    page.goto(address(live, season, "standings/"))
    page.locator("#standings .fold").nth(2).click()
    standing = Standing.objects.filter(entrant__division__season=season).order_by("place", "entrant__number")[2]
    assert page.locator("#standings .sum tfoot").count() == 1
    assert page.url.endswith(f"?row={standing.entrant.number}#row-{standing.entrant.number}")


@pytest.mark.slow
def test_the_page_follows_the_league_by_itself(live: Live, page: Page, season: Season) -> None:
    page.goto(address(live, season, "standings/"))
    shown = page.locator("#h-st")
    expect(shown).to_have_text("Standings after round 1")
    Season.objects.update(starts_at=season.starts_at - timedelta(hours=1))
    director.advance()
    play_all(kind="chinese_ten")
    director.advance()
    expect(shown).to_have_text("Standings after round 2")
    page.goto(address(live, season, "activity/"))
    expect(page.locator("#timeline")).to_contain_text("Closed. Round 2.")


@pytest.mark.slow
def test_names_as_long_as_they_may_be_fit_at_a_table_of_four(live: Live, page: Page, season: Season) -> None:
    match = Match.objects.filter(round__division__season__kind="palace").earliest("pk")
    for side in match.entrants.select_related("entrant__player"):
        side.entrant.player.name = f"{side.order} Bartholomewfitzgeraldsonbergerstein"
        side.entrant.player.save(update_fields=["name"])
    assert match.entrants.count() == 4
    page.goto(f"{live.address}/matches/{match.pk}/")
    games = page.locator("section[aria-labelledby=h-games] table")
    over = games.evaluate("e => e.getBoundingClientRect().right - e.parentElement.getBoundingClientRect().right")
    assert over <= 0, "The table stays beside the column."
    expect(games).to_contain_text("moved first")


def test_times_are_in_the_zone_of_the_browser_from_the_first_page_on(
    live: Live, browser: Browser, season: Season
) -> None:
    context = browser.new_context(timezone_id="Asia/Tokyo")
    page = context.new_page()
    page.goto(f"{live.address}/clubs/lantern-street/")
    expect(page.locator("footer")).to_contain_text("Times are in Asia/Tokyo")
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 640, 1280])
def test_no_page_scrolls_sideways(live: Live, page: Page, season: Season, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    matches = Match.objects.filter(finished_at__isnull=False)
    players = Standing.objects.values_list("entrant__player", flat=True)[:1]
    row = f"{address(live, season, 'standings/')}?row=1"
    paths = ["/", "/watch/", "/clubs/", "/clubs/lantern-street/", "/rules/plates/", "/fairness/", "/accounts/login/"]
    paths += [f"/matches/{match.pk}/" for match in (matches[0], matches.order_by("-pk")[0])]
    paths += [f"/players/{player}/" for player in players]
    wide = []
    for path in [row, *[live.address + path for path in paths]]:
        page.goto(path)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(path)
    assert wide == []


def test_what_an_entrant_may_do_fits_a_phone(live: Live, page: Page, season: Season) -> None:
    ada = people.create_profile_and_player(User.objects.create_user("ada"), "Ada")
    Entrant.objects.filter(pk=season.entries.earliest("pk").pk).update(player=ada)
    live.sign_in(page, ada)
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(address(live, season))
    expect(page.locator("#yours").get_by_role("button", name="Withdraw")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_first_tab_stop_skips_to_the_page(live: Live, page: Page, season: Season) -> None:
    page.goto(f"{live.address}/clubs/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
