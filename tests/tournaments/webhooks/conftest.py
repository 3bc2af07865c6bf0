"""Receivers that listen on real sockets, and a club whose events are sent to them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.accounts import people
from games.common import clock
from tests.tournaments.club import BEGIN
from tournaments.clubs.models import Club
from tournaments.seasons.models import League
from tournaments.webhooks import discovery as webhooks_discovery
from tournaments.webhooks import services as webhooks
from tournaments.webhooks.models import Webhook


class Receiver:
    """A receiver of webhooks. `came` has its requests; `status`, `headers` and `words` are its answer. While it `hangs`
    or `trickles`, the answer does not end."""

    def __init__(self) -> None:
        self.came: list[tuple[dict[str, str], bytes]] = []
        self.status = 204
        self.headers: dict[str, str] = {}
        self.words = b""
        self.hangs = self.trickles = False
        self.over = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.came.append(({name.lower(): value for name, value in self.headers.items()}, body))
                while (receiver.hangs or receiver.trickles) and not receiver.over.wait(0.05):
                    if receiver.trickles:
                        self.wfile.write(b"HTTP/1.1 200 OK\r\n"[:1])
                        self.wfile.flush()
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(receiver.words)

            def log_message(self, *_arguments: Any) -> None:
                """Write no log."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hook?of=us"

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Return the messages, parsed from JSON."""
        return [json.loads(body) for _headers, body in self.came]

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _body in self.came]

    def stop(self) -> None:
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receivers(settings: Any) -> Iterator[Callable[[], Receiver]]:
    """Yield a function that makes a receiver. The platform is set to allow webhooks to this machine."""
    settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS = True
    made: list[Receiver] = []

    def make() -> Receiver:
        made.append(Receiver())
        return made[-1]

    yield make
    for each in made:
        each.stop()


@pytest.fixture
def receiver(receivers: Callable[[], Receiver]) -> Receiver:
    return receivers()


@pytest.fixture
def club(league: League) -> Club:
    return league.club


@pytest.fixture
def martha(db: None) -> User:
    user = User.objects.create_user("martha")
    people.create_profile_and_player(user, "Martha")
    return user


@pytest.fixture
def hook(club: Club, receiver: Receiver) -> Webhook:
    """Return the club's webhook, whose `receiver` is sent all events."""
    with clock.frozen_at(BEGIN):
        return webhooks.create_webhook(
            user=club.owner, club=club, url=receiver.url, events=webhooks_discovery.CLUB_EVENTS
        )[0]
