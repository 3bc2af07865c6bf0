"""Makes exports of games, and forged exports, with the engines alone."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from replays.verify import EXPORT_FORMAT, EXPORT_SCHEMA
from scorebook_games.chance import SeedDealer, commitment
from scorebook_games.conformance.play import by_lot
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import GENESIS, decode_batch, encode_batch, next_head
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import beat_events
from scorebook_games.gamelog.terms import BEATS
from scorebook_games.gamelog.visibility import outcome_data
from scorebook_games.registry import rules_for

Export = dict[str, Any]
SEED = bytes(range(32))
SALT = bytes(range(100, 116))


def opening(kind: str, seats: int, options: dict[str, Any], leaver: str = "built_in_bot", seed: bytes = SEED) -> Event:
    """Return the first event of a game."""
    rules = rules_for(kind)
    data = {
        "kind": kind,
        "rules_version": rules.spec.rules_version,
        "seats": seats,
        "options": rules.resolve(seats, options),
        "terms": {"leaver": leaver},
        "commitment": commitment(SALT, seed),
    }
    return [ev.OPENED, data]


def play(
    kind: str,
    seats: int,
    *,
    options: dict[str, Any] | None = None,
    leaver: str = "built_in_bot",
    meanwhile: dict[int, list[Event]] | None = None,
    seed: bytes = SEED,
) -> list[list[Event]]:
    """Play a game of random legal moves, and return its batches, one for each move. `meanwhile` has events of the table
    before move n."""
    chance, dealer = random.Random(1), SeedDealer(seed)
    fold = Fold(opened := opening(kind, seats, options or {}, leaver, seed))
    batches = [[opened, *_apply(fold, fold.rules.start(fold.state, dealer))]]
    for number in range(10_000):
        if events := (meanwhile or {}).get(number):
            batches.append(_apply(fold, events))
        if fold.outcome():
            return batches
        seat = chance.choice(fold.to_act())
        action = by_lot(fold.rules, fold.state, seat, chance)
        if made := fold.rules.decide(fold.state, seat, action, dealer):
            batches.append(_apply(fold, made))
    raise AssertionError("The game has no end.")


def play_beats(kind: str, seats: int, bundles: Sequence[dict[int, list[str]]], seed: bytes = SEED) -> list[list[Event]]:
    """Play a game in beats with these bundles, and return its batches, one for each beat."""
    opened = opening(kind, seats, {}, seed=seed)
    opened[1]["terms"]["pace"] = BEATS
    dealer = SeedDealer(seed)
    fold = Fold(opened)
    batches = [[opened, *_apply(fold, fold.rules.start(fold.state, dealer))]]
    return [*batches, *(_apply(fold, beat_events(fold, given, dealer)) for given in bundles)]


def _apply(fold: Fold, events: list[Event]) -> list[Event]:
    for event in events:
        fold.apply(event)
    return events


def export(batches: Sequence[list[Event]], seed: bytes = SEED) -> Export:
    """Return the export of a game with these batches and a correct chain."""
    fold = Fold(batches[0][0])
    for event in [event for batch in batches for event in batch][1:]:
        fold.apply(event)
    outcome = fold.outcome()
    facts = {name: fold.opened[name] for name in ("kind", "rules_version", "options", "seats")}
    players = [{"id": None, "name": f"Player {seat}"} for seat in range(fold.seats)]
    data: Export = {
        "format": EXPORT_FORMAT,
        "schema": EXPORT_SCHEMA,
        "game": {"id": "7F3KQ0AB", "players": players, **facts, "outcome": outcome_data(outcome) if outcome else None},
        "seed": seed.hex(),
        "salt": SALT.hex(),
        "log": {"version": 0, "head": "", "batches": []},
    }
    put_batches(data, batches)
    return data


def put_batches(data: Export, batches: Sequence[list[Event]]) -> None:
    """Replace the batches of an export, and set its version and head to match."""
    rows, version, head = [], 0, GENESIS
    for events in batches:
        body, times = encode_batch(events), [1000 * (version + 1)] * len(events)
        text = base64.b64encode(body).decode()
        rows.append({"seq": version, "count": len(events), "times": times, "at": "", "body": text})
        version, head = version + len(events), next_head(head, body, times)
    data["log"] = {"version": version, "head": head.hex(), "batches": rows}


def batches_of(data: Export) -> list[list[Event]]:
    """Return the decoded batches of an export."""
    return [decode_batch(base64.b64decode(row["body"])) for row in data["log"]["batches"]]


def forge(data: Export, change: Callable[[list[list[Event]]], object]) -> Export:
    """Return a copy of the export with changed batches and a correct chain."""
    forged: Export = json.loads(json.dumps(data))
    batches = batches_of(forged)
    change(batches)
    put_batches(forged, batches)
    return forged


def tamper(data: Export, change: Callable[[Export], object]) -> Export:
    """Return a changed copy of the export."""
    copy: Export = json.loads(json.dumps(data))
    change(copy)
    return copy
