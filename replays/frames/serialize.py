"""Frames as JSON data with names, for viewers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replays.frames import plate_catalogue, replay
from replays.frames.replay import Frame
from replays.frames.words.parts import plain_text


def frames_data(kind: str, frames: Sequence[Frame], names: list[str]) -> dict[str, Any]:
    """Return `frames`, the `scores` of each, the `ground` that says what they count, and Plate Spinner's `items`."""
    ground = replay.score_axis(kind)
    made = [frame_data(frame, names) for frame in frames]
    items: dict[str, Any] = {}
    if kind == "plate_spinner" and frames and frames[-1].observation["catalogue"]:
        items = plate_catalogue.catalogue_items(frames[-1].observation)
        for each in made:
            each["observation"] = plate_catalogue.slim_observation(each["observation"])
    return {
        "ground": {"title": ground.title, "best": ground.best},
        "items": items,
        "frames": made,
        "scores": [frame.scores for frame in frames],
    }


def frame_data(frame: Frame, names: list[str]) -> dict[str, Any]:
    """Return one frame. Its `words`, and those of a mark, are plain text; `parts` is the sentence with cards and
    seats."""
    return {
        "version": frame.version,
        "ms": frame.ms,
        "seat": frame.seat,
        "words": plain_text(frame.parts, names),
        "parts": frame.parts,
        "marks": [
            {"kind": mark.kind, "seat": mark.seat, "words": plain_text(mark.parts, names)} for mark in frame.marks
        ],
        "event": frame.event,
        "observation": frame.observation,
        "offers": frame.offers,
    }
