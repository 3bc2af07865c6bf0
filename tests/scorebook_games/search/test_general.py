"""The search for any kind, which needs only its rules: its worlds, what it may know, and what it costs."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import pytest

from scorebook_games.bots.builtin import MoveRequest, SearchBot
from scorebook_games.conformance.play import Instead, Node, Table, legal_texts, plain, play
from scorebook_games.contract import fold
from scorebook_games.registry import KINDS
from scorebook_games.search import beginnings, general
from scorebook_games.search.general import general_move
from scorebook_games.search.general_worlds import GeneralWorlds
from scorebook_games.search.record import Record, record_for
from tests.scorebook_games.kinds.permute import GENERATORS

BY_RULES_ALONE = SearchBot({}, {})
POSITIONS = 4000
# A moment of a random game, early enough for the positions above.
MOMENTS = {"chinese_ten": 1, "palace": 1, "plate_spinner": 20, "plates": 8}
of_some_kinds = pytest.mark.parametrize("kind", sorted(MOMENTS))


def moment(kind: str) -> tuple[Table, Node]:
    table = Table(kind, 3)
    return table, next(islice(play(table, 1), MOMENTS[kind], None))


def record(table: Table, node: Node, log: Any = None) -> Record:
    return record_for(table.rules, table.seats, table.options, node.seat, node.log if log is None else log)


def worlds_of(table: Table, node: Node, positions: int = POSITIONS) -> GeneralWorlds:
    seen, legal = table.rules.observation(node.state, node.seat), legal_texts(table.rules, node.state, node.seat)
    return GeneralWorlds(record(table, node), seen, legal, positions, random.Random(1))


def answer(table: Table, node: Node, expected: Record) -> str | None:
    seen, legal = table.rules.observation(node.state, node.seat), legal_texts(table.rules, node.state, node.seat)
    return general_move(expected, seen, legal, None, random.Random(2))


@pytest.mark.some(1)
@of_some_kinds
def test_worlds_show_the_seat_what_it_saw_and_differ_in_what_it_did_not(kind: str) -> None:
    table, node = moment(kind)
    found = worlds_of(table, node).some(5)
    assert len({plain(world) for world in found}) == 5
    for world in found:
        assert table.rules.observation(world, node.seat) == table.rules.observation(node.state, node.seat)
        assert legal_texts(table.rules, world, node.seat) == legal_texts(table.rules, node.state, node.seat)


@pytest.mark.some(1)
@of_some_kinds
def test_what_is_hidden_has_no_part_in_the_record_nor_in_the_answer(kind: str) -> None:
    """A second game differs in all that the seat does not see; the bot is asked in both."""
    table, node = moment(kind)
    other = GENERATORS[kind](table.seats, table.options, node.log, node.seat, random.Random(7))
    assert other is not None
    assert other != node.log
    twin = fold(table.rules, table.seats, table.options, other)
    assert plain(twin) != plain(node.state)
    mine, theirs = record(table, node), record(table, node, other)
    assert mine == theirs
    there = Node(twin, other, node.seat, node.action, node.events)
    assert answer(table, node, mine) == answer(table, there, theirs)
    assert answer(table, node, mine) == answer(table, node, mine)


def test_it_makes_no_more_positions_than_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(general, "MAKING", 500)
    monkeypatch.setattr(general, "PLAYING", 300)
    table, node = moment("plates")
    counted = Counted(table.rules)
    events = Record(counted, table.seats, table.options, node.seat, record(table, node).events)
    legal = legal_texts(table.rules, node.state, node.seat)
    assert answer(table, node, events) in legal
    a_batch = len(legal) * (1 + general.ROUNDS_AHEAD * table.seats * general.MOVES_OF_A_TURN)
    assert 300 <= counted.decisions <= 500 + 300 + a_batch


class Counted(Instead):
    """Rules that count their calls of `decide`."""

    decisions = 0

    def decide(self, *given: Any) -> Any:
        self.decisions += 1
        return self.rules.decide(*given)


def test_without_a_world_it_gives_up_and_the_bot_plays_all_the_same() -> None:
    table, node = moment("chinese_ten")
    assert worlds_of(table, node, positions=3).some(5) == []
    found = record(table, node)
    wrong = Record(found.rules, found.seats, found.options, found.seat, [*found.events, ["laid", 0, 99, 0]])
    assert answer(table, node, wrong) is None
    assert general_move(wrong, {}, ["lay K", "lay 6"], "lay 6", random.Random(1)) is None


@pytest.mark.some(2)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_it_plays_legal_moves_of_every_kind_from_beginning_to_end(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beginnings, "MAKING", 500)
    table = Table(kind, KINDS[kind].spec.seats_min, (("turn_limit", 8),))
    asked = 0
    for node in islice(play(table, 3), 0, 40, 5):
        legal = legal_texts(table.rules, node.state, node.seat)
        view = MoveRequest(kind, table.rules.observation(node.state, node.seat), len(node.log), record(table, node))
        assert BY_RULES_ALONE.move(view, legal, random.Random(asked)) in legal
        asked += 1
    assert asked
