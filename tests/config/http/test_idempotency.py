"""A request that is sent twice with one `Idempotency-Key` is done once, also on two connections and if a process
dies."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from games.accounts import people, tokens
from games.accounts.models import AccessToken
from games.bots import uploads
from games.common.models import SentRequest
from games.lobby import services as lobby
from games.lobby.models import OpenTable
from games.models import BotVersion
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.models import Invitation

pytestmark = pytest.mark.django_db
TABLE = {"kind": "palace", "seats": 2}


@pytest.fixture
def martha(db: None) -> User:
    user = User.objects.create_user("martha")
    people.create_profile_and_player(user, "Martha")
    return user


def program(user: User) -> Client:
    _row, secret = tokens.create_token(user=user, name="laptop", wanted=["read", "play", "bots", "organise", "account"])
    return Client(headers={"Authorization": f"Bearer {secret}"})


@pytest.fixture
def marthas(martha: User) -> Client:
    return program(martha)


def post(client: Client, path: str, sent: Any, key: str = "k1") -> Any:
    headers = {"Idempotency-Key": key}
    return client.post(f"/api/v1/{path}", json.dumps(sent), content_type="application/json", headers=headers)


def refusal(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_the_same_request_again_is_answered_the_same_and_done_once(marthas: Client) -> None:
    first, again = post(marthas, "tables/", TABLE), post(marthas, "tables/", TABLE)
    assert (first.status_code, again.status_code, first.json()) == (201, 201, again.json())
    assert (first.headers.get("Idempotency-Replayed"), again.headers["Idempotency-Replayed"]) == (None, "true")
    assert OpenTable.objects.count() == 1
    assert post(marthas, "tables/", TABLE, "k2").json()["id"] != first.json()["id"]


def test_the_key_may_be_a_field_of_the_body_and_is_the_same_key(marthas: Client) -> None:
    path, keyed = "/api/v1/tables/", TABLE | {"idempotency_key": "k1"}
    first = marthas.post(path, json.dumps(keyed), content_type="application/json")
    again = marthas.post(path, json.dumps(dict(reversed(keyed.items()))), content_type="application/json")
    assert (first.status_code, again.status_code, first.json()) == (201, 201, again.json())
    assert again.headers["Idempotency-Replayed"] == "true"
    assert post(marthas, "tables/", TABLE, "k1").json() == first.json()
    form = [marthas.post("/api/v1/clubs/", {"name": "Lantern Street", "idempotency_key": "k2"}) for _ in range(2)]
    assert [each.status_code for each in form] == [201, 201]


@pytest.mark.parametrize("invited", [{}, {"email": "una@example.org"}])
def test_an_invitation_whose_key_is_in_the_body_is_made_once(martha: User, invited: dict[str, str]) -> None:
    """The key was once documented and ignored: each repetition made another link or sent another email."""
    EmailAddress.objects.create(user=martha, email="martha@example.org", verified=True, primary=True)
    club = club_lifecycle.found_club(user=martha, name="Lantern Street")
    address, sent = f"/api/v1/clubs/{club.slug}/invitations/", {**invited, "idempotency_key": "k1"}
    answers = [program(martha).post(address, sent, content_type="application/json") for _ in range(2)]
    assert (answers[0].status_code, refusal(answers[1])) == (201, (409, "shown_once"))
    assert Invitation.objects.count() == 1


def test_requests_with_keys_are_counted_once_each(marthas: Client, settings: Any) -> None:
    settings.SCOREBOOK_RATE_LIMIT_FACTOR = 0.01  # allows three requests
    answers = [post(marthas, "tables/", TABLE, key) for key in ("k1", "k1", "k2", "k3")]
    assert [each.status_code for each in answers] == [201, 201, 201, 429]
    assert answers[0].headers["RateLimit"].startswith('"write";r=2')


def test_it_holds_where_an_operation_knows_nothing_of_keys(marthas: Client, martha: User) -> None:
    club = club_lifecycle.found_club(user=martha, name="Lantern Street")
    answers = [post(marthas, f"clubs/{club.slug}/archive/", {"reason": "The club has closed."}) for _ in range(2)]
    assert [each.status_code for each in answers] == [200, 200]
    assert (
        refusal(post(marthas, f"clubs/{club.slug}/archive/", {"reason": "The club has closed."}, "k2"))[1]
        == "club_archived"
    )


def test_a_key_belongs_to_one_body_and_one_address(marthas: Client) -> None:
    post(marthas, "tables/", TABLE)
    assert refusal(post(marthas, "tables/", {**TABLE, "seats": 3})) == (409, "key_reused")
    assert refusal(post(marthas, "clubs/", {"name": "Lantern"})) == (409, "key_reused")
    assert OpenTable.objects.count() == 1


def test_everybodys_keys_are_their_own(marthas: Client) -> None:
    laura = User.objects.create_user("laura")
    people.create_profile_and_player(laura, "Laura")
    assert [post(each, "tables/", TABLE).status_code for each in (marthas, program(laura))] == [201, 201]
    assert OpenTable.objects.count() == 2


def test_an_error_is_not_kept(marthas: Client, martha: User) -> None:
    bad = post(marthas, "clubs/", {"name": ""})
    assert bad.status_code == 400
    assert not SentRequest.objects.exists()
    assert post(marthas, "clubs/", {"name": "Lantern Street"}).status_code == 201


def test_a_secret_is_shown_once_and_kept_nowhere(marthas: Client, martha: User) -> None:
    body = {"name": "other", "scopes": ["read"]}
    made = post(marthas, "me/tokens/", body)
    assert made.status_code == 201
    assert refusal(post(marthas, "me/tokens/", body)) == (409, "shown_once")
    assert AccessToken.objects.filter(name="other").count() == 1
    assert made.json()["secret"] not in str(list(SentRequest.objects.values_list()))


def test_a_file_is_the_same_whatever_stands_between_the_parts_of_its_form(marthas: Client, martha: User) -> None:
    uploads.new_bot(owner=martha, name="Gannet", description="Dives.")

    def sent(text: bytes, boundary: str) -> Any:
        body = b'--%b\r\nContent-Disposition: form-data; name="file"; filename="bot.py"\r\n\r\n%b\r\n--%b--\r\n'
        return marthas.generic(
            "POST",
            "/api/v1/bots/Gannet/versions/",
            body % (boundary.encode(), text, boundary.encode()),
            content_type=f"multipart/form-data; boundary={boundary}",
            headers={"Idempotency-Key": "k1"},
        )

    first, again = sent(b"class Bot: ...\n", "one"), sent(b"class Bot: ...\n", "two")
    assert (first.status_code, again.json()) == (201, first.json())
    assert BotVersion.objects.filter(bot__name="Gannet").count() == 1
    assert refusal(sent(b"class Bot: pass\n", "one")) == (409, "key_reused")


@pytest.mark.parametrize("key", ["", "x" * 65, "schlüssel", "a\tb"])
def test_a_key_is_1_to_64_printable_characters(marthas: Client, key: str) -> None:
    assert refusal(post(marthas, "tables/", TABLE, key)) == (400, "bad_key")


def test_who_is_nobody_has_no_keys(client: Client) -> None:
    assert refusal(post(client, "tables/", TABLE)) == (400, "key_needs_account")
    assert refusal(post(client, "clubs/", {"name": "Lantern Street"})) == (403, "not_signed_in")


def test_a_token_that_is_none_is_refused_as_ever() -> None:
    stranger = Client(headers={"Authorization": "Bearer sb_" + "a" * 48})
    assert refusal(post(stranger, "tables/", TABLE)) == (401, "bad_token")


@pytest.mark.parametrize(
    ("path", "sent"),
    [("tables/", TABLE), ("bots/", {"name": "Gannet", "description": "Dives."})],
)
def test_a_browser_with_a_key_is_its_own_person(martha: User, path: str, sent: Any) -> None:
    browser = Client()
    browser.force_login(martha)
    session = browser.cookies["sessionid"].value
    first, again = post(browser, path, sent), post(browser, path, sent)
    assert (first.status_code, again.status_code, first.json()) == (201, 201, again.json())
    assert (browser.cookies["sessionid"].value, User.objects.count()) == (session, 1)


def test_a_form_with_a_key_is_read_by_who_sends_it(martha: User) -> None:
    browser = Client()
    browser.force_login(martha)
    answers = [
        browser.post("/api/v1/clubs/", {"name": "Lantern Street"}, headers={"Idempotency-Key": "k1"}) for _ in range(2)
    ]
    assert [each.status_code for each in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()


def test_a_browser_needs_its_csrf_token_with_a_key_too(martha: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(martha)
    assert refusal(post(browser, "tables/", TABLE)) == (403, "csrf_failed")
    assert not OpenTable.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_does_it_and_the_other_waits_for_the_answer(
    martha: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second request comes on another connection while the first one is running."""
    inside, go = threading.Event(), threading.Event()
    usual = lobby.create_table

    def slow(**asked: Any) -> Any:
        inside.set()
        assert go.wait(20)
        return usual(**asked)

    monkeypatch.setattr(lobby, "create_table", slow)
    client = program(martha)

    def sent() -> tuple[int, str]:
        try:
            answer = post(client, "tables/", TABLE)
            return answer.status_code, answer.json()["id"]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(sent)
        assert inside.wait(20)
        second = threads.submit(sent)
        while not _waits():
            assert not second.done()
        go.set()
        assert first.result(20) == second.result(20)
    assert OpenTable.objects.count() == 1


def _waits() -> bool:
    """Return whether a connection waits for another transaction."""
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_when_the_process_dies_in_between_nothing_was_done_and_the_next_one_does_it(
    martha: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is cut after the table is set up and before the answer is stored."""
    client, usual = program(martha), lobby.create_table

    def dies(**asked: Any) -> Any:
        made = usual(**asked)
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return made

    monkeypatch.setattr(lobby, "create_table", dies)
    client.raise_request_exception = False
    assert post(client, "tables/", TABLE).status_code == 503
    connections["default"].close()
    assert (OpenTable.objects.count(), SentRequest.objects.count()) == (0, 0)

    monkeypatch.setattr(lobby, "create_table", usual)
    assert post(client, "tables/", TABLE).status_code == 201
    assert OpenTable.objects.count() == 1
