"""An introduction of a kind: a short game that a reader plays by a script. Data only; each kind brings its own.

`scorebook_games.introduction` plays it by the rules. Texts are marked with `gettext_noop` and translated where they are
shown. They name clauses of the rules in brackets, as `(CT-5)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

READER: Final = 0  # the seat of the reader
NAMES: Final = ("Martha", "Laura", "Otto", "Ida", "Ben", "Rosa", "Emil", "Vera")  # of the seats; the reader is Martha


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: what the others play first, what the reader is told, and what the reader then plays.

    `before` are moves of other seats. `moves` are the reader's, in any order; without any, the reader only reads on.
    `mistake` is what a reader needs to hear who first tries something else.
    """

    text: str
    moves: tuple[str, ...] = ()
    mistake: str = ""
    before: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduction:
    """A script. `seed` names the deal, and with it every later draw."""

    seed: int
    steps: tuple[Step, ...]
    seats: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)
