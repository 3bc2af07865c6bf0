"""Plays many local games of one bot against others, with every deal from every seat, and computes the figures."""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorebook_games.analysis.comparison import (
    DEFAULT_BOUNDS,
    MAX_DEALS,
    Bounds,
    DealResult,
    SequentialTest,
)
from scorebook_games.cli.players import BotPlayer, BuiltInPlayer, Player
from scorebook_games.cli.table import Played, Table
from scorebook_games.luck.ledger import NoLedger, ledger_of
from scorebook_games.placings import points_share, winners
from scorebook_games.registry import KINDS

Opponent = str | BotPlayer  # the name of a built-in bot, or somebody's own bot


@dataclass(frozen=True, slots=True)
class Plan:
    """A series to play: the kind, the bots in the other seats, and the number of the first deal. Without
    `luck_ledgers`, luck stays in the results: a game takes less time, and the test more games."""

    kind: str
    against: tuple[Opponent, ...]
    options: Mapping[str, Any]
    first: int = 0
    bounds: Bounds = DEFAULT_BOUNDS
    luck_ledgers: bool = True

    @property
    def seats(self) -> int:
        """The number of seats at the table."""
        return len(self.against) + 1

    @property
    def opponents(self) -> str:
        """The names of the bots in the other seats; one name if all have the same."""
        names = [name_of(each) for each in self.against]
        return ", ".join(names if len(set(names)) > 1 else names[:1])


@dataclass(frozen=True, slots=True)
class Result:
    """One game, the bot's seat in it, and what chance was worth to it within limits (`Ledger.bounded_luck`).

    It is 0 for a kind without a value function.
    """

    played: Played
    seat: int
    luck: float = 0.0

    @property
    def win_share(self) -> float:
        """The bot's share of the win: 1 for a win, less for a shared one."""
        first = winners(self.played.outcome.placings)
        return 1 / len(first) if self.seat in first else 0.0

    @property
    def points(self) -> float:
        """The share of opponents that the bot beat; a tie counts half."""
        return points_share(self.played.outcome.placings, self.seat)

    @property
    def adjusted(self) -> float:
        """The points without luck. They have the same mean."""
        return self.points - self.luck


def name_of(opponent: Opponent) -> str:
    """Return the name of a bot in results."""
    return opponent if isinstance(opponent, str) else opponent.name


def deal_seed(kind: str, deal: int) -> bytes:
    """Return the seed of a deal. The same number gives the same cards and dice."""
    return hashlib.sha256(f"scorebook-bot {kind} {deal}".encode()).digest()


def seated(players: Sequence[Opponent], seed: bytes) -> list[Player]:
    """Return the players of one game. A built-in bot draws its randomness from the deal's seed."""
    return [BuiltInPlayer(player, seed) if isinstance(player, str) else player for player in players]


def play(plan: Plan, bot: BotPlayer, games: int | None = None) -> Iterator[Result]:
    """Yield games, deal by deal and then seat by seat, as many as make whole deals. Raises `Fault`.

    Without a number of games, play goes on until the test of the plan's bounds has decided, and for `MAX_DEALS` deals
    at most. A server compares two versions of a bot by the same rule.
    """
    test, results = SequentialTest(plan.bounds), list[Result]()
    for number in range(plan.seats * (MAX_DEALS if games is None else math.ceil(games / plan.seats))):
        deal, seat = divmod(number, plan.seats)
        seed = deal_seed(plan.kind, plan.first + deal)
        players = [*plan.against[:seat], bot, *plan.against[seat:]]
        played = Table(plan.kind, seated(players, seed), plan.options, seed, number).play()
        result = Result(played, seat, luck_of(plan.kind, played)[seat] if plan.luck_ledgers else 0.0)
        results.append(result)
        yield result
        if games is None and seat == plan.seats - 1:
            test.add(deal_results(results[-plan.seats :], plan.seats)[0])
            if test.verdict:
                return


def luck_of(kind: str, played: Played) -> Sequence[float]:
    """Return what chance was worth to each seat in a game, within limits; 0 if there is no ledger of it."""
    try:
        return ledger_of(
            [entry.event for entry in played.entries], KINDS[kind].usable_value, decisions=False
        ).bounded_luck
    except NoLedger:
        return [0.0] * len(played.outcome.placings)


def deal_means(results: Sequence[Result], seats: int, of: Callable[[Result], float]) -> list[float]:
    """Return the mean of each whole deal, because only deals are independent of one another."""
    firsts = range(0, len(results) - seats + 1, seats)
    return [statistics.fmean(map(of, results[first : first + seats])) for first in firsts]


def deal_results(results: Sequence[Result], seats: int) -> list[DealResult]:
    """Return the mean points of each whole deal, as played and without luck."""
    played = deal_means(results, seats, lambda result: result.points)
    return list(zip(played, deal_means(results, seats, lambda result: result.adjusted), strict=True))


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest of `values` that `percent` of them do not exceed; 0 if there are none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)] if ordered else 0.0
