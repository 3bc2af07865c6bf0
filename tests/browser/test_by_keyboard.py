"""A whole game and the form of a season are done with the keyboard alone, without a click."""

from __future__ import annotations

from typing import Final

import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import Page, expect

from games.accounts import shortcuts
from games.common.shortcuts import Choice
from games.models import Game, Player
from games.play import services as play
from tests.browser.conftest import Live, Sit
from tests.browser.playing_by_touch import at, open_game, until, version
from tests.browser.test_whole_games import first_legal
from tests.tournaments.club import new_club
from tournaments.clubs.models import Club
from tournaments.seasons.models import Season

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MAX_TABS: Final = 120
ACTIVE: Final = "(wanted) => Boolean(document.activeElement?.matches(wanted))"
NAME: Final = "document.activeElement?.innerText.trim() ?? ''"


def tab_to(page: Page, wanted: str, name: str = "") -> None:
    """Press Tab until the focus is on an element that matches and has `name` in its text."""
    for _ in range(MAX_TABS):
        page.keyboard.press("Tab")
        if page.evaluate(ACTIVE, wanted) and name in page.evaluate(NAME):
            return
    raise AssertionError(f"Tab does not reach {wanted} {name}")


def make_move(page: Page) -> None:
    """Move between things with arrow keys and choose with Enter until a move is made."""
    here = page.locator(".tabletop")
    expect(page.locator(".tray.acting")).to_be_visible()
    until(page, "busy", "no")
    before = here.get_attribute("data-version") or ""
    for _ in range(12):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        if here.get_attribute("data-busy") != "no" or here.get_attribute("data-version") != before:
            until(page, "version", before, wanted=False)
            return
    raise AssertionError(f"No move was made: {page.locator('.tray').inner_text()}")


def play_by_keyboard(page: Page, game: Game, seat: int) -> None:
    """Play one seat to the end of the game. The server plays the other seats."""
    while not (fold := play.load_game(game)).outcome():
        acting = fold.awaited()[0]
        if acting == seat:
            make_move(page)
        else:
            play.play_move(game=game, seat=acting, text=first_legal(fold), expected_version=fold.version)
        at(page, version(game))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("chinese_ten", {"packs": 1, "turn_limit": 8}),
        pytest.param("chinese_ten", {"packs": 1}, marks=pytest.mark.slow),
        pytest.param("palace", {"packs": 1, "turn_limit": 16}, marks=pytest.mark.slow),
        pytest.param("plates", {"rounds": 1, "turn_limit": 16}, marks=pytest.mark.slow),
        pytest.param("platinum_fish", {"turn_limit": 16}, marks=pytest.mark.slow),
    ],
)
def test_a_game_is_played_and_replayed_by_keyboard(
    live: Live, sit: Sit, martha: Player, laura: Player, kind: str, options: dict[str, object]
) -> None:
    assert martha.user
    shortcuts.save(martha.user, Choice(on=False))  # shortcuts of single characters are not needed
    game = open_game([martha, laura], kind, options)
    page = sit(live, martha, game)
    play_by_keyboard(page, game, 0)
    expect(page.locator(".tray h2")).to_have_text("The game is over")
    expect(page.get_by_role("button", name="Close the result")).to_be_visible()  # the card takes the focus
    tab_to(page, ".ended a", "Replay")
    page.keyboard.press("Enter")
    board = page.locator(".felt")
    expect(page.get_by_role("slider", name="Position in the game")).to_be_visible()
    page.keyboard.press("End")
    expect(board).to_have_attribute("aria-label", f"The table after step {version(game)}")
    page.keyboard.press("ArrowLeft")
    expect(board).not_to_have_attribute("aria-label", f"The table after step {version(game)}")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Shortcuts")).to_be_hidden()
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.keyboard.press("Space")
    page.wait_for_function("() => scrollY > 0")


@pytest.fixture
def niamh(transactional_db: None) -> Player:
    """Return the club's owner."""
    user = get_user_model().objects.create_user("niamh")
    new_club(name="Lantern Street Card Club", slug="lantern", zone="Europe/Dublin", owner=user)
    return Player.objects.create(name="Niamh", user=user)


@pytest.mark.slow
@pytest.mark.usefixtures("is_asked")
def test_a_season_is_set_up_opened_and_started_by_keyboard(
    live: Live, page: Page, niamh: Player, laura: Player
) -> None:
    assert laura.user
    Club.objects.get().memberships.create(user=laura.user)
    live.sign_in(page, niamh)
    page.goto(f"{live.address}/clubs/lantern/new-season/")

    def write(field: str, text: str) -> None:
        tab_to(page, f"#id_{field}")
        page.keyboard.type(text)

    def choose(field: str, presses: int) -> None:
        tab_to(page, f"#id_{field}")
        for _ in range(presses):
            page.keyboard.press("ArrowDown")

    write("new_league", "Palace Nights")
    write("kind", "Palace")
    expect(page.locator("#options")).to_contain_text("a joker", ignore_case=True)
    tab_to(page, "#entrants > summary")
    page.keyboard.press("Enter")
    choose("bot_random", 3)
    write("q", "lau")
    expect(page.locator("#people input[type=checkbox]")).to_have_count(1)  # it appears while typing, after a moment
    tab_to(page, "#people input[type=checkbox]")
    page.keyboard.press("Space")
    expect(page.locator("#made")).to_contain_text("with 4 entrants")
    tab_to(page, "button", "Open for entries")
    page.keyboard.press("Enter")
    expect(page.locator("#registration")).to_contain_text("4 have entered")
    tab_to(page, "button", "Start season…")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Start ")  # the question
    tab_to(page, "button", "Start season")
    page.keyboard.press("Enter")
    expect(page.locator("#registration")).to_have_count(0)
    season = Season.objects.get()
    assert (season.kind, season.status, season.entries.count()) == ("palace", "running", 4)
