"""A session is read together with its user, and lets in whom Django would let in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.accounts.models import Profile, Session
from games.accounts.people import create_profile_and_player

pytestmark = pytest.mark.django_db


@pytest.fixture
def martha() -> User:
    user = User.objects.create_user("martha", password="a long password")
    create_profile_and_player(user, "Martha")
    return user


@pytest.fixture
def client(martha: User) -> Client:
    client = Client()
    client.force_login(martha)
    return client


def who(client: Client) -> Any:
    """Return the user of a request by this client."""
    return client.get("/api/v1/me/").wsgi_request.user


def test_one_query_reads_the_session_the_user_their_choices_and_what_a_page_shows_of_them(
    client: Client, martha: User
) -> None:
    Profile.objects.filter(user=martha).update(language="de", zone="Europe/Berlin")
    with CaptureQueriesContext(connection) as asked:
        answer = client.get("/zone/")
    assert "Berlin" in answer.content.decode()
    assert answer["Content-Language"] == "de"
    reads = [query["sql"] for query in asked if "auth_user" in query["sql"] or "accounts_profile" in query["sql"]]
    assert sum("accounts_session" in sql for sql in reads) == 1
    assert [sql for sql in reads if "accounts_session" not in sql and "notice" not in sql] == []


def banned(user: User) -> None:
    user.is_active = False
    user.save()


def with_another_password(user: User) -> None:
    user.set_password("another long password")
    user.save()


def deleted(user: User) -> None:
    User.objects.filter(pk=user.pk).delete()


def logged_out_everywhere(user: User) -> None:
    Session.objects.filter(user_id=user.pk).delete()


@pytest.mark.parametrize("change", [banned, with_another_password, deleted, logged_out_everywhere])
def test_who_may_not_come_in_any_more_is_nobody_at_the_next_request(
    client: Client, martha: User, change: Callable[[User], None]
) -> None:
    assert who(client).pk == martha.pk
    change(martha)
    assert who(client).pk is None


def test_the_content_of_a_session_says_whose_it_is(client: Client, martha: User) -> None:
    """Its row may say something else."""
    Session.objects.filter(user_id=martha.pk).update(user_id=User.objects.create_user("laura").pk)
    assert who(client).pk == martha.pk
