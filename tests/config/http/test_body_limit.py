"""A body that is too long for any operation is not read, regardless of who sends it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from config.http.body_limit import MAX_BODY_BYTES, limit_body

Message = Mapping[str, Any]


def answer(length: bytes | None, *chunks: bytes) -> tuple[list[Message], list[bytes]]:
    """Send a body in `chunks` that announces `length`. Return the messages of the answer, and the chunks that the
    application received."""
    sent: list[Message] = []
    given: list[bytes] = []
    coming = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    coming.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> Message:
        return coming.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    async def app(_scope: Message, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            given.append(message["body"])
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})

    headers = [] if length is None else [(b"content-length", length)]
    asyncio.run(limit_body(app, {"type": "http", "headers": headers}, receive, send))
    return sent, given


def test_what_says_that_it_is_too_long_is_not_even_looked_at() -> None:
    for length in (str(MAX_BODY_BYTES + 1).encode(), b"10485760", b"-1", b"many"):
        sent, given = answer(length, b"x")
        assert [sent[0]["status"], given] == [413, []]
        assert json.loads(sent[1]["body"])["error"]["code"] == "body_too_large"


def test_what_is_too_long_without_saying_so_is_cut_off_when_it_is() -> None:
    sent, given = answer(None, *[b"x" * 65536] * 40)
    assert sent[0]["status"] == 413
    assert sum(map(len, given)) <= MAX_BODY_BYTES


def test_everything_else_passes() -> None:
    sent, given = answer(b"4", b"four")
    assert (sent[0]["status"], b"".join(given)) == (200, b"four")
