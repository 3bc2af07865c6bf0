"""Exports a finished game: as JSON, which `replays.verify` reads, and as a list of moves for people.

Both contain what is secret during the game, so nothing is exported before everything is open
(`games.visibility.observe`).
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Game
from games.visibility import observe
from replays.verify import EXPORT_FORMAT, EXPORT_SCHEMA
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold


def export_json(game: Game) -> dict[str, Any]:
    """Return the whole game as JSON data: its facts, seed and salt, each batch's bytes as stored (base64), and the
    head.

    Raises `DomainError` not_open_yet (409).
    """
    _refuse_unless_open(game)
    return {
        "format": EXPORT_FORMAT,
        "schema": EXPORT_SCHEMA,
        "game": {
            "id": game.public_id,
            "kind": game.kind,
            "rules_version": game.rules_version,
            "options": game.options,
            "seats": len(players := _players(game)),
            "players": [{"id": pk, "name": name} for pk, name in players],
            "opened_at": game.opened_at.isoformat(),
            "finished_at": game.finished_at.isoformat() if game.finished_at else None,
            "continued": observe.continuation_facts(game),
            "status": game.status,
            "outcome": game.outcome,
        },
        "seed": bytes(game.deal.seed).hex(),
        "salt": bytes(game.salt).hex(),
        "log": {
            "version": game.stream.version,
            "head": bytes(game.stream.head).hex(),
            "batches": [
                {
                    "seq": batch.seq,
                    "count": batch.count,
                    "times": batch.times,
                    "at": batch.at.isoformat(),
                    "body": base64.b64encode(batch.body).decode("ascii"),
                }
                for batch in eventlog.stored_batches(game.stream_id)
            ],
        },
    }


def export_text(game: Game) -> str:
    """Return the game as plain text: the players, every move in the kind's notation, the result, and how to verify it.

    Raises `DomainError` not_open_yet (409).
    """
    _refuse_unless_open(game)
    names = _names(game)
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    fold = Fold(events[0])
    moves = list(move_list(fold, events[1:], bytes(game.deal.seed), names))
    return "\n".join(
        [
            f"{fold.rules.spec.title}, game {game.public_id}, opened {game.opened_at:%Y-%m-%d %H:%M} UTC",
            *[f"Seat {seat}: {name}" for seat, name in enumerate(names)],
            "Options: " + ", ".join(f"{name} {_plain(value)}" for name, value in game.options.items()),
            "",
            *moves,
            "",
            *_result(fold, names),
            f"Seed {bytes(game.deal.seed).hex()}, salt {bytes(game.salt).hex()}",
            f"Head {bytes(game.stream.head).hex()} after {game.stream.version} events",
            "",
        ]
    )


def move_list(fold: Fold, events: Sequence[Event], seed: bytes, names: Sequence[str]) -> Iterator[str]:
    """Return a numbered line for each move, and a line for each event around the rules. `fold` advances with them."""
    dealer = SeedDealer(seed)
    number, within = 0, 0  # `within`: how many events of the last move, or of the start, are still to come
    for event in events:
        if ev.is_table_event(event):
            if note := _note(event, names):
                yield f"      {note}"
        elif within:
            within -= 1
        elif not fold.started:
            within = len(fold.rules.start(fold.state, dealer)) - 1
        else:
            seat, action = fold.rules.action_of(fold.state, event)
            within = len(fold.rules.decide(fold.state, seat, action, dealer)) - 1
            number += 1
            yield f"{number:4}. {names[seat]}: {fold.rules.move_text(fold.state, action)}"
        fold.apply(event)


def _note(event: Event, names: Sequence[str]) -> str:
    """Return an event around the rules in words; "" for one that concerns only workers."""
    match event:
        case [ev.CONTINUED, str(source), int(version)]:
            return f"(the game continues from event {version} of game {source})"
        case [ev.LEFT, int(seat), str(how)]:
            return f"({names[seat]} left the game: {how})"
        case [ev.TAKEN_OVER, int(seat), str(bot)]:
            return f"(the built-in bot {bot} plays on for {names[seat]})"
        case [ev.FAULT, int(seat), str(kind)]:
            return f"({names[seat]} failed: {kind})"
        case [ev.EXPIRED, int(seat)]:
            return f"({names[seat]} ran out of time)"
        case [ev.ABORT_OFFERED | ev.ABORT_ACCEPTED, int(seat)]:
            return f"({names[seat]} proposes to abort the game)"
        case [ev.ABORT_DECLINED, int(seat)]:
            return f"({names[seat]} plays on)"
        case [ev.BEAT, int(number), [*seats]]:
            return f"(beat {number}: {', '.join(names[seat] for seat in seats)})"
        case [ev.NOT_TAKEN, int(seat), str(move)]:
            return f"({names[seat]} was too late with: {move})"
        case [ev.GO]:
            return "(GO)"
        case [ev.ENDED, *_]:
            return "(the game was ended)"
    return ""


def _result(fold: Fold, names: Sequence[str]) -> Iterable[str]:
    outcome = fold.outcome()
    if outcome is None or not outcome.placings:
        return ["Without a result."]
    rows = sorted(zip(outcome.placings, names, outcome.scores, strict=True))
    return [f"Result ({outcome.termination}):", *[f"{place:4}. {name}: {score}" for place, name, score in rows]]


def _plain(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _players(game: Game) -> list[tuple[int, str]]:
    """Return (id, name) of the player in each seat."""
    return list(game.seats.order_by("seat").values_list("player", "player__name"))


def _names(game: Game) -> list[str]:
    return [name for _, name in _players(game)]


def _refuse_unless_open(game: Game) -> None:
    if not observe.is_fully_open(game):
        sentence = _("A game can be exported when it and all other games of its deal are over.")
        raise DomainError(409, "not_open_yet", sentence)
