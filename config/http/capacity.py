"""How many requests a web process works on at a time, and how many may wait meanwhile.

It works on as many as it has connections to the database (`SCOREBOOK_DB_POOL_SIZE`). Others wait for their turn, in the
order in which they came, up to `MAX_WAIT_SECONDS` seconds; where `SCOREBOOK_MAX_WAITING_REQUESTS` wait already, the
next one is refused at once. Both are told 503 `busy_error` and when to come again, so that whoever asks hears something
within seconds, however many ask. Health checks, figures and static files are let past. Live streams have limits of
their own (`replays.stream.connections`).

A request takes a turn once its body is there, and gives it back before its answer is sent: who sends or reads slowly
holds up nobody. Its turn lasts as long as its work, also where whoever asked has hung up: the thread that answers
cannot be stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
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
from games.common.errors import busy_error

MAX_WAIT_SECONDS: Final = POOL_TIMEOUT_SECONDS - 1  # seconds: refused before the 5 s are over that the documents name
DEFAULT_CONCURRENCY: Final = 10  # requests at a time of a process that lends no connections (SCOREBOOK_DB_POOL_SIZE=0)
UNLIMITED_PATHS: Final = ("/health/", "/metrics")

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class ConcurrencyLimit:
    """The turns of one web process."""

    def __init__(self, at_work: int, waiting: int) -> None:
        self.turns = asyncio.Semaphore(at_work)
        self.most_waiting = waiting
        self.waiting = 0

    async def bounded(self, app: App, scope: Scope, receive: Receive, send: Send) -> None:
        """Run `app`, an ASGI application, when it is this request's turn."""
        if scope["path"].startswith((*UNLIMITED_PATHS, f"/{settings.STATIC_URL.lstrip('/')}")):
            await app(scope, receive, send)
            return
        body = await read_body(receive)
        if body is None:
            return  # hung up before all of it was there
        hung_up = asyncio.create_task(wait_for_disconnect(receive))
        try:
            if await self.turn(hung_up):
                scope[logs.HUNG_UP] = hung_up.done
                answer: list[Message] = []
                try:
                    await app(scope, receive_from_body(body), send_to_list(answer))
                finally:
                    self.turns.release()
                for message in answer:  # who takes it slowly has no turn
                    await send(message)
            elif not hung_up.done():
                await send_busy(scope, body, send)
        finally:
            hung_up.cancel()

    async def turn(self, hung_up: asyncio.Task[None]) -> bool:
        """Wait until it is one's turn; False where too many wait, it takes too long, or who asked has hung up."""
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
            return await mine  # it may have come true in the same moment
        return False


async def read_body(receive: Receive) -> bytes | None:
    """A request's body, which `config.http.body_limit` bounds; None where whoever sent it has hung up."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when whoever asked has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass


def receive_from_body(body: bytes) -> Receive:
    """The body, and then nothing: Django would let go of a request whose thread works on."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        return await asyncio.Future()  # until Django has answered, and cancels it

    return receive


def send_to_list(answer: list[Message]) -> Send:
    """What an application sends, put there."""

    async def send(message: Message) -> None:
        answer.append(message)

    return send


async def send_busy(scope: Scope, body: bytes, send: Send) -> None:
    """The answer to a request that is one too many."""
    request = ASGIRequest(scope, BytesIO(body))
    response = with_common_headers(request, http_errors.unavailable(request, busy_error()))
    request_metrics.REQUEST_COUNT.labels("refused as busy", request.method, "5xx").inc()
    headers = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})


def with_common_headers(request: ASGIRequest, response: HttpResponse) -> HttpResponse:
    """With the headers that every answer has."""

    def answered(_request: HttpRequest) -> HttpResponse:
        SecurityMiddleware(answered).process_response(request, response)
        return response

    return ContentSecurityPolicy(answered)(request)
