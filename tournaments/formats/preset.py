"""Presets: seasons that many clubs play, each with its settings under one name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

WEEK: Final = 7 * 24 * 60 * 60  # in seconds, as in a season's settings


@dataclass(frozen=True, slots=True)
class Preset:
    """A season that many clubs play, in one format (`Format.presets`).

    `key`: in addresses and in the API. `label`: its name; `about`: what is played, as a sentence. `settings`: those of
    a season that are not the usual ones, by name. `with_bots`: each built-in bot of the kind of game enters once.
    `repeats`: another season like it follows each one.
    """

    key: str
    label: str
    about: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    with_bots: bool = False
    repeats: bool = False
