"""The form of a new season in a browser: with and without scripts, with a keyboard, on a phone."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import Browser, Page, expect

from games.models import Player
from tests.browser.conftest import Live
from tests.browser.season_form import unfold
from tests.tournaments.club import new_club
from tournaments.clubs.models import Club
from tournaments.seasons.models import Season

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PATH = "/clubs/lantern/new-season/"


@pytest.fixture
def niamh(transactional_db: None) -> Player:
    """Return the club's owner."""
    user = get_user_model().objects.create_user("niamh")
    new_club(name="Lantern Street Card Club", slug="lantern", zone="Europe/Dublin", owner=user)
    return Player.objects.create(name="Niamh", user=user)


def test_another_game_brings_its_options_and_the_preview_follows_by_itself(
    live: Live, page: Page, niamh: Player, laura: Player
) -> None:
    assert laura.user
    Club.objects.get().memberships.create(user=laura.user)
    live.sign_in(page, niamh)
    page.goto(live.address + PATH)
    page.select_option("#id_kind", "palace")
    expect(page.locator("#options")).to_contain_text("a joker", ignore_case=True)
    page.select_option("#id_table_size", "4")
    unfold(page, "entrants")
    page.select_option("#id_bot_random", "4")
    expect(page.locator("#made")).to_contain_text("with 4 entrants")
    page.fill("#id_q", "lau")
    page.locator("#people").get_by_label("Laura").check()
    expect(page.locator("#made")).to_contain_text("with 5 entrants")
    expect(page.locator("#gist-entrants")).to_have_text("people and bots, 5 chosen so far")
    assert Season.objects.count() == 0
    page.fill("#id_new_league", "Palace Nights")
    page.get_by_role("button", name="Open for entries").press("Enter")
    expect(page.locator("#registration")).to_contain_text("5 have entered")
    season = Season.objects.get()
    assert (season.kind, season.table_size, season.status) == ("palace", 4, "open")


@pytest.mark.slow
def test_the_form_needs_no_scripts(live: Live, browser: Browser, niamh: Player) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    live.sign_in(page, niamh)
    page.goto(live.address + PATH)
    page.select_option("#id_kind", "plates")
    page.get_by_role("button", name="Show this game’s options").click()
    unfold(page, "options")
    page.fill("#id_option_plates_rounds", "21")
    page.fill("#id_new_league", "Plates League")
    page.get_by_role("button", name="Open for entries").click()
    expect(page.locator("#id_option_plates_rounds_error")).to_contain_text("from 1 to 20.")
    page.fill("#id_option_plates_rounds", "5")
    page.get_by_role("button", name="Open for entries").click()
    assert Season.objects.get().options["rounds"] == 5
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 360, 1280])
def test_the_form_does_not_scroll_sideways(live: Live, page: Page, niamh: Player, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    live.sign_in(page, niamh)
    for path in (PATH, "/rules/palace/"):
        page.goto(live.address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
