"""The frames of a running game for one viewpoint in one language, made once for everybody who watches it so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scorebook_games.frames.replay import Frame, FrameBuilder
from scorebook_games.frames.serialize import frames_data
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.visibility import Viewpoint


class FrameFeed:
    """Frames from version `since` on, as far as they are made.

    One thread at a time makes frames (`advance`). Watchers read them up to `version`, which is set afterwards.
    """

    def __init__(self, viewer: Viewpoint, since: int) -> None:
        self.viewer = viewer
        self.since = since
        self.version = 0
        self.has_left = False
        self._builder: FrameBuilder | None = None

    def advance(self, entries: Sequence[RecordedEvent], *, over: bool) -> tuple[int, bool]:
        """Make the frames of `entries`; return the version after them, and whether the viewer's seat has left.

        A seat that leaves a game that goes on gets no frame of what follows.
        """
        if not entries:
            return 0, False
        builder = self._builder = self._builder or FrameBuilder(entries[0], self.viewer)
        for entry in entries[builder.fold.version :]:
            if not over and self._left(builder):
                break
            builder.add_event(entry)
            if entry.version <= self.since:
                builder.frames.clear()
        return builder.fold.version, not over and self._left(builder)

    def _left(self, builder: FrameBuilder) -> bool:
        return self.viewer in builder.fold.left and builder.fold.outcome() is None

    def news(self, kind: str, names: list[str], since: int) -> dict[str, Any]:
        """Return what is new after `since`, as `news_data` does."""
        made = self._builder.frames if self._builder else []
        frames = [frame for frame in made if since < frame.version <= self.version]
        return news_data(kind, names, frames, since, self.version)


def news_data(kind: str, names: list[str], frames: Sequence[Frame], since: int, version: int) -> dict[str, Any]:
    """Return what a page that has version `since` applies to have `version`: a part of what `replay/` answers."""
    data = frames_data(kind, frames, names)
    return {"since": since, "version": version, **{name: data[name] for name in ("frames", "scores", "items", "asks")}}
