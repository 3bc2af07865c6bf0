"""Many watchers of one web process: what they cost one another, and lines that are sent because time has passed."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.common import clock
from games.models import Game, Player
from games.play import services as play_services
from games.visibility import presence
from replays.stream import game_tail
from replays.stream import hub as stream_hub
from replays.stream.connections import ENDED_ACCESS, Credentials
from replays.stream.game_tail import NDJSON, SSE, Ticket
from replays.stream.player_feed import Watcher
from scorebook_games.gamelog import visibility
from tests.replays.stream.test_stream import in_a_thread, play
from tests.servers.web import WAIT_TIMEOUT

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> stream_hub.Hub:
    """Provide the hub of a web process in this process, with short intervals."""
    monkeypatch.setattr(stream_hub, "TICK_SECONDS", 0.02)
    monkeypatch.setattr(stream_hub, "hub", stream_hub.Hub())
    return stream_hub.hub


@pytest.fixture
def people() -> list[Player]:
    return [Player.objects.create(name=name, user=User.objects.create_user(name)) for name in ("martha", "laura")]


@pytest.fixture
def game(people: list[Player]) -> Game:
    return play_services.open_game(kind="chinese_ten", players=people)


def ticket(game: Game, viewer: visibility.Viewpoint = visibility.PUBLIC, **more: Any) -> Ticket:
    return Ticket(game, viewer, 0, NDJSON, {}, plays=viewer is not visibility.PUBLIC, **more)


def in_the_process(hub: stream_hub.Hub, work: Callable[[], Any]) -> None:
    """Run `work` in an event loop, and stop the hub afterwards."""

    async def worked() -> None:
        try:
            async with asyncio.timeout(WAIT_TIMEOUT):
                await work()
        finally:
            await hub.stop()
            while hub.readings:
                await asyncio.gather(*hub.readings, return_exceptions=True)

    asyncio.run(worked())
    hub.threads.shutdown()
    hub.reader.shutdown()


async def until(lines: AsyncGenerator[bytes], wanted: Callable[[bytes], bool]) -> list[bytes]:
    """Return the lines up to the first that is wanted."""
    had = []
    async for each in lines:
        had.append(each)
        if wanted(each):
            break
    return had


def has_version(version: int) -> Callable[[bytes], bool]:
    return lambda made: f'"type":"event","version":{version},'.encode() in made


def is_sign_of_life(made: bytes) -> bool:
    return not made.strip()


def test_who_comes_at_the_same_moment_as_others_shares_their_reading(
    hub: stream_hub.Hub, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each watcher needs a reading of the log after its arrival. Two readings are enough for all fifty."""
    looks = []
    news = game_tail.read_news

    def looked(known: Any, *feeds: Any, **options: Any) -> Any:
        looks.append(known)
        return news(known, *feeds, **options)

    monkeypatch.setattr(stream_hub, "read_news", looked)

    async def come() -> None:
        watching = [hub.watch(ticket(game)) for _ in range(50)]
        had = await asyncio.gather(*(until(each, has_version(game.version)) for each in watching))
        assert len({b"".join(each) for each in had}) == 1
        assert len(looks) <= 2
        for each in watching:
            await each.aclose()

    in_the_process(hub, come)


def test_lines_are_made_once_for_all_who_see_the_same(
    hub: stream_hub.Hub, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line is made once for each kind of viewer, not for each viewer."""
    made = []
    event_line = game_tail.event_line

    def noted(fold: Any, entry: Any, viewer: visibility.Viewpoint) -> Any:
        made.append((entry.version, viewer))
        return event_line(fold, entry, viewer)

    monkeypatch.setattr(game_tail, "event_line", noted)
    last = game.version + 1

    async def come() -> None:
        watching = [hub.watch(ticket(game, viewer)) for viewer in (visibility.PUBLIC, visibility.PUBLIC, 0)]
        for each in watching:
            await until(each, has_version(last - 1))
        await in_a_thread(play, game, 1)
        one, other, own = [(await until(each, has_version(last)))[-1] for each in watching]
        assert one == other != own
        for each in watching:
            await each.aclose()

    in_the_process(hub, come)
    assert len(made) == len(set(made))
    assert {(last, visibility.PUBLIC), (last, 0)} <= set(made)


def test_who_takes_nothing_is_let_go_with_the_reason_and_holds_up_nobody(
    hub: stream_hub.Hub, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, sent = asyncio.Event(), []

    async def send(message: Any) -> None:
        """Take the head and the first line, and then wait until the test ends, like a client that does not read."""
        sent.append(message)
        if len(sent) == 3:
            stuck.set()
            await asyncio.Event().wait()

    async def stays() -> Any:
        await asyncio.Event().wait()

    scope = {
        "type": "http",
        "method": "GET",
        "path": f"/api/v1/games/{game.public_id}/events/",
        "query_string": b"",
        "headers": [(b"accept", SSE.encode())],
        "client": ("192.0.2.1", 4711),
    }

    async def come() -> None:
        slow = asyncio.create_task(stream_hub.stream_application(scope, stays, send))
        await stuck.wait()
        quick = hub.watch(ticket(game))
        await until(quick, has_version(game.version))
        new = has_version(game.version + 3)
        await in_a_thread(play, game, 3)
        await until(quick, new)
        assert not slow.done()
        monkeypatch.setattr(stream_hub, "STALLED_SECONDS", 0)  # as after half a minute
        await slow
        assert b'"why":"slow"' in sent[-1]["body"]
        assert not sent[-1]["more_body"]
        assert (hub.open.streams, hub.open.pending_sends) == ({}, {})
        await quick.aclose()

    in_the_process(hub, come)


def test_whoever_waits_for_long_has_signs_of_life(
    hub: stream_hub.Hub, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Watchers and bots get an empty line, players the state of the table (docs/reference/api-games.md)."""
    monkeypatch.setattr(stream_hub, "KEEP_ALIVE_SECONDS", 0.05)

    async def come() -> None:
        watching, playing, asking = (
            hub.watch(ticket(game)),
            hub.watch(ticket(game, 0)),
            hub.watch_as_bot(ticket(game, 1)),
        )
        for lines in (watching, asking):
            for _twice in range(2):
                assert (await until(lines, is_sign_of_life))[-1] == b"\n"
        await until(playing, has_version(game.version))
        for _twice in range(2):
            assert json.loads((await until(playing, lambda made: b'"state"' in made))[-1])["events"] == game.version
        for each in (watching, playing, asking):
            await each.aclose()

    in_the_process(hub, come)


def test_the_feed_of_a_player_has_signs_of_life_though_it_looks_again_more_often(
    hub: stream_hub.Hub, people: list[Player]
) -> None:
    hub.lists.patience = 0.2

    async def look_again() -> None:
        while True:
            await asyncio.sleep(0.05)
            hub.lists.wake_all()

    async def come() -> None:
        looking = asyncio.create_task(look_again())
        assert people[0].user
        lines = hub.lists.watch(Watcher(people[0].user, people[0], NDJSON))
        for _twice in range(2):
            assert (await until(lines, is_sign_of_life))[-1] == b"\n"
        await lines.aclose()
        looking.cancel()

    in_the_process(hub, come)


def test_a_process_that_begins_to_listen_ends_what_was_over_before(
    hub: stream_hub.Hub, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note that was sent before the process listened is lost."""
    monkeypatch.setattr(stream_hub, "POLL_SECONDS", WAIT_TIMEOUT)
    assert people[0].user
    watcher = Watcher(people[0].user, people[0], NDJSON, by=Credentials("person 1", ("session gone",)))

    async def come() -> None:
        with hub.open.registered(watcher) as over:
            hub.start()
            assert await over == ENDED_ACCESS

    in_the_process(hub, come)


def test_what_is_shown_with_a_delay_comes_when_it_is_over_though_nothing_happens_then(
    hub: stream_hub.Hub, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the term `watch_delay` the public sees an event later, and the players at once."""
    game = play_services.open_game(kind="chinese_ten", players=people, terms={"watch_delay": 60})
    opened = clock.now()
    monkeypatch.setattr(clock, "now", lambda: opened + timedelta(seconds=1))
    monkeypatch.setattr(stream_hub, "KEEP_ALIVE_SECONDS", 0.05)

    async def come() -> None:
        public, own = hub.watch(ticket(game)), hub.watch(ticket(game, 0))
        await until(own, has_version(game.version))
        opening, *signs = await until(public, is_sign_of_life)
        assert json.loads(opening)["version"] == 0
        assert signs == [b"\n"]
        monkeypatch.setattr(clock, "now", lambda: opened + timedelta(seconds=62))
        await until(public, has_version(game.version))
        for each in (public, own):
            await each.aclose()

    in_the_process(hub, come)


def test_who_returns_before_an_earlier_arrival_is_stored_is_present(
    hub: stream_hub.Hub, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written late of a visit that is over does not remove who has come back since."""
    begun, may_end = threading.Event(), threading.Event()
    record = presence.record_arrival

    def recorded(*arrival: Any) -> None:
        first = not begun.is_set()
        begun.set()
        if first:
            may_end.wait(WAIT_TIMEOUT)
        record(*arrival)

    monkeypatch.setattr(presence, "record_arrival", recorded)

    async def come() -> None:
        first, second = hub.watch(ticket(game, 0)), hub.watch(ticket(game, 0))
        visit = asyncio.create_task(anext(first))
        await in_a_thread(begun.wait, WAIT_TIMEOUT)
        visit.cancel()
        await asyncio.gather(visit, return_exceptions=True)
        again = asyncio.create_task(anext(second))
        await asyncio.sleep(0)  # now it is registered
        may_end.set()
        await again
        while hub.readings:
            await asyncio.gather(*hub.readings)
        assert await in_a_thread(presence.present_seats, game) == [0]
        await second.aclose()

    in_the_process(hub, come)
