"""How much of a request's body is taken in: the web server itself sets no bound, and Django keeps what comes."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from config.http.errors import error_body

MAX_BODY_BYTES: Final = 1024 * 1024  # the largest thing that anybody sends is a bot's file, with a form around it

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class BodyTooLarge(Exception):
    """More came than anybody may send."""


async def limit_body(app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Run `app`, an ASGI application; a longer body is answered 413, at once where its length is known."""
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
    """The answer to a body that is too long."""
    sentence = f"The request is too large. The limit is {MAX_BODY_BYTES // 1024} KiB. Nothing was saved."
    text = json.dumps(error_body(413, "body_too_large", sentence)).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": text})
