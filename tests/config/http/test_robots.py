"""Pages and robots.txt give search engines and link previews the right information."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
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


def test_a_browser_can_install_scorebook_with_its_own_icons(client: Client) -> None:
    """W3C Web Application Manifest: a name, a start in the scope, a display mode, and icons of 192 and 512 pixels."""
    assert re.search(r'<link rel="manifest" href="[^"]*manifest.webmanifest"', client.get("/").content.decode())
    found = finders.find("manifest.webmanifest")
    assert isinstance(found, str)
    manifest = json.loads(Path(found).read_text())
    assert (manifest["start_url"], manifest["scope"], manifest["display"]) == ("/", "/", "standalone")
    for icon in manifest["icons"]:
        drawn = finders.find(icon["src"])
        assert isinstance(drawn, str)
        width, height = struct.unpack(">II", Path(drawn).read_bytes()[16:24])
        assert icon["sizes"] == f"{width}x{height}"
    assert {icon["sizes"] for icon in manifest["icons"]} == {"192x192", "512x512"}


def test_a_page_describes_itself_and_names_its_colours_and_icons(client: Client) -> None:
    html = client.get("/").content.decode()
    assert re.search(r'<meta name="description" content="[^"{]{50,160}">', html)
    assert html.count('<meta name="theme-color"') == 2
    for icon in ("img/favicon.svg", "img/touch-icon.png"):
        assert re.search(rf'<link\s+rel="(apple-touch-)?icon"\s+href="[^"]*{icon}"', html)
