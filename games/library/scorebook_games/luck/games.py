"""Plays whole games between built-in bots of mixed strength, as logs, to fit and to test value functions."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from scorebook_games.bots.builtin import BUILTIN_BOTS
from scorebook_games.bots.requests import ask_builtin
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Dealer, Event, listed_actions
from scorebook_games.gamelog.events import OPENED
from scorebook_games.gamelog.fold import Fold
from scorebook_games.registry import KINDS

# A player is the probability with which it plays a random move instead of the sensible bot's.
SENSIBLE: Final = 0.0
RANDOM: Final = 1.0
MIXED: Final = (0.0, 0.0, 0.0, 0.1, 0.3, 1.0)


def play(
    kind: str,
    careless: Sequence[float],
    seed: bytes,
    *,
    options: Mapping[str, Any] | None = None,
    luck: bytes = b"",
) -> list[Event]:
    """Play one game in turns and return its log. `careless` has for each seat how often it plays at random.

    `seed` decides the deal, as in a real game, and `luck` (else `seed`) what the players draw. Where several seats may
    act at once, they do so in a random order. Without a plan for the kind, everybody plays at random.
    """
    rules = KINDS[kind].rules
    seats = len(careless)
    if kind not in BUILTIN_BOTS["sensible"].kinds:
        careless = [RANDOM] * seats
    resolved = rules.resolve(seats, options or {})
    opened = {"kind": kind, "rules_version": rules.spec.rules_version, "seats": seats, "options": resolved, "terms": {}}
    fold = Fold([OPENED, opened])
    dealer, chance = SeedDealer(seed), random.Random(luck or seed)
    events = rules.start(fold.state, dealer)
    while events:
        for event in events:
            fold.apply(event)
        events = _decide(fold, careless, dealer, chance)
    return [[OPENED, opened], *fold.story]


def _decide(fold: Fold, careless: Sequence[float], dealer: Dealer, chance: random.Random) -> list[Event]:
    """Return the events of the next move that has any, or none if the game is over."""
    acting = fold.to_act()
    for seat in chance.sample(acting, len(acting)) if len(acting) > 1 else acting:
        actions = listed_actions(fold.rules, fold.state, seat)
        program = "random" if careless[seat] and chance.random() < careless[seat] else "sensible"
        action = actions[0] if len(actions) == 1 else ask_builtin(fold, seat, program, actions, chance)
        if events := fold.rules.decide(fold.state, seat, action, dealer):
            return events
    return []
