"""Records what values are made of, so that other weights can be tried on the same games. Weights are fitted with it.

A value is ½, plus the mean over duels of ½·tanh(w·(f(i) − f(j)) / s); a mean of values over what chance may bring is
linear in them. So a recorded value is a `Mixture`: a fixed number and a weight for each duel. Nothing else of a value
function may depend on its weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from scorebook_games.contract import Event
from scorebook_games.gamelog.fold import Fold
from scorebook_games.luck.drift import steps
from scorebook_games.placings import points_share
from scorebook_games.value import EVEN, ValueFunction, plain_class

NO_DUEL: Final = 0  # the place of one without features, which every mixture has, so that none is empty


class Mixture:
    """A number that depends on weights: `fixed`, plus each duel's ½·tanh(…) times its share."""

    __slots__ = ("fixed", "shares")

    def __init__(self, fixed: float, shares: dict[int, float]) -> None:
        self.fixed = fixed
        self.shares = shares

    def __add__(self, other: Mixture | float) -> Mixture:
        if not isinstance(other, Mixture):
            return Mixture(self.fixed + other, self.shares)
        shares = dict(self.shares)
        for duel, share in other.shares.items():
            shares[duel] = shares.get(duel, 0.0) + share
        return Mixture(self.fixed + other.fixed, shares)

    def __mul__(self, factor: float) -> Mixture:
        return Mixture(self.fixed * factor, {duel: share * factor for duel, share in self.shares.items()})

    def __sub__(self, other: Mixture | float) -> Mixture:
        return self + other * -1

    def __rsub__(self, other: float) -> Mixture:
        return self * -1 + other

    def __truediv__(self, divisor: float) -> Mixture:
        return self * (1 / divisor)

    __radd__ = __add__
    __rmul__ = __mul__


@dataclass(slots=True)
class Duels:
    """What the values of a game depend on: by duel, the features of one seat minus those of the other, and those of
    the spread."""

    ahead: list[list[float]]
    spreads: list[list[float]]


class Moment(NamedTuple):
    """A seat's value before a draw, and its mean after it. `event` is the type of the draw's event, `own` says whether
    this seat made the last decision, and `usual` whether a sensible player did."""

    before: Mixture
    after: Mixture
    event: str
    seat: int
    own: bool
    usual: bool


class Record(NamedTuple):
    """A game: its duels, its moments, and how each seat ended."""

    duels: Duels
    moments: list[Moment]
    shares: list[float]


def recorder(value: ValueFunction) -> Any:
    """Return a class of value functions whose values are mixtures; each instance has its own `duels`."""
    base: Any = plain_class(type(value))

    class Recorder(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(value.rules, value.file)
            self.duels = Duels([[0.0] * len(self.names)], [[1.0] * len(self.spreads)])

        def values_of(self, position: Any) -> list[Any]:
            if self.known(position) is not None:
                return [Mixture(each, {NO_DUEL: 0.0}) for each in super().values_of(position)]
            rows, spread = self.features(position), self.spread(position)
            share = 1 / (len(rows) - 1)
            values: list[dict[int, float]] = [{} for _ in rows]
            for seat, mine in enumerate(rows):
                for other in range(seat):
                    duel = len(self.duels.ahead)
                    self.duels.ahead.append([a - b for a, b in zip(mine, rows[other], strict=True)])
                    self.duels.spreads.append(spread)
                    values[seat][duel], values[other][duel] = share, -share
            return [Mixture(EVEN, shares) for shares in values]

    return Recorder


def recorded(kind_of: Any, log: Sequence[Event], careless: Sequence[float]) -> Record:
    """Return the record of a finished game. `kind_of` is a `recorder`."""
    value = kind_of()
    draws: Any = steps(value, log)  # whose values are mixtures
    moments = [
        Moment(step.before[seat], step.after[seat], step.event, seat, seat == step.seat, not careless[step.seat])
        for step in draws
        for seat in range(len(careless))
    ]
    fold = Fold(log[0])
    for event in log[1:]:
        fold.apply(event)
    outcome = fold.outcome()
    assert outcome
    return Record(value.duels, moments, [points_share(outcome.placings, seat) for seat in range(len(careless))])
