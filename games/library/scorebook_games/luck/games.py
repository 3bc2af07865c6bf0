"""Plays whole games between built-in bots of mixed strength, as logs, to fit and to test value functions."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from scorebook_games.bots.builtin import BUILTIN_BOTS
from scorebook_games.bots.requests import ask_builtin
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Dealer, Event, listed_actions
from scorebook_games.gamelog.events import OPENED
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import BlankDealer, beat_events, ends_bundle, paces_of
from scorebook_games.gamelog.terms import BEATS, TURNS
from scorebook_games.registry import KINDS

# A player is the probability with which it plays a random move instead of the sensible bot's.
SENSIBLE: Final = 0.0
CARELESS: Final = 0.1
RANDOM: Final = 1.0
MIXED: Final = (0.0, 0.0, 0.0, 0.1, 0.3, 1.0)
UNEQUAL: Final = (0.0, 0.0, 0.0, 0.1, 0.3)


class Mix(NamedTuple):
    """What tables are made up of: the `players` that are equally likely, and whether a table has only one of them."""

    players: tuple[float, ...]
    alike: bool


# Values are stated with the mix in which they hold. No value function knows how strong its players are, and at a table
# of random players a lead is worth much less than among players who know the game. So weights are fitted to the mixes
# of such players (KNOWING), and in the others, of which one player in six plays at random, values can't agree with
# results.
MIXES: Final = {
    "sensible": Mix((SENSIBLE,), alike=True),
    "careless": Mix((CARELESS,), alike=True),
    "mixed": Mix(UNEQUAL, alike=False),
    "alike": Mix(MIXED, alike=True),
    "wild": Mix(MIXED, alike=False),
    "random": Mix((RANDOM,), alike=True),
}
KNOWING: Final = ("sensible", "careless", "mixed")


def players_of(mix: str, seats: int, rng: random.Random) -> list[float]:
    """Return the players of a random table of a mix."""
    players, alike = MIXES[mix]
    return [rng.choice(players)] * seats if alike else [rng.choice(players) for _ in range(seats)]


def play(
    kind: str,
    careless: Sequence[float],
    seed: bytes,
    *,
    options: Mapping[str, Any] | None = None,
    luck: bytes = b"",
) -> list[Event]:
    """Play one game in turns and return its log. `careless` has for each seat how often it plays at random.

    `seed` decides the deal, as in a real game, and `luck` (else `seed`) what the players draw. Kinds that have beats
    are played in beats. Where several seats may act at once in other kinds, they do so in a random order. Without a
    plan for the kind, everybody plays at random.
    """
    rules = KINDS[kind].rules
    seats = len(careless)
    if kind not in BUILTIN_BOTS["sensible"].kinds:
        careless = [RANDOM] * seats
    resolved = rules.resolve(seats, options or {})
    pace = paces_of(rules)[0]
    terms = {"pace": pace} if pace != TURNS else {}
    opened = {
        "kind": kind,
        "rules_version": rules.spec.rules_version,
        "seats": seats,
        "options": resolved,
        "terms": terms,
    }
    log: list[Event] = [[OPENED, opened]]
    fold = Fold(log[0])
    dealer, chance = SeedDealer(seed), random.Random(luck or seed)
    events = rules.start(fold.state, dealer)
    while events:
        for event in events:
            fold.apply(event)
        log += events
        events = (_beat if pace == BEATS else _decide)(fold, careless, dealer, chance)
    return log


def _decide(fold: Fold, careless: Sequence[float], dealer: Dealer, chance: random.Random) -> list[Event]:
    """Return the events of the next move that has any, or none if the game is over."""
    acting = fold.to_act()
    for seat in chance.sample(acting, len(acting)) if len(acting) > 1 else acting:
        action = _choice(fold, seat, careless[seat], chance)
        if events := fold.rules.decide(fold.state, seat, action, dealer):
            return events
    return []


def _beat(fold: Fold, careless: Sequence[float], dealer: Dealer, chance: random.Random) -> list[Event]:
    """Return the events of the next beat, or none if the game is over."""
    bundles = {seat: _bundle(fold, seat, careless[seat], chance) for seat in fold.to_act()}
    return beat_events(fold, bundles, dealer) if bundles else []


def _bundle(fold: Fold, seat: int, careless: float, chance: random.Random) -> list[str]:
    """Return the moves that a player gives for the next beat."""
    rules, trial = fold.rules, fold.copy()
    texts: list[str] = []
    while True:
        action = _choice(trial, seat, careless, chance)
        texts.append(rules.move_text(trial.state, action))
        if ends_bundle(rules, trial.state, action):
            return texts
        trial.apply(rules.decide(trial.state, seat, action, BlankDealer())[0])


def _choice(fold: Fold, seat: int, careless: float, chance: random.Random) -> int:
    """Return the action of a player that plays at random with the probability `careless`."""
    actions = listed_actions(fold.rules, fold.state, seat)
    program = "random" if careless and chance.random() < careless else "sensible"
    return actions[0] if len(actions) == 1 else ask_builtin(fold, seat, program, actions, chance)
