"""Streams with frames bring all that a page shows: made once for all who see the same, and never what they may not."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from games.common import clock
from games.eventlog import store as eventlog
from games.models import Game, Player
from games.play import offers
from games.play import services as play_services
from games.play.turn import turn_of
from replays.frames import frame_cache
from replays.stream import game_tail
from replays.stream import hub as stream_hub
from replays.stream.game_tail import NDJSON, GameTail, Ticket, read_news
from scorebook_games.frames.replay import FrameBuilder, frames
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import RecordedEvent, events_of
from tests.replays.stream.test_many_watchers import game, hub, in_the_process, people, until
from tests.replays.stream.test_stream import in_a_thread, play
from tests.servers.web import WAIT_TIMEOUT

__all__ = ["game", "hub", "people"]  # fixtures

pytestmark = pytest.mark.django_db(transaction=True)

PUBLIC = visibility.PUBLIC


def ticket(game: Game, viewer: visibility.Viewpoint, since: int = 0, language: str = "en", **more: Any) -> Ticket:
    plays = isinstance(viewer, int)
    return Ticket(game, viewer, since, NDJSON, {}, plays=plays, frames=True, language=language, **more)


def lines_of(had: list[bytes]) -> list[dict[str, Any]]:
    return [json.loads(text) for made in had for text in made.splitlines() if text]


def at_version(version: int) -> Callable[[bytes], bool]:
    return lambda made: any(line["type"] == "frames" and line["version"] == version for line in lines_of([made]))


async def frames_to(lines: AsyncGenerator[bytes], version: int) -> dict[str, Any]:
    """Return the last line of frames, which has this version."""
    found: dict[str, Any] = lines_of(await until(lines, at_version(version)))[-1]
    return found


def looked_at(game: Game, *tickets: Ticket) -> GameTail:
    """Return the game's tail as these watchers have it, without a process around it."""
    tail = GameTail(game)
    for each in tickets:
        tail.join(each)
        tail.players[each.viewer] += each.plays  # type: ignore[index]
    tail.take(read_news(tail, list(tail.feeds.values()), stirred=tail.stirred), stirred=True)
    return tail


def line_of(tail: GameTail, watcher: Ticket, since: int) -> dict[str, Any]:
    feed = tail.feeds[watcher.feed]
    line: dict[str, Any] = json.loads(feed.line(NDJSON, tail, since, turn=watcher.plays))
    return line


def browser_of(player: Player) -> Client:
    client = Client()
    assert player.user
    client.force_login(player.user)
    return client


@pytest.mark.parametrize("viewer", [PUBLIC, 0, 1])
def test_a_line_has_the_frames_and_the_turn_that_the_replay_has_since_then(
    game: Game, people: list[Player], viewer: visibility.Viewpoint
) -> None:
    play(game, 3)
    since = game.version - 3
    watcher = ticket(game, viewer, since)
    line = line_of(looked_at(game, watcher), watcher, since)
    client = Client() if viewer is PUBLIC else browser_of(people[viewer])  # type: ignore[index]
    replay = client.get(f"/api/v1/games/{game.public_id}/replay/?since={since}").json()
    assert line["since"] == since
    assert {name: line[name] for name in ("version", "frames", "scores", "items")} == {
        name: replay[name] for name in ("version", "frames", "scores", "items")
    }
    assert (line.get("turn") or {}).get("legal") == (replay["turn"] or {}).get("legal")


def test_frames_and_turn_are_made_once_for_all_who_see_the_same(
    hub: stream_hub.Hub, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each event costs one reading and a frame for each viewpoint, however many watch."""
    made, turns, looks = list[tuple[int, Any]](), list[int](), list[int]()
    add_event, look = FrameBuilder.add_event, game_tail.read_news

    def added(builder: FrameBuilder, entry: RecordedEvent) -> None:
        made.append((entry.version, builder.viewer))
        add_event(builder, entry)

    def turned(unit: Any, seat: int, **known: Any) -> dict[str, Any]:
        turns.append(seat)
        return turn_of(unit, seat, **known)

    def read(tail: GameTail, *feeds: Any, **options: Any) -> Any:
        with CaptureQueriesContext(connection) as asked:
            found = look(tail, *feeds, **options)
        looks.append(len(asked))
        return found

    monkeypatch.setattr(FrameBuilder, "add_event", added)
    monkeypatch.setattr(game_tail, "turn_of", turned)
    monkeypatch.setattr(stream_hub, "read_news", read)
    first = game.version
    game.refresh_from_db()
    mover = game.to_act[0]

    async def come() -> None:
        viewers = [PUBLIC] * 20 + [mover] * 3
        watching = [hub.watch(ticket(game, viewer)) for viewer in viewers]
        for each in watching:
            await frames_to(each, first)
        while hub.readings:
            await asyncio.gather(*hub.readings)
        for noted in (made, turns, looks):
            noted.clear()
        await in_a_thread(play, game, 1)
        had = [await frames_to(each, game.version) for each in watching]
        assert len({json.dumps(line) for line in had[:20]}) == 1
        assert len({json.dumps(line) for line in had[20:]}) == 1
        assert {line["turn"]["version"] for line in had[20:]} == {game.version}
        assert sorted(made, key=str) == sorted(
            [(version, viewer) for version in range(first + 1, game.version + 1) for viewer in (PUBLIC, mover)], key=str
        )
        assert turns == [mover]
        assert [count <= 4 for count in looks] == [True]
        for each in watching:
            await each.aclose()

    in_the_process(hub, come)


def test_a_watcher_gets_the_clocks_after_the_last_frame_unless_they_watch_late(people: list[Player]) -> None:
    for delay, kinds in ((0, "live"), (60, None)):
        game = play_services.open_game(
            kind="chinese_ten", players=people, terms={"move_seconds": 30, "watch_delay": delay}
        )
        play(game, 1)
        watcher = ticket(game, PUBLIC)
        line = line_of(looked_at(game, watcher), watcher, 0)
        assert line.get("clock", {}).get("kind") == kinds


def test_a_feed_stores_few_lines_whatever_versions_watchers_name(game: Game) -> None:
    play(game, 12)
    watcher = ticket(game, PUBLIC)
    tail = looked_at(game, watcher)
    lines = [line_of(tail, watcher, since)["since"] for since in range(game.version)]
    assert lines == list(range(game.version))
    assert game.version > game_tail.MAX_STORED_LINES >= len(tail.feeds[watcher.feed]._lines)


def test_a_line_calls_a_player_what_they_are_called_now(game: Game, people: list[Player]) -> None:
    play(game, 2)
    watcher = ticket(game, PUBLIC)
    tail = looked_at(game, watcher)
    assert "martha" in json.dumps(line_of(tail, watcher, 0))
    Player.objects.filter(pk=people[0].pk).update(name="Former player")
    tail.take(read_news(tail, list(tail.feeds.values())), stirred=False)
    line = json.dumps(line_of(tail, watcher, 0))
    assert "Former player" in line
    assert "martha" not in line


def test_the_first_watcher_of_a_long_game_delays_no_event_of_others(
    hub: stream_hub.Hub, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has happened so far is told to them in another thread than the one that reads events."""
    monkeypatch.setattr(game_tail, "MAX_EVENTS_UNPREPARED", 0)
    prepare, begun, may_end = game_tail.TailFeed.prepare, threading.Event(), threading.Event()

    def prepared(feed: game_tail.TailFeed, *known: Any, **options: Any) -> None:
        prepare(feed, *known, **options)
        if feed.language == "de":
            begun.set()
            assert may_end.wait(WAIT_TIMEOUT)

    monkeypatch.setattr(game_tail.TailFeed, "prepare", prepared)

    async def come() -> None:
        public, late = hub.watch(ticket(game, PUBLIC)), hub.watch(ticket(game, PUBLIC, language="de"))
        await frames_to(public, game.version)
        coming = asyncio.create_task(until(late, lambda made: b'"type":"frames"' in made))
        await asyncio.to_thread(begun.wait, WAIT_TIMEOUT)
        await in_a_thread(play, game, 1)
        await frames_to(public, game.version)
        assert not coming.done()
        may_end.set()
        assert lines_of(await coming)[-1]["version"] == game.version
        await asyncio.gather(public.aclose(), late.aclose())

    in_the_process(hub, come)


def test_who_leaves_while_they_arrive_stops_no_frames_of_others(
    hub: stream_hub.Hub, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The frames of both are made anew, because the one who leaves asked for older ones."""
    monkeypatch.setattr(game_tail, "MAX_EVENTS_UNPREPARED", 0)
    play(game, 2)

    async def leave(*_watcher: Any) -> None:
        raise OperationalError

    async def come() -> None:
        staying = hub.watch(ticket(game, PUBLIC, game.version - 1))
        await frames_to(staying, game.version)
        monkeypatch.setattr(hub, "arrive", leave)
        with pytest.raises(OperationalError):
            await anext(hub.watch(ticket(game, PUBLIC)))
        await in_a_thread(play, game, 1)
        await frames_to(staying, game.version)
        await staying.aclose()

    in_the_process(hub, come)


def test_each_watcher_has_the_words_of_their_own_language(game: Game) -> None:
    play(game, 1)
    english, german = ticket(game, 0, language="en"), ticket(game, 0, language="de")
    with translation.override("de"):  # of the request that happens to cause the reading
        tail = looked_at(game, english, german)
        lines = [line_of(tail, each, 0) for each in (english, german)]
    words = [line["frames"][-1]["words"] for line in lines]
    assert words[0] != words[1]
    entries = eventlog.read_events(game.stream_id)
    for line, language in zip(lines, ("en", "de"), strict=True):
        with translation.override(language):
            assert line["frames"][-1]["parts"] == frames(entries, 0)[-1].parts


def test_who_comes_back_goes_on_from_the_version_that_they_have(hub: stream_hub.Hub, game: Game) -> None:
    """Also from an older one than those who watch have, and without a frame twice."""
    play(game, 2)

    async def come() -> None:
        late = hub.watch(ticket(game, 0, game.version - 1))
        first = await frames_to(late, game.version)
        assert first["since"] == game.version - 1
        early = hub.watch(ticket(game, 0, 1))
        whole = await frames_to(early, game.version)
        assert (whole["since"], whole["frames"][-1]) == (1, first["frames"][-1])
        known = game.version
        await in_a_thread(play, game, 1)
        for each in (late, early):
            following = await frames_to(each, game.version)
            assert following["since"] == known
            assert all(frame["version"] > known for frame in following["frames"])
            await each.aclose()

    in_the_process(hub, come)


def test_who_changes_their_language_goes_on_in_it_from_where_they_are(hub: stream_hub.Hub, game: Game) -> None:
    """The stream that was open in the old one is closed by the page."""
    play(game, 2)

    async def come() -> None:
        before = hub.watch(ticket(game, 0, 0))
        known = (await frames_to(before, game.version))["version"]
        await before.aclose()
        after = hub.watch(ticket(game, 0, known, language="de"))
        await in_a_thread(play, game, 1)
        line = await frames_to(after, game.version)
        assert line["since"] == known
        with translation.override("de"):
            events = frames(await in_a_thread(eventlog.read_events, game.stream_id), 0)
        assert [frame["parts"] for frame in line["frames"]] == [each.parts for each in events if each.version > known]
        await after.aclose()

    in_the_process(hub, come)


def test_a_player_who_loses_their_seat_is_told_so_and_gets_no_frame_of_what_follows(
    hub: stream_hub.Hub, people: list[Player]
) -> None:
    """Even if the house's bot goes on at once, and the public sees that."""
    third = Player.objects.create(name="otto")
    game = play_services.open_game(kind="plates", players=[*people, third], terms={"leaver": "built_in_bot"})

    async def come() -> None:
        own, public = hub.watch(ticket(game, 1)), hub.watch(ticket(game, PUBLIC))
        await frames_to(own, game.version)
        await in_a_thread(lambda: play_services.leave_game(game=game, seat=1, how="resigned"))
        left = game.version
        await in_a_thread(play, game, 2)
        await frames_to(public, game.version)
        had = lines_of([line async for line in own])
        assert had[-1] == {"type": "end", "why": "left"}
        assert all(line["version"] <= left < game.version for line in had if line["type"] == "frames")
        await public.aclose()

    in_the_process(hub, come)


def test_what_is_no_event_comes_with_the_turn_of_each_player(hub: stream_hub.Hub, game: Game) -> None:
    """An offer to abort is an event; a wish for a rematch is none, and comes after the end."""
    play(game, 400)
    game.refresh_from_db()

    async def come() -> None:
        staying = hub.watch(ticket(game, 0, game.version, stays=True))
        await until(staying, lambda made: b'"type":"over"' in made)
        await in_a_thread(lambda: offers.offer_rematch(game=game, seat=1))
        found = await until(staying, lambda made: b'"rematch","by":[1]' in made)
        [line] = lines_of(found[-1:])
        assert (line["type"], line["turn"]["offers"]) == ("state", [{"what": "rematch", "by": [1], "declined": []}])
        await staying.aclose()

    in_the_process(hub, come)


@pytest.mark.slow
def test_a_turn_whose_reading_fails_comes_with_the_next_look(
    hub: stream_hub.Hub, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_hub, "POLL_SECONDS", 0.1)
    play(game, 400)
    game.refresh_from_db()
    look, failing = game_tail.read_news, list[Exception]()

    def read(*known: Any, **options: Any) -> Any:
        if failing:
            raise failing.pop()
        return look(*known, **options)

    monkeypatch.setattr(stream_hub, "read_news", read)

    async def come() -> None:
        staying = hub.watch(ticket(game, 0, game.version, stays=True))
        await until(staying, lambda made: b'"type":"over"' in made)
        failing.append(OperationalError("The database is away."))
        await in_a_thread(lambda: offers.offer_rematch(game=game, seat=1))
        await until(staying, lambda made: b'"rematch","by":[1]' in made)
        assert failing == []
        await staying.aclose()

    in_the_process(hub, come)


def test_a_lost_word_of_an_event_delays_its_frames_and_loses_none(
    hub: stream_hub.Hub, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is when a process is killed between its commit and its word of it."""
    monkeypatch.setattr(stream_hub, "POLL_SECONDS", 0.1)
    monkeypatch.setattr(eventlog, "_notify", lambda _payloads: None)

    async def come() -> None:
        watching = hub.watch(ticket(game, 0, game.version))
        await anext(watching)
        known = game.version
        await in_a_thread(play, game, 1)
        line = await frames_to(watching, game.version)
        assert (line["since"], line["turn"]["version"]) == (known, game.version)
        await watching.aclose()

    in_the_process(hub, come)


def test_a_delayed_public_gets_frames_when_their_time_has_come(
    hub: stream_hub.Hub, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = play_services.open_game(kind="chinese_ten", players=people, terms={"watch_delay": 60})
    opened = clock.now()
    monkeypatch.setattr(clock, "now", lambda: opened + timedelta(seconds=1))
    tail = looked_at(game, ticket(game, PUBLIC), ticket(game, 0))
    assert [feed.version for feed in tail.feeds.values()] == [0, game.version]

    async def come() -> None:
        public = hub.watch(ticket(game, PUBLIC))
        await anext(public)
        monkeypatch.setattr(clock, "now", lambda: opened + timedelta(seconds=62))
        await frames_to(public, game.version)
        await public.aclose()

    in_the_process(hub, come)


def test_a_seat_that_leaves_a_game_that_goes_on_gets_no_frame_of_what_follows(people: list[Player]) -> None:
    third = Player.objects.create(name="otto")
    game = play_services.open_game(kind="plates", players=[*people, third], terms={"leaver": "built_in_bot"})
    watcher = ticket(game, 1)
    play_services.leave_game(game=game, seat=1, how="resigned")
    play(game, 2)
    tail = looked_at(game, watcher)
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    left = 1 + next(place for place, event in enumerate(events) if event[0] == ev.LEFT)
    feed = tail.feeds[watcher.feed]
    assert (feed.version, feed.has_left, feed.turn) == (left, True, None)
    assert line_of(tail, watcher, 0)["frames"][-1]["version"] == left < game.version


def test_frames_that_cannot_be_made_end_the_streams_that_show_them_and_no_others(
    hub: stream_hub.Hub, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next stream begins with new ones."""
    add_event = FrameBuilder.add_event
    broken = [True]

    def failing(builder: FrameBuilder, entry: RecordedEvent) -> None:
        if broken and builder.viewer == 0:
            raise ValueError("The presentation has a fault.")
        add_event(builder, entry)

    async def come() -> None:
        own, public = hub.watch(ticket(game, 0, game.version)), hub.watch(ticket(game, PUBLIC, game.version))
        for each in (own, public):
            await anext(each)
        monkeypatch.setattr(FrameBuilder, "add_event", failing)
        await in_a_thread(play, game, 1)
        await frames_to(public, game.version)
        with pytest.raises(RuntimeError, match="cannot be made"):
            await until(own, lambda _made: False)
        broken.clear()
        again = hub.watch(ticket(game, 0, 0))
        await frames_to(again, game.version)
        for each in (again, public):
            await each.aclose()

    in_the_process(hub, come)


def post_move(game: Game, people: list[Player], key: str) -> dict[str, Any]:
    fold = play_services.load_game(game)
    seat = fold.to_act()[0]
    body = {"move": visibility.legal_moves(fold, seat)[0], "expected_version": fold.version}
    body |= {"frames": True, "idempotency_key": key}
    answer = browser_of(people[seat]).post(f"/api/v1/games/{game.public_id}/moves/", body, "application/json")
    assert answer.status_code == 201, answer.content
    found: dict[str, Any] = answer.json()
    return {**found, "seat": seat, "known": fold.version, "body": body}


def test_the_answer_to_a_move_has_what_the_stream_brings(game: Game, people: list[Player]) -> None:
    """So the mover's page asks for nothing. Sent twice, the move is played once, and its answer is the same."""
    for number in range(3):
        made = post_move(game, people, f"move {number}")
        watcher = ticket(game, made["seat"], made["known"])
        line = line_of(looked_at(game, watcher), watcher, made["known"])
        names = ("since", "version", "frames", "scores", "items")
        assert {name: made[name] for name in names} == {name: line[name] for name in names}
        assert made["turn"]["legal"] == line["turn"]["legal"]
    address = f"/api/v1/games/{game.public_id}/moves/"
    again = browser_of(people[made["seat"]]).post(address, made["body"], "application/json").json()
    assert again == {name: made[name] for name in again}
    game.refresh_from_db()
    assert game.version == made["version"]


def test_a_move_whose_frames_cannot_be_made_is_played_and_answered_without_them(
    game: Game, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_builder: FrameBuilder, _entry: RecordedEvent) -> None:
        raise ValueError("The presentation has a fault.")

    monkeypatch.setattr(FrameBuilder, "add_event", failing)
    made = post_move(game, people, "a move")
    game.refresh_from_db()
    assert "frames" not in made
    assert made["turn"]["version"] == made["version"] == game.version


def test_nothing_is_kept_of_a_move_that_was_rolled_back(game: Game, people: list[Player]) -> None:
    """Another move may be the next one: its frames are its own."""
    play(game, 2)
    fold = play_services.load_game(game)
    seat = fold.to_act()[0]
    first, second, *_more = visibility.legal_moves(fold, seat)
    found = []
    for text in (first, second):
        with transaction.atomic():
            moved = play_services.play_move(game=game, seat=seat, text=text, expected_version=fold.version)
            entries = events_of(moved.unit.log)
            found.append(frame_cache.frames_of_move(game.stream_id, entries, seat, fold.version))
            assert found[-1] == [frame for frame in frames(entries, seat) if frame.version > fold.version]
            transaction.set_rollback(True)
        game.refresh_from_db()
    assert found[0] != found[1]


def test_a_checkpoint_is_not_changed_by_what_goes_on_from_it(people: list[Player]) -> None:
    """Two readers may go on from one checkpoint: who has left is counted once in each."""
    third = Player.objects.create(name="otto")
    game = play_services.open_game(kind="plates", players=[*people, third], terms={"leaver": "built_in_bot"})
    builder = FrameBuilder(eventlog.read_events(game.stream_id)[0], PUBLIC)
    play_services.leave_game(game=game, seat=1, how="resigned")
    for _reader in range(2):
        twin = builder.fork()
        for entry in eventlog.read_events(game.stream_id)[1:]:
            twin.add_event(entry)
        assert twin.fold.left == [1]
    assert builder.fold.left == []
