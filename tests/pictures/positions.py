"""The positions in the pictures of rules pages: each is a seed and moves, which the engine plays again.

`positions.json` stores them, `python -m tests.pictures find` finds them, and `… draw` draws them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from games.visibility import observe
from scorebook_games.chance import SeedDealer, commitment
from scorebook_games.contract import Event
from scorebook_games.frames import replay
from scorebook_games.frames.serialize import frame_data
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import terms_of
from scorebook_games.registry import KINDS, rules_for

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "positions.json"
NAMES = ("Martha", "Laura", "Otto", "Bram")
SALT = bytes(16)


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a real game: the game has the moves (seat, text) and the seed, and the position is directly after
    event `version`, from the viewpoint `viewpoint`."""

    name: str
    kind: str
    seats: int
    options: dict[str, Any]
    seed: str
    moves: list[tuple[int, str]]
    viewpoint: int
    version: int
    observation: dict[str, Any]


def recorded() -> list[Position]:
    """Return every position that has a picture."""
    return [Position(**each) for each in json.loads(RECORDED.read_text(encoding="utf-8"))]


def write(positions: Sequence[Position]) -> None:
    """Store these positions as those that have pictures, one on each line."""
    lines = [json.dumps(asdict(each), ensure_ascii=False, sort_keys=True) for each in positions]
    RECORDED.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def opened(kind: str, seats: int, options: dict[str, Any], seed: str) -> Fold:
    """Return a game before its first rule event."""
    rules = rules_for(kind)
    data = {
        "kind": kind,
        "rules_version": rules.spec.rules_version,
        "seats": seats,
        "options": rules.resolve(seats, options),
        "terms": terms_of({}).plain(),
        "commitment": commitment(SALT, bytes.fromhex(seed)),
    }
    return Fold([ev.OPENED, data])


def events_of(position: Position) -> list[Event]:
    """Return the events of the whole recorded game; the engine decides each move. Raises `IllegalMove`."""
    fold, dealer = opened(position.kind, position.seats, position.options, position.seed), SeedDealer(seed_of(position))
    events = take(fold, fold.rules.start(fold.state, dealer))
    for seat, text in position.moves:
        action = fold.rules.parse_move(fold.state, text)
        events += take(fold, fold.rules.decide(fold.state, seat, action, dealer))
    return events


def take(fold: Fold, events: list[Event]) -> list[Event]:
    """Apply `events` and return them."""
    for event in events:
        fold.apply(event)
    return events


def seed_of(position: Position) -> bytes:
    return bytes.fromhex(position.seed)


def frames_of(position: Position) -> list[replay.Frame]:
    """Return the frames of the recorded game from the position's viewpoint, up to the position."""
    fold = opened(position.kind, position.seats, position.options, position.seed)
    entries = [RecordedEvent(1, 0, [ev.OPENED, fold.opened])]
    entries += [
        RecordedEvent(version, 1000 * version, event) for version, event in enumerate(events_of(position), start=2)
    ]
    return [each for each in replay.frames(entries, position.viewpoint) if each.version <= position.version]


def payload(position: Position) -> dict[str, Any]:
    """Return the data of the replay's page for the position and the frame before it."""
    drawn = [frame_data(frame, list(NAMES)) for frame in frames_of(position)[-2:]]
    presentation = KINDS[position.kind].presentation
    items = presentation.items(drawn[-1]["observation"])
    for each in drawn:
        each["observation"] = presentation.slim(each["observation"])
    ground = replay.score_axis(position.kind)
    seats = [
        {"seat": seat, "name": NAMES[seat], "bot": False, "agent": False, "version": None, "player_url": None}
        for seat in range(position.seats)
    ]
    return {
        "game": {
            "id": "PICTURE1",
            "kind": position.kind,
            "title": rules_for(position.kind).spec.title,
            "options": position.options,
            "seats": seats,
            "status": "finished",
            "outcome": None,
            "termination": None,
            "opened_at": "2026-01-01T00:00:00Z",
        },
        "viewpoint": observe.viewpoint_text(position.viewpoint),
        "allowed_viewpoints": [observe.viewpoint_text(position.viewpoint)],
        "version": position.version,
        "ground": asdict(ground),
        "items": items,
        "frames": drawn,
        "scores": [[0] * position.seats for _ in drawn],
    }


def cut(position: Position) -> Position:
    """Return the position without the moves that come after it."""
    kept = position.moves
    while kept and len(events_of(replace(position, moves=kept[:-1]))) + 1 >= position.version:
        kept = kept[:-1]
    return replace(position, moves=kept)
