"""Sends the requests of the examples in docs as one story, and records each request with its answer.

The requests use the API wherever programs can. The clock stands still, random draws are seeded and ids begin at 1, so
that the answers are the same in each run.
"""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from games.common import clock

SECRET: Final = "…"
SECRETS: Final = ("secret", "token")  # fields that the API shows only once and an example never shows
MAX_TEXT_LENGTH: Final = 200
NAMES_SHOWN: Final = 40
MACHINES: Final = {"database_bytes": 17_500_000, "log_bytes": 1_200_000, "disk_used": 0.41, "engines": "compiled"}


@dataclass
class Teller:
    """Sends requests as the people of the story. `examples` has for each operation `parameters`, `request`, `status`
    and `answer`, as `config.docs.examples` has them."""

    examples: dict[str, Any] = field(default_factory=dict)
    now: datetime = datetime.min
    browsers: dict[str, Client] = field(default_factory=dict)

    def browser(self, who: str) -> Client:
        """Return this person's browser, or a browser without a login for ""."""
        if who not in self.browsers:
            self.browsers[who] = Client()
            if who:
                self.browsers[who].force_login(User.objects.get(username=who))
        return self.browsers[who]

    def ask(self, who: str, operation: str, body: Any = None, **names: Any) -> Any:
        """Send a request as this person and return the answer. `names` are the values in the path, and all others are
        the query. A body of bytes is sent as a file."""
        method, path = operation.split()
        query = {name: value for name, value in names.items() if f"{{{name}}}" not in path}
        file = isinstance(body, bytes)
        sent = body if file else json.dumps(body) if body is not None else ""
        kind = "text/x-python" if file else "application/json"
        address = f"/api/v1/{path.format(**names)}" + (f"?{urlencode(query)}" if query else "")
        with clock.frozen_at(self.now):
            answer = self.browser(who).generic(method, address, sent, content_type=kind)
            content = b"" if answer.streaming else answer.getvalue()
        assert answer.status_code < 300, (operation, answer.status_code, content.decode()[:2000])
        if not content:
            found = None
        elif answer.headers["Content-Type"].startswith("application/json"):
            found = json.loads(content)
        else:
            found = content.decode()
        if operation not in self.examples:
            self.examples[operation] = {
                **({"parameters": names} if names else {}),
                **({} if not body else {"request": body.decode() if file else body}),
                "status": answer.status_code,
                **({} if found is None else {"answer": shortened(found)}),
            }
        return found

    @contextmanager
    def at(self, moment: datetime) -> Iterator[None]:
        """Stop the clock at a time within the block, also for work without a request."""
        self.now = moment
        with clock.frozen_at(moment):
            yield

    def later(self, **time: float) -> datetime:
        """Move the clock forward, and return the new time."""
        self.now += timedelta(**time)
        return self.now


def shortened(answer: Any) -> Any:
    """Return a short form of an answer: at most one entry of each list, few names of each object, and shortened
    texts."""
    if isinstance(answer, dict):
        most = 3 if "your_turn" in answer else NAMES_SHOWN  # of the subjects of notices, three are enough
        return {name: _shown(name, value) for name, value in list(answer.items())[:most]}
    if isinstance(answer, list):
        return [shortened(value) for value in answer[:1]]
    return f"{answer[: MAX_TEXT_LENGTH - 1]}…" if isinstance(answer, str) and len(answer) > MAX_TEXT_LENGTH else answer


def _shown(name: str, value: Any) -> Any:
    """Return a fixed value for secrets and for values that differ between machines."""
    if name in SECRETS and isinstance(value, str):
        return SECRET
    return MACHINES[name] if name in MACHINES else shortened(value)


def alike(one: Any, other: Any) -> bool:
    """Return whether two answers have the same form: names and types, at every depth."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(alike(*each) for each in zip(one, other, strict=True))
    numbers = [isinstance(each, int | float) and not isinstance(each, bool) for each in (one, other)]
    return all(numbers) or type(one) is type(other)


def stop_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the story's clock for the times that Django itself writes into new rows."""
    monkeypatch.setattr(timezone, "now", clock.now)


def seed_the_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw deals, ids and tokens from a fixed seed."""
    dice = random.Random(2027)

    def token_bytes(size: int | None = None) -> bytes:
        return dice.randbytes(size or 32)

    monkeypatch.setattr(secrets, "choice", dice.choice)
    monkeypatch.setattr(secrets, "randbelow", dice.randrange)
    monkeypatch.setattr(secrets, "token_bytes", token_bytes)
    monkeypatch.setattr(secrets, "token_hex", lambda size=None: token_bytes(size).hex())


def number_from_one() -> None:
    """Let ids of empty tables begin at 1, until the test's transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = current_schema AND is_identity = 'YES' ORDER BY table_name"
        )
        for table, column in cursor.fetchall():
            cursor.execute(f'SELECT EXISTS (SELECT FROM "{table}")')
            if not cursor.fetchone()[0]:
                cursor.execute(f'ALTER TABLE "{table}" ALTER COLUMN "{column}" RESTART')
