"""What is legal is accepted, and nothing else of all that can be written at all (docs/reference/common-rules.md, Moves
are text).

Every string of each kind's notation (`tests.scorebook_games.kinds.alphabet`, written from the rules' pages) is tried in
every seat (by default a part of them where a seat is not to act), in every sort of position that random games of every
combination of options come to.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from scorebook_games.conformance.play import Node, Table, legal_texts, play, refusal
from scorebook_games.contract import OptionError, Rules
from scorebook_games.registry import KINDS
from tests.scorebook_games.kinds.alphabet import alphabet, near

TABLES_OF_A_KIND = 10
MAX_STRINGS = 2000  # strings tried in one seat at one position; of more (Plate Spinner's) a part, another one each time


def variants(kind: str) -> list[Table]:
    """Some tables of `kind`, with every number of seats and every value of what can be chosen (all pairs of them by
    far the most), and games that are not long."""
    rules = KINDS[kind].rules
    rng = random.Random(f"variants of {kind}")
    chosen = [option for option in rules.spec.options if option.type != "int" or option.name == "packs"]
    values: list[list[Any]] = [
        [True, False] if option.type == "bool" else list(option.choices) or [1, 2] for option in chosen
    ]
    combined = [dict(zip([option.name for option in chosen], some, strict=True)) for some in itertools.product(*values)]
    rng.shuffle(combined)
    seats = itertools.cycle(range(rules.spec.seats_max, rules.spec.seats_min - 1, -1))
    found = []
    for given in itertools.islice(itertools.cycle(combined), TABLES_OF_A_KIND):
        count = next(seats)
        if not playable(rules, count, given):
            del given["packs"]
        found.append(Table(kind, count, (*given.items(), *limits(kind))))
    return found


def playable(rules: Rules[Any], seats: int, given: dict[str, Any]) -> bool:
    try:
        rules.resolve(seats, given)
    except OptionError:
        return False
    return True


def limits(kind: str) -> tuple[tuple[str, int], ...]:
    return {"plates": (("rounds", 2), ("turn_limit", 200)), "palace": (("turn_limit", 1000),)}.get(kind, ())


def sorts(table: Table, number: int, of_a_sort: int) -> Iterator[Node]:
    """Nodes of a game, so many of each sort: who may act, and with which verbs."""
    met: Counter[tuple[Any, ...]] = Counter()
    for node in play(table, number):
        acting = table.rules.to_act(node.state)
        verbs = {text.split(" ")[0] for text in legal_texts(table.rules, node.state, node.seat)}
        sort = (len(acting), acting.index(node.seat), *sorted(verbs))
        met[sort] += 1
        if met[sort] <= of_a_sort:
            yield node


def some(strings: Sequence[str], part: int, rng: random.Random) -> list[str]:
    return rng.sample(strings, min(part, len(strings)))


of_every_kind = pytest.mark.parametrize("kind", sorted(KINDS))


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("of_a_sort", "part", "of_who_waits"),
    [(1, 40, False), pytest.param(2, 300, True, marks=pytest.mark.slow)],
    ids=["some", "whole"],
)
@of_every_kind
def test_of_all_that_can_be_written_exactly_the_legal_moves_are_accepted(
    kind: str, of_a_sort: int, part: int, of_who_waits: bool
) -> None:
    """CT-5 to CT-9, PF-5, PF-9, PF-10, PF-12, PF-15, PL-7 to PL-19, PA-2, PA-6 to PA-10, PA-16, PA-20, PA-24, PA-25,
    PS-10 to PS-12, PS-16, PS-19, PS-21, PS-26."""
    rng = random.Random(kind)
    verbs: set[str] = set()
    for number, table in enumerate(variants(kind)):
        rules = table.rules
        for node in sorts(table, number, of_a_sort):
            for seat in range(table.seats):
                legal = set(legal_texts(rules, node.state, seat))
                whole = len(alphabet(kind)) <= MAX_STRINGS and (legal or of_who_waits)
                known = alphabet(kind) if whole else some(alphabet(kind), part, rng)
                tried = {*known, *some(near(kind, sorted(legal), rng), part, rng), *legal}
                accepted = {text for text in tried if refusal(rules, node.state, seat, text) is None}
                assert accepted == legal, f"{table}: seat {seat} {sorted(accepted ^ legal)[:9]}"
                verbs.update(text.split(" ")[0] for text in legal)
    assert verbs == {text.split(" ")[0] for text in alphabet(kind)}, "every move of the notation was met"


@of_every_kind
def test_the_alphabet_has_every_move_that_is_ever_legal(kind: str) -> None:
    """Plate Spinner's rolls of five dice and assigns to drafted plates are tried near those that are legal."""
    known = set(alphabet(kind))
    for number, table in enumerate(variants(kind)):
        for node in play(table, number):
            for text in legal_texts(table.rules, node.state, node.seat):
                endless = kind == "plate_spinner" and text.startswith(("roll", "assign"))
                assert text in known or endless
