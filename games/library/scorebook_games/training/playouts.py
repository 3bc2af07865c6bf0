"""Random play-outs of many games, in several processes."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from scorebook_games.chance import SeedDealer
from scorebook_games.contract import sampler
from scorebook_games.registry import rules_for
from scorebook_games.training.session import seed_of, shares


@dataclass(frozen=True, slots=True)
class PlayOuts:
    """Finished random games.

    `results` has one row a game with the result of each seat (`shares`); `steps` counts the decisions of all games,
    and `seconds` is the time on the wall.
    """

    results: list[list[float]]
    steps: int
    seconds: float


def play_outs(
    kind: str,
    games: int,
    *,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    first: int = 0,
    processes: int = 1,
) -> PlayOuts:
    """Play the games `first`, `first` + 1 … at random and return their results in this order.

    A game's number is its seed, so the same number gives the same game in any process. Raises `UnknownKind` and
    `OptionError`.
    """
    began = time.perf_counter()
    parts = [(kind, numbers, seats, dict(options or {})) for numbers in _ranges(first, games, processes)]
    if len(parts) == 1:
        played = [_play_part(*parts[0])]
    else:
        with ProcessPoolExecutor(len(parts), get_context("spawn")) as pool:
            played = list(pool.map(_play_part, *zip(*parts, strict=True)))
    results = [result for each, _ in played for result in each]
    return PlayOuts(results, sum(steps for _, steps in played), time.perf_counter() - began)


def _ranges(first: int, games: int, processes: int) -> list[range]:
    """Return the numbers of the games for each process."""
    count = max(1, min(processes, games))
    bounds = [first + games * part // count for part in range(count + 1)]
    return [range(bounds[part], bounds[part + 1]) for part in range(count)]


def _play_part(kind: str, numbers: range, seats: int | None, options: dict[str, Any]) -> tuple[list[list[float]], int]:
    rules = rules_for(kind)
    count = rules.spec.seats_min if seats is None else seats
    resolved = rules.resolve(count, options)
    sample = sampler(rules)
    results: list[list[float]] = []
    steps = 0
    for number in numbers:
        draw = random.Random(number).random
        dealer = SeedDealer(seed_of(number))
        state = rules.initial(count, resolved)
        for event in rules.start(state, dealer):
            rules.apply(state, event)
        while (outcome := rules.outcome(state)) is None:
            for seat in rules.to_act(state):
                steps += 1
                events = rules.decide(state, seat, sample(state, seat, draw), dealer)
                for event in events:
                    rules.apply(state, event)
                if events:
                    break
        results.append(shares(outcome.placings))
    return results, steps
