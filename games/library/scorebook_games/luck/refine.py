"""Refines weights so that values neither drift nor disagree with results. It needs numpy.

Source: White and Bowling, "Learning a Value Function for Agent Evaluation", IJCAI 2009 (MIVAT): weights serve the
variance of results without their luck. This variance comes from the drift, which is the mean value after a draw minus
the value before it, and from decisions, which no weights change. So the sum of these squares is made small:

- the drift of each draw, for the seat that decided last;
- the drift of a seat over a whole game, by which its result without luck varies;
- the mean of the first one for each type of event, so that nobody seems to gain by what had to be done;
- values minus results.

The mean after a draw is exact, so the drift has no noise. Only draws after decisions of sensible players count, for
values are those of sensible play. As values are not linear in the weights, each step takes them for linear near the
present ones (Gauss and Newton, damped as by Levenberg and Marquardt). One game in five is held out: of all steps, the
weights are taken with which these have the least sum.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from scorebook_games.luck.games import KNOWING, play, players_of
from scorebook_games.luck.record import Mixture, Record, recorded, recorder
from scorebook_games.value import EVEN, LEAST_SPREAD, ValueFunction

SEATS: Final = (2, 3, 2, 4)
HELD_OUT: Final = 5  # no factor of it divides the lengths above, so that games of all of them are held out
STEPS: Final = 30
NO_BETTER: Final = 3  # steps after which the games that are held out are no better
NOTHING: Final = 1e-5  # a change of the sum for each game that ends the steps
DAMPING, LESS, MORE, MAX_DAMPING = 1e-3, 0.2, 8.0, 1e3  # at first, after a good step, after a bad one, and at the end
SMALLEST: Final = 1e-3  # weight of the spread

# How much the squares count, in the order of above.
BY_DRAW: Final = 0.1
BY_GAME: Final = 1.0
BY_MEAN: Final = 10.0
BY_RESULT: Final = 3.0


def refined(value: ValueFunction, games: int) -> tuple[list[float], list[float]]:
    """Return better weights and weights of the spread, from generated games. Raises ImportError without numpy."""
    np: Any = import_module("numpy")
    events: dict[str, int] = {}
    tables = [Table.of(np, record, events) for record in records(value, games)]
    found = Refinement(np, tables, len(events), len(value.names)).run([*value.weights, *value.spread_weights])
    return found[: len(value.names)], found[len(value.names) :]


def records(value: ValueFunction, games: int) -> Iterator[Record]:
    """Yield records of generated games; of games of two if others have another formula."""
    spec, kind_of = value.rules.spec, recorder(value)
    for number in range(games):
        rng = random.Random(f"{spec.kind} refined {number}")
        seats = 2 if value.by_share else min(max(SEATS[number % len(SEATS)], spec.seats_min), spec.seats_max)
        careless = players_of(KNOWING[number % len(KNOWING)], seats, rng)
        yield recorded(kind_of, play(spec.kind, careless, rng.randbytes(32)), careless)


@dataclass(slots=True)
class Sums:
    """Mixtures as arrays: the duels and shares of each follow one another from its place in `starts`."""

    duels: Any
    shares: Any
    starts: Any
    fixed: Any

    @classmethod
    def of(cls, np: Any, mixtures: Sequence[Mixture]) -> Sums:
        """Return these mixtures, each of which has at least one duel."""
        lengths = [len(mixture.shares) for mixture in mixtures]
        return cls(
            np.array([duel for mixture in mixtures for duel in mixture.shares]),
            np.array([share for mixture in mixtures for share in mixture.shares.values()]),
            np.cumsum([0, *lengths[:-1]]),
            np.array([mixture.fixed for mixture in mixtures]),
        )

    def values(self, np: Any, duels: Any, slopes: Any) -> tuple[Any, Any]:
        """Return the numbers, and how they change with each weight."""
        values = self.fixed + np.add.reduceat(self.shares * duels[self.duels], self.starts)
        return values, np.add.reduceat(self.shares[:, None] * slopes[self.duels], self.starts, axis=0)


@dataclass(slots=True)
class Table:
    """A record as arrays. `events` has the number of each moment's type of event, `results` how its seat ended."""

    ahead: Any
    spreads: Any
    before: Sums
    after: Sums
    seats: Any
    own: Any
    usual: Any
    events: Any
    results: Any

    @classmethod
    def of(cls, np: Any, record: Record, events: dict[str, int]) -> Table:
        """Return a record as arrays. New types of events get numbers."""
        moments = record.moments
        return cls(
            np.array(record.duels.ahead, dtype=np.float32),
            np.array(record.duels.spreads, dtype=np.float32),
            Sums.of(np, [moment.before for moment in moments]),
            Sums.of(np, [moment.after for moment in moments]),
            np.array([moment.seat for moment in moments]),
            np.array([moment.own for moment in moments]),
            np.array([moment.usual for moment in moments]),
            np.array([events.setdefault(moment.event, len(events)) for moment in moments]),
            np.array([record.shares[moment.seat] for moment in moments]),
        )

    def duels(self, np: Any, weights: Any, count: int) -> tuple[Any, Any]:
        """Return ½·tanh(w·ahead / s) of each duel, and how it changes with each weight; `count` are no spread's."""
        square = np.maximum(self.spreads @ weights[count:], LEAST_SPREAD)
        scale = np.sqrt(square)
        lead = self.ahead @ weights[:count] / scale
        even = np.tanh(lead)
        steep = EVEN * (1 - even * even)
        by_spread = -steep * lead / (2 * square)
        return EVEN * even, np.hstack([(steep / scale)[:, None] * self.ahead, by_spread[:, None] * self.spreads])


class Squares:
    """A sum of squares, its slope and its curvature, as far as that comes from the slopes of what is squared."""

    def __init__(self, np: Any, size: int) -> None:
        self.whole = 0.0
        self.slope = np.zeros(size)
        self.curve = np.zeros((size, size))

    def add(self, rest: Any, slopes: Any, factor: float) -> None:
        """Add the squares of numbers with these slopes."""
        self.whole += factor * float(rest @ rest)
        self.slope += factor * (slopes.T @ rest)
        self.curve += factor * (slopes.T @ slopes)


class Refinement:
    """Makes the squares small. `count` of the weights are not those of the spread."""

    def __init__(self, np: Any, tables: Sequence[Table], events: int, count: int) -> None:
        self.np, self.events, self.count = np, events, count
        self.held_out = tables[::HELD_OUT]
        self.tables = [table for place, table in enumerate(tables) if place % HELD_OUT]

    def run(self, start: Sequence[float]) -> list[float]:
        """Return the best weights."""
        np, count = self.np, self.count
        weights = best = np.array(start)
        now, least = self.squares(self.tables, weights), self.squares(self.held_out, weights).whole
        damping, since = DAMPING, 0
        for _ in range(STEPS):
            damped = now.curve + np.diag(damping * now.curve.diagonal() + 1e-9 * len(self.tables))
            trial = weights - np.linalg.solve(damped, now.slope)
            trial[count:] = np.maximum(trial[count:], SMALLEST)
            then = self.squares(self.tables, trial)
            if then.whole >= now.whole:
                damping *= MORE
                if damping > MAX_DAMPING:
                    break
                continue
            done = now.whole - then.whole < NOTHING * len(self.tables)
            weights, now, damping = trial, then, damping * LESS
            held_out = self.squares(self.held_out, weights).whole
            since += 1
            if held_out < least - NOTHING * len(self.held_out):
                best, least, since = weights, held_out, 0
            if done or since == NO_BETTER:
                break
        return [float(each) for each in best]

    def squares(self, tables: Sequence[Table], weights: Any) -> Squares:
        """Return the sum of all squares over these games."""
        np, size = self.np, len(weights)
        found = Squares(np, size)
        means, mean_slopes = np.zeros(self.events), np.zeros((self.events, size))
        for table in tables:
            duels = table.duels(np, weights, self.count)
            before, before_slopes = table.before.values(np, *duels)
            after, after_slopes = table.after.values(np, *duels)
            drift, slopes = after - before, after_slopes - before_slopes
            seats = int(table.seats.max()) + 1
            seated_weights = table.usual & table.own
            found.add(drift[seated_weights], slopes[seated_weights], BY_DRAW)
            np.add.at(means, table.events[seated_weights], drift[seated_weights] / seats)
            np.add.at(mean_slopes, table.events[seated_weights], slopes[seated_weights] / seats)
            for seat in range(seats):
                its = table.usual & (table.seats == seat)
                found.add(drift[its].sum(keepdims=True), slopes[its].sum(axis=0, keepdims=True), BY_GAME / seats)
            found.add(before - table.results, before_slopes, BY_RESULT / len(before))
        found.add(means, mean_slopes, BY_MEAN / max(1, len(tables)))
        return found
