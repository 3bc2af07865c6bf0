"""Measures luck ledgers: whether they are fair, how many games they save, and what they cost.

    python -m tests.bench.luck mean --games 100000 --kinds chinese_ten
    python -m tests.bench.luck saved --deals 1000
    python -m tests.bench.luck calibration --games 10000 --mix sensible
    python -m tests.bench.luck drift --games 1000 --mix sensible
    python -m tests.bench.luck own --games 100

`mean` generates games between players of mixed strength. It prints the mean luck of each seat beside two standard
errors, the mean results, raw and adjusted, and the milliseconds of CPU time of a ledger. It prints a line from time to
time, and the last line is the result.

`saved`: two bots meet, two at a table. The factor is the variance of the result divided by that of the result without
its luck: so many times as many plain games give the same certainty. "own deals" compares single games. "shared deals"
compares the mean of two plain games with different deals with the mean of two games of the same deal, played from both
seats, without their luck. 95 % intervals are made by resampling deals. `left` is the variance that remains. `play` is
the variance of what the ledger books for decisions, its own and the other's: what a value function without any fault
would leave, too. The careless bot plays a random move one time in ten.

`calibration` sorts positions of generated games by tenths of their values. It prints the mean value and the mean
result of each, and by how much they differ, in points of 100, with the standard error. Values of one game are not
independent of each other, so it is computed from sums over games. `--mix` says who plays (`luck.games.MIXES`).

`drift`: before each draw, the value of the position is compared with the mean value after the draw. A value function
without drift has no difference. For the seat that made the last decision, the differences of a game are summed up: this
much of its result would be booked though nothing but chance came next. It prints the mean of a seat and game with its
standard error and the standard deviation, then those of the first seat's differences, all in points, and which
events they come from.

`own`: Sensible meets an equal, a player that is random three times in ten, and Random; they change seats from game to
game. For Sensible and its opponent it prints the mean own play and the mean of what is not explained, in points, with
two standard errors; and the milliseconds of CPU time of a ledger, first without its decisions.

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

from scorebook_games.luck.drift import drift_of
from scorebook_games.luck.fit import Tenth, calibration, generate
from scorebook_games.luck.games import CARELESS, MIXED, MIXES, RANDOM, SENSIBLE, play, players_of
from scorebook_games.luck.ledger import Ledger, ledger_of
from scorebook_games.registry import KINDS
from tests.bench.where import where

PAIRS = {"sensible": (SENSIBLE, SENSIBLE), "careless": (SENSIBLE, CARELESS), "random": (SENSIBLE, RANDOM)}
OPPONENTS = {"sensible": SENSIBLE, "careless": 0.3, "random": RANDOM}  # of `own`
RESAMPLED = 400
ALIKE = 0.98
Game = tuple[float, float]  # the raw and the adjusted result of a game


REPORTED = "reported"
HELD_OUT = 1_000_000  # the first game of the calibration; no weight is fitted to it or to the next millions


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
        deals, plays = [], []
        for number in range(count):
            games = []
            for seat, players in enumerate(((one, other), (other, one))):
                log = play(kind, players, seed_of(named, kind, number), luck=seed_of(named, name, kind, number, seat))
                ledger = ledger_of(log, KINDS[kind].value)
                games.append(of_one(ledger, seat))
                plays.append(ledger.own[seat] + ledger.others[seat])
            deals.append((games[0], games[1]))
        raw, adjusted = singles(deals)
        print(
            f"{kind:14}{name:10}{count:6}  {statistics.fmean(raw):.3f} {statistics.fmean(adjusted):.3f}  "
            f"{statistics.pvariance(raw):.4f} {statistics.pvariance(adjusted):.4f} {statistics.pvariance(plays):.4f}  "
            f"{factor(deals, singles):18} {factor(deals, shared):18}",
            flush=True,
        )


def print_calibration(kind: str, games: int, first: int, mix: str) -> None:
    """Print a line for each tenth of the values, and the worst of them."""
    value = KINDS[kind].value
    assert value
    print(f"{kind}, {games} games, {mix} players\n{'values':>9}  {'mean':>6}  {'result':>6}  points off")
    tenths = calibration(generate(value, games, HELD_OUT + first, mix=mix, valued=True))
    for tenth in tenths:
        print(f"{tenth.values:9}  {tenth.mean:6.3f}  {tenth.result:6.3f}  {off(tenth)}")
    print(f"worst: {off(max(tenths, key=lambda tenth: abs(tenth.off)))}", flush=True)


def off(tenth: Tenth) -> str:
    """Return by how many points results lie above the values, with the standard error."""
    return f"{100 * tenth.off:+5.1f} ± {100 * tenth.error:.1f}"


def print_drift(kind: str, games: int, mix: str, seats: int) -> None:
    """Print how much a value differs from the mean value after the draw that comes next."""
    value = KINDS[kind].value
    assert value
    own: list[float] = []
    first: list[float] = []
    sources: dict[str, list[float]] = {}
    for number in range(games):
        rng = random.Random(f"{REPORTED} drift {kind} {number}")
        log = play(kind, players_of(mix, seats, rng), rng.randbytes(32))
        sums = [0.0] * seats
        whole = 0.0
        for event, seat, drift in drift_of(value, log):
            sums[seat] += drift[seat]
            whole += drift[0]
            sources.setdefault(event, []).append(drift[seat])
        own += sums
        first.append(whole)
    print(f"{kind:14}{games:7}  {spread_of(own)}  {spread_of(first)}")
    for event, drifts in sources.items():
        print(f"{'':14}{event:14} {len(drifts) / games:6.1f} a game  {spread_of(drifts)}", flush=True)


def spread_of(drifts: Sequence[float]) -> str:
    """Return mean with its standard error, and standard deviation, in points."""
    spread = 100 * statistics.stdev(drifts)
    return f"{100 * statistics.fmean(drifts):+7.2f} ± {spread / len(drifts) ** 0.5:.2f} (spread {spread:5.2f})"


def print_own(kind: str, games: int) -> None:
    """Print a line for each opponent of Sensible."""
    for name, other in OPPONENTS.items():
        own: list[list[float]] = [[], []]
        unexplained: list[list[float]] = [[], []]
        spent = [0.0, 0.0]
        for number in range(games):
            players = (other, SENSIBLE) if number % 2 else (SENSIBLE, other)
            log = play(kind, players, seed_of(REPORTED, "own", kind, number))
            for decisions in (False, True):
                began = time.process_time()
                ledger = ledger_of(log, KINDS[kind].value, decisions=decisions)
                spent[decisions] += time.process_time() - began
            for bot in (0, 1):
                seat = (bot + number) % 2
                own[bot].append(ledger.own[seat])
                unexplained[bot].append(ledger.unexplained[seat])
        parts = "  ".join(f"{in_points(own[bot])}  {in_points(unexplained[bot])}" for bot in (0, 1))
        took = " ".join(f"{1000 * each / games:5.0f}" for each in spent)
        print(f"{kind:14}{name:10}{games:5}  {took}  {parts}", flush=True)


def in_points(shares: Sequence[float]) -> str:
    """Return the mean in points, with two standard errors."""
    error = 200 * statistics.stdev(shares) / len(shares) ** 0.5
    return f"{100 * statistics.fmean(shares):+7.2f} ± {error:5.2f}"


def main() -> None:
    """Print one of the tables."""
    able = sorted(name for name, kind in KINDS.items() if kind.value)
    parser = argparse.ArgumentParser(description="Whether luck ledgers are fair, and how many games they save.")
    parser.add_argument("table", choices=("mean", "saved", "calibration", "drift", "own"))
    parser.add_argument("--kinds", nargs="*", choices=able, default=able)
    parser.add_argument("--games", type=int, default=1000, help="of all tables but `saved`")
    parser.add_argument("--mix", choices=MIXES, default="mixed", help="players of `calibration` and `drift`")
    parser.add_argument("--deals", type=int, default=300, help="of `saved`")
    parser.add_argument("--deals-named", default=REPORTED, help="of `saved`: another word gives other deals")
    parser.add_argument("--first", type=int, default=0, help="number of the first game of `mean` and `calibration`")
    parser.add_argument("--seats", type=int, default=2, help="of `mean` and `drift`")
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
            print_calibration(kind, arguments.games, arguments.first, arguments.mix)
    elif arguments.table == "drift":
        print("kind            games  own: points a seat and game        first seat: points a game")
        for kind in arguments.kinds:
            print_drift(kind, arguments.games, arguments.mix, arguments.seats)
    elif arguments.table == "own":
        print("kind          against   games  ms, ms: Sensible: own play, not explained      Its opponent: the same")
        for kind in arguments.kinds:
            print_own(kind, arguments.games)
    else:
        print("kind          against    deals  raw   adjusted  variance, left, play  own deals          shared deals")
        for kind in arguments.kinds:
            print_saved(kind, arguments.deals, arguments.deals_named)


if __name__ == "__main__":
    main()
