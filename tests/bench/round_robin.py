"""Measures how evenly the round robins at tables of three and more share out meetings.

    python -m tests.bench.round_robin

For each number of entrants it prints the fewest and the most meetings of a pair, the gap between these two if the
tables of the same rounds are drawn at random (the mean of twenty draws), the smallest gap that arithmetic allows, and
the differences in rests and in seats.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from itertools import combinations

from scorebook_games.chance import SeedDealer
from tests.bench.where import where
from tournaments.core.results import MatchResult, RoundResult
from tournaments.formats import FORMATS
from tournaments.formats.base import FormatOptions, Pairings
from tournaments.scoring.points import default_points

SIZES = ((6, 3), (8, 4), (9, 3), (12, 3), (12, 4), (16, 4), (25, 5), (11, 4), (24, 4), (60, 3), (60, 6))
DRAWS = 20


def rounds_of(name: str, entrants: int, size: int) -> list[RoundResult]:
    """Return every round of a format. No game is played."""
    options, dealer = FormatOptions(size, default_points(size, size)), SeedDealer(bytes(32))
    history: list[RoundResult] = []
    while isinstance(answer := FORMATS[name].next(range(1, entrants + 1), history, options, dealer), Pairings):
        matches = tuple(MatchResult(pairing.seats) for pairing in answer.tables)
        history.append(RoundResult(len(history) + 1, matches, tuple(rest.entrant for rest in answer.byes)))
    return history


def extremes(counted: Counter[tuple[int, ...]], keys: list[tuple[int, ...]]) -> tuple[int, int]:
    return min(counted[key] for key in keys), max(counted[key] for key in keys)


def met(tables: list[list[int]]) -> Counter[tuple[int, ...]]:
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))


def random_gap(rounds: list[RoundResult], size: int, pairs: list[tuple[int, ...]]) -> float:
    """Return the gap between the most and the fewest meetings if the tables of each round are drawn at random."""
    chance, gaps = random.Random(1), []
    for _ in range(DRAWS):
        tables = []
        for past in rounds:
            order = [entrant for match in past.matches for entrant in match.entrants]
            chance.shuffle(order)
            tables += [order[i : i + size] for i in range(0, len(order), size)]
        least, most = extremes(met(tables), pairs)
        gaps.append(most - least)
    return sum(gaps) / DRAWS


def line(name: str, entrants: int, size: int) -> str:
    begun = time.perf_counter()
    rounds = rounds_of(name, entrants, size)
    spent = (time.perf_counter() - begun) / len(rounds)
    numbers = range(1, entrants + 1)
    pairs: list[tuple[int, ...]] = list(combinations(numbers, 2))
    times = met([list(match.entrants) for past in rounds for match in past.matches])
    least, most = extremes(times, pairs)
    byes = extremes(Counter((one,) for past in rounds for one in past.byes), [(one,) for one in numbers])
    seats = Counter((one, seat) for past in rounds for match in past.matches for seat, one in enumerate(match.entrants))
    first = max(max(seats[one, s] for s in range(size)) - min(seats[one, s] for s in range(size)) for one in numbers)
    bound = 1 if times.total() % len(pairs) else 0
    return (
        f"{entrants:8} {size:6} {name:20} {len(rounds):6} {least:6} {most:5} {random_gap(rounds, size, pairs):11.1f} "
        f"{bound:6} {byes[1] - byes[0]:6} {first:6} {1000 * spent:9.0f}"
    )


def main() -> None:
    print(where())
    print("entrants tables format               rounds  least  most  random gap  bound  rests  seats  ms/round")
    for entrants, size in SIZES:
        for name in ("round_robin", "double_round_robin"):
            print(line(name, entrants, size))


if __name__ == "__main__":
    main()
