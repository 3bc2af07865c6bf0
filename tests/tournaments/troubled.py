"""A competition with all the troubles of a club, played round by round, and what must hold of each of its rounds."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

from games.engines.chance import SeedDealer
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, FormatOptions, Pairings
from tournaments.results import GameResult, MatchResult, RoundResult
from tournaments.standings import PointsSystem, default_points

SEED = bytes(32)
MOST_ROUNDS = 1000  # more than any format needs here: what goes on longer never ends


@dataclass(frozen=True)
class Trouble:
    """How likely an entrant is away in a round, withdraws before one, and comes late, being entered (`late`) or not."""

    away: float = 0.0
    withdraws: float = 0.0
    late: float = 0.0
    unknown: float = 0.0


MUCH = Trouble(away=0.1, withdraws=0.03, late=0.1, unknown=0.1)


@dataclass
class Competition:
    """`rounds` as paired, with who was there in each and how long pairing took; `places` at the end."""

    name: str
    table_size: int
    entrants: list[int]
    rounds: list[Pairings] = field(default_factory=list)
    present: list[set[int]] = field(default_factory=list)
    history: list[RoundResult] = field(default_factory=list)
    withdrawn: set[int] = field(default_factory=set)
    places: Mapping[int, int] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list, compare=False)

    def met(self) -> Counter[frozenset[int]]:
        return Counter(frozenset(pair) for table in self.tables() for pair in combinations(table, 2))

    def tables(self) -> list[tuple[int, ...]]:
        return [table.seats for past in self.rounds for table in past.tables]

    def rests(self) -> Counter[int]:
        return Counter(rest.entrant for past in self.rounds for rest in past.byes)

    def sat(self, entrant: int) -> list[int]:
        """The entrant's seats, round by round."""
        return [table.index(entrant) for table in self.tables() if entrant in table]


def points_for(name: str, table_size: int) -> PointsSystem:
    return default_points(table_size, table_size, rests_equal=name != "swiss")


def compete(
    name: str,
    entrants: int,
    table_size: int = 2,
    seed: int = 0,
    trouble: Trouble = Trouble(),
    *,
    short: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> Competition:
    """Play it to its end; every round is checked (`check_round`)."""
    chance = random.Random(f"{name}/{entrants}/{table_size}/{seed}")
    coming = dict.fromkeys(range(1, entrants + 1), 1)
    unknown: set[int] = set()
    for entrant in range(3, entrants + 1):
        if chance.random() < trouble.late + trouble.unknown:
            coming[entrant] = chance.randint(2, 4)
            if chance.random() * (trouble.late + trouble.unknown) < trouble.unknown:
                unknown.add(entrant)
    first = sum(1 for entrant in coming if entrant not in unknown)
    if FORMATS[name].lacks(first, table_size, settings or {}):
        unknown = set()
    # Who is not known yet joins after the others, under the next number.
    order = [entrant for entrant in coming if entrant not in unknown] + sorted(unknown, key=coming.__getitem__)
    begins = {number: coming[entrant] for number, entrant in enumerate(order, start=1)}
    known = len(order) - len(unknown)
    held = Competition(name, table_size, list(range(1, known + 1)))
    while len(held.rounds) < MOST_ROUNDS:
        number = len(held.rounds) + 1
        held.entrants += [n for n in begins if n > len(held.entrants) and begins[n] <= number]
        away = _away(held, begins, number, trouble, chance)
        options = FormatOptions(
            table_size,
            points_for(name, table_size),
            lots={entrant: entrant for entrant in held.entrants},
            settings=settings or {},
            away=away,
            withdrawn=frozenset(held.withdrawn),
            short=short,
        )
        begun = time.perf_counter()
        answer = FORMATS[name].next(list(held.entrants), list(held.history), options, SeedDealer(SEED))
        if isinstance(answer, Finished):
            held.places = answer.places
            assert set(answer.places) == set(held.entrants)
            return held
        held.seconds.append(time.perf_counter() - begun)
        assert isinstance(answer, Pairings)
        here = set(held.entrants) - set(away)
        check_round(answer, here, table_size, short=short)
        held.rounds.append(answer)
        held.present.append(here)
        matches = tuple(_played(table.seats, chance) for table in answer.tables)
        held.history.append(RoundResult(number, matches, tuple(rest.entrant for rest in answer.byes)))
    raise AssertionError(f"{name} with {entrants} entrants never ends.")


def _away(
    held: Competition, begins: Mapping[int, int], number: int, trouble: Trouble, chance: random.Random
) -> dict[int, str]:
    away = {}
    for entrant in held.entrants:
        if entrant not in held.withdrawn and number > 1 and chance.random() < trouble.withdraws:
            held.withdrawn.add(entrant)
        if entrant in held.withdrawn:
            away[entrant] = "has withdrawn"
        elif begins[entrant] > number:
            away[entrant] = f"enters in round {begins[entrant]}"
        elif chance.random() < trouble.away:
            away[entrant] = "is away in this round"
    return away


def _played(seats: tuple[int, ...], chance: random.Random) -> MatchResult:
    """A match of one game; the lower numbers are the better players."""
    strength = {entrant: entrant + chance.gauss(0, len(seats) * 4) for entrant in seats}
    places = tuple(1 + sum(other < strength[entrant] for other in strength.values()) for entrant in seats)
    if len(seats) == 2 and chance.random() < Fraction(1, 5):
        places = (1, 1)
    return MatchResult(seats, (GameResult(seats, (0,) * len(seats), places),))


def check_round(made: Pairings, here: set[int], table_size: int, *, short: bool) -> None:
    """Everybody who is there has one place or a rest, and everything its reason."""
    seated = [entrant for table in made.tables for entrant in table.seats]
    assert sorted(seated + [rest.entrant for rest in made.byes]) == sorted(here)
    least = 2 if short else table_size
    assert all(least <= len(table.seats) <= table_size for table in made.tables)
    reasons = [table.reason for table in made.tables] + [rest.reason for rest in made.byes]
    assert all(len(reason) > 20 and reason.endswith(".") and "  " not in reason for reason in reasons)


def most_pairs(here: set[int], met: Counter[frozenset[int]], allowed: int = 1) -> int:
    """How many pairs can be made of those who have met fewer than `allowed` times, by trying them all."""
    if len(here) < 2:
        return 0
    one = min(here)
    rest = here - {one}
    best = most_pairs(rest, met, allowed)
    for other in rest:
        if best == len(here) // 2:
            break
        if met[frozenset((one, other))] < allowed:
            best = max(best, 1 + most_pairs(rest - {other}, met, allowed))
    return best
