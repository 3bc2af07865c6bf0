"""The web process: watchers of live games go to the stream application, everything else to Django."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django = get_asgi_application()

from replays import stream  # noqa: E402  after Django has set itself up


async def application(scope: stream.Scope, receive: stream.Receive, send: stream.Send) -> None:
    """ASGI 3 (asgi.readthedocs.io): HTTP and the server's lifespan."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
    elif stream.content_type_of(scope):
        await stream.application(scope, receive, send)
    else:
        await django(scope, receive, send)


async def lifespan(receive: stream.Receive, send: stream.Send) -> None:
    """Start with the server, and stop listening when it stops."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.shutdown":
            await stream.hub.stop()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
