"""A local round robin of several bots. Every deal is played at every table, and there from every seat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from statistics import fmean
from typing import Any

from scorebook_games.analysis.comparison import DealResult, ShareInterval, interval_of
from scorebook_games.analysis.plackett_luce import Fit
from scorebook_games.cli.series import Opponent, deal_seed, luck_of, seated
from scorebook_games.cli.table import Played, Table
from scorebook_games.placings import points_share, share_against

DEFAULT_DEALS = 16
MAX_FORFEITS = 3  # after this many games lost by faults, more games have nothing more to show
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """A tournament to play. `entrants` are numbered in their order."""

    kind: str
    entrants: tuple[Opponent, ...]
    seats: int
    deals: int
    options: Mapping[str, Any]
    first: int = 0

    @property
    def games(self) -> int:
        """The number of games if no bot is taken out."""
        return self.deals * self.seats * len(list(combinations(self.entrants, self.seats)))


@dataclass(slots=True)
class Tournament:
    """The games so far.

    `rounds` holds for each whole deal its games at all tables, with the entrants by seat; `luck` what chance was worth
    to each seat, by the number of the game.
    """

    plan: TournamentPlan
    rounds: list[list[tuple[tuple[int, ...], Played]]] = field(default_factory=list)
    forfeits: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    luck: dict[int, Sequence[float]] = field(default_factory=dict)

    @property
    def taken_out(self) -> list[int]:
        """The entrants that no longer play, because they lost too many games by faults."""
        return sorted(entrant for entrant, lost in self.forfeits.items() if lost >= MAX_FORFEITS)

    @property
    def games(self) -> list[tuple[tuple[int, ...], Played]]:
        """All games of whole rounds."""
        return [game for round in self.rounds for game in round]

    def play(self) -> Iterator[Played]:
        """Play deal by deal, and yield each finished game. Raises `Fault`."""
        plan, number = self.plan, 0
        for deal in range(plan.first, plan.first + plan.deals):
            seed, played = deal_seed(plan.kind, deal), list[tuple[tuple[int, ...], Played]]()
            for table in combinations(range(len(plan.entrants)), plan.seats):
                if set(table) & set(self.taken_out):
                    continue
                for turn in range(plan.seats):
                    sits = table[turn:] + table[:turn]
                    players = seated([plan.entrants[entrant] for entrant in sits], seed)
                    game = Table(plan.kind, players, plan.options, seed, number).play()
                    self.luck[number] = luck_of(plan.kind, game)
                    number += 1
                    for seat in game.fold.left:
                        self.forfeits[sits[seat]] += 1
                    played.append((sits, game))
                    yield game
            if played:
                self.rounds.append(played)

    def points(self) -> list[ShareInterval]:
        """Return each entrant's share of the points against all others, without luck."""
        shares: list[list[DealResult]] = [[] for _ in self.plan.entrants]
        for games in self.rounds:
            for entrant, means in enumerate(shares):
                if results := [self.result(game, sits.index(entrant)) for sits, game in games if entrant in sits]:
                    means.append(deal_result(results))
        return [interval_of(means) for means in shares]

    def result(self, game: Played, seat: int) -> DealResult:
        """Return the share of the points of a seat, as played and without luck. Both have the same mean."""
        share = points_share(game.outcome.placings, seat)
        return share, share - self.luck[game.number][seat]

    def pairs(self) -> dict[Pair, ShareInterval]:
        """Return each entrant's share of the points against each other one; at tables of two without luck.

        At larger tables no ledger says what luck was worth against one opponent.
        """
        shares: dict[Pair, list[DealResult]] = {pair: [] for pair in permutations(range(len(self.plan.entrants)), 2)}
        for games in self.rounds:
            for (one, other), means in shares.items():
                if results := [
                    self.result(game, sits.index(one))
                    if self.plan.seats == 2
                    else (duel(game, sits.index(one), sits.index(other)),) * 2
                    for sits, game in games
                    if {one, other} <= set(sits)
                ]:
                    means.append(deal_result(results))
        return {pair: interval_of(means) for pair, means in shares.items()}

    def fit(self) -> Fit:
        """Return the strengths of all entrants, as a server fits those of a season's bots."""
        return Fit(range(len(self.plan.entrants)), [(sits, game.outcome.placings) for sits, game in self.games])


def deal_result(games: Sequence[DealResult]) -> DealResult:
    """Return the mean result of a deal's games, as played and without luck."""
    return [fmean(each) for each in zip(*games, strict=True)]


def duel(game: Played, one: int, other: int) -> float:
    """Return 1 if seat `one` finished ahead of seat `other`, 0 if behind, and half for a tie."""
    places = game.outcome.placings
    return share_against(places[one], places[other])
