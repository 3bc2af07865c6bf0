"""A real browser, and a real server on the test's database. Martha and Laura play, Otto watches."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from devkit import collecting, frontend
from devkit.browser import find
from devkit.up import Address, web
from games.models import Game, Player
from tests.servers.database_url import database_url
from tests.servers.leftovers import delete_what_a_killed_server_left
from tests.servers.web import WAIT_TIMEOUT, free_port, wait_until_it_answers


@dataclass(frozen=True)
class Live:
    """The running platform at `address`."""

    address: str

    def sign_in(self, page: Page, player: Player) -> None:
        """Log the browser in as `player`."""
        client = Client()
        assert player.user
        client.force_login(player.user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": self.address}])


@pytest.fixture(scope="session")
def live(django_db_setup: None) -> Iterator[Live]:
    """Provide the web process that `bin/dev up` starts, with the built static files, the test database and a free
    port."""
    with serving(free_port()) as address:
        yield Live(address)


@contextmanager
def serving(port: int, application: str = "config.asgi:application") -> Iterator[str]:
    """Run a web process on this port within the block, and yield its address."""
    if not (frontend.BUILT.exists() and collecting.is_current(collecting.FOLDER_OF_TESTS)):
        pytest.fail("The front end is not built, or its files are not collected: bin/dev test does both.")
    command = [sys.executable, *web(Address("127.0.0.1", port), application), "--log-level", "error"]
    process = subprocess.Popen(command, env={**os.environ, **server_environment()}, cwd=settings.BASE_DIR)
    try:
        wait_until_it_answers(port, lambda: process.poll() is None)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()
        delete_what_a_killed_server_left()


def server_environment() -> dict[str, str]:
    """Return the environment of a web process as in `bin/dev up`, but with the test's database."""
    url = database_url(connection.settings_dict)
    return {
        "DATABASE_URL": url,
        "DATABASE_APP_URL": "",
        "SCOREBOOK_ALLOWED_HOSTS": "127.0.0.1",
        "SCOREBOOK_DEBUG": "",
        "SCOREBOOK_STATIC_ROOT": str(collecting.FOLDER_OF_TESTS),
        "SECRET_KEY": settings.SECRET_KEY,
        "CELERY_BROKER_URL": "memory://localhost",  # no worker uses the test's database
    }


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Provide a headless Chromium. Its driver runs an event loop in this thread, so browser tests come last
    (tests/conftest.py)."""
    path = find()
    if path is None:
        pytest.fail("There is no Chromium. Install it, or name its path in SCOREBOOK_CHROMIUM.")
    with pytest.MonkeyPatch.context() as patch:
        # Django takes the driver's event loop for an asynchronous view and would refuse the database.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        with sync_playwright() as driver:
            arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
            chromium = driver.chromium.launch(executable_path=path, args=arguments)
            yield chromium
            chromium.close()


@pytest.fixture
def is_asked(complaints: set[str]) -> None:
    """Let the browser complain about the status of a question: it answers a form with 422."""
    complaints.add("status of 422")


@pytest.fixture
def complaints() -> set[str]:
    """Return parts of the console messages that the test allows. It is empty unless the test adds some."""
    return set()


# Htmx logs these for a request that was running when the page was left. The first line has no cause; the next has it.
LEAVING = {"htmx:afterRequest", "htmx:sendAbort"}


@pytest.fixture
def page(browser: Browser, complaints: set[str]) -> Iterator[Page]:
    """Provide a new page of 1280 by 900 without a session. A script's error or a refused file fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    expect.set_options(timeout=1000 * WAIT_TIMEOUT)
    context.set_default_timeout(1000 * WAIT_TIMEOUT)
    made = context.new_page()
    wrong: list[str] = []
    made.on("pageerror", lambda error: wrong.append(str(error)))
    made.on("console", lambda sentence: wrong.append(sentence.text) if sentence.type == "error" else None)
    yield made
    context.close()
    assert [line for line in wrong if not any(words in line for words in complaints | LEAVING)] == []


Sit = Callable[..., Page]


@pytest.fixture
def sit(browser: Browser) -> Iterator[Sit]:
    """Return a function that opens a game in a player's own browser: `sit(live, player, game, width=360)`.

    A script's error fails the test.
    """
    contexts: list[BrowserContext] = []
    wrong: list[str] = []
    expect.set_options(timeout=1000 * WAIT_TIMEOUT)

    def seated(live: Live, player: Player, game: Game, *, width: int = 1280, height: int = 900) -> Page:
        size: ViewportSize = {"width": width, "height": height}
        context = browser.new_context(viewport=size, reduced_motion="reduce", has_touch=width < 700)
        contexts.append(context)
        context.set_default_timeout(1000 * WAIT_TIMEOUT)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        live.sign_in(page, player)
        page.goto(f"{live.address}/games/{game.public_id}/")
        expect(page.locator(".tray h2")).to_be_visible()
        expect(page.locator(".tabletop")).to_have_attribute("data-link", "open")
        return page

    yield seated
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def martha(transactional_db: None) -> Player:
    return Player.objects.create(name="Martha", user=User.objects.create_user("martha"))


@pytest.fixture
def laura(transactional_db: None) -> Player:
    return Player.objects.create(name="Laura", user=User.objects.create_user("laura"))
