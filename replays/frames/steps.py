"""The steps of a replay: its events that have words. Lists, the viewer and pages number them by their events."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scorebook_games.frames.narration import has_words
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.registry import KINDS


@dataclass(frozen=True, slots=True)
class Steps:
    """The versions of a game's events that have words. Without any, each event counts as a step."""

    versions: Sequence[int]

    def at(self, version: int) -> int:
        """Return the step that shows the game after `version` events."""
        place = bisect_right(self.versions, version)
        return self.versions[place - 1] if place else version

    def since(self, version: int) -> int:
        """Return the first step from the event at `version` on; `version` if none follows."""
        place = bisect_left(self.versions, version)
        return self.versions[place] if place < len(self.versions) else version


def steps_of(kind: str, entries: Iterable[RecordedEvent]) -> Steps:
    """Return the steps of a game of this kind, which need not be installed any more."""
    return Steps([each.version for each in entries if has_words(kind, each.event[0])] if kind in KINDS else [])
