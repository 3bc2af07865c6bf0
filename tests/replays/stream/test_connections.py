"""Open streams end, with a message, when their login or token ends. Nobody can use all of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.accounts import access, people, tokens
from games.accounts.models import Session
from games.admin_actions.registry import perform
from games.common import clock
from games.common.errors import DomainError
from games.models import Game, Player
from games.moderation import sanctions
from games.play import services as play
from replays.stream import connections, hub
from replays.stream.connections import Connections, Credentials
from replays.stream.game_tail import SSE
from tests.replays.stream.test_stream import LINES
from tests.servers.web import WAIT_TIMEOUT, Web, forked_web

pytestmark = pytest.mark.django_db(transaction=True)
OLD_PASSWORD, NEW_PASSWORD = "quiet lamp 77", "green lamp 78"


@pytest.fixture(scope="module")
def web(django_db_setup: None) -> Iterator[Web]:
    """Provide a web process without its slow timer, which would find ended streams too."""
    with forked_web(poll_seconds=86400) as started:
        yield started


@pytest.fixture
def martha() -> Player:
    return people.create_profile_and_player(User.objects.create_user("martha"), "Martha")


@pytest.fixture
def game(martha: Player) -> Game:
    laura = people.create_profile_and_player(User.objects.create_user("laura"), "Laura")
    return play.open_game(kind="chinese_ten", players=[martha, laura], terms={"move_days": 1})


@pytest.fixture
def browser(martha: Player) -> Client:
    client = Client()
    assert martha.user
    client.force_login(martha.user)
    return client


def cookie(browser: Client) -> dict[str, str]:
    return {"Cookie": f"sessionid={browser.cookies['sessionid'].value}"}


@contextmanager
def opened(web: Web, path: str, headers: dict[str, str]) -> Iterator[Iterator[dict[str, Any]]]:
    """Open a stream within the block, and yield its lines as they arrive, without keep-alives."""
    headers = {"Accept": LINES, **headers}
    with httpx.stream("GET", f"{web.address}/api/v1/{path}", headers=headers, timeout=WAIT_TIMEOUT) as response:
        assert response.status_code == 200, response.read()
        yield (json.loads(text) for text in response.iter_lines() if text)


def last_of(lines: Iterator[dict[str, Any]]) -> dict[str, Any]:
    *_lines, last = lines
    return last


ENDED = {"type": "end", "why": "access"}


def test_a_ban_ends_the_streams_of_who_is_banned_and_nobody_elses(
    web: Web, martha: Player, game: Game, browser: Client
) -> None:
    assert martha.user
    laura = Client()
    laura.force_login(User.objects.get(username="laura"))
    ada = User.objects.create_superuser("ada")
    watched = f"games/{game.public_id}/events/"
    with (
        opened(web, "me/games/events/", cookie(browser)) as mine,
        opened(web, watched, cookie(browser)) as hers,
        opened(web, "me/games/events/", cookie(laura)) as lauras,
    ):
        assert [next(each)["type"] for each in (mine, hers, lauras)] == ["player", "game", "player"]
        sanctions.ban(user=martha.user, by=ada, reason="A test.")
        assert (last_of(mine), last_of(hers)) == (ENDED, ENDED)
        assert "over" in (line["type"] for line in lauras)  # Martha has left the game


def test_who_signs_out_takes_the_streams_of_that_browser_along(web: Web, browser: Client, martha: Player) -> None:
    other = Client()
    assert martha.user
    other.force_login(martha.user)
    with (
        opened(web, "me/games/events/", cookie(browser)) as here,
        opened(web, "me/games/events/", cookie(other)) as there,
    ):
        assert [next(each)["type"] for each in (here, there)] == ["player", "player"]
        browser.logout()
        assert last_of(here) == ENDED
        other.logout()
        assert last_of(there) == ENDED


def test_a_new_password_ends_what_the_old_one_opened(web: Web, browser: Client, martha: Player) -> None:
    assert martha.user
    martha.user.set_password(OLD_PASSWORD)
    martha.user.save()
    browser.force_login(martha.user)
    other = Client()
    other.force_login(martha.user)
    with opened(web, "me/games/events/", cookie(other)) as lines:
        assert next(lines)["type"] == "player"
        passwords = {"oldpassword": OLD_PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
        browser.post("/accounts/password/change/", passwords)
        assert last_of(lines) == ENDED
    here, there = (access.key_of_session(each.cookies["sessionid"].value) for each in (browser, other))
    assert connections.still_valid([here, there]) == {here}, "so a process that has not heard of it finds it"


def test_a_password_that_an_admin_ends_takes_the_streams_along(web: Web, browser: Client, martha: Player) -> None:
    ada = User.objects.create_superuser("ada")
    with opened(web, "me/games/events/", cookie(browser)) as lines:
        assert next(lines)["type"] == "player"
        perform("new_password", "Martha", reason="Somebody else has it.", by=ada)
        assert last_of(lines) == ENDED


def test_a_deleted_account_has_no_open_streams(web: Web, browser: Client, martha: Player) -> None:
    with opened(web, "me/games/events/", cookie(browser)) as lines:
        assert next(lines)["type"] == "player"
        assert martha.user
        people.delete_account(martha.user)
        assert last_of(lines) == ENDED


def test_a_stream_is_whole_that_ends_with_over(web: Web, game: Game) -> None:
    with opened(web, f"games/{game.public_id}/events/", {}) as lines:
        assert next(lines)["type"] == "game"
        play.abort_game(game=game, reason="A test.")
        assert last_of(lines)["type"] == "over"


def test_of_a_lost_note_the_slow_timer_finds_what_is_over(martha: Player, browser: Client) -> None:
    assert martha.user
    token, _secret = tokens.create_token(user=martha.user, name="desk", wanted=["read"])
    keys = [
        access.key_of_user(martha.user.pk),
        access.key_of_token(token.pk),
        access.key_of_session(browser.cookies["sessionid"].value),
    ]
    assert connections.still_valid([*keys, access.key_of_user(0), access.key_of_session("x")]) == set(keys)
    Session.objects.update(expire_date=clock.now())
    assert connections.still_valid(keys) == set(keys[:2])
    tokens.revoke(token)
    assert connections.still_valid(keys) == {keys[0]}
    User.objects.filter(pk=martha.user.pk).update(is_active=False)
    assert connections.still_valid(keys) == set()


class Opened:
    """A stream with the credentials that opened it."""

    def __init__(self, who: str, *keys: str) -> None:
        self.by = Credentials(who, keys)


def test_a_stream_ends_though_it_is_told_to_at_the_moment_in_which_a_line_goes_out() -> None:
    """In Python 3.11 `asyncio.wait_for` swallowed the cancellation, and the stream stayed open for ever."""
    streams = Connections()

    async def lines() -> AsyncGenerator[bytes]:
        yield b"{}"
        await asyncio.Event().wait()

    async def at_once(_message: Any) -> None:
        asyncio.get_running_loop().call_soon(streams.close)

    async def stays() -> Any:
        await asyncio.Event().wait()

    async def ended() -> str:
        async with asyncio.timeout(WAIT_TIMEOUT):
            with streams.registered(Opened("person 1")) as over:
                return await hub.forward_chunks({"path": "/"}, lines(), over, stays, at_once)

    assert asyncio.run(ended()) == connections.ENDED_CLOSING


# limits on the number of streams


def test_who_has_as_many_streams_as_they_may_is_told_when_to_come_again(settings: Any) -> None:
    settings.SCOREBOOK_MAX_STREAMS_PER_IP, settings.SCOREBOOK_MAX_STREAMS_PER_ACCOUNT = 3, 2

    async def scenario() -> None:
        open = Connections()
        with open.registered(Opened("person 1")), open.registered(Opened("person 2")):
            with open.registered(Opened("person 1")):
                with pytest.raises(DomainError) as refused, open.registered(Opened("person 1")):
                    pass
                assert (refused.value.status, refused.value.code) == (429, "too_many_streams")
                assert refused.value.extra == {"wait_s": 30}
            with open.registered(Opened("person 1")):  # another stream was closed
                pass
        assert open.counts == {}

    asyncio.run(scenario())


def test_who_is_signed_in_has_room_though_all_of_their_address_is_taken(settings: Any) -> None:
    """The people of a club share one address, so logged-in users are counted by account."""
    settings.SCOREBOOK_MAX_STREAMS_PER_IP = 1

    async def scenario() -> None:
        open = Connections()
        with open.registered(Opened("address 192.0.2.1")), open.registered(Opened("person 1")):
            with pytest.raises(DomainError, match="Log in"), open.registered(Opened("address 192.0.2.1")):
                pass
            with open.registered(Opened("address 192.0.2.2")):
                assert len(open.streams) == 3

    asyncio.run(scenario())


def test_a_platform_may_set_no_limit(settings: Any) -> None:
    settings.SCOREBOOK_MAX_STREAMS_PER_IP = 0
    connections.check_stream_quota("address 192.0.2.1", 100_000)


def test_a_stream_too_many_is_refused_in_the_one_shape(game: Game, settings: Any, monkeypatch: Any) -> None:
    settings.SCOREBOOK_MAX_STREAMS_PER_IP = 1
    monkeypatch.setattr(hub, "hub", hub.Hub())
    path = f"/api/v1/games/{game.public_id}/events/"
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": [(b"accept", SSE.encode()), (b"accept-language", b"de")],
        "client": ("192.0.2.1", 4711),
    }
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def stays() -> Any:
        await asyncio.Event().wait()

    async def asked() -> None:
        with hub.hub.open.registered(Opened("address 192.0.2.1")):
            await hub.stream_application(scope, stays, send)

    asyncio.run(asked())
    start, body = sent
    assert start["status"] == 429
    assert (b"retry-after", b"30") in start["headers"]
    assert (b"access-control-allow-origin", b"*") in start["headers"]
    error = json.loads(body["body"])["error"]
    assert (error["code"], error["sentence"][:14]) == ("too_many_streams", "Von deiner IP-")
