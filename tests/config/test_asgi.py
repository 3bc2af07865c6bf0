"""The web process writes a sign of life. Without it no clock runs out."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError

from config import asgi
from games.clocks import outages


class Enough(Exception):
    """Raised to end the loop when the test has seen what it needs."""


def test_a_sign_of_life_that_fails_is_not_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that closes during a query raises InterfaceError, which is no DatabaseError of Django."""
    faults = [InterfaceError("the connection is closed"), OperationalError("the server is away"), Enough()]

    def sign() -> None:
        raise faults.pop(0)

    monkeypatch.setattr(asgi, "write_heartbeat", sign)
    monkeypatch.setattr(outages, "HEARTBEAT_INTERVAL", timedelta(0))
    with pytest.raises(Enough):
        asyncio.run(asgi.run_heartbeat())
    assert not faults


@pytest.mark.parametrize(
    ("header", "value", "sentence"),
    [
        (b"accept-language", b"de-AT,en;q=0.5", "Die Anfrage ist zu gro"),
        (b"cookie", b"django_language=de", "Die Anfrage ist zu gro"),
        (b"accept-language", b"xx", "The request is too large"),
    ],
)
def test_what_is_refused_before_django_is_refused_in_the_language_of_the_request(
    header: bytes, value: bytes, sentence: str
) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-length", b"10485760"), (header, value)]
    scope = {"type": "http", "method": "POST", "path": "/api/v1/bots/", "query_string": b"", "headers": headers}
    asyncio.run(asgi.answer_http(scope, None, send))  # type: ignore[arg-type]  # nothing is read
    assert json.loads(sent[1]["body"])["error"]["sentence"].startswith(sentence)
