"""Pages and robots.txt give search engines and link previews the right information."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from config.http.robots import LEFT_OUT

pytestmark = pytest.mark.django_db


def test_search_engines_are_asked_to_leave_out_pages_of_accounts_and_machines(client: Client) -> None:
    answer = client.get("/robots.txt")
    assert answer["Content-Type"].startswith("text/plain")
    lines = answer.content.decode().splitlines()
    assert lines == ["User-agent: *", *(f"Disallow: {path}" for path in LEFT_OUT)]
    assert not any(path.startswith(("/clubs", "/games", "/help", "/learn")) for path in LEFT_OUT)


@pytest.mark.parametrize("path", ["/admin/", "/me/", "/metrics", "/zone/", "/health/live/", "/accounts/login/"])
def test_what_is_left_out_is_there(path: str) -> None:
    assert path.startswith(LEFT_OUT)
    try:
        resolve(path)
    except Resolver404:
        pytest.fail(f"there is no {path}")


def test_a_page_describes_itself_and_names_its_colours_and_icons(client: Client) -> None:
    html = client.get("/").content.decode()
    assert re.search(r'<meta name="description" content="[^"{]{50,160}">', html)
    assert html.count('<meta name="theme-color"') == 2
    for icon in ("img/favicon.svg", "img/touch-icon.png"):
        assert re.search(rf'<link rel="(apple-touch-)?icon" href="[^"]*{icon}"', html)
