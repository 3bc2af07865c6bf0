"""Web processes on the test's database, and ports for them."""

from __future__ import annotations

import multiprocessing
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from typing import Any

import httpx
import pytest
import uvicorn.main
from django.db import connection

from config.http.shutdown import DRAIN_VARIABLE
from replays.stream import hub
from tests.servers.database_url import database_url
from tests.servers.leftovers import delete_what_a_killed_server_left

WAIT_TIMEOUT = 120  # seconds until a test that waits for something gives up
APPLICATION = "config.asgi:application"
OPTIONS = ("--timeout-graceful-shutdown", "2", "--log-level", "warning")


@dataclass
class Web:
    """Who answers at a port."""

    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@dataclass
class WebProcess(Web):
    """A process that a test may stop, kill and wait for."""

    process: subprocess.Popen[bytes]


@dataclass
class ForkedWeb(Web):
    """One that was forked, which may be killed likewise."""

    process: ForkServerProcess


OPEN_SOCKETS: list[socket.socket] = []


def free_port() -> int:
    """One that nobody listens on. It stays ours until this process ends: a socket that is bound keeps the kernel from
    giving the port to anybody else, and as it does not listen, who names the port may."""
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(("127.0.0.1", 0))
    OPEN_SOCKETS.append(kept)
    port: int = kept.getsockname()[1]
    return port


@contextmanager
def web_process(port: int | None = None, application: str = APPLICATION, *, pool: int = 3) -> Iterator[WebProcess]:
    """uvicorn, started by its command: for tests whose settings are not everybody's."""
    port = port or free_port()
    environment = {**os.environ, **environment_of_tests(pool)}
    command = [sys.executable, "-m", "uvicorn", application, *OPTIONS, "--port", str(port)]
    process = subprocess.Popen(command, env=environment)
    try:
        wait_until_it_answers(port, lambda: process.poll() is None)
        yield WebProcess(port, process)
    finally:
        process.kill()
        process.wait()
        delete_what_a_killed_server_left()


FORKS = multiprocessing.get_context("forkserver")


def forked(target: Callable[..., None], *arguments: Any) -> ForkServerProcess:
    """A process that has begun to run `target`, forked from one that has imported everything once for all tests of this
    pytest process: to start Python and Django again would take seconds."""
    FORKS.set_forkserver_preload(["config.asgi", "config.urls", "uvicorn.main", __name__])
    process = FORKS.Process(target=target, args=arguments, daemon=True)
    with pytest.MonkeyPatch.context() as patch:  # the first one's environment is that of all
        for name, value in environment_of_tests().items():
            patch.setenv(name, value)
        process.start()
    return process


@contextmanager
def forked_web(
    port: int | None = None,
    *,
    poll_seconds: float = hub.POLL_SECONDS,
    drain_seconds: int = 0,
    most_waiting: int | None = None,
) -> Iterator[ForkedWeb]:
    """A new web process. It looks for lost notes of streams every `poll_seconds`, goes on for `drain_seconds` when it
    is asked to end, and lets `most_waiting` requests wait (None: as many as the settings say)."""
    port = port or free_port()
    process = forked(serve, port, poll_seconds, drain_seconds, most_waiting)
    try:
        wait_until_it_answers(port, process.is_alive)
        yield ForkedWeb(port, process)
    finally:
        process.kill()
        process.join()
        delete_what_a_killed_server_left()


def serve(port: int, poll_seconds: float, drain_seconds: int, most_waiting: int | None) -> None:
    hub.POLL_SECONDS = poll_seconds
    os.environ[DRAIN_VARIABLE] = str(drain_seconds)
    if most_waiting is not None:
        from config import asgi  # which sets up Django; only the forked process may have it

        asgi.capacity.most_waiting = most_waiting
    uvicorn.main.main([APPLICATION, *OPTIONS, "--port", str(port)])


def environment_of_tests(pool: int = 3) -> dict[str, str]:
    return {
        "DATABASE_URL": database_url(connection.settings_dict),
        "DATABASE_APP_URL": "",
        "SCOREBOOK_ALLOWED_HOSTS": "127.0.0.1",
        "SCOREBOOK_DB_POOL_SIZE": str(pool),
        "CELERY_BROKER_URL": "memory://localhost",  # nobody works for the test's database
    }


def wait_until_it_answers(port: int, lives: Callable[[], bool]) -> None:
    transport = httpx.HTTPTransport(retries=50)
    with httpx.Client(transport=transport, timeout=WAIT_TIMEOUT) as client:
        answer = client.get(f"http://127.0.0.1:{port}/api/v1/")
        assert answer.status_code == 200, f"{answer.status_code}: {answer.text[:500]}"
    assert lives()
