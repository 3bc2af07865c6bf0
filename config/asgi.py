"""The web process: watchers of live games go to the stream application, everything else to Django."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

os.environ["SCOREBOOK_WEB"] = "1"  # for the settings of this process, and of none that it starts
django = get_asgi_application()
del os.environ["SCOREBOOK_WEB"]

from django.conf import settings  # noqa: E402  after Django has set itself up
from django.db import Error, connection  # noqa: E402

from config import logs  # noqa: E402
from config.http import body_limit  # noqa: E402
from config.http.capacity import AT_WORK, Capacity  # noqa: E402
from config.http.garbage_collection import Between  # noqa: E402
from config.http.shutdown import drain  # noqa: E402
from games.clocks import outages  # noqa: E402
from games.common import (  # noqa: E402
    clock,
    disk_full,
)
from replays.stream import hub  # noqa: E402

watch = outages.Watch()
between = Between()
capacity = Capacity(settings.SCOREBOOK_POOL or AT_WORK, settings.SCOREBOOK_WAITING)


async def application(scope: hub.Scope, receive: hub.Receive, send: hub.Send) -> None:
    """ASGI 3 (asgi.readthedocs.io): HTTP and the server's lifespan."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
    else:
        await logs.outer(answer, scope, receive, send)


async def answer(scope: hub.Scope, receive: hub.Receive, send: hub.Send) -> None:
    """HTTP."""
    if hub.content_type_of(scope):
        await hub.application(scope, receive, send)  # it may go on for hours: nothing that is under way
    else:
        with between.request():
            await body_limit.bounded(in_turn, scope, receive, send)


async def in_turn(scope: hub.Scope, receive: hub.Receive, send: hub.Send) -> None:
    """Django, for as many at a time as this process has room for."""
    await capacity.bounded(django, scope, receive, send)


async def lifespan(receive: hub.Receive, send: hub.Send) -> None:
    """Start with the server, and stop listening when it stops; in between say that moves can be made."""
    signs: asyncio.Task[None] | None = None
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            between.begin()
            drain.heed(hub.hub.open.close)
            signs = asyncio.create_task(give_signs())
        if message["type"] == "lifespan.shutdown":
            if signs:
                signs.cancel()
            await hub.hub.stop()
            await asyncio.to_thread(connection.close_pool)  # type: ignore[attr-defined]  # PostgreSQL has one
            between.end()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def give_signs() -> None:
    """Give signs of life for ever; a database that is gone gets none, and the next one nevertheless."""
    while True:
        with suppress(Error):
            await hub.hub.ask(sign_of_life)
        await asyncio.sleep(outages.SIGN_EVERY.total_seconds())


def sign_of_life() -> None:
    """One sign of life of the web; with it goes what could not be written down before."""
    outages.sign(outages.WEB, clock.now())
    watch.look(clock.now(), time.monotonic())
    disk_full.tell()
