"""A request is answered in one thread, and its answer is that of Django's own handler."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.core import signals
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, HttpResponse
from django.http.response import StreamingHttpResponse

from config import logs
from config.http import query_params
from config.http.one_thread import OneThreadHandler, messages_of
from games.common.disk_file import BLOCK_BYTES, DiskFileResponse
from tests.fixtures.asgi import messages_from

CHANGING_HEADERS = (b"X-Request-ID", b"Date", b"Expires")  # the last two have the second


@pytest.fixture(scope="module")
def handler() -> OneThreadHandler:
    return OneThreadHandler(2)


def asked(app: Any, at: str, method: str = "GET") -> tuple[dict[str, Any], bytes]:
    """Return the head and the content of an answer."""
    sent = messages_from(app, at, method)
    assert not sent[-1].get("more_body")
    head = {**sent[0], "headers": [each for each in sent[0]["headers"] if each[0] not in CHANGING_HEADERS]}
    return head, b"".join(message["body"] for message in sent[1:])


@pytest.mark.parametrize("at", ["/health/live/", "/robots.txt", "/static/img/favicon.svg", "/health/no-such-page/"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_answer_is_that_of_djangos_own_handler(handler: OneThreadHandler, at: str, method: str) -> None:
    assert asked(handler, at, method) == asked(get_asgi_application(), at, method)


def test_signals_middleware_and_view_of_a_request_run_in_one_thread(
    handler: OneThreadHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int]] = []

    def begun(**_signal: Any) -> None:
        seen.append(("begun", threading.get_ident()))

    def ended(**_signal: Any) -> None:
        seen.append(("ended", threading.get_ident()))

    def looked(*_about: Any) -> None:
        seen.append(("middleware", threading.get_ident()))

    monkeypatch.setattr(query_params.UnknownParameterMiddleware, "process_view", looked)
    signals.request_started.connect(begun)
    signals.request_finished.connect(ended)
    try:
        asked(OneThreadHandler(2), "/health/live/")
    finally:
        signals.request_started.disconnect(begun)
        signals.request_finished.disconnect(ended)
    assert [name for name, _thread in seen] == ["begun", "middleware", "ended"]
    assert len({thread for _name, thread in seen} | {threading.get_ident()}) == 2


def test_a_response_in_pieces_and_one_without_content_are_sent_whole() -> None:
    pieces = messages_of(StreamingHttpResponse(iter([b"a", b"", b"b"])))
    assert [(each["body"], each["more_body"]) for each in pieces[1:]] == [(b"a", True), (b"", True), (b"b", False)]
    nothing = messages_of(StreamingHttpResponse(iter([])))
    assert [(each["body"], each["more_body"]) for each in nothing[1:]] == [(b"", False)]
    response = HttpResponse(b"c")
    response.set_cookie("zone", "UTC")
    response.set_cookie("language", "de")
    head, content = messages_of(response)
    assert [value for name, value in head["headers"] if name == b"Set-Cookie"] == [
        b"zone=UTC; Path=/",
        b"language=de; Path=/",
    ]
    assert content["body"] == b"c"


def test_a_client_that_left_before_its_body_was_complete_is_not_answered(
    handler: OneThreadHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answered(_request: HttpRequest) -> HttpResponse:
        raise AssertionError

    async def receive() -> Mapping[str, Any]:
        return {"type": "http.disconnect"}

    async def send(_message: Mapping[str, Any]) -> None:
        raise AssertionError

    monkeypatch.setattr(handler, "get_response", answered)
    asyncio.run(handler({"type": "http", "headers": []}, receive, send))


@pytest.fixture
def large_file(handler: OneThreadHandler, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> DiskFileResponse:
    """Let the handler answer with a file of three blocks, which is deleted at once."""
    path = tmp_path / "dataset.parquet"
    path.write_bytes(b"a" * BLOCK_BYTES + b"b" * BLOCK_BYTES + b"c")
    response = DiskFileResponse(path, content_type="text/plain", name="dataset.parquet")
    path.unlink()
    monkeypatch.setattr(handler, "get_response", lambda _request: response)
    return response


def test_a_file_is_read_block_by_block_as_its_client_takes_it(
    handler: OneThreadHandler, large_file: DiskFileResponse
) -> None:
    read: list[int] = []

    async def send(message: Mapping[str, Any]) -> None:
        read.append(large_file.file.tell() if message.get("body") else 0)

    asyncio.run(handler(a_request(), body_of_nothing, send))
    assert read == [0, BLOCK_BYTES, 2 * BLOCK_BYTES, 2 * BLOCK_BYTES + 1, 0]
    assert large_file.file.closed


def test_a_file_is_read_no_further_when_its_client_has_left(
    handler: OneThreadHandler, large_file: DiskFileResponse
) -> None:
    sent: list[Mapping[str, Any]] = []

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    asyncio.run(handler({**a_request(), logs.HUNG_UP: lambda: len(sent) > 1}, body_of_nothing, send))
    assert [len(message.get("body", b"")) for message in sent] == [0, BLOCK_BYTES, 0]
    assert large_file.file.closed


def a_request() -> dict[str, Any]:
    return {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}


async def body_of_nothing() -> Mapping[str, Any]:
    return {"type": "http.request", "body": b""}
