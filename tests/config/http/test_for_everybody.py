"""Answers that are the same for all readers may be kept by every cache: they see no cookie and do not vary by one."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from config.http.cache_control import CacheControlMiddleware
from games.accounts.languages import set_language
from games.accounts.models import Session
from games.bots import kit
from games.common import clock
from games.common.words import words_version
from games.moderation.impersonation import SESSION_KEY
from tests.factories import worlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> Client:
    """Return the browser of somebody who has chosen German and a zone."""
    user = User.objects.create_user("Martha")
    set_language(user, "de")
    client = Client()
    client.force_login(user)
    client.cookies["zone"] = "Asia/Kolkata"
    return client


def addresses() -> dict[str, str]:
    game = worlds.finished_game()
    player = game.seats.get(seat=0).player_id
    return {
        "/robots.txt": "public, max-age=3600",
        "/kit/scorebook_bot.py": "public, no-cache",
        f"/kit/{kit.wheel_name()}": "public, no-cache",
        "/bots/lab/starters/palace/small.py": "public, max-age=3600",
        "/help/alerts.yml": "public, max-age=3600",
        f"/words/de/{words_version('de')}.js": "max-age=31536000, immutable",
        f"/players/{player}/picture.png": "public, max-age=3600",
        f"/games/{game.public_id}/picture.png": "public, max-age=86400",
        f"/oembed/?url=http://testserver/games/{game.public_id}/": "public, max-age=86400",
    }


def test_a_public_answer_is_the_same_for_everybody_and_may_be_kept_by_every_cache(reader: Client) -> None:
    for at, lifetime in addresses().items():
        for client in (Client(), reader):
            answer = client.get(at)
            assert (answer.status_code, answer["Cache-Control"]) == (200, lifetime), at
            assert answer["Vary"] == "Accept-Language", at
            assert not answer.cookies, at
        assert answer.content == Client().get(at).content, at


def test_a_browser_that_has_it_is_told_to_keep_it_as_long_as_before() -> None:
    for at in (f"/kit/{kit.wheel_name()}", "/kit/scorebook_bot.py"):
        answer = Client().get(at)
        again = Client().get(at, headers={"If-None-Match": answer["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again["Cache-Control"] == answer["Cache-Control"] == "public, no-cache"


def test_an_answer_that_ends_a_session_is_kept_by_no_other_cache(reader: Client) -> None:
    Session.objects.update(expire_date=clock.now())
    answer = reader.get("/robots.txt")
    assert answer.cookies["sessionid"].value == ""
    assert (answer["Cache-Control"], "Cookie" in answer["Vary"]) == ("max-age=3600, private", True)


def test_an_answer_that_says_that_a_support_view_has_ended_is_kept_by_no_other_cache(reader: Client) -> None:
    session = reader.session
    session[SESSION_KEY] = 0
    session.save()
    answer = reader.get("/robots.txt")
    assert "sessionid" in answer.cookies
    assert (answer["Cache-Control"], "Cookie" in answer["Vary"]) == ("max-age=3600, private", True)


def test_it_varies_by_nothing_where_only_cookies_were_looked_at() -> None:
    def view(_request: HttpRequest) -> HttpResponse:
        response = HttpResponse(headers={"Vary": "Cookie"})
        response.for_everybody = True  # type: ignore[attr-defined]
        return response

    answer = CacheControlMiddleware(view)(RequestFactory().get("/"))
    assert "Vary" not in answer.headers


def test_its_language_is_that_of_the_browser_and_of_no_account(reader: Client) -> None:
    player = worlds.members()[0].pk
    at = f"/players/{player}/picture.png"
    languages = [
        (client.get(at, headers={"Accept-Language": asked})["Content-Language"])
        for client in (Client(), reader)
        for asked in ("de", "en")
    ]
    assert languages == ["de", "en"] * 2


def test_a_page_of_a_reader_still_varies_by_their_cookies(reader: Client) -> None:
    for client in (Client(), reader):
        assert "Cookie" in client.get("/bots/")["Vary"]
