"""Live games over real sockets, with a separate web process and its watchers."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

import httpx
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from games.models import Deal, Game, Player
from games.play import beats, offers
from games.play import services as play_services
from games.play.turn import turn_of
from games.talk.rooms import find_room
from games.talk.services import write_message
from games.visibility import presence
from scorebook_games.gamelog import visibility
from tests.servers.web import WAIT_TIMEOUT, ForkedWeb, Web, forked_web
from tournaments.maintenance.demo import built_in_bot_player

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]  # watchers wait for events

T = TypeVar("T")
WATCHERS = 300
STREAM = "text/event-stream"
LINES = "application/x-ndjson"


@pytest.fixture
def martha() -> Player:
    return Player.objects.create(name="Martha", user=User.objects.create_user("martha"))


@pytest.fixture
def game(martha: Player) -> Game:
    """Return a game of Chinese Ten between Martha, who is to move, and Laura."""
    laura = Player.objects.create(name="Laura", user=User.objects.create_user("laura"))
    return play_services.open_game(
        kind="chinese_ten", players=[martha, laura], deal=Deal.objects.create(seed=bytes(range(32)))
    )


def play(game: Game, moves: int) -> None:
    """Play at most so many first legal moves, or to the end of the game."""
    for _ in range(moves):
        fold = play_services.load_game(game)
        if not fold.to_act():
            return
        seat = fold.to_act()[0]
        play_services.play_move(
            game=game, seat=seat, text=visibility.legal_moves(fold, seat)[0], expected_version=fold.version
        )


def read(web: Web, game: Game, until: int | None, *, accept: str = LINES, **headers: str) -> list[dict[str, Any]]:
    """Return the lines of a stream up to version `until`, or to its end."""
    lines: list[dict[str, Any]] = []
    address = f"{web.address}/api/v1/games/{game.public_id}/events/"
    with httpx.stream("GET", address, headers={"Accept": accept, **headers}, timeout=WAIT_TIMEOUT) as response:
        assert response.headers["content-type"].startswith(accept)
        assert response.headers["access-control-allow-origin"] == "*"  # pages of other sites may watch
        for text in response.iter_lines():
            payload = text.removeprefix("data: ") if accept == STREAM else text
            if not payload.startswith("{"):
                continue
            lines.append(json.loads(payload))
            if until is not None and lines[-1].get("version", 0) >= until:
                break
    return lines


def backends() -> set[int]:
    """Return the pids of the database's processes, without those of this test, of the listener to games, and of
    PostgreSQL itself."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend' AND query NOT ILIKE 'listen%'"
        )
        return {pid for (pid,) in cursor.fetchall()}


def connections() -> int:
    """Return the number of connections to this test's database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_type = 'client backend'"
        )
        return int(cursor.fetchone()[0])


ASKED = 16


def ask_often(web: Web, game: Game) -> list[int]:
    """Send many requests, eight at a time, and return the status of each answer."""
    address = f"{web.address}/api/v1/games/{game.public_id}/"
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda _: httpx.get(address, timeout=WAIT_TIMEOUT).status_code, range(ASKED)))


@pytest.mark.slow
def test_requests_share_the_few_connections_that_a_web_process_keeps(web: Web, game: Game) -> None:
    assert ask_often(web, game) == [200] * ASKED
    kept = backends()
    assert len(kept) <= 3
    assert ask_often(web, game) == [200] * ASKED
    assert kept & backends(), "Those that were there are used again."


@pytest.mark.slow
def test_connections_that_broke_while_nobody_had_them_cost_no_request_an_error(web: Web, game: Game) -> None:
    """This is what happens when the database restarts at night."""
    assert ask_often(web, game) == [200] * ASKED
    broken = backends()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s) AS pid", [list(broken)])
    assert ask_often(web, game) == [200] * ASKED
    assert not broken & backends()


async def in_a_thread(work: Callable[..., T], *arguments: Any) -> T:
    """Call `work`, which uses the database, in a thread beside the event loop, and close the thread's connection
    afterwards."""

    def worked() -> T:
        try:
            return work(*arguments)
        finally:
            connection.close()

    return await asyncio.to_thread(worked)


def test_the_first_line_stands_by_itself_and_no_version_is_missing(web: Web, game: Game) -> None:
    play(game, 3)

    opening, *events = read(web, game, until=play_services.load_game(game).version)

    assert opening["type"] == "game"
    assert [seat["name"] for seat in opening["game"]["seats"]] == ["Martha", "Laura"]
    assert [event["version"] for event in events] == list(range(1, len(events) + 1))
    assert all(event["observation"]["version"] == event["version"] for event in events)


def test_clocks_come_with_the_first_line_and_with_every_new_event(web: Web, game: Game) -> None:
    players = [seat.player for seat in game.seats.all()]
    timed = play_services.open_game(
        kind="chinese_ten", players=players, terms={"move_seconds": 600, "bank_seconds": 60}
    )
    opening, *_ = read(web, timed, until=timed.version)
    first = opening["game"]["clock"]
    assert (first["kind"], first["deadline"]) == ("live", first["seats"][0]["deadline"])
    assert [each["running"] for each in first["seats"]] == [True, False]

    play(timed, 1)
    *_, last = read(web, timed, until=timed.version)
    assert [each["bank_ms"] for each in last["clock"]["seats"]] == [60_000, 60_000]
    assert last["clock"]["deadline"] > first["deadline"]
    assert "clock" not in read(web, game, until=game.version)[-1]


def test_a_stream_goes_on_from_the_last_event_that_a_browser_had(web: Web, game: Game) -> None:
    play(game, 5)
    version = play_services.load_game(game).version
    whole = read(web, game, version, accept=STREAM)

    resumed = read(web, game, version, accept=STREAM, **{"Last-Event-ID": "4"})

    assert resumed[0]["version"] == 4
    assert resumed[0]["observation"] == whole[4]["observation"]
    assert resumed[1:] == whole[5:]


def test_the_end_of_the_game_ends_the_stream(web: Web, game: Game) -> None:
    play(game, 500)

    lines = read(web, game, until=None)

    game.refresh_from_db()
    assert game.status == "finished"
    assert lines[-1] == {"type": "over", "version": game.version, "status": "finished", "outcome": game.outcome}


def test_a_player_is_sent_their_own_hand_and_the_public_none(web: Web, game: Game, martha: Player) -> None:
    client = Client()
    assert martha.user
    client.force_login(martha.user)
    cookie = f"sessionid={client.cookies['sessionid'].value}"

    for viewpoint, headers in {"0": {"Cookie": cookie}, "public": {}}.items():
        opening, *events = read(web, game, game.version, **headers)
        shown = [event["event"] for event in events if event["type"] == "event"]
        dealt = next(event for event in shown if event["type"] == "dealt")
        assert opening["viewpoint"] == viewpoint
        assert all(dealt["hands"][0]) is (viewpoint == "0")
        assert not any(dealt["hands"][1])


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("NOTHERE0/events/", 404, "game_not_found"),
        ("{game}/events/?viewpoint=1", 403, "not_your_viewpoint"),
        ("{game}/events/?viewpoint=moon", 400, "bad_viewpoint"),
        ("{game}/events/?since=soon", 400, "bad_version"),
        (f"{{game}}/events/?since={'9' * 5000}", 400, "bad_version"),
    ],
)
def test_a_stream_that_cannot_be_had_says_why(web: Web, game: Game, path: str, status: int, code: str) -> None:
    address = f"{web.address}/api/v1/games/{path.format(game=game.public_id)}"

    response = httpx.get(address, headers={"Accept": STREAM}, timeout=WAIT_TIMEOUT)

    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


async def watch(web: Web, game: Game, connected: asyncio.Semaphore, until: int) -> list[int]:
    """Watch a game up to version `until`, and return the received versions. It releases `connected` when it is
    connected."""
    reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
    path = f"/api/v1/games/{game.public_id}/events/"
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: {STREAM}\r\n\r\n".encode())
    versions: list[int] = []
    while not versions or versions[-1] < until:
        line = await reader.readline()
        if not line:
            break
        if line.startswith(b"event: game"):
            connected.release()
        if line.startswith(b"id: "):
            versions.append(int(line[4:]))
    writer.close()
    return versions


def test_three_hundred_watchers_cost_three_connections_and_miss_nothing(web: Web, game: Game) -> None:
    """A watcher uses no thread and no database connection (docs/reference/api-games.md, Live)."""
    before = connections()
    moves, target = 6, game.version + 6  # each move appends at least one event

    async def all_watch() -> tuple[list[list[int]], int]:
        connected = asyncio.Semaphore(0)
        watching = [asyncio.create_task(watch(web, game, connected, target)) for _ in range(WATCHERS)]
        for _ in range(WATCHERS):
            await connected.acquire()
        grown = await in_a_thread(connections) - 1  # without the connection that counts
        await in_a_thread(play, game, moves)
        return await asyncio.gather(*watching), grown - before

    seen, growth = asyncio.run(asyncio.wait_for(all_watch(), WAIT_TIMEOUT))

    assert len(seen) == WATCHERS
    assert all(versions[:target] == list(range(1, target + 1)) for versions in seen)
    assert growth <= 3


def test_ctrl_c_ends_a_watched_web_process_within_five_seconds(game: Game) -> None:
    async def interrupted(web: ForkedWeb) -> None:
        connected = asyncio.Semaphore(0)
        watching = [asyncio.create_task(watch(web, game, connected, 10**6)) for _ in range(20)]
        for _ in range(20):
            await connected.acquire()
        assert web.process.pid
        os.kill(web.process.pid, signal.SIGINT)
        await asyncio.to_thread(web.process.join, 5)
        for task in watching:
            task.cancel()

    with forked_web() as web:
        asyncio.run(asyncio.wait_for(interrupted(web), WAIT_TIMEOUT))
        assert web.process.exitcode is not None


def states(
    web: Web, game: Game, headers: dict[str, str], act: Callable[[], object], query: str = ""
) -> list[dict[str, Any]]:
    """Return the `state` lines of a stream up to the first after `act`, or up to an event. `act` is called when the
    stream begins."""
    address = f"{web.address}/api/v1/games/{game.public_id}/events/?since={game.version}{query}"
    found: list[dict[str, Any]] = []
    with httpx.stream("GET", address, headers={"Accept": LINES, **headers}, timeout=WAIT_TIMEOUT) as response:
        for text in response.iter_lines():
            line = json.loads(text) if text.startswith("{") else {"type": "was down from"}
            if line["type"] == "game":
                act()
            elif line["type"] == "event":
                return found
            elif line["type"] == "state":
                found.append(line)
                if line["number"] and line["present"] == [0]:
                    return found
    return found


def session_of(player: Player) -> dict[str, str]:
    client = Client()
    assert player.user
    client.force_login(player.user)
    return {"Cookie": f"sessionid={client.cookies['sessionid'].value}"}


def test_a_player_is_told_that_a_bundle_was_given_though_it_is_no_event(web: Web, martha: Player) -> None:
    laura = Player.objects.create(name="Laura", user=User.objects.create_user("laura"))
    game = play_services.open_game(
        kind="plate_spinner", players=[martha, laura], terms={"pace": "beats", "rated": False}
    )
    roll = visibility.legal_moves(play_services.load_game(game), 1)[-1]

    found = states(web, game, session_of(martha), lambda: beats.give_bundle(game=game, seat=1, beat=1, moves=[roll]))

    assert found[-1]["number"] > 0
    assert found[-1]["events"] == game.version
    assert "moves" not in found[-1]
    assert turn_of(play_services.load_unit(game), 0)["waiting_for"] == [0]


def test_the_player_of_a_bundle_that_waits_for_a_worker_is_told(web: Web, martha: Player) -> None:
    """A page whose stream began beside the request for the bundle would otherwise show a turn from before it."""
    bot = built_in_bot_player("plate_spinner", "random")
    game = play_services.open_game(kind="plate_spinner", players=[martha, bot], terms={"pace": "beats", "rated": False})
    roll = visibility.legal_moves(play_services.load_game(game), 0)[-1]
    address = f"{web.address}/api/v1/games/{game.public_id}/events/?since={game.version}&viewpoint=0&frames=1"
    headers = {"Accept": LINES, **session_of(martha)}
    given: list[object] = []
    with httpx.stream("GET", address, headers=headers, timeout=WAIT_TIMEOUT) as response:
        for line in (json.loads(text) for text in response.iter_lines() if text.startswith("{")):
            if line["type"] == "state" and "turn" in line:
                given.append(line["turn"]["given"])
            if line["type"] == "state" and line["present"] == [0] and given == [None] * len(given):
                beats.give_bundle(game=game, seat=0, beat=1, moves=[roll])
            if given and given[-1]:
                break
    assert given[-1] == [roll]


def test_who_stays_after_the_end_hears_of_a_rematch(web: Web, game: Game, martha: Player) -> None:
    play_services.leave_game(game=game, seat=1, how="resigned")
    game.refresh_from_db()

    def wish() -> None:
        offers.offer_rematch(game=game, seat=1)

    found = states(web, game, session_of(martha), wish, "&stay=1&viewpoint=0")

    assert found[-1]["number"] > 0
    turn = turn_of(play_services.load_unit(game), 0)
    assert turn["offers"] == [{"what": "rematch", "by": [1], "declined": []}]


def test_players_and_nobody_else_hear_that_something_was_said_at_the_table(
    web: Web, game: Game, martha: Player
) -> None:
    user = User.objects.get(player=martha)
    room = find_room("table", game.public_id, user)

    def lines_of(headers: dict[str, str]) -> list[str]:
        """Return the types of the lines from the first `state` on, or from the first line, to what comes of a message
        and of a move after it."""
        found: list[str] = []
        address = f"{web.address}/api/v1/games/{game.public_id}/events/?since=99"
        first = "state" if headers else "game"
        with httpx.stream("GET", address, headers={"Accept": LINES, **headers}, timeout=WAIT_TIMEOUT) as response:
            for text in response.iter_lines():
                if not text:
                    continue
                found.append(json.loads(text)["type"])
                if found[-1] == first and found.count(first) == 1:
                    write_message(room=room, user=user, phrase="hello")
                    play(game, 1)
                if found[-1] == "event":
                    return found
        return found

    assert "talk" in lines_of(session_of(martha))
    assert "talk" not in lines_of({})


def test_who_does_not_say_so_leaves_with_the_end(web: Web, game: Game, martha: Player) -> None:
    play_services.leave_game(game=game, seat=1, how="resigned")
    lines = read(web, game, None, **session_of(martha))
    assert lines[-1]["type"] == "over"
    assert read(web, game, None)[-1]["type"] == "over"  # the public's stream ends too


def test_a_player_who_comes_and_goes_in_a_blink_is_away(web: Web, game: Game, martha: Player) -> None:
    """A player who leaves while the arrival is still being stored is not shown as present."""
    address = f"{web.address}/api/v1/games/{game.public_id}/events/?viewpoint=0"
    headers = {"Accept": LINES, **session_of(martha)}
    for _ in range(20):
        with suppress(httpx.TimeoutException):
            httpx.get(address, headers=headers, timeout=httpx.Timeout(WAIT_TIMEOUT, read=0.02))
    with httpx.stream("GET", address, headers=headers, timeout=WAIT_TIMEOUT) as response:
        lines = (json.loads(text) for text in response.iter_lines() if text.startswith("{"))
        assert next(line for line in lines if line["type"] == "state")["present"] == [0]
    until = time.monotonic() + WAIT_TIMEOUT
    while presence.present_seats(game) and time.monotonic() < until:
        time.sleep(0.05)
    assert presence.present_seats(game) == []


def test_the_public_hears_of_events_only(web: Web, game: Game) -> None:
    assert states(web, game, {}, lambda: play(game, 1)) == []


def test_who_leaves_a_game_that_goes_on_sees_no_more_through_their_seat(web: Web, martha: Player) -> None:
    """A built-in bot has the hand now. The player who left must not see what it draws."""
    others = [Player.objects.create(name=name) for name in ("Laura", "Otto")]
    game = play_services.open_game(kind="chinese_ten", players=[martha, *others])
    address = f"{web.address}/api/v1/games/{game.public_id}/events/"
    with httpx.stream(
        "GET", address, headers={"Accept": LINES, **session_of(martha)}, timeout=WAIT_TIMEOUT
    ) as response:
        lines = (json.loads(text) for text in response.iter_lines() if text.startswith("{"))
        assert next(lines)["viewpoint"] == "0"
        play_services.leave_game(game=game, seat=0, how="resigned")
        *_, last = [line for line in lines if line["type"] == "event"]  # until the stream ends
    assert last["version"] == game.version
    assert read(web, game, game.version, **session_of(martha))[0]["viewpoint"] == "public"


def test_a_cookie_of_somebody_else_hides_no_log_in(web: Web, game: Game, martha: Player) -> None:
    cookie = 'odd={"a": [1, 2]}; ' + session_of(martha)["Cookie"]
    assert read(web, game, game.version, Cookie=cookie)[0]["viewpoint"] == "0"
