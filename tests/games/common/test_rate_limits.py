"""Rate limits of the API count requests over all processes, are named in each response, and never hinder play."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from django.test import Client
from django.urls import resolve

from games.accounts import tokens
from games.common import clock, rate_limits
from games.common.errors import DomainError
from games.common.models import RateBucket
from games.common.rate_limits import BY_NAME, RATE_LIMITS, Limit
from games.models import Deal, Player
from games.play import services as play
from replays.stream import stream_access

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """Stop the clock. Return a list with one entry, which is the time."""
    now = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: now[0])
    return now


@pytest.fixture
def narrow(settings: Any) -> None:
    """Allow a hundredth of the usual requests in a minute: 12 reads, 3 writes and 60 requests of play."""
    settings.SCOREBOOK_RATE_LIMIT_FACTOR = 0.01


def program(name: str, *scopes: str) -> Client:
    """Return a program with a token."""
    user = User.objects.get_or_create(username=name)[0]
    _row, secret = tokens.create_token(user=user, name="laptop", wanted=scopes or ("read", "play"))
    return Client(headers={"Authorization": f"Bearer {secret}"})


@pytest.mark.django_db
@pytest.mark.usefixtures("hands", "narrow")
def test_each_answer_says_what_is_allowed_and_what_is_left(client: Client) -> None:
    first, second = client.get("/api/v1/kinds/"), client.get("/api/v1/kinds/")
    assert first.headers["RateLimit-Policy"] == '"read";q=12;w=60'
    assert first.headers["RateLimit"] == '"read";r=11;t=5'
    assert second.headers["RateLimit"] == '"read";r=10;t=10'


@pytest.mark.django_db
@pytest.mark.usefixtures("narrow")
def test_one_request_too_many_is_told_when_to_come_again_and_may_then(client: Client, hands: list[datetime]) -> None:
    for _ in range(12):
        assert client.get("/api/v1/kinds/").status_code == 200
    refused = client.get("/api/v1/kinds/")
    error = refused.json()["error"]
    assert (refused.status_code, error["code"], error["limit"], error["wait_s"]) == (429, "throttled", "read", 5)
    assert error["sentence"] == "Too many requests: the limit is 12 in 60 seconds. Try again in 5 s."
    assert refused.headers["Retry-After"] == "5"
    assert refused.headers["RateLimit"] == '"read";r=0;t=5'

    hands[0] += timedelta(seconds=4.9)
    assert client.get("/api/v1/kinds/").status_code == 429  # more requests do not extend the wait
    hands[0] += timedelta(seconds=0.1)
    assert client.get("/api/v1/kinds/").status_code == 200
    assert client.get("/api/v1/kinds/").status_code == 429


@pytest.mark.django_db
@pytest.mark.usefixtures("hands", "narrow")
def test_tokens_persons_and_addresses_are_counted_each_by_themselves() -> None:
    loud, quiet, somebody = program("dora"), program("dora"), Client()
    while loud.get("/api/v1/kinds/").status_code == 200:
        pass
    signed_in = Client()
    signed_in.force_login(User.objects.get(username="dora"))
    assert [each.get("/api/v1/kinds/").status_code for each in (quiet, somebody, signed_in)] == [200, 200, 200]
    assert {key.split()[0] for key in RateBucket.objects.values_list("key", flat=True)} == {
        "read:token",
        "read:person",
        "read:address",
    }


@pytest.mark.django_db
@pytest.mark.usefixtures("hands", "narrow")
def test_who_has_read_too_much_plays_on(client: Client) -> None:
    players = [Player.objects.create(name=name, user=User.objects.create_user(name)) for name in ("martha", "laura")]
    game = play.open_game(kind="chinese_ten", players=players, deal=Deal.objects.create(seed=bytes(32)), terms={})
    martha = program("martha")
    while martha.get("/api/v1/kinds/").status_code == 200:
        pass
    assert martha.get(f"/api/v1/games/{game.public_id}/turn/").status_code == 200
    assert martha.post(f"/api/v1/games/{game.public_id}/moves/", {"move": "x", "expected_version": 1}).status_code < 429


@pytest.mark.django_db
@pytest.mark.usefixtures("hands")
def test_tokens_that_are_none_are_counted_by_address_and_good_ones_go_on() -> None:
    good, wrong = program("dora"), Client(headers={"Authorization": "Bearer sb_" + "a" * 48})
    answers = [wrong.get("/api/v1/kinds/").status_code for _ in range(31)]
    assert answers == [401] * 30 + [429]
    refused = wrong.get("/api/v1/kinds/")
    assert (refused.json()["error"]["code"], refused.headers["Retry-After"]) == ("throttled", "20")
    assert good.get("/api/v1/kinds/").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("way", ["key", "support", "stream"])
def test_no_way_in_lets_tokens_be_guessed_without_being_counted(way: str, settings: Any) -> None:
    """A request with an idempotency key counts as one guess, and so do an impersonation and a stream."""
    settings.SCOREBOOK_RATE_LIMIT_FACTOR = 0.1  # allows three guesses
    wrong = {"Authorization": "Bearer sb_" + "a" * 48}

    def guess() -> str:
        if way == "stream":
            headers = [(b"authorization", wrong["Authorization"].encode())]
            path = "/api/v1/games/7F3KQ0AB/events/"
            with pytest.raises(DomainError) as refused:
                stream_access.user_of_scope(
                    {"headers": headers, "method": "GET", "path": path, "client": ("192.0.2.7", 1)}
                )
            return refused.value.code
        if way == "support":
            answer = Client().get("/api/v1/me/", headers={**wrong, "Support-View": "1"})
        else:
            answer = Client().post("/api/v1/clubs/", headers={**wrong, "Idempotency-Key": "k"})
        code: str = answer.json()["error"]["code"]
        return code

    assert [guess() for _ in range(4)] == ["bad_token", "bad_token", "bad_token", "throttled"]


@pytest.mark.django_db(transaction=True)
def test_processes_that_count_at_the_same_instant_let_in_as_many_as_there_are() -> None:
    limit = Limit("read", 20, 3600, None, "")

    def asked(_each: int) -> bool:
        try:
            return rate_limits.count_request(limit, "token 1").wait == 0
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(asked, range(60))) == 20


@pytest.mark.django_db
def test_a_platform_may_have_no_limits(client: Client, settings: Any) -> None:
    settings.SCOREBOOK_RATE_LIMIT_FACTOR = 0.0
    assert "RateLimit" not in client.get("/api/v1/kinds/").headers
    assert not RateBucket.objects.exists()


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("GET", "games/", "read"),
        ("GET", "games/7F3KQ0AB/", "read"),
        ("GET", "games/7F3KQ0AB/turn/", "play"),
        ("POST", "games/7F3KQ0AB/moves/", "play"),
        ("POST", "games/7F3KQ0AB/continue/", "write"),
        ("POST", "bots/Puffin two/versions/", "upload"),
        ("GET", "bots/Puffin two/versions/", "read"),
        ("POST", "me/tokens/", "guess"),
        ("PATCH", "me/", "write"),
        ("DELETE", "me/", "guess"),
        ("GET", "games/7F3KQ0AB/verify/", "export"),
        ("POST", "clubs/", "write"),
    ],
)
def test_a_request_has_the_class_that_its_view_names(method: str, path: str, name: str) -> None:
    assert rate_limits.limit_of(resolve(f"/api/v1/{path}").func, method).name == name


def test_a_household_counts_as_one_by_either_protocol() -> None:
    assert (
        rate_limits.network_of("2001:db8:1:2:aaaa::1")
        == rate_limits.network_of("2001:db8:1:2:bbbb::7")
        == "address 2001:db8:1:2::"
    )
    assert rate_limits.network_of("2001:db8:1:3::1") != rate_limits.network_of("2001:db8:1:2::1")
    assert rate_limits.network_of("192.0.2.7") == "address 192.0.2.7"
    assert rate_limits.network_of("") == "address"


@pytest.mark.django_db
def test_counting_waits_for_no_disk_and_what_is_empty_is_forgotten(hands: list[datetime]) -> None:
    rate_limits.count_request(BY_NAME["upload"], "token 1")
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'common_ratebucket'")
        assert cursor.fetchone() == ("u",)
    assert rate_limits.delete_empty_counts() == 0
    hands[0] += timedelta(hours=3)
    assert rate_limits.delete_empty_counts() == 1


def test_the_document_has_the_same_table_of_limits() -> None:
    part = (ROOT / "docs" / "reference" / "api.md").read_text().partition("## Limits")[2].partition("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{one.name}` | {one.most} in {one.seconds} s | {one.words} |" for one in RATE_LIMITS]
