"""What a seat may not know cannot be found in anything that it is told (docs/reference/common-rules.md, Hidden).

At any version of random games, between two events of a move too, everything hidden from a viewer is permuted by a
generator that was written apart from `observations` (`tests.scorebook_games.kinds.permute`); the viewer must not see a
difference.
"""

from __future__ import annotations

import json
import random
from itertools import islice
from typing import Any

import pytest

from scorebook_games.conformance.hidden import information
from scorebook_games.conformance.play import Instead, Table, answer, finish, notation, plain, play
from scorebook_games.contract import Event, Options, fold
from scorebook_games.kinds.chinese_ten.rules import ChineseTen
from scorebook_games.registry import KINDS
from tests.scorebook_games.kinds.conserved import cards_after_each_event, pack_of
from tests.scorebook_games.kinds.permute import GENERATORS, Generator

TABLES = [
    *[
        Table(kind, seats)
        for kind, rules in KINDS.items()
        for seats in sorted({rules.spec.seats_min, 3, rules.spec.seats_max})
    ],
    Table("chinese_ten", 2, (("packs", 1),)),
    Table("palace", 4, (("joker", "reverse"), ("last_card_call", True), ("placings", "play_on"))),
    Table("platinum_fish", 3, (("searcher", "player"),)),
]


def shown_to(rules: Any, state: Any, log: list[Event], viewer: int | None, strings: list[str]) -> dict[str, Any]:
    """Return all that `viewer` can see at this point, and the sentence with which each string would be refused."""
    seen = {**information(rules, state, viewer, settled=True), "events": [rules.redact(event, viewer) for event in log]}
    if viewer is not None:
        seen["answers"] = {text: answer(rules, state, viewer, text) for text in strings}
    seen["size"] = len(json.dumps(seen))
    return seen


def differences(rules: Any, table: Table, generator: Generator, versions: int) -> tuple[int, list[str]]:
    """Return (worlds compared, the differences of one of them) at some versions of random games at `table`."""
    rng = random.Random(f"hidden {table}")
    strings = rng.sample(notation(table, most=60), 60)
    compared, found = 0, []
    logs = [finish(table, number)[1] for number in range(3)]
    moments = [log[:version] for log in logs for version in range(1, 1 + len(log))]
    for log in rng.sample(moments, min(versions, len(moments))):
        state = fold(rules, table.seats, table.options, log)
        for viewer in dict.fromkeys([*rules.to_act(state), rng.randrange(table.seats), None]):
            other = generator(table.seats, table.options, log, viewer, rng)
            if other is None:
                continue
            world = fold(rules, table.seats, table.options, other)
            assert plain(world) != plain(state)
            compared += 1
            here = shown_to(rules, state, log, viewer, strings)
            there = shown_to(rules, world, other, viewer, strings)
            found += [name for name in here if here[name] != there[name]]
    return compared, found


# Of each kind those that differ most in what is hidden from whom.
SOME = [
    Table("chinese_ten", 3),
    Table("palace", 2),
    Table("palace", 4, (("joker", "reverse"), ("last_card_call", True), ("placings", "play_on"))),
    Table("plate_spinner", 3),
    Table("plates", 2),
    Table("plates", 8),
    Table("platinum_fish", 2),
    Table("platinum_fish", 3, (("searcher", "player"),)),
]


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("table", "versions"),
    [*[(table, 10) for table in SOME], *[pytest.param(table, 150, marks=pytest.mark.slow) for table in TABLES]],
    ids=str,
)
def test_no_view_changes_with_what_its_viewer_may_not_know(table: Table, versions: int) -> None:
    """CT-12, PL-3, PL-4, PF-9, PF-12, PF-13, PF-18, PA-2, PA-9, PA-16, PA-20."""
    compared, found = differences(table.rules, table, GENERATORS[table.kind], versions=versions)
    assert compared > versions
    assert found == []


@pytest.mark.some(2)
@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_permuted_log_is_a_new_one_with_the_same_cards(kind: str, every: int) -> None:
    table = Table(kind, KINDS[kind].spec.seats_min)
    rng = random.Random(5)
    pack = pack_of(table)
    for node in islice(play(table, 4), 0, None, every):
        before = json.dumps(node.log)
        other = GENERATORS[kind](table.seats, table.options, node.log, node.seat, rng)
        assert json.dumps(node.log) == before
        if other is not None:
            assert len(other) == len(node.log)
            assert all(cards == pack for cards in cards_after_each_event(table, other))


class Leaky(Instead):
    """Chinese Ten with a leak of each sort, which the test must find."""

    def __init__(self, hole: str) -> None:
        super().__init__(ChineseTen())
        self.hole = hole

    def observation(self, state: Any, seat: int | None) -> dict[str, Any]:
        seen = self.rules.observation(state, seat)
        if self.hole == "observation" and state.at < len(state.deck):
            seen["points"] = [*seen["points"], state.deck[state.at] % 2]
        return seen

    def redact(self, event: Event, seat: int | None) -> Event:
        return event if self.hole == "events" else self.rules.redact(event, seat)

    def legal_actions(self, state: Any, seat: int) -> list[int]:
        actions = self.rules.legal_actions(state, seat)
        if self.hole == "list of legal moves" and state.at < len(state.deck):
            actions.sort(reverse=state.deck[state.at] % 2 == 0)
        return actions


@pytest.mark.parametrize("hole", ["observation", "events", "list of legal moves"])
def test_a_leak_is_found(hole: str) -> None:
    rules: Any = Leaky(hole)
    found = differences(rules, Table("chinese_ten", 2), GENERATORS["chinese_ten"], versions=40)[1]
    assert hole in found


def test_a_world_that_differs_is_not_made_where_nothing_is_hidden() -> None:
    options: Options = {"packs": 1, "turn_limit": 400}
    log: list[Event] = [["dealt", [[0], [4]], [8, 12, 16, 20], []]]
    assert GENERATORS["chinese_ten"](2, options, log, 0, random.Random(1)) is None
