"""A replay as plain JSON data, as the API answers it and the page embeds it. Here names come in; see docs/api.md."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from games import log, observe
from games.models import Game
from games.observe import User, Viewer
from games.turn import turn_for
from replays import catalogue, replay
from replays.replay import Frame
from replays.told import frames_since
from replays.words.parts import plain


def replay_data(game: Game, user: User, eyes: str | None = None, *, since: int = 0) -> dict[str, Any]:
    """The replay of `game` for `user` through `eyes` ("" or None: the best they have), frames after `since` only.

    Raises `TableError` bad_eyes, sealed, not_your_eyes.
    """
    viewer = observe.viewer_of(game, user, eyes)
    facts = game_data(game)
    names = [seat["name"] for seat in facts["seats"]]
    entries = known_entries(game, viewer)
    frames = frames_since(game.stream_id, entries, viewer, since) if since else replay.frames(entries, viewer)
    ground = replay.ground(game.kind)
    drawn = [frame_data(frame, names) for frame in frames]
    items: dict[str, Any] = {}
    if game.kind == "plate_spinner" and frames and frames[-1].observation["catalogue"]:
        items = catalogue.items_of(frames[-1].observation)
        for each in drawn:
            each["observation"] = catalogue.slim(each["observation"])
    return {
        "game": facts,
        "eyes": observe.eyes_text(viewer),
        "allowed_eyes": [observe.eyes_text(each) for each in observe.allowed_eyes(game, user)],
        "version": len(entries),
        "ground": {"title": ground.title, "best": ground.best},
        "items": items,
        "frames": drawn,
        "scores": [frame.scores for frame in frames],
        "turn": turn_for(game, viewer, user),
    }


def known_entries(game: Game, viewer: Viewer) -> list[log.Entry]:
    """The events that `viewer` may have by now, whole: `replay.frames` redacts them as they were seen then."""
    entries = log.read(game.stream_id)
    until = None if observe.is_open(game) else observe.horizon(game, viewer)
    return entries if until is None else [entry for entry in entries if entry.ms <= until]


def game_data(game: Game) -> dict[str, Any]:
    """The facts of a game that everybody may know, with an address for each player."""
    facts = observe.game_facts(game)
    seats = [{**seat, "player_url": reverse("player", args=[seat["player"]])} for seat in facts["seats"]]
    return {**facts, "seats": seats}


def frame_data(frame: Frame, names: list[str]) -> dict[str, Any]:
    """One frame; `words` and a mark's `words` are plain text, `parts` the sentence with its cards and seats."""
    return {
        "version": frame.version,
        "ms": frame.ms,
        "seat": frame.seat,
        "words": plain(frame.parts, names),
        "parts": frame.parts,
        "marks": [{"kind": mark.kind, "seat": mark.seat, "words": plain(mark.parts, names)} for mark in frame.marks],
        "event": frame.event,
        "observation": frame.observation,
        "offers": frame.offers,
    }
