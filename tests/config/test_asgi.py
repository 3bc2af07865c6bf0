"""The web process says that it is there: without that no clock runs out."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from django.db import InterfaceError, OperationalError

from config import asgi
from games.clocks import outages


class Enough(Exception):
    """The test has seen what it came for."""


def test_a_sign_of_life_that_fails_is_not_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is closed under a query raises InterfaceError, which Django counts with no DatabaseError."""
    faults = [InterfaceError("the connection is closed"), OperationalError("the server is away"), Enough()]

    def sign() -> None:
        raise faults.pop(0)

    monkeypatch.setattr(asgi, "write_heartbeat", sign)
    monkeypatch.setattr(outages, "HEARTBEAT_INTERVAL", timedelta(0))
    with pytest.raises(Enough):
        asyncio.run(asgi.run_heartbeat())
    assert not faults
