"""Input that nobody sends by mistake gets an answer and breaks nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from config.http.parsers import MAX_JSON_BYTES
from games.accounts import people
from games.common import sealed_text
from games.models import Player
from tests.tournaments.club import new_club

pytestmark = pytest.mark.django_db


@pytest.fixture
def martha() -> Player:
    cache.clear()
    return people.create_profile_and_player(User.objects.create_user("martha"), "Martha")


@pytest.fixture
def browser(martha: Player) -> Client:
    client = Client()
    assert martha.user
    client.force_login(martha.user)
    return client


@pytest.mark.parametrize(
    "address",
    ["/games/%00/", "/games/%00/embed/", "/play/%00/", "/api/v1/games/%00/replay/", "/clubs/?q=%00"],
)
def test_there_is_nothing_at_an_address_with_a_nul_in_it(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_a_parameter_of_the_api_has_no_nul(client: Client) -> None:
    refused = client.get("/api/v1/games/?kind=%00")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_parameter")


@pytest.mark.parametrize("listed", ["matches", "seasons", "players", "ratings", "rating-pools", "me/vacations"])
def test_what_is_no_number_leads_nowhere(browser: Client, listed: str) -> None:
    for asked in ("null", "²", "9" * 30, "1.0"):
        assert browser.delete(f"/api/v1/{listed}/{asked}/").status_code == 404


@pytest.mark.parametrize("step", ["adjudicate", "annul", "replay", "dispute", "decline", "nudge"])
def test_nor_does_it_where_something_is_done(browser: Client, step: str) -> None:
    refused = browser.post(f"/api/v1/matches/null/{step}/", {"note": "Why.", "game": 1}, "application/json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("path", ["matches/999999999/", "clubs/nowhere/", "nothing/"])
def test_what_is_not_there_is_said_in_the_readers_language(browser: Client, path: str) -> None:
    refused = browser.get(f"/api/v1/{path}", headers={"accept-language": "de"}).json()["error"]
    assert refused["code"] == "not_found"
    assert refused["sentence"].startswith("Unter dieser Adresse"), refused["sentence"]


def test_a_form_of_which_nothing_can_be_read_is_not_taken_for_an_empty_one(browser: Client) -> None:
    kind = "multipart/form-data; boundary=a-line-between"
    broken = browser.generic("POST", "/api/v1/me/notices/seen/", b"--a-line-between\r\n" + b"x" * 80, kind)
    empty = browser.generic("POST", "/api/v1/me/notices/seen/", b"--a-line-between--\r\n", kind)
    assert (broken.status_code, broken.json()["error"]["code"]) == (400, "parse_error")
    assert empty.status_code == 200


def test_a_form_that_is_too_long_is_refused_in_the_one_shape(browser: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    for sent, status, code in ((b"x=" + b"y" * 200, 413, "too_large"), (b"x=1&" * 1100, 413, "too_large")):
        refused = browser.generic("POST", "/api/v1/seasons/import/", sent, "application/x-www-form-urlencoded")
        assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100_000
    refused = browser.generic("POST", "/api/v1/seasons/import/", b"x=1&" * 1100, "application/x-www-form-urlencoded")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_request")


def test_nor_is_anything_done_at_one(browser: Client) -> None:
    assert browser.post("/play/%00/sit/").status_code == 404
    assert browser.post("/games/%00/again/").status_code == 404


@pytest.mark.parametrize(
    ("name", "page"),
    [
        *((name, "9999999") for name in ("/me/notices/", "/me/games/", "/watch/", "/clubs/")),
        *(("/clubs/", page) for page in ("0000019999999999999999999", "0" * 5000 + "1", "-1", "²")),
    ],
)
def test_a_page_with_an_absurd_number_is_not_there(browser: Client, name: str, page: str) -> None:
    assert browser.get(name, {"page": page}).status_code == 404


@pytest.mark.parametrize(
    "cursor", ["cD03", "", "7", "²", "x" * 5000, sealed_text.seal("[0, false, 7]", "/api/v1/bots/")]
)
def test_a_cursor_that_somebody_made_up_is_refused(browser: Client, cursor: str) -> None:
    answer = browser.get("/api/v1/games/", {"cursor": cursor})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_cursor")


def post(client: Client, body: str) -> Any:
    return client.post("/api/v1/tables/", body, content_type="application/json")


def test_half_a_character_is_refused_where_its_refusal_could_not_be_written_down(browser: Client) -> None:
    answer = post(browser, r'{"kind": "chinese_ten", "access": "\ud800"}')
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "parse_error")
    assert (
        post(browser, r'{"kind": "\ud83d\ude00"}').json()["error"]["code"] == "bad_option"
    )  # two surrogates make one character


def test_json_without_a_bottom_or_an_end_is_refused(browser: Client) -> None:
    assert post(browser, "[" * 100_000).json()["error"]["code"] == "parse_error"
    answer = post(browser, '"' + "x" * MAX_JSON_BYTES + '"')
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_a_search_for_nothing_that_could_be_a_name_finds_nobody(browser: Client, martha: Player) -> None:
    people.create_profile_and_player(User.objects.create_user("laura"), "Laura")
    shown = browser.post("/play/?part=people", {"q": "La\0u", "against": "person"})
    assert (shown.status_code, "Laura" in shown.content.decode()) == (200, True)
    assert martha.user
    club = new_club(name="Lantern Street", slug="lantern", owner=martha.user)
    assert browser.post(f"/clubs/{club.slug}/new-season/?part=people", {"q": "\0"}).status_code == 200
