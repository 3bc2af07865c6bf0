"""Games as files: those played here, in the form in which the server exports its own, and those to look at again."""

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

from games.bots.sdk.table import Played
from games.bots.sdk.upload import Straight
from games.engines.chance import SeedDealer
from games.gamelog import events as ev
from games.gamelog.events import GENESIS, RecordedEvent, decode_batch, encode_batch, next_head, with_current_types
from games.gamelog.fold import Fold
from games.gamelog.terms import BEATS
from games.gamelog.visibility import outcome_data

FORMAT: Final = "scorebook-game"  # as replays.verify reads it
SCHEMA: Final = 2
EARLIER_SCHEMA: Final = 1  # which named the players without their ids
MOST_BYTES: Final = 64 * 1024 * 1024
PAGE: Final = re.compile(r"/games/([A-Za-z0-9_-]+)/?$")


class NoRecord(Exception):
    """A game that can't be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A finished game: its events and what they were drawn with."""

    id: str
    players: list[str]
    seed: bytes
    salt: bytes
    entries: list[RecordedEvent]

    @property
    def opened(self) -> dict[str, Any]:
        """The data of the first event."""
        data: dict[str, Any] = self.entries[0].event[1]
        return data


@dataclass(frozen=True, slots=True)
class Decision:
    """What `seat` played when the game stood at `version`; `entries` are the events up to there, `fold` is their fold.

    In beats `moves` are those of its bundle that were taken.
    """

    seat: int
    version: int
    moves: list[str]
    fold: Fold
    entries: Sequence[RecordedEvent]


def exported(game: Played, opened_at: datetime) -> dict[str, Any]:
    """A local game as the server would export it; `python -m replays.verify` reads it."""
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
    """The game in a downloaded JSON export, or at an address: its page's or its export's, asked for with
    `token` if there is one. Raises `NoRecord`."""
    text = _fetched(source, token) if source.startswith(("http://", "https://")) else _from_file(source)
    try:
        return recorded(json.loads(text))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise NoRecord(f"{source} is not the JSON export of a game of Scorebook ({error!r}).") from error


def recorded(export: dict[str, Any]) -> Recorded:
    """The game in an export. ValueError, KeyError or TypeError where it is none."""
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
    """The players' names in an export, seat by seat. KeyError or TypeError where it is none."""
    players = export["game"]["players"]
    return list(players) if export["schema"] == EARLIER_SCHEMA else [player["name"] for player in players]


def decisions(game: Recorded) -> Iterator[Decision]:
    """Everything that was decided in a game, in its order; in beats the bundles of a beat, seat by seat."""
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
    """The moves of one beat by seat, those that came too late too; `fold` goes with them."""
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
    """What the API's error says, where it is one."""
    try:
        said = json.loads(body)["error"]["sentence"]
    except (ValueError, KeyError, TypeError):
        return ""
    return said if isinstance(said, str) else ""
