"""Measures how many of the intervals that are stated for luck hold the truth: 95 of 100 should.

    python -m tests.bench.coverage luck --games 60
    python -m tests.bench.coverage season --games 400

`luck`: the luck of a game is known up to the errors of imagined deals, hands and rolls. The same game is accounted for
several times, each time with others, and the mean of the other times stands for the truth. "held" is the share of luck
± two standard errors that hold it, with two standard errors of this share. "error" is how much the luck really varies
from one time to the next, and "stated" the error that the ledger states (both as the root of the mean square, in points
of 100). Then the same for the draws of each type of event: where errors come from, and where they are stated badly.

`season`: points without luck of an entrant who plays so many rounds of one game, drawn from the games between two
sensible bots. "held" is the share of the 95 % intervals that hold the mean of all these games.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import sqrt
from statistics import fmean, variance
from unittest import mock

from scorebook_games.luck import ledger
from scorebook_games.luck.games import MIXES, play, players_of
from scorebook_games.luck.ledger import CHANCE, Ledger, ledger_of
from scorebook_games.registry import KINDS
from tests.bench.where import where
from tournaments.standings.intervals import interval_of_sum

TIMES = 8  # that a game is accounted for
ROUNDS = (3, 5, 9, 15)
SEASONS = 4000
REPORTED = "reported coverage"


@contextmanager
def other_samples(name: str) -> Iterator[None]:
    """Let ledgers imagine other deals, hands and rolls."""
    usual = ledger._uniform
    with mock.patch.object(ledger, "_uniform", lambda seed: usual(name.encode() + seed)):
        yield


def accounts(kind: str, number: int, mix: str, times: int) -> tuple[list[str], list[Ledger]]:
    """Return the types of the events of a game, and its ledgers."""
    rng = random.Random(f"{REPORTED} {kind} {number}")
    log = play(kind, players_of(mix, 2, rng), rng.randbytes(32))
    found = []
    for time in range(times):
        with other_samples(f"{time}"):
            found.append(ledger_of(log, KINDS[kind].value))
    return [event[0] for event in log], found


def print_luck(kind: str, games: int, mix: str, times: int) -> None:
    """Print how many intervals of the first seat's luck hold the mean of the other times."""
    held: list[float] = []  # of each game, the share that hold
    real, stated = [], []
    by_type: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for number in range(games):
        types, made = accounts(kind, number, mix, times)
        luck = [each.luck[0] for each in made]
        errors = [each.luck_error[0] for each in made]
        held.append(fmean(_holds(luck, errors, time) for time in range(times)))
        real.append(variance(luck))
        stated.append(fmean(error * error for error in errors))
        for name, parts in _by_type(types, made).items():
            by_type[name].append(parts)
    share, error = 100 * fmean(held), 200 * (variance(held) / games) ** 0.5
    print(f"{kind:14}{games:6}  held {share:5.1f} ± {error:3.1f} %  {_errors(zip(real, stated, strict=True), games)}")
    for name, pairs in by_type.items():
        print(f"  {name:18}{len(pairs):6}  {_errors(pairs, games)}", flush=True)


def _holds(luck: Sequence[float], errors: Sequence[float], time: int) -> bool:
    """Return whether an interval holds the mean of the others, which is uncertain too."""
    others = fmean([*luck[:time], *luck[time + 1 :]])
    return bool(abs(luck[time] - others) <= 2 * errors[time] * sqrt(1 + 1 / (len(luck) - 1)) + 1e-9)


def _by_type(types: Sequence[str], made: Sequence[Ledger]) -> dict[str, tuple[float, float]]:
    """Return for each type of event the variance of the luck of its draws, and the variance that is stated."""
    parts: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for entries in zip(*([each for each in one.entries if each.sort == CHANCE] for one in made), strict=True):
        both = parts[types[entries[0].version - 1]]
        both[0] += variance([each.gains[0] for each in entries])
        both[1] += fmean(each.error[0] ** 2 for each in entries)
    return {name: (real, stated) for name, (real, stated) in parts.items() if real > 1e-12 or stated > 1e-12}


def _errors(pairs: Iterator[tuple[float, float]] | Sequence[tuple[float, float]], games: int) -> str:
    real, stated = (sum(parts) / games for parts in zip(*pairs, strict=True))
    return f"error {100 * real**0.5:5.2f}  stated {100 * stated**0.5:5.2f} points"


def print_season(kind: str, games: int, mix: str) -> None:
    """Print how many intervals of points without luck hold their mean."""
    results = []
    for number in range(games):
        rng = random.Random(f"{REPORTED} season {kind} {number}")
        log = play(kind, players_of(mix, 2, rng), rng.randbytes(32))
        made = ledger_of(log, KINDS[kind].value)
        results.append(made.result[0] - made.luck[0])
    mean, lots, parts = fmean(results), random.Random(0), []
    for rounds in ROUNDS:
        sums = [lots.choices(results, k=rounds) for _ in range(SEASONS)]
        halves = [(abs(sum(each) - rounds * mean), interval_of_sum(each)) for each in sums]
        shown = [(off, half) for off, half in halves if half is not None]
        parts.append(f"{rounds:3} rounds {100 * fmean(off <= half for off, half in shown):5.1f} %")
    print(f"{kind:14}{games:6}  held: {'  '.join(parts)}", flush=True)


def main() -> None:
    """Print one of the tables."""
    able = sorted(name for name, kind in KINDS.items() if kind.value)
    parser = argparse.ArgumentParser(description="How many stated intervals of luck hold the truth.")
    parser.add_argument("table", choices=("luck", "season"))
    parser.add_argument("--kinds", nargs="*", choices=able, default=able)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--mix", choices=MIXES, default="sensible", help="players")
    parser.add_argument("--times", type=int, default=TIMES, help="of `luck`: ledgers of each game")
    arguments = parser.parse_args()
    print(where(), flush=True)
    for kind in arguments.kinds:
        if arguments.table == "luck":
            print_luck(kind, arguments.games, arguments.mix, arguments.times)
        else:
            print_season(kind, arguments.games, arguments.mix)


if __name__ == "__main__":
    main()
