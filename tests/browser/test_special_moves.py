"""Rare moves by touch: last cards and their calls, quick throws, rims, and the star plate's colour."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from games.common import clock
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from scorebook_games.gamelog import visibility
from tests.browser.conftest import Live, Sit
from tests.browser.playing_by_touch import at, both_at, bring_to, open_game, version

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SHORT: Final[dict[str, object]] = {"packs": 1, "jokers": False, "last_card_call": True}


def at_a_last_card(players: list[Player]) -> tuple[Game, int]:
    """Return a game of Palace in which a seat can leave itself one card, and this seat."""
    game = open_game(players, "palace", SHORT)
    chance = random.Random(3)
    return game, bring_to(game, lambda move: move.endswith(" last"), chance.choice)


def play_last(page: Page, game: Game, *, saying: bool) -> None:
    """Touch a card, then the button that also calls “last card”, or the button that does not."""
    before = version(game)
    page.locator(".hand-card.on, .near .thing.offer").first.click()
    moves = page.locator(".moves [data-move]")
    sentence = page.locator('.moves [data-move$=" last"]')
    expect(sentence).to_have_count(1)
    expect(sentence).to_contain_text("and say “last card”")
    (sentence if saying else moves.first).click()
    expect(page.locator(".tabletop")).not_to_have_attribute("data-version", str(before))


@pytest.mark.slow
def test_a_last_card_is_called_by_touch(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    """A player who plays all cards except one calls that with the move (PA-24)."""
    game, seat = at_a_last_card([martha, laura])
    pages = [sit(live, player, game) for player in (martha, laura)]
    play_last(pages[seat], game, saying=True)
    both_at(pages, game)
    expect(pages[1 - seat].locator(".narration")).to_contain_text("calling “last card”")
    assert not pages[1 - seat].locator('[data-move^="call"]').count()


@pytest.mark.slow
def test_who_does_not_say_it_is_called_out_by_a_touch(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    """The other player may call it until the next play (PA-24)."""
    game, seat = at_a_last_card([martha, laura])
    pages = [sit(live, player, game) for player in (martha, laura)]
    play_last(pages[seat], game, saying=False)
    both_at(pages, game)
    pages[1 - seat].locator('.moves [data-move^="call"]').click()
    for page in pages:
        expect(page.locator(".narration")).to_contain_text("did not say “last card”")
    both_at(pages, game)


def test_a_quick_throw_is_one_touch_of_the_card(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    """A player may throw cards that were just drawn and have the rank just played (PA-16)."""
    game = open_game([martha, laura], "palace", {"packs": 1, "jokers": False})
    seat = bring_to(game, lambda move: move.startswith("throw"), random.Random(1).choice)
    pages = [sit(live, player, game) for player in (martha, laura)]
    wanted = next(move for move in visibility.legal_moves(play.load_game(game), seat) if move.startswith("throw"))
    pages[seat].locator(f'.hand-card[data-thing^="hand:{wanted[-1]}~"].on').first.click()
    for each in pages:
        expect(each.locator(".narration")).to_contain_text("threw in")
    both_at(pages, game)


def spinning(players: list[Player]) -> Game:
    """Return a live game of Plate Spinner after GO."""
    options: dict[str, object] = {"roll_ms": 0}
    game = play.open_game(
        kind="plate_spinner",
        players=players,
        options=options,
        terms={"pace": "live", "rated": False},
        deal=Deal.objects.create(seed=bytes(range(9, 41))),
    )
    for seat in range(len(players)):
        play.mark_ready(game=game, seat=seat)
    with clock.frozen_at(clock.now() + timedelta(seconds=9)):
        play.expire_clocks(game=game)
    return game


def eager(legal: list[str]) -> str:
    """Choose a move that fills plates, takes the last item of the row, and grabs when all possible is filled."""
    for verb in ("colour", "attach", "draft", "assign"):
        if found := [move for move in legal if move.startswith(verb)]:
            return found[-1]
    return "grab" if "grab" in legal else next(move for move in reversed(legal))


@pytest.mark.slow
def test_a_rim_is_put_under_a_plate_by_touching_both(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    """The rule is PS-21."""
    game = spinning([martha, laura])
    seat = bring_to(game, lambda move: move.startswith("attach"), eager)
    move = next(move for move in visibility.legal_moves(play.load_game(game), seat) if move.startswith("attach"))
    _verb, rim, plate = move.split(" ")
    page = sit(live, (martha, laura)[seat], game)
    for thing in (rim, plate):
        if page.locator(".tabletop").get_attribute("data-version") == str(version(game)):
            page.locator(f'.thing[data-thing="plate:{thing}"]').click()
    expect(page.locator(".narration")).to_contain_text("put the rim")
    at(page, version(game))
    own = play.load_game(game).rules.observation(play.load_game(game).state, seat)["players"][seat]["plates"]
    assert rim in [held["rim"]["id"] for held in own if held["rim"]]


@pytest.mark.slow
def test_the_star_plate_gets_its_colour_by_a_touch(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    """The player who drafted it chooses its colour (PS-26)."""
    game = spinning([martha, laura])
    seat = bring_to(game, lambda move: move.startswith("colour"), eager)
    page = sit(live, (martha, laura)[seat], game)
    page.get_by_role("button", name="Count the star plate as blue").click()
    expect(page.locator(".narration")).to_contain_text("made the star plate blue")
    assert "coloured" in [entry.event[0] for entry in eventlog.read_events(game.stream_id)]
