"""The client in one file and its example in docs/reference/api.md, against a server that really listens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User

from docs import scorebook_client
from docs.scorebook_client import Forged, Refused, Scorebook, verify_webhook
from games.accounts import people, tokens
from games.bots import uploads
from games.common import clock
from games.lobby.models import OpenTable
from games.models import Deal, Game
from games.play import services as play
from tests.servers.web import Web
from tests.tournaments.club import new_club
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League, Season
from tournaments.webhooks import services as webhooks
from tournaments.webhooks import signing

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def martha(transactional_db: None) -> User:
    user = User.objects.create_user("martha")
    people.create_profile_and_player(user, "Martha")
    return user


@pytest.fixture
def secret(martha: User) -> str:
    return tokens.create_token(user=martha, name="laptop", wanted=["read", "play", "bots", "organise", "account"])[1]


@pytest.fixture
def book(web: Web, secret: str) -> Scorebook:
    return Scorebook(web.address, secret)


@pytest.fixture
def game(martha: User) -> Game:
    """Martha, who is to move, against Laura."""
    laura = people.create_profile_and_player(User.objects.create_user("laura"), "Laura")
    me = people.player_of_user(martha)
    assert me
    deal = Deal.objects.create(seed=bytes(range(32)))
    return play.open_game(kind="chinese_ten", players=[me, laura], deal=deal, terms={})


@pytest.fixture
def season(martha: User) -> Season:
    club = new_club(name="Lantern Street", slug="lantern", owner=martha)
    league = League.objects.create(club=club, name="Palace League", slug="palace")
    return seasons.create_season(league=league, name="Winter", kind="palace")


def test_it_reads_lists_page_after_page(book: Scorebook, martha: User) -> None:
    for number in range(5):
        new_club(name=f"Club {number}", slug=f"club-{number}", owner=martha)
    assert [club["name"] for club in book.pages("clubs/", page_size=2)] == [f"Club {number}" for number in range(5)]
    assert len(list(book.clubs(mine=True))) == 5
    assert book.me()["name"] == "Martha"


def test_it_enters_a_season_and_says_why_it_may_not_twice(book: Scorebook, season: Season) -> None:
    [found] = book.seasons(status="open", kind="palace", club="lantern")
    assert found["id"] == season.pk
    book.enter(season.pk)
    assert season.entries.count() == 1
    with pytest.raises(Refused) as refused:
        book.enter(season.pk)
    assert (refused.value.status, refused.value.code) == (409, "already_joined")
    assert refused.value.sentence


def test_it_plays_and_is_told_what_the_rules_say(book: Scorebook, game: Game) -> None:
    turn = book.turn(game.public_id)
    version = book.game(game.public_id)["version"]
    assert turn["may_act"]
    assert version
    moved = book.move(game.public_id, turn["legal"][0]["move"], version)
    assert moved["version"] > version
    with pytest.raises(Refused) as stale:
        book.move(game.public_id, turn["legal"][0]["move"], version)
    assert stale.value.code in ("stale_version", "illegal_move", "not_your_turn")
    assert [each["id"] for each in book.games(status="playing", kind="chinese_ten")] == [game.public_id]


def test_it_follows_a_game_to_its_end(book: Scorebook, game: Game) -> None:
    heard, began = [], threading.Event()

    def follow() -> None:
        for event in book.follow(game.public_id):
            heard.append(event)
            began.set()

    listener = threading.Thread(target=follow)
    listener.start()
    assert began.wait(120)
    play.leave_game(game=game, seat=1, how="resigned")
    listener.join(120)
    assert not listener.is_alive()
    assert heard[0]["type"] == "game"
    game.refresh_from_db()
    assert [event["id"] for event in heard if event["id"]][-1] == str(game.version)


def test_it_uploads_a_bot_once_however_often_it_is_sent(book: Scorebook, martha: User) -> None:
    bot = uploads.new_bot(owner=martha, name="Gannet", description="Dives.")
    first, again = book.upload("Gannet", b"class Bot: ...\n"), book.upload("Gannet", b"class Bot: ...\n")
    assert first == again
    assert bot.versions.count() == 1
    assert book.admission("Gannet", first["number"])["state"]


def test_it_does_a_post_once_by_its_key(book: Scorebook) -> None:
    wish = {"kind": "palace", "seats": 2}
    assert book.post("tables/", wish, key="k1") == book.post("tables/", wish, key="k1")
    assert OpenTable.objects.count() == 1
    assert book.patch("me/", {"name": "Martha B"})["name"] == "Martha B"
    made = book.post("me/webhooks/", {"url": "https://example.org/", "events": ["game.over"]})
    book.delete(f"me/webhooks/{made['id']}/")
    assert book.get("me/webhooks/")["results"] == []


def test_it_changes_takes_away_and_fetches_files_too(book: Scorebook, season: Season, martha: User) -> None:
    news = "clubs/lantern/news/"
    post = book.post(news, {"title": "Shut", "text": "On Thursday."})["id"]
    assert book.put(f"{news}{post}/", {"title": "Open", "text": "After all."})["title"] == "Open"
    assert book.delete(f"{news}{post}/") is None
    assert [club["slug"] for club in book.pages("clubs/", mine=True, cursor=None)] == ["lantern"]
    assert book.file(f"seasons/{season.pk}/export/", **{"as": "zip"})[:2] == b"PK"
    bot = uploads.new_bot(owner=martha, name="Gannet", description="Dives.")
    uploads.upload_version(bot=bot, data=b"class Bot: ...\n")
    assert book.file("bots/Gannet/versions/1/source/") == b"class Bot: ...\n"


def test_it_hears_of_its_games_as_they_begin(book: Scorebook, game: Game) -> None:
    events = next(iter(book.stream("me/games/events/")))
    assert events["data"]["games"] == [game.public_id]


def test_a_token_that_leaked_is_revoked_and_opens_nothing(book: Scorebook, secret: str) -> None:
    tokens.revoke(tokens.tokens_of(User.objects.get(username="martha")).get())
    with pytest.raises(Refused) as refused:
        book.me()
    assert (refused.value.status, refused.value.code) == (401, "token_revoked")


def test_a_token_that_is_revoked_while_its_stream_is_open_loses_that_too(book: Scorebook, game: Game) -> None:
    """Whoever has a leaked token and listens hears no more from within seconds of its being revoked."""
    heard, began, ended = [], threading.Event(), []

    def listen() -> None:
        try:
            for event in book.follow(game.public_id):
                heard.append(event)
                began.set()
        except Refused as refused:
            ended.append(refused.code)

    listener = threading.Thread(target=listen)
    listener.start()
    assert began.wait(120)
    tokens.revoke(tokens.tokens_of(User.objects.get(username="martha")).get())
    listener.join(120)
    assert ended == ["token_revoked"]
    play.leave_game(game=game, seat=1, how="resigned")
    assert "@left" not in str(heard)


class Moody:
    """A server that answers what it is told to, one after the other; None breaks the connection off."""

    def __init__(self, *answers: tuple[int, dict[str, str], bytes] | None) -> None:
        self.asked: list[tuple[str, str, str | None]] = []
        left, asked = list(answers), self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("content-length", "0"))
                self.rfile.read(length)
                asked.append((self.command, self.path, self.headers.get("Idempotency-Key")))
                answer = left.pop(0)
                if answer is None:
                    self.connection.close()
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_DELETE = do_GET  # noqa: N815  the names of the base class

            def log_message(self, *_arguments: Any) -> None:
                """Say nothing."""

            def finish(self) -> None:
                if not self.wfile.closed and self.connection.fileno() >= 0:
                    super().finish()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def book(self) -> Scorebook:
        return Scorebook(f"http://127.0.0.1:{self.server.server_port}", "sb_x")


@pytest.fixture
def moody() -> Iterator[Callable[..., Moody]]:
    made: list[Moody] = []

    def make(*answers: Any) -> Moody:
        made.append(Moody(*answers))
        return made[-1]

    yield make
    for each in made:
        each.server.shutdown()
        each.server.server_close()


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """For how long it would have slept."""
    found: list[float] = []
    monkeypatch.setattr(scorebook_client, "_sleep", found.append)
    return found


OK: Final[tuple[int, dict[str, str], bytes]] = (200, {}, b'{"ok": true}')
BUSY: Final = (429, {"Retry-After": "7"}, b'{"error": {"code": "throttled", "sentence": "Wait."}}')


def test_it_waits_as_long_as_the_server_says(moody: Callable[..., Moody], slept: list[float]) -> None:
    server = moody(BUSY, (503, {}, b"no json"), OK)
    assert server.book.get("kinds/") == {"ok": True}
    assert slept == [7.0, 0.5]


def test_it_follows_on_where_a_server_that_was_away_for_a_moment_comes_back(
    moody: Callable[..., Moody], slept: list[float]
) -> None:
    """The game may have ended meanwhile: what is left of it is told all the same."""
    away: Any = (503, {"Retry-After": "2"}, b'{"error": {"code": "database_away", "sentence": "Wait."}}')
    broken_off: Any = (200, {}, b'id: 3\nevent: event\ndata: {"version": 3}\n\n')
    rest: Any = (200, {}, b'id: 4\nevent: event\ndata: {"version": 4}\n\nevent: over\ndata: {"version": 4}\n\n')
    server = moody(away, broken_off, rest)
    heard = [(event["type"], event["data"]["version"]) for event in server.book.follow("X", since=2)]
    assert heard == [("event", 3), ("event", 4), ("over", 4)]
    assert slept == [2.0, 0.25]
    assert len(server.asked) == 3


def test_a_post_that_is_lost_is_sent_again_with_the_same_key(moody: Callable[..., Moody], slept: list[float]) -> None:
    server = moody(None, OK)
    assert server.book.post("tables/", {}) == {"ok": True}
    assert len({key for _method, _path, key in server.asked}) == 1
    assert len(server.asked) == 2


def test_what_may_not_be_done_twice_is_not_sent_twice(moody: Callable[..., Moody], slept: list[float]) -> None:
    server = moody(None)
    with pytest.raises(OSError, match=r".*"):
        server.book.delete("me/webhooks/1/")
    assert (len(server.asked), slept) == (1, [])


def test_it_gives_up_where_it_would_wait_for_long(moody: Callable[..., Moody], slept: list[float]) -> None:
    server = moody((429, {"Retry-After": "3600"}, b'{"error": {"code": "throttled", "sentence": "Wait."}}'))
    with pytest.raises(Refused) as refused:
        server.book.get("kinds/")
    assert (refused.value.wait, slept) == (3600.0, [])


def test_a_redirect_is_not_followed_with_the_token(moody: Callable[..., Moody]) -> None:
    server = moody((302, {"Location": "http://127.0.0.1:1/"}, b""))
    with pytest.raises(Refused) as refused:
        server.book.get("kinds/")
    assert refused.value.status == 302


def test_it_knows_our_webhooks_from_others(martha: User) -> None:
    hook, secret = webhooks.create_webhook(user=martha, club=None, url="https://example.org/", events=["game.over"])
    body = b'{"type": "ping"}'
    headers = signing.headers(hook, "msg_1", body, clock.now())
    assert verify_webhook(secret, headers, body) == {"type": "ping"}
    assert verify_webhook(secret, {name.title(): value for name, value in headers.items()}, body)
    for bad_headers, bad_body, now in (
        (headers, body + b" ", None),
        (headers, body, clock.now().timestamp() + 301),
        ({**headers, "webhook-id": "msg_2"}, body, None),
        ({}, body, None),
    ):
        with pytest.raises(Forged):
            verify_webhook(secret, bad_headers, bad_body, now=now)


def test_the_example_of_the_document_does_what_it_says(web: Web, secret: str, game: Game, season: Season) -> None:
    over = play.open_game(kind="chinese_ten", players=[seat.player for seat in game.seats.all()], terms={})
    play.leave_game(game=over, seat=1, how="resigned")
    part = (ROOT / "docs" / "reference" / "api.md").read_text().partition("## In Python")[2]
    [code] = re.findall(r"```python\n(.*?)```", part.partition("\n## ")[0], re.DOTALL)
    facts = f"ADDRESS, TOKEN, GAME = {web.address!r}, {secret!r}, {over.public_id!r}\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "docs")}
    done = subprocess.run(
        [sys.executable, "-c", facts + code], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    lines = done.stdout.splitlines()
    assert (done.stderr, lines[:2]) == ("", ["I am Martha", "entered Winter"])
    assert [line for line in lines if line.startswith("played, now at version")]
    assert any(line.startswith("game ") for line in lines)
    over.refresh_from_db()
    assert f"event {over.version}" in lines
