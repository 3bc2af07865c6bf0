"""Measures how many games duplicate deals save, for each kind.

    python -m tests.bench.duplicate [--deals 300] [--kinds chinese_ten …] [--bots sensible random]

Two bots of different strength meet, two at a table. There are two ways to use a deal twice:

"Both legs": each deal is played from both seats, as uploaded bots do. The result is the mean of the two games, and is
compared with the mean of two games with different deals. "Same seat": at one table the first bot sits in a seat of the
deal, and at another table the second bot, against the same opponent, as people do. The result is the difference between
the two tables, and is compared with the difference between two tables with different deals.

The factor is the variance with different deals divided by that with the same deal. So many times as many games with
different deals are needed for an interval of the same width. It is printed for the placing share (points) and for the
scores (the tie-break `datum`), each with its 95 % interval, by resampling the deals.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Callable, Sequence

from scorebook_games.bots.builtin import BUILTIN_BOTS
from scorebook_games.registry import KINDS
from tests.bench.builtin_bots import Played, play
from tests.bench.where import where

SEATS = 2
RESAMPLED = 1000
ALIKE = 0.98
Pair = tuple[float, float]


def saved(pairs: Sequence[Pair], sign: int) -> float:
    """Return the variance of the sum (`sign` 1) or difference (-1) of two independent values, divided by that of these
    pairs. Raises ZeroDivisionError if the pairs do not vary."""
    together = statistics.pvariance([one + sign * other for one, other in pairs])
    apart: float = sum(statistics.pvariance(each) for each in zip(*pairs, strict=True))
    return apart / together


def with_interval(pairs: Sequence[Pair], sign: int) -> str:
    """Return the factor with its interval, as in `1.62 (1.41–1.88)`, or – if nearly all games have the same result."""
    lots = random.Random(0)
    if any(len(set(each)) < 2 or max(map(each.count, each)) > ALIKE * len(each) for each in zip(*pairs, strict=True)):
        return "–"
    again = sorted(saved(lots.choices(pairs, k=len(pairs)), sign) for _ in range(RESAMPLED))
    low, high = again[int(0.025 * RESAMPLED)], again[int(0.975 * RESAMPLED)]
    return f"{saved(pairs, sign):.2f} ({low:.2f}–{high:.2f})"


def score(game: Played) -> float:
    """Return the score of the seat under test."""
    return float(game.outcome.scores[game.seat])


def lead(game: Played) -> float:
    """Return how much more the seat under test scored than the other seat."""
    return score(game) - game.outcome.scores[1 - game.seat]


def place(game: Played) -> float:
    return game.placing_share


def legs(kind: str, one: str, other: str, deals: int) -> list[tuple[Played, Played]]:
    """Play each deal twice, with `one` in either seat."""
    bots = [BUILTIN_BOTS[one], BUILTIN_BOTS[other]]
    return [(play(kind, bots, deal, 0), play(kind, bots[::-1], deal, 1)) for deal in range(deals)]


def tables(kind: str, one: str, other: str, deals: int) -> list[tuple[Played, Played]]:
    """Play each deal twice, with `one` and with `other` in the same seat, against `other`. The seat alternates between
    deals."""
    found = []
    for deal in range(deals):
        seat = deal % SEATS
        bots = [BUILTIN_BOTS[other]] * SEATS
        bots[seat] = BUILTIN_BOTS[one]
        found.append((play(kind, bots, deal, seat), play(kind, [BUILTIN_BOTS[other]] * SEATS, deal, seat)))
    return found


def row(games: Sequence[tuple[Played, Played]], sign: int, scored: Callable[[Played], float]) -> str:
    """Return the two factors of one way to share deals, for points and for scores."""
    found = []
    for of in (place, scored):
        found.append(with_interval([(of(first), of(second)) for first, second in games], sign))
    return "".join(f"{each:20}" for each in found)


def main() -> None:
    """Print the table with a row for each kind."""
    parser = argparse.ArgumentParser(description="How many games duplicate deals save, for each kind.")
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--kinds", nargs="*", choices=sorted(KINDS), default=sorted(KINDS), help="only these kinds")
    parser.add_argument("--bots", nargs=2, choices=sorted(BUILTIN_BOTS), default=["sensible", "random"])
    arguments = parser.parse_args()
    one, other = arguments.bots
    print(where())
    print(f"{one} against {other}, two at a table, {arguments.deals} deals; factor of games saved, 95 % intervals")
    print(f"{'':14}{'both legs':40}same seat at two tables")
    print(f"{'kind':14}" + 2 * f"{'points':20}{'scores':20}")
    for kind in arguments.kinds:
        if kind in BUILTIN_BOTS[one].kinds & BUILTIN_BOTS[other].kinds:
            print(
                f"{kind:14}{row(legs(kind, one, other, arguments.deals), 1, lead)}"
                f"{row(tables(kind, one, other, arguments.deals), -1, score)}".rstrip(),
                flush=True,
            )


if __name__ == "__main__":
    main()
