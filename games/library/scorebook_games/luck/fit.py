"""Fits a value function by least squares to positions of generated games. `scorebook-kind fit` runs it, with numpy.

There are two regressions over pairs of seats: first the weights, so that w·(f(i) − f(j)) comes near the lead with which
seat i ends; then the spread, so that it comes near the square of what the first one missed. From there, the weights of
both are refined (`scorebook_games.luck.refine`). At last the spread is fitted again, to results of other games
(`scorebook_games.luck.sharpen`). A network is fitted to duels instead (`scorebook_games.luck.network`).
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain, pairwise
from math import sqrt
from pathlib import Path
from typing import Any, Final, NamedTuple

from scorebook_games.contract import Event
from scorebook_games.gamelog.events import is_table_event
from scorebook_games.luck.games import KNOWING, play, players_of
from scorebook_games.luck.network import Duel, fitted_network, foreseen_duels
from scorebook_games.luck.record import recorder
from scorebook_games.luck.refine import refined
from scorebook_games.luck.sharpen import SeenValues, sharpened
from scorebook_games.placings import points_share
from scorebook_games.registry import KINDS
from scorebook_games.value import EVEN, NetworkValue, ValueFunction

POSITIONS: Final = 12  # a game, about
SEATS: Final = (2, 3, 2, 4)
PAIRS: Final = (2,)  # if weights are fitted to shares: those of larger tables say less of each pair
NETWORK_MIXES: Final = ("sensible", "alike", "mixed")  # to which the network of Plates is fitted
RIDGE: Final = 1e-6
TANH: Final = 1.22  # ½ + ½·tanh(z / 1.22) is near the normal distribution, z in standard deviations
STEPS: Final = 2  # that fit a network to values after draws
BINS: Final = 10
GAMES_A_WEIGHT: Final = 100  # for a fit that other games agree with
CHECKED: Final = 200  # games that a fit is compared with
FRESH: Final = 10**7  # number of the first of them, which no fit has seen
LAST: Final = 5 * 10**6  # number of the first game to which the spread is fitted again

Weights = dict[str, dict[str, float]]


class NoValueFunction(LookupError):
    """A kind has no value function whose weights could be fitted. The text says what it needs."""


class Tenth(NamedTuple):
    """A tenth of the values: how many there are, their mean, and the mean result.

    `error` is the standard error of `off`, with games as independent of each other, but not the values of one game.
    """

    values: int
    mean: float
    result: float
    error: float

    @property
    def off(self) -> float:
        """How far results lie above the values."""
        return self.result - self.mean


@dataclass(slots=True)
class Positions:
    """Positions of one game: the features of the seats and the spread, values, and how each seat ended."""

    rows: list[list[list[float]]] = field(default_factory=list)
    spreads: list[list[float]] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    places: list[int] = field(default_factory=list)


def generate(
    value: ValueFunction, games: int, first: int, *, mix: str, sizes: Sequence[int] = SEATS, valued: bool = False
) -> Iterator[Positions]:
    """Play the games `first`, `first` + 1 … of a mix of players and yield some positions of each.

    `sizes` are the numbers of seats, in turn. `valued` adds what the value function says of them.
    """
    spec = value.rules.spec
    for number in range(first, first + games):
        rng = random.Random(f"{spec.kind} {number}")
        seats = min(max(sizes[number % len(sizes)], spec.seats_min), spec.seats_max)
        log = play(spec.kind, players_of(mix, seats, rng), rng.randbytes(32))
        yield positions_of(value, log, rng, valued=valued)


def of_mixes(value: ValueFunction, games: int, mixes: Sequence[str]) -> Iterator[Positions]:
    """Yield positions of as many games of each mix, `games` in all."""
    sizes = PAIRS if value.by_share else SEATS
    for at, mix in enumerate(mixes):
        yield from generate(value, games // len(mixes), at * games, mix=mix, sizes=sizes)


def positions_of(value: ValueFunction, log: list[Event], rng: random.Random, *, valued: bool = False) -> Positions:
    """Return some positions of a finished game in which somebody may act.

    Between the events of one move there is none, because what the move brings is not yet done.
    """
    rules, seats = value.rules, log[0][1]["seats"]
    state = rules.initial(seats, log[0][1]["options"])
    found = Positions()
    for event, following in pairwise([event for event in log[1:] if not is_table_event(event)]):
        rules.apply(state, event)
        if rng.random() * len(log) >= POSITIONS or not rules.to_act(state):
            continue
        if value.decider(state, following) is None:
            continue
        position = value.position(state)
        if value.settled(position) is None:
            if value.known(position) is None:
                found.rows.append(value.features(position))
                found.spreads.append(value.spread(position))
            if valued:
                found.values.append(value.values(state))
    rules.apply(state, following)
    scores, places = rules.standing(state)
    sign = 1 if rules.spec.best == "highest" else -1
    found.places = list(places)
    found.shares = [points_share(places, seat) for seat in range(seats)]
    found.scores = found.shares if value.by_share else [float(sign * score) for score in scores]
    return found


def duels_of(game: Positions) -> Iterator[Duel]:
    """Yield the duels of each position of a game, for a network."""
    for rows, spread in zip(game.rows, game.spreads, strict=True):
        for number in range(1, len(rows)):
            for other in range(number):
                ahead = game.places[other] - game.places[number]
                yield Duel(rows[number], rows[other], spread, EVEN + EVEN * ((ahead > 0) - (ahead < 0)))


def fit(value: ValueFunction, games: Iterable[Positions]) -> Weights:
    """Return the weights of a value function and of its spread. Raises ImportError without numpy."""
    np: Any = import_module("numpy")
    features, leads, spreads = [], [], []
    for game in games:
        for rows, spread in zip(game.rows, game.spreads, strict=True):
            for number in range(1, len(rows)):
                for other in range(number):
                    features.append([a - b for a, b in zip(rows[number], rows[other], strict=True)])
                    leads.append(game.scores[number] - game.scores[other])
                    spreads.append(spread)
    x, y = np.array(features), np.array(leads)
    weights = _solve(np, x, y)
    spread_weights = _positive(np, np.array(spreads), (y - x @ weights) ** 2) * TANH**2
    if value.by_share:
        spread_weights *= _sharpness(np, x @ weights / np.sqrt(np.array(spreads) @ spread_weights), y)
    return {"weights": _named(value.names, weights), "spread": _named(value.spreads, spread_weights)}


def _solve(np: Any, x: Any, y: Any) -> Any:
    """Return the least squares solution; a feature that never varies gets 0."""
    square = x.T @ x
    return np.linalg.solve(square + np.diag(RIDGE * square.diagonal() + RIDGE), x.T @ y)


def _positive(np: Any, x: Any, y: Any) -> Any:
    """Return the least squares solution in proportion to `y`, without negative weights."""
    weights = np.full(x.shape[1], y.mean() / x.sum(axis=1).mean())
    for _ in range(3):
        near = np.maximum(x @ weights, y.mean() / 100)
        used = list(range(x.shape[1]))
        found = _solve(np, x[:, used] / near[:, None], y / near)
        while found.min() < 0 and len(used) > 1:
            used.pop(int(found.argmin()))
            found = _solve(np, x[:, used] / near[:, None], y / near)
        weights = np.zeros(x.shape[1])
        weights[used] = found
    return weights


def _sharpness(np: Any, leads: Any, y: Any) -> float:
    """Return the factor of the spread with which values come nearest to results that are won or lost."""
    factors = [step / 50 for step in range(10, 100)]
    return min(factors, key=lambda factor: float(((np.tanh(leads / factor**0.5) - y) ** 2).sum()))


def _named(names: Iterable[str], weights: Any) -> dict[str, float]:
    return {name: float(f"{weight:.5g}") for name, weight in zip(names, weights, strict=True)}


def diagnosis(value: ValueFunction, games: int) -> Iterator[str]:
    """Yield how well a fitted value function agrees with games that it was not fitted to, and what to do if it does
    not."""
    weights = len(value.names) + len(value.spreads)
    if games < weights * GAMES_A_WEIGHT:
        yield f"Warning: {games} games are few for {weights} weights. Use --games {weights * GAMES_A_WEIGHT} or more."
    checked = list(generate(value, CHECKED, FRESH, mix="mixed", valued=True))
    pairs = [(v, s) for game in checked for values in game.values for v, s in zip(values, game.shares, strict=True)]
    if not pairs:
        yield "Warning: no position of a game has a value that is not settled. Look at `settled`."
        return
    error, even = (sum((guess(v) - s) ** 2 for v, s in pairs) / len(pairs) for guess in (float, lambda _: EVEN))
    yield f"{CHECKED} other games, {len(pairs)} values: squared error {error:.4f}; of equal chances it is {even:.4f}"
    yield "  values   mean  result"
    for tenth in calibration(checked):
        yield f"  {tenth.values:6}  {tenth.mean:5.2f}   {tenth.result:5.2f}"
    if error >= even:
        yield "Warning: the values say less than equal chances. Look at the features, or use more games."


def calibration(games: Iterable[Positions]) -> list[Tenth]:
    """Return the tenths of the values that have any. A game has values in several, which are not independent."""
    bins: list[list[tuple[int, float, float]]] = [[] for _ in range(BINS)]  # count, sums of values and shares by game
    for game in games:
        sums: dict[int, tuple[int, float, float]] = {}
        for values in game.values:
            for value, share in zip(values, game.shares, strict=True):
                place = min(BINS - 1, int(value * BINS))
                count, whole, shares = sums.get(place, (0, 0.0, 0.0))
                sums[place] = count + 1, whole + value, shares + share
        for place, sum in sums.items():
            bins[place].append(sum)
    return [_tenth(each) for each in bins if each]


def _tenth(sums: Sequence[tuple[int, float, float]]) -> Tenth:
    count, whole, shares = map(sum, zip(*sums, strict=True))
    off = (shares - whole) / count
    errors = sum([(share - value - off * number) ** 2 for number, value, share in sums])
    return Tenth(count, whole / count, shares / count, sqrt(errors) / count)


def write_fitted(kind: str, games: int, luck_games: int, version: int) -> ValueFunction:
    """Fit the value function of `kind`, write its file of this version, and return it.

    `games` games are for the regressions, and `luck_games` to refine their weights; 0 leaves them as they are. Raises
    `NoValueFunction` for a kind that has none, and ImportError without numpy.
    """
    value = _value_of(kind)
    about = {
        "kind": kind,
        "version": version,
        "rules_version": value.rules.spec.rules_version,
        "games": games,
        "luck_games": luck_games,
    }
    file = value.file.with_name(f"value-{version}.json")
    unfinished = file.with_name(f"{file.name}.part")  # an interrupted fit leaves the weights of before
    write: Any = _write_network if isinstance(value, NetworkValue) else _write_weights
    try:
        write(value, games, luck_games, unfinished, about)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)
    return type(value)(value.rules, file)


def write_spread(kind: str, games: int, version: int) -> ValueFunction:
    """Fit only the spread again, to as many games as `write_fitted` takes for it, and keep the other weights.

    Raises `NoValueFunction` for a kind whose value function has no spread, and ImportError without numpy.
    """
    value = _value_of(kind)
    if not value.spreads:
        raise NoValueFunction(f"The value function of {kind} has no spread: fit it as a whole.")
    value = type(value)(value.rules, value.file.with_name(f"value-{version}.json"))
    spread = _named(value.spreads, sharpened(value, seen_values(value, games // 2)))
    value.file.write_text(weights_text({**value.stored, "spread": spread}), encoding="utf-8")
    return type(value)(value.rules, value.file)


def _value_of(kind: str) -> ValueFunction:
    value = KINDS[kind].value
    if value is None:
        raise NoValueFunction(f"The kind {kind} has no value function: it needs a class derived from ValueFunction.")
    return value


def _write_weights(value: ValueFunction, games: int, luck_games: int, file: Path, about: dict[str, Any]) -> None:
    """Fit weights to results, refine them, and fit the spread again."""
    weights = fit(value, of_mixes(value, games, KNOWING))
    file.write_text(weights_text({**about, **weights}), encoding="utf-8")
    if luck_games:
        value = type(value)(value.rules, file)
        found, spread = refined(value, luck_games)
        weights = {"weights": _named(value.names, found), "spread": _named(value.spreads, spread)}
        file.write_text(weights_text({**about, **weights}), encoding="utf-8")
        value = type(value)(value.rules, file)
        weights["spread"] = _named(value.spreads, sharpened(value, seen_values(value, games // 2)))
        file.write_text(weights_text({**about, **weights}), encoding="utf-8")


def seen_values(value: ValueFunction, games: int) -> Iterator[SeenValues]:
    """Yield what values of games are made of to which no weight was fitted yet, with the results."""
    kind_of, sizes = recorder(value), PAIRS if value.by_share else SEATS
    for number in range(LAST, LAST + games):
        recording = kind_of()
        [game] = generate(recording, 1, number, mix=value.mixes[number % len(value.mixes)], sizes=sizes, valued=True)
        mixtures: Any = game.values
        yield SeenValues(
            recording.duels, [value for values in mixtures for value in values], game.shares * len(mixtures)
        )


def _write_network(value: NetworkValue, games: int, luck_games: int, file: Path, about: dict[str, Any]) -> None:
    """Fit a network to results, and then also to the mean values after draws."""
    ended = list(chain.from_iterable(map(duels_of, of_mixes(value, games, NETWORK_MIXES))))
    duels = ended
    for step in range(1 + STEPS * bool(luck_games)):
        if step:
            duels = ended + list(foreseen_duels(value, luck_games, NETWORK_MIXES, step))
        file.write_text(weights_text({**about, **fitted_network(value, duels)}), encoding="utf-8")
        value = type(value)(value.rules, file)


def weights_text(content: dict[str, Any]) -> str:
    """Return a file of weights, with the numbers of a list in one line."""
    text = json.dumps(content, indent=1)
    return re.sub(r"\[[^][]*\]", lambda row: json.dumps(json.loads(row[0])), text) + "\n"
