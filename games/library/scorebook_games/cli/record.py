"""Games as files: writes local games in the server's export format, and reads games to look at again."""

from __future__ import annotations

import base64
import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from scorebook_games.chance import SeedDealer
from scorebook_games.cli.table import Played
from scorebook_games.cli.upload import Straight
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import (
    GENESIS,
    RecordedEvent,
    decode_batch,
    encode_batch,
    next_head,
    with_current_types,
)
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import BEATS
from scorebook_games.gamelog.visibility import outcome_data

FORMAT: Final = "scorebook-game"  # the format that replays.verify reads
SCHEMA: Final = 2
EARLIER_SCHEMA: Final = 1  # which named the players without their ids
MOST_BYTES: Final = 64 * 1024 * 1024
PAGE: Final = re.compile(r"/games/([A-Za-z0-9_-]+)/?$")


class NoRecord(Exception):
    """A game that cannot be read. The text says why."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A finished game: its events, and the seed and salt that its draws came from."""

    id: str
    players: list[str]
    seed: bytes
    salt: bytes
    entries: list[RecordedEvent]

    @property
    def opened(self) -> dict[str, Any]:
        """Return the data of the first event."""
        data: dict[str, Any] = self.entries[0].event[1]
        return data


@dataclass(frozen=True, slots=True)
class Decision:
    """What `seat` played at `version`. `entries` are the events up to then, and `fold` is their fold.

    In beats, `moves` are the moves of its bundle that were taken.
    """

    seat: int
    version: int
    moves: list[str]
    fold: Fold
    entries: Sequence[RecordedEvent]


def exported(game: Played, opened_at: datetime) -> dict[str, Any]:
    """Return a local game in the server's export format; `python -m replays.verify` reads it."""
    opened = game.entries[0].event[1]
    body, times = encode_batch([entry.event for entry in game.entries]), [entry.ms for entry in game.entries]
    batch = {"seq": 0, "count": len(times), "times": times, "at": opened_at.isoformat()}
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "game": {
            "id": f"local-{game.number}",
            **{name: opened[name] for name in ("kind", "rules_version", "options", "seats")},
            "players": [{"id": None, "name": name} for name in game.names],
            "opened_at": opened_at.isoformat(),
            "finished_at": datetime.now(UTC).isoformat(),
            "continued": None,
            "status": "finished",
            "outcome": outcome_data(game.outcome),
        },
        "seed": game.seed.hex(),
        "salt": game.salt.hex(),
        "log": {
            "version": len(times),
            "head": next_head(GENESIS, body, times).hex(),
            "batches": [{**batch, "body": base64.b64encode(body).decode("ascii")}],
        },
    }


def read(source: str, token: str = "") -> Recorded:
    """Return the game in a downloaded JSON export, or at the address of its page or export.

    `token`, if given, is sent to the server. Raises `NoRecord`.
    """
    text = _fetched(source, token) if source.startswith(("http://", "https://")) else _from_file(source)
    try:
        return recorded(json.loads(text))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise NoRecord(f"{source} is not the JSON export of a game of Scorebook ({error!r}).") from error


def recorded(export: dict[str, Any]) -> Recorded:
    """Return the game in an export. Raises ValueError, KeyError or TypeError if it is not one."""
    if export["format"] != FORMAT or export["schema"] not in (EARLIER_SCHEMA, SCHEMA):
        raise ValueError("another format")
    entries: list[RecordedEvent] = []
    for batch in export["log"]["batches"]:
        events = with_current_types(decode_batch(base64.b64decode(batch["body"], validate=True)))
        for ms, event in zip(batch["times"], events, strict=True):
            entries.append(RecordedEvent(len(entries) + 1, ms, event))
    if not entries or entries[0].event[0] != ev.OPENED:
        raise ValueError("it does not begin with the opening of a game")
    seed, salt = bytes.fromhex(export["seed"]), bytes.fromhex(export["salt"])
    return Recorded(export["game"]["id"], names_in(export), seed, salt, entries)


def names_in(export: Mapping[str, Any]) -> list[str]:
    """Return the players' names in an export, by seat. Raises KeyError or TypeError if it is not one."""
    players = export["game"]["players"]
    return list(players) if export["schema"] == EARLIER_SCHEMA else [player["name"] for player in players]


def decisions(game: Recorded) -> Iterator[Decision]:
    """Yield all decisions of a game in order; in beats, the bundles of a beat by seat."""
    fold = Fold(game.entries[0].event)
    return _beats(game, fold) if fold.pace == BEATS else _turns(game, fold)


def _turns(game: Recorded, fold: Fold) -> Iterator[Decision]:
    dealer = SeedDealer(game.seed)
    within = 0  # how many events of the last move, or of the start, are still to come
    for place, entry in enumerate(game.entries[1:], 1):
        if ev.is_table_event(entry.event):
            pass
        elif within:
            within -= 1
        elif not fold.started:
            within = len(fold.rules.start(fold.state, dealer)) - 1
        else:
            seat, action = fold.rules.action_of(fold.state, entry.event)
            within = len(fold.rules.decide(fold.state, seat, action, dealer)) - 1
            moves = [fold.rules.move_text(fold.state, action)]
            yield Decision(seat, fold.version, moves, fold.copy(), game.entries[:place])
        fold.apply(entry.event)


def _beats(game: Recorded, fold: Fold) -> Iterator[Decision]:
    beats = [place for place, entry in enumerate(game.entries) if entry.event[0] == ev.BEAT]
    ends = [*beats[1:], len(game.entries)]
    applied = 1
    for place, end in zip(beats, ends, strict=True):
        for entry in game.entries[applied:place]:
            fold.apply(entry.event)
        applied = place
        given = _given(game, fold.copy(), game.entries[place:end])
        for seat in sorted(given):
            yield Decision(seat, fold.version, given[seat], fold.copy(), game.entries[:place])


def _given(game: Recorded, fold: Fold, entries: Sequence[RecordedEvent]) -> dict[int, list[str]]:
    """Return the moves of one beat by seat, including those that came too late. Applies the events to `fold`."""
    dealer = SeedDealer(game.seed)
    given: dict[int, list[str]] = {}
    within = 0
    for entry in entries:
        event = entry.event
        if event[0] == ev.NOT_TAKEN:
            given.setdefault(event[1], []).append(event[2])
        elif ev.is_table_event(event):
            pass
        elif within:
            within -= 1
        else:
            seat, action = fold.rules.action_of(fold.state, event)
            within = len(fold.rules.decide(fold.state, seat, action, dealer)) - 1
            given.setdefault(seat, []).append(fold.rules.move_text(fold.state, action))
        fold.apply(event)
    return given


def _from_file(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return file.read(MOST_BYTES)
    except OSError as error:
        raise NoRecord(f"{name} can't be read: {error.strerror}.") from error


def _fetched(address: str, token: str) -> bytes:
    parts = urlsplit(address)
    if page := PAGE.search(parts.path):
        address = f"{parts.scheme}://{parts.netloc}/api/v1/games/{page[1]}/export/"
    try:
        opener = urllib.request.build_opener(*[Straight] if token else [])
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        asked = urllib.request.Request(address, headers=headers)  # noqa: S310  read checked that it is HTTP
        with opener.open(asked, timeout=30) as answer:
            body: bytes = answer.read(MOST_BYTES)
            return body
    except urllib.error.HTTPError as error:
        sentence = _sentence(error.read(MOST_BYTES))
        raise NoRecord(f"{address} answers {error.code}. {sentence}".strip()) from error
    except (OSError, ValueError) as error:
        raise NoRecord(f"{address} can't be fetched: {error}.") from error


def _sentence(body: bytes) -> str:
    """Return the sentence of an error of the API, or "" if the body has none."""
    try:
        sentence = json.loads(body)["error"]["sentence"]
    except (ValueError, KeyError, TypeError):
        return ""
    return sentence if isinstance(sentence, str) else ""
