"""Measures what it costs to bring a request to its view and back, by Django's own ASGI handler and by ours.

    python -m tests.bench.handlers

Both answer `/health/live/`, which asks no database, in turn. It prints the least ms of the processor of a request, and
the ratio.
"""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any, Final

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.core.asgi import get_asgi_application  # noqa: E402

from config.http.one_thread import OneThreadHandler  # noqa: E402

REQUESTS: Final = 50
ROUNDS: Final = 8
SCOPE: Final = {
    "type": "http",
    "method": "GET",
    "path": "/health/live/",
    "query_string": b"",
    "headers": [(b"host", b"localhost")],
    "client": ("127.0.0.1", 1),
}


async def ask(app: Any) -> None:
    """Send a request, and wait for the answer."""
    coming = [{"type": "http.request", "body": b""}]

    async def receive() -> Any:
        return coming.pop() if coming else await asyncio.Future()

    async def send(_message: Any) -> None:
        pass

    await app(dict(SCOPE), receive, send)


async def measure(apps: dict[str, Any]) -> dict[str, float]:
    """Return the least ms of the processor of a request for each application."""
    least = dict.fromkeys(apps, float("inf"))
    for _round in range(ROUNDS):
        for name, app in apps.items():
            before = time.process_time()
            for _request in range(REQUESTS):
                await ask(app)
            least[name] = min(least[name], 1000 * (time.process_time() - before) / REQUESTS)
    return least


if __name__ == "__main__":
    found = asyncio.run(measure({"Django's": get_asgi_application(), "one thread": OneThreadHandler(4)}))
    for handler, ms in found.items():
        print(f"{handler:12} {ms:6.2f} ms")
    own, ours = found.values()
    print(f"{'ratio':12} {ours / own:6.2f}")
