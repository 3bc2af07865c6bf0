"""Many local games of one bot against others, every deal from every seat, and what they come to."""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from games.bots.sdk.players import BotPlayer, BuiltInPlayer, Player
from games.bots.sdk.table import Played, Table

Z: Final = 1.96  # a normal variable lies within ± Z in 95 % of cases


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played: the kind, the built-in bots in the other seats, and from which number on deals are
    drawn."""

    kind: str
    against: tuple[str, ...]
    options: Mapping[str, Any]
    first: int = 0

    @property
    def seats(self) -> int:
        """How many sit at the table."""
        return len(self.against) + 1

    def seed(self, deal: int) -> bytes:
        """The seed of a deal: the same number, the same cards and dice."""
        return hashlib.sha256(f"scorebook-bot {self.kind} {self.first + deal}".encode()).digest()


@dataclass(frozen=True, slots=True)
class Result:
    """One game, and where the bot sat in it."""

    played: Played
    seat: int

    @property
    def win_share(self) -> float:
        """1 for a win, a part of it for a shared one."""
        places = self.played.outcome.placings
        return 1 / places.count(1) if places[self.seat] == 1 else 0.0

    @property
    def placing_share(self) -> float:
        """The share of the others that the bot beat; a tie is half."""
        places = self.played.outcome.placings
        mine = places[self.seat]
        return (sum(place > mine for place in places) + (places.count(mine) - 1) / 2) / (len(places) - 1)

    @property
    def forfeited(self) -> bool:
        """Whether the bot failed so often that the game was lost for it."""
        return self.seat in self.played.fold.left


def play(plan: Plan, bot: BotPlayer, games: int) -> Iterator[Result]:
    """The games, deal by deal and within a deal seat by seat; as many as make whole deals. Raises `Fault`."""
    for number in range(math.ceil(games / plan.seats) * plan.seats):
        deal, seat = divmod(number, plan.seats)
        seed = plan.seed(deal)
        players: list[Player] = [BuiltInPlayer(program, seed) for program in plan.against]
        players.insert(seat, bot)
        yield Result(Table(plan.kind, players, plan.options, seed, number).play(), seat)


# -- figures


@dataclass(frozen=True, slots=True)
class Share:
    """A mean of shares, each 0 … 1, with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.mean:.1f} % ({100 * self.low:.1f}–{100 * self.high:.1f})"


def share(results: Sequence[Result], seats: int, of: Callable[[Result], float]) -> Share:
    """The mean over the deals, which are what is independent of one another.

    The interval is that of a normal variable; where all deals came out alike it is Wilson's score interval.
    """
    deals = [statistics.fmean(map(of, results[first : first + seats])) for first in range(0, len(results), seats)]
    n, mean = len(deals), statistics.fmean(deals)
    if len(set(deals)) < 2:
        middle = (mean + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z / (1 + Z * Z / n) * math.sqrt(mean * (1 - mean) / n + Z * Z / (4 * n * n))
        return Share(mean, max(0.0, middle - half), min(1.0, middle + half))
    half = Z * statistics.stdev(deals) / math.sqrt(n)
    return Share(mean, max(0.0, mean - half), min(1.0, mean + half))


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest of `values` that `percent` of them do not exceed; 0 for none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)] if ordered else 0.0
