"""While the database is not reachable, answers have the status 503 and a time to retry, and are no fault of the
caller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from games.accounts import people, tokens
from tests.assertions.page import Page
from tests.servers.database_url import database_url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def martha() -> User:
    user = User.objects.create_user("martha")
    people.create_profile_and_player(user, "Martha")
    return user


@contextmanager
def gone() -> Iterator[None]:
    """End this test's connection on the server, as a restart does. The next query fails."""
    connection.ensure_connection()
    assert connection.connection is not None
    with psycopg.connect(database_url(connection.settings_dict), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [connection.connection.info.backend_pid])
    yield
    connection.close()  # as at the end of a request


def visitor(**headers: str) -> Client:
    return Client(raise_request_exception=False, headers=headers)


def test_a_program_is_told_when_to_come_again() -> None:
    with gone():
        answer = visitor().get("/api/v1/games/")
    error = answer.json()["error"]
    assert (answer.status_code, error["status"], error["code"]) == (503, 503, "database_away")
    assert answer.headers["Retry-After"] == "2"
    assert visitor().get("/api/v1/games/").status_code == 200


def test_a_request_with_a_key_is_told_the_same_and_counts_when_it_is_sent_again(martha: User) -> None:
    secret = tokens.create_token(user=martha, name="laptop", wanted=["organise"])[1]
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "one"}
    body = {"name": "Lantern Street"}
    with gone():
        refused = visitor(**headers).post("/api/v1/clubs/", body, content_type="application/json")
    done = visitor(**headers).post("/api/v1/clubs/", body, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "database_away")
    assert done.status_code == 201


def test_a_person_reads_a_page_with_that_status() -> None:
    with gone():
        answer = visitor().get("/clubs/")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    text = " ".join(Page.of(answer).text.split())
    assert "The database does not answer. Your change was not saved. Try again in a moment." in text
    assert "went wrong on our side" not in text
