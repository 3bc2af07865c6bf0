"""Measures luck ledgers: whether they are fair, how many games they save, and what they cost.

    python -m tests.bench.luck mean --games 100000 --kinds chinese_ten
    python -m tests.bench.luck saved --deals 1000
    python -m tests.bench.luck calibration --games 10000

`mean` generates games between players of mixed strength. It prints the mean luck of each seat beside two standard
errors, the mean results, raw and adjusted, and the milliseconds of CPU time of a ledger. It prints a line from time to
time, and the last line is the result.

`saved`: two bots meet, two at a table. The factor is the variance of the result divided by that of the result without
its luck: so many times as many plain games give the same certainty. "own deals" compares single games. "shared deals"
compares the mean of two plain games with different deals with the mean of two games of the same deal, played from both
seats, without their luck. 95 % intervals are made by resampling deals. `left` is the variance that remains. The
careless bot plays a random move one time in ten.

`calibration` sorts positions of generated games by tenths of their values, and prints the mean value and the mean
result of each.

None of these games is among those that `scorebook-kind fit` generates. Features are chosen on deals with other names
(`--deals-named`) than those that are reported.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from scorebook_games.luck.fit import calibration, generate
from scorebook_games.luck.games import MIXED, RANDOM, SENSIBLE, play
from scorebook_games.luck.ledger import Ledger, ledger_of
from scorebook_games.registry import KINDS
from tests.bench.where import where

CARELESS = 0.1
PAIRS = {"sensible": (SENSIBLE, SENSIBLE), "careless": (SENSIBLE, CARELESS), "random": (SENSIBLE, RANDOM)}
RESAMPLED = 400
ALIKE = 0.98
Game = tuple[float, float]  # the raw and the adjusted result of a game


REPORTED = "reported"
HELD_OUT = 1_000_000  # the first game of the calibration; weights are fitted to earlier ones


def seed_of(*names: object) -> bytes:
    """Return the seed of a deal with these names."""
    return random.Random(" ".join(map(str, names))).randbytes(32)


def print_mean(kind: str, games: int, first: int, seats: int, every: int) -> None:
    """Print the mean luck by seat over many games."""
    rows: list[list[float]] = []
    spent = 0.0
    for number in range(first, first + games):
        rng = random.Random(f"{REPORTED} mean {kind} {number}")
        log = play(kind, [rng.choice(MIXED) for _ in range(seats)], rng.randbytes(32))
        began = time.process_time()
        ledger = ledger_of(log, KINDS[kind].value)
        spent += time.process_time() - began
        rows.append([*ledger.luck, *ledger.result, *ledger.adjusted])
        if len(rows) % every == 0 or len(rows) == games:
            print(f"{kind:14}{len(rows):7}  {1000 * spent / len(rows):6.1f}  {means(rows, seats)}", flush=True)


def means(rows: Sequence[Sequence[float]], seats: int) -> str:
    """Return mean luck ± two standard errors, `ok` or `OUT`, and mean raw and adjusted result, for each seat."""
    parts = []
    for seat in range(seats):
        luck, raw, adjusted = ([row[seat + place * seats] for row in rows] for place in range(3))
        error = 2 * statistics.stdev(luck) / len(luck) ** 0.5
        parts.append(
            f"{statistics.fmean(luck):+.4f} ± {error:.4f} {'ok ' if abs(statistics.fmean(luck)) <= error else 'OUT'} "
            f"{statistics.fmean(raw):.4f} {statistics.fmean(adjusted):.4f}"
        )
    return "  |  ".join(parts)


def of_one(ledger: Ledger, seat: int) -> Game:
    """Return the raw and the adjusted result of the seat under test."""
    return ledger.result[seat], ledger.adjusted[seat]


def factor(deals: Sequence[Any], of: Callable[[Sequence[Any]], tuple[list[float], list[float]]]) -> str:
    """Return the factor with its interval, as in `2.31 (1.98–2.70)`, or – if nearly all games have the same result."""
    raw, adjusted = of(deals)
    if max(map(raw.count, set(raw))) > ALIKE * len(raw):
        return "–"
    lots = random.Random(0)
    found = []
    for _ in range(RESAMPLED):
        one, other = of(lots.choices(deals, k=len(deals)))
        found.append(statistics.pvariance(one) / statistics.pvariance(other))
    found.sort()
    low, high = found[int(0.025 * RESAMPLED)], found[int(0.975 * RESAMPLED)]
    return f"{statistics.pvariance(raw) / statistics.pvariance(adjusted):.2f} ({low:.2f}–{high:.2f})"


def singles(deals: Sequence[tuple[Game, Game]]) -> tuple[list[float], list[float]]:
    """Return the raw and the adjusted results of all games."""
    games = [game for deal in deals for game in deal]
    return [raw for raw, _ in games], [adjusted for _, adjusted in games]


def shared(deals: Sequence[tuple[Game, Game]]) -> tuple[list[float], list[float]]:
    """Return the raw means of pairs of games of different deals, and the adjusted means of pairs of the same deal."""
    own = [(deals[at][0][0] + deals[at - 1][1][0]) / 2 for at in range(len(deals))]
    return own, [(one[1] + other[1]) / 2 for one, other in deals]


def print_saved(kind: str, count: int, named: str) -> None:
    """Print a line for each pair of bots."""
    for name, (one, other) in PAIRS.items():
        deals = []
        for number in range(count):
            games = []
            for seat, players in enumerate(((one, other), (other, one))):
                log = play(kind, players, seed_of(named, kind, number), luck=seed_of(named, name, kind, number, seat))
                games.append(of_one(ledger_of(log, KINDS[kind].value), seat))
            deals.append((games[0], games[1]))
        raw, adjusted = singles(deals)
        print(
            f"{kind:14}{name:10}{count:6}  {statistics.fmean(raw):.3f} {statistics.fmean(adjusted):.3f}  "
            f"{statistics.pvariance(raw):.4f} {statistics.pvariance(adjusted):.4f}  "
            f"{factor(deals, singles):18} {factor(deals, shared):18}",
            flush=True,
        )


def print_calibration(kind: str, games: int) -> None:
    """Print a line for each tenth of the values."""
    value = KINDS[kind].value
    assert value
    print(f"{kind}, {games} games\n{'values':>9}  {'mean':>6}  {'result':>6}")
    for count, mean, result in calibration(generate(value, games, HELD_OUT, valued=True)):
        print(f"{count:9}  {mean:6.3f}  {result:6.3f}")


def main() -> None:
    """Print one of the tables."""
    able = sorted(name for name, kind in KINDS.items() if kind.value)
    parser = argparse.ArgumentParser(description="Whether luck ledgers are fair, and how many games they save.")
    parser.add_argument("table", choices=("mean", "saved", "calibration"))
    parser.add_argument("--kinds", nargs="*", choices=able, default=able)
    parser.add_argument("--games", type=int, default=1000, help="of `mean` and `calibration`")
    parser.add_argument("--deals", type=int, default=300, help="of `saved`")
    parser.add_argument("--deals-named", default=REPORTED, help="of `saved`: another word gives other deals")
    parser.add_argument("--first", type=int, default=0, help="the number of the first game of `mean`")
    parser.add_argument("--seats", type=int, default=2, help="of `mean`")
    parser.add_argument("--every", type=int, default=5000, help="games between two lines of `mean`")
    arguments = parser.parse_args()
    print(where())
    if arguments.table == "mean":
        print(
            "kind            games  ms each, then for each seat: mean luck ± 2 standard errors, raw and adjusted result"
        )
        for kind in arguments.kinds:
            print_mean(kind, arguments.games, arguments.first, arguments.seats, arguments.every)
    elif arguments.table == "calibration":
        for kind in arguments.kinds:
            print_calibration(kind, arguments.games)
    else:
        print("kind          against    deals  raw   adjusted  variance, left  own deals          shared deals")
        for kind in arguments.kinds:
            print_saved(kind, arguments.deals, arguments.deals_named)


if __name__ == "__main__":
    main()
