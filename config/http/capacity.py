"""Limits how many requests a web process works on at a time, and how many may wait.

It works on as many as it has database connections (`SCOREBOOK_DB_POOL_SIZE`). Others wait in order of arrival, up to
`MAX_WAIT_SECONDS` seconds; if `SCOREBOOK_MAX_WAITING_REQUESTS` wait already, the next one is refused at once. Both get
503 `busy` and a time to try again, so every client gets an answer within seconds. Health checks, metrics and static
files are not limited. Live streams have limits of their own (`replays.stream.connections`).

A request takes a slot once its body has arrived, and returns it before its response is sent, so slow clients block
nobody. It keeps the slot until its work is done, even if the client has disconnected, because its thread cannot be
stopped, except in rules that never end (`games.common.endless_rules`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, suppress
from io import BytesIO
from typing import Any, Final

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.middleware.security import SecurityMiddleware

from config import logs
from config.env.database_url import POOL_TIMEOUT_SECONDS
from config.http import errors as http_errors
from config.http import request_metrics
from config.http.csp import ContentSecurityPolicy
from config.http.one_thread import read_body
from games.common.errors import busy_error

MAX_WAIT_SECONDS: Final = POOL_TIMEOUT_SECONDS - 1  # seconds; below the 5 s that the documents promise
DEFAULT_CONCURRENCY: Final = 10  # requests at a time of a process that lends no connections (SCOREBOOK_DB_POOL_SIZE=0)
UNLIMITED_THREADS: Final = 4  # for the paths below
UNLIMITED_PATHS: Final = ("/health/", "/metrics")

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class ConcurrencyLimit:
    """The slots of one web process."""

    def __init__(self, at_work: int, waiting: int) -> None:
        self.turns = asyncio.Semaphore(at_work)
        self.most_waiting = waiting
        self.waiting = 0

    async def bounded(self, app: App, scope: Scope, receive: Receive, send: Send) -> None:
        """Run `app`, an ASGI application, when this request has a slot."""
        if scope["path"].startswith((*UNLIMITED_PATHS, f"/{settings.STATIC_URL.lstrip('/')}")):
            await app(scope, receive, send)
            return
        body = await read_body(receive)
        if body is None:
            return  # the client disconnected before the body was complete
        hung_up = asyncio.create_task(wait_for_disconnect(receive))
        await asyncio.sleep(0)  # whoever has left already is known before a thread begins
        try:
            if await self.turn(hung_up):
                scope[logs.HUNG_UP] = hung_up.done
                with ExitStack() as slot:
                    slot.callback(self.turns.release)
                    await app(scope, receive_from_body(body), send_after(slot.close, send))
            elif not hung_up.done():
                await send_busy(scope, body, send)
        finally:
            hung_up.cancel()

    async def turn(self, hung_up: asyncio.Task[None]) -> bool:
        """Wait for a slot; return whether there is one. There is none if too many wait, the wait takes too long, or the
        client has disconnected."""
        if not self.turns.locked():
            return await self.turns.acquire()
        if self.waiting >= self.most_waiting:
            return False
        self.waiting += 1
        mine = asyncio.create_task(self.turns.acquire())
        try:
            await asyncio.wait({mine, hung_up}, timeout=MAX_WAIT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.waiting -= 1
            if not mine.done():
                mine.cancel()
        with suppress(asyncio.CancelledError):
            return await mine  # the slot may have come at the same moment
        return False


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


def receive_from_body(body: bytes) -> Receive:
    """Return a receive function for the body, after which nothing comes: on a disconnect, Django would abandon a
    request whose thread is still working."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        return await asyncio.Future()  # until Django has answered, and cancels it

    return receive


def send_after(release: Callable[[], None], send: Send) -> Send:
    """Return a send function that calls `release` first: what is sent is made, and a slow client keeps no slot."""

    async def released(message: Message) -> None:
        release()
        await send(message)

    return released


async def send_busy(scope: Scope, body: bytes, send: Send) -> None:
    """Send the response to a request that cannot be served."""
    request = ASGIRequest(scope, BytesIO(body))
    response = with_common_headers(request, http_errors.unavailable(request, busy_error()))
    request_metrics.REQUEST_COUNT.labels("refused as busy", request.method, "5xx").inc()
    headers = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})


def with_common_headers(request: ASGIRequest, response: HttpResponse) -> HttpResponse:
    """Return the response with the headers that all responses have."""

    def answered(_request: HttpRequest) -> HttpResponse:
        SecurityMiddleware(answered).process_response(request, response)
        return response

    return ContentSecurityPolicy(answered)(request)
