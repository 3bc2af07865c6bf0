"""The web process: live streams go to the stream application, everything else to Django."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from contextlib import suppress

import django
from django.apps import apps
from django.conf import settings

from config.env.database_url import pooled

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# A process in which Django already runs (a test) keeps its connections.
if settings.SCOREBOOK_DB_POOL_SIZE and not apps.ready:
    settings.DATABASES["default"] = pooled(settings.DATABASES["default"], settings.SCOREBOOK_DB_POOL_SIZE)
django.setup(set_prefix=False)

from django.db import Error, connection  # noqa: E402  after Django has set itself up
from django.utils import translation  # noqa: E402

from config import logs  # noqa: E402
from config.http import body_limit  # noqa: E402
from config.http.capacity import DEFAULT_CONCURRENCY, UNLIMITED_THREADS, ConcurrencyLimit  # noqa: E402
from config.http.garbage_collection import IdleCollector, after_a_pause  # noqa: E402
from config.http.one_thread import OneThreadHandler  # noqa: E402
from config.http.shutdown import drain  # noqa: E402
from games.accounts.languages import language_of_scope  # noqa: E402
from games.clocks import outages  # noqa: E402
from games.common import (  # noqa: E402
    clock,
    disk_full,
)
from replays.stream import hub, stream_access  # noqa: E402

# Seconds for which a thread may compute while another one waits for its turn. A move waits for the database a dozen
# times, and after each time for its turn beside the thread that makes frames for watchers. Python's own is ten times as
# long (docs/benchmarks/storage.md has both measured).
sys.setswitchinterval(0.0005)

outage_watch = outages.ClockWatch()
idle_collector = IdleCollector(later=after_a_pause)
at_work = settings.SCOREBOOK_DB_POOL_SIZE or DEFAULT_CONCURRENCY
capacity = ConcurrencyLimit(at_work, settings.SCOREBOOK_MAX_WAITING_REQUESTS)
django_app = OneThreadHandler(at_work + UNLIMITED_THREADS)


async def application(scope: stream_access.Scope, receive: hub.Receive, send: hub.Send) -> None:
    """Serve HTTP and the server's lifespan, as ASGI 3 (asgi.readthedocs.io)."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
    else:
        await logs.log_requests(answer_http, scope, receive, send)


async def answer_http(scope: stream_access.Scope, receive: hub.Receive, send: hub.Send) -> None:
    """Serve a request."""
    if stream_access.content_type_of(scope):
        # It may last for hours, so it does not count as a request in progress.
        await hub.stream_application(scope, receive, send)
    else:
        # What is refused before Django's middleware has its sentence in the reader's language too.
        with idle_collector.request(), translation.override(language_of_scope(scope)):
            await body_limit.limit_body(run_with_capacity, scope, receive, send)


async def run_with_capacity(scope: stream_access.Scope, receive: hub.Receive, send: hub.Send) -> None:
    """Let Django serve as many requests at a time as this process has capacity for."""
    await capacity.bounded(django_app, scope, receive, send)


async def lifespan(receive: hub.Receive, send: hub.Send) -> None:
    """Start with the server, announce that moves can be made, and stop listening when it stops."""
    signs: asyncio.Task[None] | None = None
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            idle_collector.begin()
            drain.heed(hub.hub.open.close)
            signs = asyncio.create_task(run_heartbeat())
        if message["type"] == "lifespan.shutdown":
            if signs:
                signs.cancel()
            await hub.hub.stop()
            await asyncio.to_thread(connection.close_pool)  # type: ignore[attr-defined]  # PostgreSQL has one
            idle_collector.end()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def run_heartbeat() -> None:
    """Send heartbeats without end. If the database is away, one is skipped."""
    while True:
        with suppress(Error):
            await hub.hub.ask(write_heartbeat)
        await asyncio.sleep(outages.HEARTBEAT_INTERVAL.total_seconds())


def write_heartbeat() -> None:
    """Write one heartbeat of the web, together with what could not be written before."""
    outages.record_heartbeat(outages.WEB_PART, clock.now())
    outage_watch.look(clock.now(), time.monotonic())
    disk_full.record_incident()
