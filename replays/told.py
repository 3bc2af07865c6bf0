"""Games that are being played, told once in a process: whoever asks what is new gets that, and nothing is told again.

A log only grows, so what has been told stays true; the tellings can be thrown away at any time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Final

from django.utils.translation import get_language

from games.log import Entry
from games.observe import Viewer
from replays.replay import Frame, Telling

KEPT: Final = 64  # tellings, of a few hundred kilobytes each at most

_tellings: OrderedDict[tuple[int, Viewer, str], Telling] = OrderedDict()
_telling = Lock()


def frames_since(stream_id: int, entries: Sequence[Entry], viewer: Viewer, since: int) -> list[Frame]:
    """`replays.replay.frames` of that stream's `entries` after version `since`."""
    if not entries:
        return []
    key = (stream_id, viewer, get_language() or "")
    with _telling:
        telling = _tellings.pop(key, None) or Telling(entries[0], viewer)
        for entry in entries[telling.fold.version :]:
            telling.tell(entry)
        _tellings[key] = telling
        if len(_tellings) > KEPT:
            _tellings.popitem(last=False)
        return [frame for frame in telling.frames if since < frame.version <= entries[-1].version]
