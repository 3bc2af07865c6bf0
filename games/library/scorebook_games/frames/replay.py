"""A game event by event for one viewpoint: a pure fold from a log to frames.

`scorebook_games.gamelog.visibility` decides what a viewer sees of an event and of the position after it. Words, marks
and scores are made from that alone, so no frame can show more than its viewer knew then.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any, Final

from scorebook_games.frames import narration
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold, fold_game
from scorebook_games.presentation.base import Highlight, Presentation, ScoreAxis
from scorebook_games.presentation.sentences import EventContext, Observation, Readable, Reason, Segments
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from scorebook_games.registry import KINDS

#: Which score wins, in words, by what is best in a kind.
GOALS: Final = {"highest": gettext_noop("highest wins"), "lowest": gettext_noop("lowest wins")}


@dataclass(frozen=True, slots=True)
class Frame:
    """The game directly after an event that has words, as the viewer saw it then.

    `event` is readable and redacted; `parts` are its words. `scores` (one a seat, or none) are the curve of the
    scrubber; `score_axis` says what they count. `offers` are the places (1 …) among which the event lets a player
    choose. `why` says from which rule the event followed; None if it was somebody's choice.
    """

    version: int
    ms: int
    seat: int | None
    parts: Segments
    marks: list[Highlight]
    event: Readable
    observation: Observation
    scores: list[int]
    offers: list[int]
    why: Reason | None = None


class FrameBuilder:
    """Folds a game into frames for `viewer`. `frames` has those made since the builder was created or forked."""

    def __init__(self, first: RecordedEvent, viewer: visibility.Viewpoint) -> None:
        self.viewer = viewer
        self.fold = Fold(first.event)
        self.kind: str = self.fold.opened["kind"]
        self.presentation = KINDS[self.kind].presentation
        self.marker = self.presentation.marker()
        self.before: Observation = {}
        self.frames: list[Frame] = []

    def add_event(self, entry: RecordedEvent) -> None:
        """Advance by one event; add its frame if it has words for the viewer."""
        step = self._advanced(entry, self.before)
        event, _before, after = step
        if parts := narration.narrate(self.kind, step):
            frame = Frame(
                version=entry.version,
                ms=entry.ms,
                seat=event.get("seat"),
                parts=parts,
                marks=self.marker.marks(event, after),
                event=event,
                observation=after,
                scores=self.presentation.scores(after),
                offers=self.presentation.offers(event, after),
                why=self.presentation.reason(step),
            )
            self.frames.append(frame)
        self.before = after

    def step_of(self, entry: RecordedEvent) -> EventContext:
        """Advance by one event, also after some that were only folded, and return it without making a frame."""
        before = observe(self.fold, self.viewer, self.presentation) if self.fold.version > 1 else {}
        return self._advanced(entry, before)

    def _advanced(self, entry: RecordedEvent, before: Observation) -> EventContext:
        """Advance by one event; return it as it was seen, with the positions around it."""
        fold = self.fold
        fold.apply(entry.event)
        event = visibility.readable_event(fold.rules, visibility.event_as_seen(fold, entry.event, self.viewer))
        return EventContext(event, before, observe(fold, self.viewer, self.presentation))

    def fork(self) -> FrameBuilder:
        """Return a copy of the builder that advances independently, without the frames so far."""
        twin = copy(self)
        twin.fold, twin.marker, twin.frames = self.fold.branch(), deepcopy(self.marker), []
        return twin


def frames(entries: Iterable[RecordedEvent], viewer: visibility.Viewpoint) -> list[Frame]:
    """Return the frames of a game for `viewer`: one for each event that has words; none for the opening."""
    stream = iter(entries)
    first = next(stream, None)
    if first is None:
        return []
    builder = FrameBuilder(first, viewer)
    for entry in stream:
        builder.add_event(entry)
    return builder.frames


def last_position(entries: Iterable[RecordedEvent], viewer: visibility.Viewpoint) -> Observation:
    """Return the position after `entries` as `viewer` sees it in the last frame."""
    fold = fold_game(entry.event for entry in entries)
    return observe(fold, viewer, KINDS[fold.opened["kind"]].presentation)


def observe(fold: Fold, viewer: visibility.Viewpoint, presentation: Presentation) -> dict[str, Any]:
    """Return what `viewer` sees. The observations of all seats are merged into one."""
    seen = visibility.observation(fold, viewer, by_seat=presentation.hides)
    by_seat = seen.pop("by_seat", None)
    return seen if by_seat is None else presentation.merge_viewpoints(seen, by_seat)


def score_axis(kind: str) -> ScoreAxis:
    """Return what the scores of a kind's frames count."""
    presentation, best = KINDS[kind].presentation, KINDS[kind].spec.best
    return ScoreAxis(_(presentation.score_title), best, _(presentation.score_goal or GOALS[best]))
