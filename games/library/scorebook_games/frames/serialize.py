"""Frames as JSON data with names, for viewers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from scorebook_games.frames import replay
from scorebook_games.frames.replay import Frame
from scorebook_games.presentation.base import Zone
from scorebook_games.presentation.sentences import plain_text
from scorebook_games.registry import KINDS


def frames_data(kind: str, frames: Sequence[Frame], names: list[str]) -> dict[str, Any]:
    """Return `frames`, the `scores` of each, the `ground` that says what they count, `items`: what is printed on
    the game's pieces, and `asks`: what the last one asks the seats for that are to act."""
    ground = replay.score_axis(kind)
    rows = [frame_data(frame, names) for frame in frames]
    presentation = KINDS[kind].presentation
    items = presentation.items(frames[-1].observation) if frames else {}
    for row, frame in zip(rows, frames, strict=True):
        zones = presentation.zones(frame.observation)
        if zones is not None:
            row["zones"] = [zone_data(zone) for zone in zones]
        if items:
            row["observation"] = presentation.slim(row["observation"])
    return {
        "ground": asdict(ground),
        "items": items,
        "frames": rows,
        "scores": [frame.scores for frame in frames],
        "asks": presentation.asked(frames[-1].observation) if frames else "",
    }


def frame_data(frame: Frame, names: list[str]) -> dict[str, Any]:
    """Return one frame. Its `words`, and those of a mark, are plain text; `parts` is the sentence with cards and
    seats. `why` is there if the event followed from a rule."""
    row = {
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
    return {**row, "why": frame.why._asdict()} if frame.why else row


def zone_data(zone: Zone) -> dict[str, Any]:
    """Return a zone for the board that draws any kind. Its `count` is the number of its items, if it says none."""
    return {**asdict(zone), "count": len(zone.items) if zone.count is None else zone.count}


def explanations_of(kind: str) -> dict[str, dict[str, Any]]:
    """Return the explanations of a kind as JSON data, in the reader's language."""
    return {
        key: {"name": each.name, "lines": [line._asdict() for line in each.lines]}
        for key, each in KINDS[kind].presentation.explanations().items()
    }
