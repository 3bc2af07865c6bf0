"""The web process collects garbage between requests and not within them, and the garbage that waits is limited."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from config import asgi
from config.http.garbage_collection import FREEZE_AFTER_SECONDS, MAX_PENDING_COLLECTIONS, IdleCollector

YOUNG = 701 * 12  # objects until Python runs one more collection of young ones


class Ring:
    """An object that refers to itself, so that only the garbage collector frees it."""

    alive = 0

    def __init__(self) -> None:
        self.round = self
        Ring.alive += 1

    def __del__(self) -> None:
        Ring.alive -= 1


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Looks:
    """Records how many requests were running at each full collection."""

    def __init__(self, between: IdleCollector) -> None:
        self.between = between
        self.under_way: list[int] = []

    def __call__(self, phase: str, info: Mapping[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            self.under_way.append(self.between.under_way)


@pytest.fixture(scope="module")
def usual() -> Iterator[None]:
    """Use Python's usual thresholds, as on a server, because the test run has others."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def begun(usual: None, clock: Clock) -> Iterator[IdleCollector]:
    """Provide a started collector for all tests of the file, because its start runs a full collection over everything
    that the tests hold."""
    between = IdleCollector(clock)
    between.begin()
    yield between
    between.end()


@pytest.fixture
def looks(begun: IdleCollector) -> Iterator[Looks]:
    gc.collect()
    looks = Looks(begun)
    gc.callbacks.append(looks)
    yield looks
    gc.callbacks.remove(looks)


def serve(between: IdleCollector, rings: int) -> None:
    """Serve a request that makes this many rings and holds them until its end."""
    with between.request():
        _held = [Ring() for _ in range(rings)]
        del _held


@pytest.mark.slow
def test_what_a_request_leaves_is_gone_when_it_has_been_answered(begun: IdleCollector, looks: Looks) -> None:
    for _ in range(5):
        serve(begun, 2 * YOUNG)
        assert Ring.alive == 0
    assert looks.under_way == [0] * 5


def test_no_request_is_stopped_by_a_look_through_everything(begun: IdleCollector, looks: Looks) -> None:
    """Python alone would collect within about the tenth request."""
    with begun.request():
        held = [Ring() for _ in range((MAX_PENDING_COLLECTIONS - 2) * YOUNG)]
        assert looks.under_way == []
        del held
    assert looks.under_way == [0]


def test_little_is_not_looked_for(begun: IdleCollector, looks: Looks) -> None:
    for _ in range(3):
        serve(begun, 100)
    assert looks.under_way == []
    serve(begun, YOUNG)
    assert looks.under_way == [0]
    assert Ring.alive == 0


@pytest.mark.slow
def test_memory_is_bounded_where_there_is_never_a_quiet_moment(begun: IdleCollector, looks: Looks) -> None:
    """Each request begins before the last one ends."""
    most, turns = 0, 6 * MAX_PENDING_COLLECTIONS
    with ExitStack() as first:
        first.enter_context(begun.request())
        for _ in range(turns):
            following = ExitStack()
            following.enter_context(begun.request())
            _held = [Ring() for _ in range(YOUNG)]
            del _held
            first.close()
            first = following
            most = max(most, Ring.alive)
        assert looks.under_way  # Python itself has collected
        assert 0 not in looks.under_way
        first.close()
    assert most < 2 * MAX_PENDING_COLLECTIONS * YOUNG < turns * YOUNG
    assert Ring.alive == 0
    assert begun.under_way == 0


def test_a_request_that_fails_is_over_too(begun: IdleCollector) -> None:
    with pytest.raises(ZeroDivisionError), begun.request():
        _ = 1 / 0
    assert begun.under_way == 0


@pytest.mark.slow
def test_what_stays_is_left_out_once_the_process_has_settled(begun: IdleCollector, clock: Clock, looks: Looks) -> None:
    kept = [Ring() for _ in range(YOUNG)]
    serve(begun, 0)
    assert any(each is kept[0] for each in gc.get_objects())
    clock.seconds += FREEZE_AFTER_SECONDS[0]
    serve(begun, 0)  # no other request runs, and a collection is due
    assert not any(each is kept[0] for each in gc.get_objects())
    del kept
    gc.collect()
    assert Ring.alive == YOUNG  # they are garbage now, but collections leave them out
    clock.seconds += FREEZE_AFTER_SECONDS[1]
    serve(begun, 0)
    assert Ring.alive == 0


@pytest.mark.slow
def test_a_search_waits_until_what_the_request_has_caused_is_sent(usual: None) -> None:
    """Nor does it begin while another request runs, which has come in the meantime."""
    waiting: list[Callable[[], None]] = []
    between = IdleCollector(later=waiting.append)
    between.begin()
    try:
        serve(between, 2 * YOUNG)
        with between.request():
            alive = Ring.alive
            waiting.pop()()
            assert Ring.alive == alive > 0
        waiting.pop()()
        assert (Ring.alive, waiting) == (0, [])
    finally:
        between.end()


def test_python_looks_as_before_where_nobody_has_begun(usual: None) -> None:
    between = IdleCollector()
    serve(between, YOUNG)
    assert gc.get_count()[2] > 0
    gc.collect()
    assert Ring.alive == 0


def sent_while(path: str, *headers: tuple[bytes, bytes]) -> tuple[int, set[int]]:
    """Send a GET to the web process. Return its status, and the number of running requests when it was answered."""
    status, under_way = 0, set[int]()
    coming: list[Mapping[str, Any]] = [{"type": "http.request", "body": b""}]

    async def receive() -> Mapping[str, Any]:
        return coming.pop() if coming else await asyncio.Future()

    async def send(message: Mapping[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)
        under_way.add(asgi.idle_collector.under_way)

    scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"host", b"localhost"), *headers]}
    asyncio.run(asgi.application({**scope, "query_string": b"", "client": ("127.0.0.1", 1)}, receive, send))
    return status, under_way


@pytest.mark.django_db(transaction=True)
def test_a_request_is_under_way_until_it_is_answered_and_a_stream_never() -> None:
    assert sent_while("/health/live/") == (200, {1})
    stream = (b"accept", b"text/event-stream")
    assert sent_while("/api/v1/games/NOSUCH00/events/", stream) == (404, {0})
    assert asgi.idle_collector.under_way == 0
