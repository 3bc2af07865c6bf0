"""The replay of an exported game as JSON data, in the form of the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scorebook_games.cli.record import names_in
from scorebook_games.frames import replay
from scorebook_games.frames.serialize import frames_data
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.gamelog.visibility import ALL, PUBLIC, Viewpoint, outcome_data


def viewpoints_of(seats: int) -> list[Viewpoint]:
    """Return the viewpoints of a finished game: all cards, each seat, the public."""
    return [ALL, *range(seats), PUBLIC]


def facts_of(export: Mapping[str, Any], entries: Sequence[RecordedEvent]) -> dict[str, Any]:
    """Return the facts around the log."""
    game = export["game"]
    fold = fold_game(entry.event for entry in entries)
    outcome = fold.outcome()
    seats = [
        {"seat": seat, "name": name, "bot": True, "agent": False, "version": None, "player_url": None, "left": ""}
        for seat, name in enumerate(names_in(export))
    ]
    return {
        **{name: game[name] for name in ("id", "kind", "options", "status", "opened_at", "continued")},
        "title": fold.rules.spec.title,
        "terms": fold.opened["terms"],
        "seats": seats,
        "outcome": outcome_data(outcome) if outcome else None,
        "termination": outcome.termination if outcome else None,
    }


def replay_of(facts: Mapping[str, Any], entries: Sequence[RecordedEvent], viewer: Viewpoint) -> dict[str, Any]:
    """Return the replay for one viewpoint."""
    names = [seat["name"] for seat in facts["seats"]]
    return {
        "game": facts,
        "viewpoint": viewpoint_text(viewer),
        "allowed_viewpoints": [viewpoint_text(each) for each in viewpoints_of(len(names))],
        "version": len(entries),
        **frames_data(facts["kind"], replay.frames(entries, viewer), names),
        "turn": None,
    }


def viewpoint_text(viewer: Viewpoint) -> str:
    """Return a viewpoint as the API writes it."""
    return "public" if viewer is PUBLIC else str(viewer)
