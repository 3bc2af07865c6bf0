"""Pages return: by the back button, after a silent connection, after a deploy, or after access was lost."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import expect

from games.models import Deal, Game, Player
from games.play import services as play
from scorebook_games.gamelog import visibility
from tests.browser.conftest import Live, Sit, serving
from tests.browser.playing_by_touch import at, open_game, play_one, version
from tests.servers.web import free_port

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def move_of(game: Game) -> None:
    """Play the first legal move of the player whose turn it is, as in another browser."""
    fold = play.load_game(game)
    seat = fold.awaited()[0]
    play.play_move(game=game, seat=seat, text=visibility.legal_moves(fold, seat)[0], expected_version=fold.version)


def test_the_back_button_leads_to_the_table_as_it_is_now(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura], "chinese_ten")
    page = sit(live, martha, game)
    page.get_by_role("link", name="Rules").last.click()
    page.wait_for_url("**/rules/chinese_ten/")
    while play.load_game(game).awaited() != [1]:
        move_of(game)
    move_of(game)
    while play.load_game(game).awaited() != [0]:
        move_of(game)
    page.go_back()
    expect(page.locator(".tabletop")).to_have_attribute("data-link", "open")
    at(page, version(game))
    expect(page.locator(".tray h2")).to_have_text("Your turn")
    play_one(page, random.Random(1))
    at(page, version(game))


def test_a_line_on_which_nothing_was_heard_for_long_is_opened_anew(
    live: Live, sit: Sit, martha: Player, laura: Player
) -> None:
    game = open_game([martha, laura], "chinese_ten")
    page = sit(live, martha, game)
    page.clock.install()
    page.reload()
    here = page.locator(".tabletop")
    expect(here).to_have_attribute("data-link", "open")
    page.route("**/events/*", lambda route: route.abort())
    page.clock.fast_forward(30_000)  # a silence of 40 s is allowed
    expect(here).to_have_attribute("data-link", "open")
    page.clock.fast_forward(41_000)  # longer, because a sign of life comes every 15 s of real time
    expect(here).to_have_attribute("data-link", "lost")
    expect(page.locator(".tray .link")).to_contain_text("The connection is lost. Trying again")
    move_of(game)
    page.unroute("**/events/*")
    page.clock.fast_forward(11_000)
    expect(here).to_have_attribute("data-link", "open")
    at(page, version(game))


@pytest.mark.slow
def test_a_page_that_is_open_while_the_platform_is_deployed_says_so_and_plays_on_after_loading_again(
    sit: Sit, martha: Player, laura: Player, live: Live
) -> None:
    game = open_game([martha, laura], "chinese_ten")
    port = free_port()
    with serving(port) as address:
        page = sit(Live(address), martha, game)
    with serving(port, "tests.browser.newer_build:application"):
        expect(page.locator(".tray .link")).to_contain_text("Scorebook has been updated")
        play_one(page, random.Random(1))  # the page's old scripts still work
        at(page, version(game))
        page.get_by_role("button", name="Reload").click()
        expect(page.locator(".tray .link")).to_be_empty()
        expect(page.locator(".tabletop")).to_have_attribute("data-link", "open")
        at(page, version(game))


@pytest.mark.slow
def test_who_has_left_a_sealed_game_is_told_that_it_is_sealed_and_not_that_the_connection_is_lost(
    live: Live, sit: Sit, martha: Player, laura: Player
) -> None:
    deal = Deal.objects.create(seed=bytes(32))
    game, _other = (
        play.open_game(kind="chinese_ten", players=[martha, laura], deal=deal, terms={"sealed": True}) for _ in range(2)
    )
    pages = [sit(live, player, game) for player in (martha, laura)]
    pages[1].get_by_role("button", name="Resign…").click()
    pages[1].get_by_role("button", name="Resign the game").click()
    expect(pages[0].locator(".tray h2")).to_have_text("The game is over")
    expect(pages[1].get_by_text("sealed until").first).to_be_visible()
    expect(pages[1].get_by_text("The connection is lost")).to_have_count(0)
    expect(pages[0].locator(".tabletop")).to_have_attribute("data-link", "open")
