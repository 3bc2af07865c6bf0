"""A cache of frames, so that no event is turned into frames twice.

A process keeps the frames of running games, for requests that ask for what is new. For long finished games it keeps the
places where requests stopped, so that the next piece goes on from there.

For those who move it keeps where their frames went on last. A log only grows, so frames stay valid; entries can be
dropped at any time. Nothing is kept of events that are not committed yet.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Final

from django.utils.translation import get_language

from scorebook_games.frames.replay import Frame, FrameBuilder
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.visibility import Viewpoint

MAX_CACHED_BUILDERS: Final = 64  # entries, of a few hundred kilobytes each at most
MAX_CACHED_CHECKPOINTS: Final = 256  # of a few kilobytes
MAX_CACHED_MOVERS: Final = 1024  # of a few kilobytes
EVENTS_PER_PIECE: Final = 200  # events: what a page of a long game begins with, and what it asks for then
LONG_GAME_EVENTS: Final = 250  # events, from which on a game is told in pieces

_builders: OrderedDict[tuple[int, Viewpoint, str], FrameBuilder] = OrderedDict()
_checkpoints: OrderedDict[tuple[int, Viewpoint, str, int], FrameBuilder] = OrderedDict()
_movers: OrderedDict[tuple[int, Viewpoint, str], FrameBuilder] = OrderedDict()
_lock = Lock()


def frames_since(stream_id: int, entries: Sequence[RecordedEvent], viewer: Viewpoint, since: int) -> list[Frame]:
    """Return `scorebook_games.frames.replay.frames` of the stream's `entries` after version `since`."""
    if not entries:
        return []
    key = (stream_id, viewer, get_language() or "")
    with _lock:
        builder = _builders.pop(key, None) or FrameBuilder(entries[0], viewer)
        for entry in entries[builder.fold.version :]:
            builder.add_event(entry)
        _builders[key] = builder
        if len(_builders) > MAX_CACHED_BUILDERS:
            _builders.popitem(last=False)
        return [frame for frame in builder.frames if since < frame.version <= entries[-1].version]


def frames_between(
    stream_id: int, entries: Sequence[RecordedEvent], viewer: Viewpoint, since: int, until: int
) -> list[Frame]:
    """Return the frames after version `since` and up to `until`."""
    if not entries or until <= since:
        return []
    place = (stream_id, viewer, get_language() or "")
    with _lock:
        known = _checkpoints.get((*place, since))
    builder = known.fork() if known else FrameBuilder(entries[0], viewer)
    for entry in entries[builder.fold.version : until]:
        builder.add_event(entry)
    with _lock:
        _checkpoints[*place, builder.fold.version] = builder.fork()
        while len(_checkpoints) > MAX_CACHED_CHECKPOINTS:
            _checkpoints.popitem(last=False)
    return [frame for frame in builder.frames if frame.version > since]


def frames_of_move(stream_id: int, entries: Sequence[RecordedEvent], viewer: Viewpoint, since: int) -> list[Frame]:
    """Return the frames after version `since`, which is committed; the later ones may still be rolled back."""
    key = (stream_id, viewer, get_language() or "")
    with _lock:
        known = _movers.pop(key, None)
    builder = known if known and known.fold.version <= since else FrameBuilder(entries[0], viewer)
    for entry in entries[builder.fold.version : since]:
        builder.add_event(entry)
    following = builder.fork()
    builder.frames.clear()
    with _lock:
        _movers[key] = builder
        if len(_movers) > MAX_CACHED_MOVERS:
            _movers.popitem(last=False)
    for entry in entries[since:]:
        following.add_event(entry)
    return following.frames
