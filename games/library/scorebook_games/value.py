"""Value functions: what a position is worth to each seat if all cards are known that any player knows.

A kind may have one (`Kind.value`). The value is a seat's expected share of the result: the share of the opponents that
it finishes ahead of, where a tie counts half (`points_share`). It is no judgement of a player, who sees less. It serves
to take the luck out of a result (`scorebook_games.luck`), which stays fair whatever the value function is.

The model: seat i has features f(i), and wins a duel against seat j with the probability
½ + ½·tanh(w·(f(i) − f(j)) / s). The spread s is the square root of a weighted sum of features of the position
(`spread`): it falls as the game nears its end. A seat's value is the mean over its duels, so the values of all seats
sum to half their number, as results do. The weights are in a file beside the kind's rules; `scorebook-kind fit` makes
it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.util import module_from_spec, spec_from_file_location
from math import sqrt
from operator import mul
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from scorebook_games.build import is_compiled
from scorebook_games.contract import Dealer, Event, Rules
from scorebook_games.duels import duels, network_duels
from scorebook_games.placings import points_share
from scorebook_games.program_hash import program_hash

T = TypeVar("T")

LEAST_SPREAD: Final = 1e-6
EVEN: Final = 0.5


class Draw(NamedTuple):
    """One thing that chance decided: the values after it, and after everything that might have come, with weights.

    The weights are those with which the engine draws, given all that any player knew; they need not sum to 1.
    `sampled` says that `possible` is a random sample, drawn independently of `actual`.
    """

    actual: list[float]
    possible: Sequence[tuple[float, list[float]]]
    sampled: bool = False


def expectation(possible: Sequence[tuple[float, list[float]]]) -> list[float]:
    """Return the weighted mean for each seat."""
    whole = sum([weight for weight, _ in possible])
    return [sum([weight * values[seat] for weight, values in possible]) / whole for seat in range(len(possible[0][1]))]


class once(cached_property[T]):  # noqa: N801  a decorator
    """`functools.cached_property` for modules that are compiled: mypyc takes that one for a property, and computes it
    each time."""


class Open(type):
    """Keeps a class one of Python where its module is compiled: it has attributes of any name, and `once` works.

    Its methods are compiled, so they refuse objects of classes that derive from it: see `plain_class`.
    """


class ValueFunction(metaclass=Open):
    """The value function of one kind. A kind derives a class from it, and none of its methods may look at what is
    hidden from every player.

    `file` holds the weights, `names` the features of a seat and `spreads` those of the spread, in their order.
    `by_share` says that weights are fitted to the results of games of two, because scores say little of how near a game
    was. `mixes` are the tables of players to whose games the spread is fitted at last, in turn (`luck.games.MIXES`).
    `modules` are the files beside the rules that compute values.
    """

    modules: tuple[str, ...] = ("value.py",)
    names: tuple[str, ...] = ()
    spreads: tuple[str, ...] = ()
    by_share: bool = False
    mixes: tuple[str, ...] = ("sensible", "careless", "mixed")

    def __init__(self, rules: Rules[Any], file: Path) -> None:
        self.rules = rules
        self.file = file

    def position(self, state: Any) -> Any:
        """Return the position that the other methods look at: the state itself, or one that is faster to compute with.

        It may be the position after moves that are usual in `state`. This makes values better where players are
        predictable.
        """
        return state

    def settled(self, position: Any) -> Sequence[int] | None:
        """Return the place of each seat if the present standing is the result, else None."""
        raise NotImplementedError

    def known(self, position: Any) -> list[float] | None:
        """Return values of a position that no weight changes, else None."""
        places = self.settled(position)
        return None if places is None else [points_share(places, seat) for seat in range(len(places))]

    def features(self, position: Any) -> list[list[float]]:
        """Return the features of each seat, in the order of `names`. The greater w·f, the better for the seat."""
        raise NotImplementedError

    def spread(self, position: Any) -> list[float]:
        """Return the features of the spread, in the order of `spreads`; none is negative."""
        raise NotImplementedError

    def strengths(self, position: Any) -> list[float]:
        """Return w·f for each seat."""
        weights = self.weights
        return [sum(map(mul, weights, row)) for row in self.features(position)]

    def draws(self, state: Any, event: Event, dealer: Dealer, memory: dict[str, Any]) -> Iterator[Draw]:
        """Yield what chance decides in `event`, which comes next, in order; nothing if chance decides nothing.

        `dealer` draws samples, independently of the game's own draws. `memory` is empty at the start of a game, and
        holds what a kind must remember from event to event. What is in it is replaced and never changed, because a
        ledger tries other moves with a copy. It exhausts the iterator, except there.
        """
        raise NotImplementedError

    def lot(self, state: Any, order: Sequence[int], dealer: Dealer, memory: dict[str, Any]) -> Iterator[Draw]:  # noqa: ARG002
        """Yield the lot that decided in which `order` the seats' bundles of a beat are taken; the rest is as in
        `draws`."""
        yield from ()

    def decider(self, state: Any, event: Event) -> int | None:
        """Return the seat whose decision `event` begins, or None if it is a consequence of an earlier one."""
        try:
            seat, _ = self.rules.action_of(state, event)
        except Exception:  # no decision begins with it; a kind may fail in its own way
            return None
        return seat if seat in self.rules.to_act(state) else None

    def values(self, state: Any, memory: Mapping[str, Any] | None = None) -> list[float]:  # noqa: ARG002
        """Return the value of `state` for each seat. `memory` is that of `draws`."""
        return self.values_of(self.position(state))

    def values_of(self, position: Any) -> list[float]:
        """Return the value of a position for each seat."""
        known = self.known(position)
        if known is not None:
            return known
        scale = sqrt(max(LEAST_SPREAD, sum(map(mul, self.spread_weights, self.spread(position)))))
        return duels(self.strengths(position), scale)

    @cached_property
    def stored(self) -> dict[str, Any]:
        """The content of `file`. Raises ValueError if it was made for other features."""
        stored: dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8"))
        if tuple(stored["weights"]) != self.names or tuple(stored["spread"]) != self.spreads:
            raise ValueError(f"{self.file.name} was made for other features. Run `scorebook-kind fit` again.")
        return stored

    @property
    def fault(self) -> str:
        """Why the weights cannot be used; "" if they can."""
        try:
            list(map(float, [*self.numbers(), self.stored["version"]]))
        except FileNotFoundError:
            return f"{self.file.name} with the weights is not there. Run `scorebook-kind fit`."
        except (OSError, LookupError, TypeError, ValueError) as error:
            return f"{self.file.name} cannot be used: {error}"
        return ""

    def numbers(self) -> list[float]:
        """Return all stored weights. Raises LookupError, TypeError or ValueError if some are missing or no numbers."""
        return [*self.stored["weights"].values(), *self.stored["spread"].values()]

    @property
    def version(self) -> int:
        """The version of the weights. Another version is another file beside the old one."""
        return int(self.stored["version"])

    @cached_property
    def hash(self) -> str:
        """Sixteen hex digits that identify the weights and the program that computes the values.

        Comments and docstrings have no part in it.
        """
        beside = [self.file.with_name(name) for name in self.modules]
        files = (*beside, Path(__file__), Path(__file__).with_name("duels.py"))
        return program_hash(files, and_of=json.dumps(self.stored, sort_keys=True))

    @cached_property
    def weights(self) -> list[float]:
        """The weights of `names`."""
        return list(self.stored["weights"].values())

    @cached_property
    def spread_weights(self) -> list[float]:
        """The weights of `spreads`."""
        return list(self.stored["spread"].values())


class NetworkValue(ValueFunction):
    """A value function whose duels a small neural network decides, for kinds in which a linear lead says too little.

    In a duel of seat i against seat j, the network sees the features of i, those of j and those of the spread. It has
    `hidden` units in one layer: g(i, j) = Σ out·tanh(bias + w·features). Seat i wins with the probability
    1 / (1 + exp(g(j, i) − g(i, j))), so the chances of both sum to 1. A seat's value is the mean over its duels.

    In the file, `weights` holds for each feature those of the own units and then those of the rival's, `spread` those
    of the features of the spread, `bias` and `out` one number for each unit.
    """

    hidden: int = 12

    def values_of(self, position: Any) -> list[float]:
        """Return the value of a position for each seat."""
        known = self.known(position)
        if known is not None:
            return known
        return self.duels_of(self.features(position), self.spread(position))

    def duels_of(self, features: Sequence[list[float]], spread: list[float]) -> list[float]:
        """Return for each seat the mean of its chances to beat each of the others."""
        units, out = self.network
        return network_duels(features, spread, units, self.bias, out)

    @cached_property
    def network(self) -> tuple[list[list[float]], list[float]]:
        """The weights of each unit, in the order in which it sees features, and what it counts."""
        stored, count = self.stored, self.hidden
        both = list(stored["weights"].values())
        rows = [each[:count] for each in both] + [each[count:] for each in both] + list(stored["spread"].values())
        return [list(unit) for unit in zip(*rows, strict=True)], stored["out"]

    @cached_property
    def bias(self) -> list[float]:
        """What each unit sees beside the features."""
        return list(self.stored["bias"])

    def numbers(self) -> list[float]:
        """Return all stored weights. Raises LookupError, TypeError or ValueError if some are missing or no numbers."""
        units, out = self.network
        if not len(units) == len(out) == len(self.bias) == self.hidden:
            raise ValueError("it has weights for another number of units")
        return [number for unit in units for number in unit] + out + self.bias


@cache
def plain_class(compiled: type[ValueFunction]) -> Any:
    """Return the class of a value function as plain Python, from which others derive; for a plain one itself.

    Weights are fitted with derived classes, whose values need not be numbers (`luck.record`).
    """
    module = sys.modules[compiled.__module__]
    if not is_compiled(module):
        return compiled
    source = Path(__file__).parents[1].joinpath(*compiled.__module__.split(".")).with_suffix(".py")
    spec = spec_from_file_location(f"{compiled.__module__}_plain", source)
    assert spec
    assert spec.loader
    plain = module_from_spec(spec)
    spec.loader.exec_module(plain)
    return getattr(plain, compiled.__name__)
