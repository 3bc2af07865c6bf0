"""A web process with too many requests answers so within seconds, and loses no form that somebody filled in."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.test import Client
from psycopg_pool import ConnectionPool

import config.http.capacity
from config import asgi
from config.http.capacity import ConcurrencyLimit
from games.common import disk_full
from tests.assertions.page import Page
from tests.config.http.test_database_away import away
from tests.factories.people import browser_of, joined
from tests.factories.settings import settings_of
from tests.fixtures.clients import TOKEN
from tests.servers.database_url import database_url
from tests.servers.web import WAIT_TIMEOUT, Web, forked_web
from tests.tournaments.club import new_club
from tournaments.seasons.models import League, Season

pytestmark = pytest.mark.django_db(transaction=True)
AT_WORK = 3  # SCOREBOOK_DB_POOL_SIZE of `forked_web`


@contextmanager
def held_up() -> Iterator[None]:
    """Lock the table of clubs within the block, so that requests for clubs wait."""
    with psycopg.connect(database_url(connection.settings_dict)) as other:
        other.execute("LOCK TABLE clubs_club IN ACCESS EXCLUSIVE MODE")
        yield
        other.rollback()


@pytest.fixture(scope="module")
def web(django_db_setup: None) -> Iterator[Web]:
    with forked_web(most_waiting=0) as started:
        yield started


def asked(web: Web, path: str = "/api/v1/clubs/", method: str = "GET", **options: Any) -> httpx.Response:
    return httpx.request(method, f"{web.address}{path}", timeout=WAIT_TIMEOUT, **options)


@contextmanager
def full(web: Web) -> Iterator[list[Future[httpx.Response]]]:
    """Send as many requests as the process can work on, which wait within the block. Yield their results."""
    with ThreadPoolExecutor(AT_WORK) as threads, held_up():
        asking = [threads.submit(asked, web) for _ in range(AT_WORK)]
        until(lambda: waiting_for_locks() == AT_WORK)
        yield asking


def waiting_for_locks() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return int(cursor.fetchone()[0])


def until(there: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not there():
        assert time.monotonic() - began < WAIT_TIMEOUT
        time.sleep(0.05)


def test_how_many_may_wait_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    made = settings_of(monkeypatch, SCOREBOOK_MAX_WAITING_REQUESTS="7")
    assert made["SCOREBOOK_MAX_WAITING_REQUESTS"] == 7
    assert asgi.capacity.most_waiting == settings.SCOREBOOK_MAX_WAITING_REQUESTS


def test_one_too_many_is_refused_at_once_and_what_is_let_past_is_answered(web: Web) -> None:
    with full(web) as asking:
        refused = asked(web)
        assert refused.json()["error"]["code"] == "busy"
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
        assert "Content-Security-Policy" in refused.headers
        assert "X-Request-ID" in refused.headers
        for path in ("/health/live/", "/static/css/site.css"):
            assert asked(web, path).status_code == 200
    assert [each.result().status_code for each in asking] == [200] * AT_WORK
    assert asked(web).status_code == 200


class Asked:
    """A request to a process that works on one request and lets one wait. `go` lets the request finish, and its client
    takes the answer if `takes` is set."""

    def __init__(self, capacity: ConcurrencyLimit) -> None:
        self.go, self.hangs_up, self.statuses = asyncio.Event(), asyncio.Event(), list[int]()
        self.takes = asyncio.Event()
        self.takes.set()
        self.body = [{"type": "http.request", "body": b""}]
        scope = {"type": "http", "method": "GET", "path": "/api/v1/clubs/", "query_string": b"", "headers": []}
        self.task = asyncio.create_task(capacity.bounded(self.app, scope, self.receive, self.send))

    async def app(self, _scope: Any, _receive: Any, send: Any) -> None:
        await self.go.wait()
        await send({"type": "http.response.start", "status": 200})

    async def receive(self) -> Any:
        if self.body:
            return self.body.pop()
        await self.hangs_up.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        await self.takes.wait()
        if message["type"] == "http.response.start":
            self.statuses.append(message["status"])


def test_requests_wait_for_their_turn_in_order_up_to_a_number_and_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async def rush() -> list[list[int]]:
        turns = ConcurrencyLimit(1, 1)
        first = Asked(turns)
        await asyncio.sleep(0)
        gone = Asked(turns)
        await asyncio.sleep(0.01)
        gone.hangs_up.set()  # then the next request gets its place
        await gone.task
        second = Asked(turns)
        await asyncio.sleep(0.01)
        too_many = Asked(turns)
        await too_many.task
        for each in (second, first):
            each.go.set()
        await second.task
        monkeypatch.setattr(config.http.capacity, "MAX_WAIT_SECONDS", 0.01)
        at_work = Asked(turns)
        await asyncio.sleep(0)
        too_long = Asked(turns)
        await too_long.task
        at_work.hangs_up.set()  # its thread cannot be stopped and continues
        await asyncio.sleep(0.01)
        still_too_long = Asked(turns)
        await still_too_long.task
        at_work.go.set()
        await at_work.task
        return [each.statuses for each in (first, gone, second, too_many, too_long, still_too_long)]

    assert asyncio.run(rush()) == [[200], [], [200], [503], [503], [503]]


def test_a_client_that_takes_its_answer_slowly_keeps_nobody_waiting() -> None:
    async def read_slowly() -> list[list[int]]:
        capacity = ConcurrencyLimit(1, 0)
        slow = Asked(capacity)
        slow.takes.clear()
        slow.go.set()
        await asyncio.sleep(0.01)
        other = Asked(capacity)
        other.go.set()
        await other.task
        assert not slow.statuses
        slow.takes.set()
        await slow.task
        return [slow.statuses, other.statuses]

    assert asyncio.run(read_slowly()) == [[200], [200]]


def test_a_form_that_was_refused_is_sent_again_as_it_was_filled_in(web: Web) -> None:
    niamh = joined("Niamh")
    assert niamh.user
    club = new_club(name="Lantern Street", slug="lantern", zone="Europe/Dublin", owner=niamh.user)
    League.objects.create(club=club, name="Palace League", slug="palace")
    cookies = {"sessionid": browser_of(niamh).cookies["sessionid"].value, "csrftoken": TOKEN}
    form = {
        "csrfmiddlewaretoken": TOKEN,
        "league": "palace",
        "name": 'The "first" <b>',
        "kind": "palace",
        "table_size": "2",
        "format": "round_robin",
        "games_a_match": "",
        "starts_on": "2031-09-09",
        "starts_time": "19:30",
        "apart": "1 day",
        "repeats": "no",
        "bot_sensible": "1",
        "bot_random": "1",
        "do": "save",
        "password": "lamp",
        "what": "one\nand\nanother",
    }
    address = "/clubs/lantern/new-season/"
    with full(web):
        page = Page.of(asked(web, address, "POST", data=form, cookies=cookies))
    assert "Send again" in page.text
    assert "lamp" not in page.text
    assert page.faults() == []
    inputs = [each for tag, each in page.tags if tag == "input"]
    kept = {each["name"]: each["value"] for each in inputs if each["type"] == "hidden"}
    assert kept == {name: value for name, value in form.items() if name != "password"}
    assert [each["name"] for each in inputs if each["type"] == "password"] == ["password"]
    [sends] = [each for tag, each in page.tags if tag == "form" and each["action"] == address]
    without = {name: value for name, value in kept.items() if name != "csrfmiddlewaretoken"}
    assert asked(web, sends["action"], "POST", data=without, cookies=cookies).status_code == 403
    assert asked(web, sends["action"], "POST", data=kept, cookies=cookies).status_code == 302
    assert Season.objects.get().name == form["name"]


def test_no_connection_in_time_is_busy_and_no_database_is_away() -> None:
    with ConnectionPool(database_url(connection.settings_dict), min_size=1, max_size=1, timeout=0.1) as pool:
        pool.wait()
        with pool.connection(), pytest.raises(OperationalError) as met, connection.wrap_database_errors:
            pool.getconn()
    assert disk_full.unavailable_error(met.value).code == "busy"
    disk_full.database_probe.asked = float("-inf")
    with away():
        assert disk_full.unavailable_error(met.value).code == "database_away"
    disk_full.database_probe.asked = float("-inf")


def test_a_503_is_one_line_of_the_log_and_no_traceback(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    client.raise_request_exception = False
    with away():
        for path in ("/clubs/", "/api/v1/clubs/"):
            assert client.get(path).status_code == 503
    records = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [record.getMessage().partition(":")[0] for record in records] == ["Answered database_away"] * 2
    assert [record.exc_info for record in records] == [None, None]


def test_a_client_that_hangs_up_is_499_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    sent: list[Any] = [{"type": "http.request", "body": b""}, {"type": "http.disconnect"}]
    scope = {"type": "http", "method": "GET", "path": "/api/v1/clubs/", "query_string": b"", "headers": []}

    async def receive() -> Any:
        return sent.pop(0) if len(sent) > 1 else sent[0]

    async def send(_message: Any) -> None:
        pass

    asyncio.run(asgi.application(scope, receive, send))
    [line] = [record.getMessage() for record in caplog.records if record.name == "scorebook.access"]
    assert line.startswith("GET /api/v1/clubs/ 499 ")
