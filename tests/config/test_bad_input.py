"""What nobody sends by mistake: it is answered, and breaks nothing."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from config.parsers import MOST_BYTES
from games.accounts import people
from games.models import Player
from tournaments.models import Club

pytestmark = pytest.mark.django_db


@pytest.fixture
def martha() -> Player:
    cache.clear()
    return people.welcome(User.objects.create_user("martha"), "Martha")


@pytest.fixture
def browser(martha: Player) -> Client:
    client = Client()
    assert martha.user
    client.force_login(martha.user)
    return client


@pytest.mark.parametrize(
    "address",
    ["/games/%00/", "/games/%00/embed/", "/play/%00/", "/api/v1/games/%00/replay/", "/api/v1/games/?kind=%00"],
)
def test_there_is_nothing_at_an_address_with_a_nul_in_it(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_nor_is_anything_done_at_one(browser: Client) -> None:
    assert browser.post("/play/%00/sit/").status_code == 404
    assert browser.post("/games/%00/again/").status_code == 404


@pytest.mark.parametrize("name", ["/me/notices/", "/me/games/", "/watch/", "/clubs/"])
@pytest.mark.parametrize("page", ["0000019999999999999999999", "0" * 5000 + "1", "-1", "²", "9999999"])
def test_a_page_with_an_absurd_number_is_not_there(browser: Client, name: str, page: str) -> None:
    assert browser.get(name, {"page": page}).status_code == 404


@pytest.mark.parametrize("position", ["abc", "9" * 30, "2026-13-45"])
@pytest.mark.parametrize("listed", ["games/", "tables/", "me/notices/"])
def test_a_cursor_that_somebody_made_up_is_no_page(browser: Client, listed: str, position: str) -> None:
    cursor = b64encode(f"p={position}".encode()).decode()
    answer = browser.get(f"/api/v1/{listed}", {"cursor": cursor})
    assert answer.status_code in (200, 404)
    assert answer.status_code == 200 or answer.json()["error"]["code"] == "not_found"


def post(client: Client, body: str) -> Any:
    return client.post("/api/v1/tables/", body, content_type="application/json")


def test_half_a_character_is_refused_where_its_refusal_could_not_be_written_down(browser: Client) -> None:
    answer = post(browser, r'{"kind": "chinese_ten", "access": "\ud800"}')
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "parse_error")
    assert post(browser, r'{"kind": "\ud83d\ude00"}').json()["error"]["code"] == "bad_option"  # two halves are one


def test_json_without_a_bottom_or_an_end_is_refused(browser: Client) -> None:
    assert post(browser, "[" * 100_000).json()["error"]["code"] == "parse_error"
    answer = post(browser, '"' + "x" * MOST_BYTES + '"')
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_a_search_for_nothing_that_could_be_a_name_finds_nobody(browser: Client, martha: Player) -> None:
    people.welcome(User.objects.create_user("laura"), "Laura")
    shown = browser.post("/play/?part=people", {"q": "La\0u", "against": "person"})
    assert (shown.status_code, "Laura" in shown.content.decode()) == (200, True)
    assert martha.user
    club = Club.objects.create(name="Lantern Street", slug="lantern", owner=martha.user)
    assert browser.post(f"/clubs/{club.slug}/new-season/?part=people", {"q": "\0"}).status_code == 200
