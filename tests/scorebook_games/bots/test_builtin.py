"""The built-in bots play by the rules and keep no memory, and the sensible bot plays sensibly."""

from __future__ import annotations

import inspect
import json
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from games.models import Bot, BotVersion, Player
from scorebook_games import chance
from scorebook_games.bots.builtin import BUILTIN_BOTS, MoveRequest
from scorebook_games.conformance.play import Table, legal_texts
from scorebook_games.conformance.play import play as random_game
from scorebook_games.registry import KINDS
from tests.bench.builtin_bots import against, interval, play
from tests.factories.builtin_bots import ensure_builtin_bots

of_every_bot = pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name in BUILTIN_BOTS for kind in sorted(BUILTIN_BOTS[name].kinds)]
)
of_every_kind = pytest.mark.parametrize("kind", sorted(KINDS))
# A bot that searches is asked now and then.
EVERY = {"random": 1, "sensible": 1, "strong": 40}


def asked(kind: str, seats: int, number: int) -> Iterator[tuple[MoveRequest, list[str]]]:
    """Yield what a bot is asked at every node of a random game."""
    rules = KINDS[kind].rules
    for node in random_game(Table(kind, seats), number):
        view = MoveRequest(kind, rules.observation(node.state, node.seat), len(node.log))
        yield view, legal_texts(rules, node.state, node.seat)


@of_every_bot
def test_a_built_in_bot_plays_every_kind_and_answers_with_a_legal_move(name: str, kind: str) -> None:
    bot = BUILTIN_BOTS[name]
    assert bot.name == name
    assert kind in bot.kinds
    spec = KINDS[kind].spec
    for seats in (spec.seats_min, spec.seats_max):
        for view, legal in islice(asked(kind, seats, 1), 0, None, EVERY[name]):
            assert bot.move(view, legal, random.Random(1)) in legal


@pytest.mark.some(5)
@of_every_bot
def test_the_same_question_and_chance_get_the_same_answer(name: str, kind: str) -> None:
    seed = bytes(range(32))
    for view, legal in islice(asked(kind, 3, 2), 0, None, EVERY[name]):
        before = json.dumps([view, legal])
        first, again = [
            BUILTIN_BOTS[name].move(view, legal, chance.bot_random(seed, 1, view.version)) for _ in range(2)
        ]
        assert first == again
        assert json.dumps([view, legal]) == before


@of_every_kind
def test_the_random_bot_leaves_no_legal_move_out(kind: str) -> None:
    view, legal = next(asked(kind, 2, 3))
    rng = random.Random(4)
    assert {BUILTIN_BOTS["random"].move(view, legal, rng) for _ in range(100 * len(legal))} == set(legal)


@pytest.mark.some(5)
@pytest.mark.parametrize(
    ("name", "kind"),
    [("strong", "chinese_ten"), *[(name, kind) for name in ("random", "sensible") for kind in sorted(KINDS)]],
)
def test_a_game_of_built_in_bots_is_the_same_when_it_is_played_again(name: str, kind: str) -> None:
    bots = [BUILTIN_BOTS[name], BUILTIN_BOTS["random"]]
    first, again = play(kind, bots, 5), play(kind, bots, 5)
    assert (first.outcome, first.moves) == (again.outcome, again.moves)
    assert play(kind, bots, 6).outcome.scores != first.outcome.scores


def test_a_built_in_bot_is_given_what_its_seat_saw_and_texts_and_nothing_else() -> None:
    for bot in BUILTIN_BOTS.values():
        assert list(inspect.signature(bot.move).parameters) == ["view", "legal", "rng"]
    assert MoveRequest._fields == ("kind", "observation", "version", "record")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "seats", "games", "at_least"),
    [
        ("chinese_ten", 2, 200, 0.52),
        ("plate_spinner", 2, 20, 0.8),
        *[
            pytest.param(*row, marks=pytest.mark.slow)
            for row in (
                ("plates", 2, 20, 0.8),
                ("palace", 2, 20, 0.8),
                ("platinum_fish", 2, 40, 0.7),
                ("chinese_ten", 2, 400, 0.52),
                ("chinese_ten", 3, 240, 0.51),
                ("plate_spinner", 2, 40, 0.8),
                ("plate_spinner", 4, 40, 0.8),
                ("plates", 4, 20, 0.8),
                ("palace", 2, 40, 0.8),
                ("palace", 4, 40, 0.8),
                ("platinum_fish", 2, 80, 0.7),
                ("platinum_fish", 4, 80, 0.7),
            )
        ],
    ],
)
def test_sensible_beats_random_beyond_chance(kind: str, seats: int, games: int, at_least: float) -> None:
    """The lower end of the 95 % interval of its placing share, over rotated seats, is above one half."""
    low, _ = interval([game.placing_share for game in against(kind, seats, games)])
    assert low > at_least


def ten(**changes: Any) -> MoveRequest:
    """Return a position of Chinese Ten with two seats and two packs, seat 0 to act, and with `changes`."""
    seen = {
        "seat": 0,
        "packs": 2,
        "hand": ["6S", "KS"],
        "hand_counts": [2, 2],
        "spots": [["4S"], ["KH"], ["3S"], ["2S"]],
        "flipped": None,
        "deck": 40,
        "piles": [[], []],
    }
    return MoveRequest("chinese_ten", {**seen, **changes}, 9)


def test_sensible_captures_what_counts_most() -> None:
    """CT-1: two kings are 20 points, six and four are 10."""
    assert BUILTIN_BOTS["sensible"].move(ten(), ["capture 6 1", "capture K 2"], random.Random(1)) == "capture K 2"


def test_sensible_lays_what_nobody_can_take() -> None:
    """All eight fours are out, so a six is safe; a king is not."""
    fours = [f"4{suit}" for suit in "SHDCSHDC"]
    view = ten(spots=[["9S"], ["9H"], ["3S"], []], piles=[fours, []])
    assert BUILTIN_BOTS["sensible"].move(view, ["lay K", "lay 6"], random.Random(1)) == "lay 6"


def test_sensible_covers_what_would_bring_the_others_most() -> None:
    view = ten(hand=["QS"], hand_counts=[1, 9], spots=[["2S"], ["AH"], ["3S"], ["4S"]])
    legal = [f"lay Q {spot}" for spot in range(1, 5)]
    assert BUILTIN_BOTS["sensible"].move(view, legal, random.Random(1)) == "lay Q 2"


def test_sensible_takes_the_dearest_card_with_a_flip_and_covers_with_one_that_takes_nothing() -> None:
    view = ten(flipped="KD", spots=[["4S"], ["KH"], ["KC"], ["2S"]])
    assert BUILTIN_BOTS["sensible"].move(view, ["flip 2", "flip 3"], random.Random(1)) in ("flip 2", "flip 3")
    view = ten(flipped="5D", spots=[["2S"], ["3S"], ["4S"], ["9H"]])
    legal = [f"cover {spot}" for spot in range(1, 5)]
    assert BUILTIN_BOTS["sensible"].move(view, legal, random.Random(1)) == "cover 4"


@pytest.mark.parametrize(
    ("out", "legal", "chosen"),
    [
        (None, ["place 6", "place 66", "place 66!"], "place 66!"),
        (None, ["place 2", "place 9", "place 99", "place A"], "place 99"),
        (None, ["place A", "place 2"], "place 2"),
        (None, ["place 9", "place /9"], "place /9"),
        (None, ["place A", "place AA"], "place A"),
        (None, ["take", "blind 2"], "blind 2"),
        (None, ["add", "add 3", "add 33"], "add 33"),
        (None, ["add", "add !"], "add !"),
        (None, ["place 5555", "place K"], "place 5555"),
        (1, ["place K", "place A", "place AA"], "place AA"),
        (1, ["place K", "place 88"], "place 88"),
    ],
)
def test_sensible_has_a_plan_for_plates(out: int | None, legal: list[str], chosen: str) -> None:
    view = MoveRequest("plates", {"out": out}, 3)
    assert BUILTIN_BOTS["sensible"].move(view, legal, random.Random(1)) == chosen


def fish(**changes: Any) -> MoveRequest:
    """Return a position of Platinum Fish with three seats, seat 0 to act with a 6, a 9 and a K, and with `changes`."""
    seen = {
        "seat": 0,
        "seats": 3,
        "hand": ["6S", "9S", "KS"],
        "hand_counts": [3, 4, 2],
        "shown": [[], [], []],
        "matches": [[["2S", "2H"]], [], []],
        "discard": ["3S", "9H"],
        "deck": 40,
        "ranks": [],
    }
    return MoveRequest("platinum_fish", {**seen, **changes}, 9)


@pytest.mark.parametrize(
    ("legal", "chosen"),
    [
        (["draw deck", "draw discard"], "draw discard"),
        (["fish 2", "fish 6"], "fish 6"),
        (["fish 2", "fish 4"], "fish 4"),
        (["salvage 9", "stop"], "salvage 9"),
        (["shuffle", "pass"], "shuffle"),
    ],
)
def test_sensible_makes_every_match_and_keeps_to_ranks_that_are_still_to_come(legal: list[str], chosen: str) -> None:
    """PF-5, PF-9, PF-12, PF-15: two twos are gone, no four is."""
    assert BUILTIN_BOTS["sensible"].move(fish(), legal, random.Random(1)) == chosen


def test_sensible_asks_whoever_most_likely_has_what_it_holds_and_else_nobody() -> None:
    """PF-10, PF-13."""
    legal = ["decline", *[f"ask {seat} {rank}" for seat in (1, 2) for rank in "A23456789TJQK"]]
    shown = fish(shown=[[], ["4H"], ["KH"]])
    assert BUILTIN_BOTS["sensible"].move(shown, legal, random.Random(1)) == "ask 2 K"
    assert BUILTIN_BOTS["sensible"].move(fish(ranks=["5", "6", "J"]), legal, random.Random(1)) == "ask 1 6"
    gone = fish(hand=["3S"], discard=[f"3{suit}" for suit in "HDCHDCS"])
    assert BUILTIN_BOTS["sensible"].move(gone, ["decline", "ask 1 4", "ask 1 5"], random.Random(1)) == "decline"


def in_palace(legal: list[str], hand: str = "3S KS", **changes: Any) -> str:
    """Return the sensible bot's move in Palace. It holds `hand`, and a 7 lies on a pile of three; `changes` apply."""
    seen = {
        "seat": 0,
        "options": {"ace": "threat"},
        "pile": ["5S", "7D", "7S"],
        "current": "7",
        "run": 2,
        "seats": [{"hand": hand.split()}],
    }
    return BUILTIN_BOTS["sensible"].move(MoveRequest("palace", {**seen, **changes}, 9), legal, random.Random(1))


@pytest.mark.parametrize(
    ("legal", "chosen"),
    [
        (["palace 334", "palace 2KT", "palace 33K"], "palace 2KT"),
        (["play 9", "play K", "play A", "take"], "play 9"),
        (["play 9", "play 99", "chance", "take"], "play 99"),
        (["play 7", "play 77", "play A"], "play 77"),  # clears
        (["play A", "play 2", "play T", "play *"], "play A"),
        (["play A", "play AA"], "play A"),
        (["chance", "take"], "chance"),
        (["play drawn", "keep"], "play drawn"),
        (["turn 0", "turn 0 last", "take"], "turn 0 last"),
        (["throw 7", "throw 77", "throw 77 last", "pass"], "throw 77 last"),
        (["play K", "call 2"], "call 2"),
    ],
)
def test_sensible_has_a_plan_for_palace(legal: list[str], chosen: str) -> None:
    assert in_palace(legal) == chosen


def test_sensible_takes_a_pile_rather_than_chance_against_an_ace() -> None:
    """PA-10."""
    assert in_palace(["chance", "take"], current="A") == "take"
    assert in_palace(["chance", "take"], current="A", options={"ace": "reset"}) == "chance"


def test_sensible_clears_a_long_pile_and_plays_its_last_wild_cards_so_that_games_end() -> None:
    assert in_palace(["play 9", "play T"], pile=["7S"] * 10) == "play T"
    assert in_palace(["play A", "play 2", "play T"], hand="AS 2S TS") == "play T"
    assert in_palace(["play A", "play AA", "play 2"], hand="AS AD 2S") == "play 2"
    assert not any(play("palace", [BUILTIN_BOTS["sensible"]] * 2, number).cut for number in range(10))


@pytest.mark.django_db
def test_the_built_in_bots_become_players_once() -> None:
    players = ensure_builtin_bots()
    assert ensure_builtin_bots() == players
    assert {name: player.name for name, player in players.items()} == {
        "random": "Random",
        "sensible": "Sensible",
        "strong": "Strong",
    }
    for name, player in players.items():
        assert player.bot_version is not None
        assert player.bot_version.program == name
        assert player.bot_version.transport == BotVersion.Transport.BUILT_IN
        assert player.bot_version.bot.owner is None
    assert (Bot.objects.count(), BotVersion.objects.count(), Player.objects.count()) == (3, 3, 3)
