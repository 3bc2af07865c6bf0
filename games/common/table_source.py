"""What the rows of a table are: a log, a projection of events, or primary data.

Each model of ours says it in its `table_source`. docs/reference/tables.md is written from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

REBUILD: Final = "rebuild"  # the command that compares a projection with its events, and repairs it


@dataclass(frozen=True, slots=True)
class Log:
    """Rows that are the truth itself. They are added, and never changed."""

    why: str


@dataclass(frozen=True, slots=True)
class Projection:
    """Rows that are made from the events of streams, `of` which. `command` compares them with their events.

    `primary`: columns, separated by commas → why they are in no event. They are neither compared nor made again.
    `imported`: columns that events do not say of what was imported, and so are not compared there.
    """

    of: str
    primary: Mapping[str, str] = field(default_factory=dict)
    command: str = REBUILD
    imported: tuple[str, ...] = ()

    def primary_columns(self) -> set[str]:
        """Return the columns that are in no event."""
        return {name for names in self.primary for name in names.split(", ")}


@dataclass(frozen=True, slots=True)
class Primary:
    """Rows that nothing else can make again, or that need not be made again, and why."""

    why: str


TableSource = Log | Projection | Primary
