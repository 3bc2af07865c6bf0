"""The web process of `tests.bench.watchers`: `config.asgi`, which also records when each step was done.

`GET /steps` answers with these records as JSON: [game, when a note was heard], [game, version, when it had been read],
and for each stop of Python's garbage collector its generation, when it began and how long it took. All times are
seconds of the machine's clock.
"""

from __future__ import annotations

import gc
import json
import time

from config import asgi
from replays.stream import game_tail, hub, stream_access

heard: list[tuple[int, float]] = []
read: list[tuple[int, int, float]] = []
stops: list[tuple[int, float, float]] = []

note, wake = hub.Hub.on_note, game_tail.GameTail.notify


def noted(self: hub.Hub, game_id: int, *, state: bool = False) -> None:
    heard.append((game_id, time.time()))
    note(self, game_id, state=state)


def woken(self: game_tail.GameTail) -> None:
    read.append((self.game.pk, len(self.entries), time.time()))
    wake(self)


def stopped(phase: str, info: dict[str, int], began: list[float] = [0.0]) -> None:  # noqa: B006  kept between calls
    if phase == "start":
        began[0] = time.time()
    else:
        stops.append((info["generation"], began[0], time.time() - began[0]))


hub.Hub.on_note = noted  # type: ignore[method-assign]
game_tail.GameTail.notify = woken  # type: ignore[method-assign]
gc.callbacks.append(stopped)


async def application(scope: stream_access.Scope, receive: hub.Receive, send: hub.Send) -> None:
    """Serve `config.asgi.application`, and the records at `/steps`."""
    if scope["type"] != "http" or scope["path"] != "/steps":
        await asgi.application(scope, receive, send)
        return
    body = json.dumps({"heard": heard, "read": read, "stops": stops}).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": body})
