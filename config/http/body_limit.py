"""Limits the size of request bodies. The web server has no limit, and Django keeps whatever arrives."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from config.http.errors import error_body

MAX_BODY_BYTES: Final = 1024 * 1024  # the largest body is a bot's file in a form

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class BodyTooLarge(Exception):
    """The body is larger than allowed."""


async def limit_body(app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Run `app`, an ASGI application. A larger body gets 413, at once if its length is announced."""
    announced = dict(scope["headers"]).get(b"content-length", b"0")
    if not announced.isdigit() or int(announced) > MAX_BODY_BYTES:
        await send_too_large(send)
        return
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BODY_BYTES:
            raise BodyTooLarge
        return message

    try:
        await app(scope, counted, send)
    except BodyTooLarge:
        await send_too_large(send)


async def send_too_large(send: Send) -> None:
    """Send the response to a body that is too large."""
    sentence = _("The request is too large. The limit is {most} KiB. Nothing was saved.").format(
        most=MAX_BODY_BYTES // 1024
    )
    text = json.dumps(error_body(413, "body_too_large", sentence)).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": text})
