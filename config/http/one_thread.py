"""Lets Django answer a request in one thread from its first to its last middleware.

Django's own ASGI handler changes between the server's loop and a thread for each signal, for each middleware that looks
at the view, and for the view, and it starts a thread for each request. All middleware here is synchronous, so a request
went to and fro fourteen times. On a busy machine each time waits for its turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from io import BytesIO
from typing import Any, BinaryIO

from django.core import signals
from django.core.handlers.asgi import ASGIHandler, ASGIRequest, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from config import logs
from config.http.body_limit import Receive, Scope, Send
from games.common.disk_file import BLOCK_BYTES, DiskFileResponse

Message = Mapping[str, Any]


class OneThreadHandler(ASGIHandler):
    """Django as an ASGI application, with so many threads."""

    def __init__(self, threads: int) -> None:
        BaseHandler.__init__(self)  # the class between prepares its middleware for the loop
        self.load_middleware()
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="request")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request whose body has arrived or arrives. Whoever has left is answered too: a thread cannot be
        stopped."""
        body = await read_body(receive)
        if body is not None:
            loop, context = asyncio.get_running_loop(), copy_context()
            messages, file = await loop.run_in_executor(self.threads, context.run, self.answer, scope, body)
            for message in messages:
                await send(message)
            if file:
                await send_file(file, send, scope.get(logs.HUNG_UP, bool))

    def answer(self, scope: Scope, body: bytes) -> tuple[list[Message], BinaryIO | None]:
        """Return the answer as the messages of ASGI, and the open file that is its content, if it is one."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=type(self), scope=scope)
        request, refused = self.create_request(scope, BytesIO(body))
        response: HttpResponseBase
        if request is None:
            assert refused is not None, "One of both is returned."
            response = refused
        else:
            response = self.response_to(request)
        try:
            if isinstance(response, DiskFileResponse):
                return [head_of(response)], response.take_file()
            return messages_of(response), None
        finally:
            response.close()  # this returns the database connection

    def response_to(self, request: ASGIRequest) -> HttpResponseBase:
        response: HttpResponseBase = self.get_response(request)
        response._handler_class = type(self)  # type: ignore[attr-defined]  # the sender of Django's signal
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        return response


async def read_body(receive: Receive) -> bytes | None:
    """Return the body, whose size `config.http.body_limit` bounds; None if the client has disconnected."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


async def send_file(file: BinaryIO, send: Send, is_gone: Callable[[], bool]) -> None:
    """Send the content of a file block by block, as fast as the client takes it, and close the file."""
    with file:
        while (block := await asyncio.to_thread(file.read, BLOCK_BYTES)) and not is_gone():
            await send({"type": "http.response.body", "body": block, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def head_of(response: HttpResponseBase) -> Message:
    headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in response.items()]
    headers += [
        (b"Set-Cookie", cookie.output(header="").encode("ascii").strip()) for cookie in response.cookies.values()
    ]
    return {"type": "http.response.start", "status": response.status_code, "headers": headers}


def messages_of(response: HttpResponseBase) -> list[Message]:
    """Return the head and the content of a response."""
    parts = list(response) if response.streaming else [response.content]  # type: ignore[attr-defined]
    bodies = [{"type": "http.response.body", "body": part, "more_body": True} for part in parts]
    return [
        head_of(response),
        *bodies[:-1],
        {"type": "http.response.body", "body": parts[-1] if parts else b"", "more_body": False},
    ]
