"""A moment of a replay is analysed in a real browser: nothing is loaded before somebody asks, the figures are those of
this Python, byte for byte, and a browser without WebAssembly says so."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from replays.export.game_json import export_json
from scorebook_games.lab import bridge
from tests.browser.conftest import Live
from tests.browser.test_bot_lab import START
from tests.browser.test_viewer import visit
from tests.factories import worlds

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

HEAR = 'window.heard = []; addEventListener("message", ({ data }) => window.heard.push(data));'
VERSION = 30


def test_a_moment_is_analysed_in_the_browser_as_it_is_here_byte_for_byte(
    page: Page, live: Live, transactional_db: None
) -> None:
    game = worlds.finished_game()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script(HEAR)
    visit(page, live, game, f"?viewpoint=0#{VERSION}")
    button = page.get_by_role("button", name="Analyse this moment")
    expect(button).to_be_visible()
    assert not [address for address in asked if "pyodide" in address or "/lab/" in address]
    button.click()
    panel = page.get_by_role("region", name="Analysis")
    expect(panel.get_by_role("heading")).to_be_focused()
    expect(panel).to_contain_text("games were played on.", timeout=3 * START)
    panel.get_by_role("button", name="Stop").click()
    expect(panel.get_by_role("status")).to_have_text("Stopped.")

    first = page.evaluate("window.heard.find(({ news }) => news).news")
    request = {"export": export_json(game), "seat": 0, "version": VERSION}
    here = bridge.begin("analyse", json.dumps(request), lambda _news: None)
    assert not isinstance(here, str), here
    assert first == here.step()

    # What was found is there again after the tab was closed.
    page.reload()
    button.click()
    expect(panel).to_contain_text("That was before you left", timeout=3 * START)


def test_a_browser_without_webassembly_says_that_it_cannot_analyse(
    page: Page, live: Live, transactional_db: None
) -> None:
    page.add_init_script("delete window.WebAssembly;")
    visit(page, live, worlds.finished_game(), f"?viewpoint=0#{VERSION}")
    page.get_by_role("button", name="Analyse this moment").click()
    panel = page.get_by_role("region", name="Analysis")
    expect(panel.get_by_role("alert")).to_contain_text("Python could not be started in this browser")
