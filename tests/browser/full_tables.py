"""Games at the moment when the table is fullest: all seats are taken, the sensible bot plays, and each kind has one
deal."""

from __future__ import annotations

import json
from typing import Any, Final

from games.models import Deal, Game, Player
from games.play import services as play
from games.play import unit_of_work
from scorebook_games.bots.builtin import BUILTIN_BOTS, MoveRequest
from scorebook_games.chance import SeedDealer, bot_random
from scorebook_games.contract import Event
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.fold import Fold

OWN: Final = 1  # the viewer's seat, which is not the first
NAMES: Final = (
    "Tin Whistle", "Martha", "Mother Goose", "Bartholomew Featherstone", "Old Peat", "Long Tom", "Kittiwake", "Io",
)  # fmt: skip
OPTIONS: Final[dict[str, dict[str, object]]] = {"plates": {"rounds": 1}}
SEED: Final = bytes(range(7, 39))


def weight(kind: str, seen: Any) -> int:
    """Return how full the table looks to seat `OWN`: its own cards or plates count most, then the amount of text."""
    if kind == "plate_spinner":
        own = seen["players"][OWN]
        return 100 * len(own["plates"]) + 10 * len(seen["market"]) + len(own["dice"])
    if kind in ("palace", "plates"):
        own = seen["seats"][OWN]
        hand = own["hand"] if kind == "palace" else own["primary"] + own["revealed"]
    else:
        hand = seen["hand"]
    return 100 * len(hand) + len(json.dumps(seen))


def fullest(players: list[Player], kind: str) -> tuple[Game, Game, int]:
    """Return a finished game, the same game at its fullest moment, and the version of that moment."""
    over, on = (
        play.open_game(kind=kind, players=players, options=OPTIONS.get(kind), deal=Deal.objects.create(seed=SEED))
        for _each in range(2)
    )
    events: list[Event] = []
    best = (0, 0)

    def played(unit: unit_of_work.GameUnit) -> list[Event]:
        nonlocal best
        fold, dealer = unit.fold.copy(), SeedDealer(SEED)
        while not fold.outcome():
            if weight := weight_of(fold):
                best = max(best, (weight, len(events)))
            made = next(filter(None, (choice(fold, seat, dealer) for seat in fold.to_act())))
            for event in made:
                fold.apply(event)
            events.extend(made)
        return events

    play.change_game(over, played)
    play.change_game(on, lambda _unit: events[: best[1]])
    return over, on, on.version


def weight_of(fold: Fold) -> int:
    """Return how full the table is for seat `OWN`, or 0 if that seat has no choice now."""
    if OWN not in fold.to_act() or len(visibility.legal_moves(fold, OWN)) < 2:
        return 0
    return weight(fold.rules.spec.kind, fold.rules.observation(fold.state, OWN))


def choice(fold: Fold, seat: int, dealer: SeedDealer) -> list[Event]:
    """Return the events of a bot's move in a seat. In Palace the bot in seat `OWN` plays at random, so that it takes
    piles."""
    kind = fold.rules.spec.kind
    bot = BUILTIN_BOTS["random" if seat == OWN and kind == "palace" else "sensible"]
    seen = fold.rules.observation(fold.state, seat) if bot.looks else {}
    text = bot.move(
        MoveRequest(kind, seen, fold.version), visibility.legal_moves(fold, seat), bot_random(SEED, seat, fold.version)
    )
    return fold.rules.decide(fold.state, seat, fold.rules.parse_move(fold.state, text), dealer)
