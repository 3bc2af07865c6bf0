"""Pages show times in the viewer's zone. It is in a cookie, which the script or the form sets; without it, times are
UTC."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.template import Context, Template
from django.test import Client, RequestFactory
from django.utils import timezone

from config.http.time_zone import TimeZoneMiddleware, viewer_zone
from tests.assertions.page import Page

SUMMER = datetime(2026, 7, 1, 12, 30, tzinfo=UTC)


def written(cookie: str) -> tuple[str, HttpResponse]:
    """Return the time `SUMMER` as a page writes it for a viewer with that cookie, and the response."""
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    request.COOKIES["zone"] = cookie
    template = Template("{% load display %}{{ moment|clock }}")
    response = TimeZoneMiddleware(lambda _: HttpResponse(template.render(Context({"moment": SUMMER}))))(request)
    return Page.of(response).text, response


@pytest.mark.parametrize(
    ("cookie", "time"),
    [
        ("Europe/Dublin", "13:30"),
        ("Asia%2FKolkata", "18:00"),
        ("America/New_York", "08:30"),
        ("UTC", "12:30"),
        ("", "12:30"),
        ("Nowhere/Land", "12:30"),
        ("../../etc/passwd", "12:30"),
    ],
)
def test_a_time_is_written_in_the_zone_of_the_cookie_or_in_utc(cookie: str, time: str) -> None:
    assert written(cookie)[0] == time


def test_a_cache_keeps_the_pages_of_different_zones_apart() -> None:
    assert "Cookie" in written("UTC")[1]["Vary"]


def test_the_zone_of_one_viewer_does_not_stay_for_the_next() -> None:
    written("Asia/Kolkata")
    assert timezone.get_current_timezone_name() == "UTC"


def test_a_time_stands_there_for_machines_too() -> None:
    assert b'<time datetime="2026-07-01T12:30:00+00:00">' in written("Europe/Dublin")[1].content


def test_the_form_sets_the_cookie_and_goes_back(client: Client) -> None:
    response = client.post("/zone/", {"zone": "Europe/Dublin", "next": "/clubs/?page=1"})
    assert (response.status_code, response["Location"]) == (302, "/clubs/?page=1")
    assert client.cookies["zone"].value == "Europe/Dublin"
    assert viewer_zone(response.wsgi_request) == "UTC"  # this request had no cookie
    assert "Times are in Europe/Dublin" in Page.of(client.get("/zone/")).text


@pytest.mark.parametrize("elsewhere", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)", ""])
def test_the_form_leads_nowhere_else(client: Client, elsewhere: str) -> None:
    response = client.post("/zone/", {"zone": "UTC", "next": elsewhere})
    assert response["Location"] == "/"


def test_a_zone_that_is_not_known_is_refused_at_its_field(client: Client) -> None:
    response = client.post("/zone/", {"zone": "Nowhere/Land"})
    assert response.status_code == 400
    assert "zone" not in client.cookies
    assert any(attrs.get("class") == "error-text" for _, attrs in Page.of(response).tags)
