"""A game as one HTML file is opened from the disk, without a server or a request. It has the same viewer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from replays.export import single_file
from scorebook_games.registry import KINDS
from tests.browser.test_axe import WAYS, Way, look
from tests.replays.local_games import export

pytestmark = [pytest.mark.browser]


def opened(page: Page, folder: Path, kind: str, after: str = "") -> list[str]:
    """Open a game's file, and return the addresses of all other requests."""
    file = folder / f"{kind}.html"
    file.write_text(single_file.single_file_page(export(kind)))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{file.as_uri()}{after}")
    expect(page.locator(".felt")).to_be_visible()
    asked.remove(page.url.partition("#")[0] if not after else f"{file.as_uri()}{after}".partition("#")[0])
    return asked


@pytest.mark.slow  # the file has the same viewer as a page
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_file_is_stepped_through_like_any_replay(page: Page, tmp_path: Path, kind: str) -> None:
    asked = opened(page, tmp_path, kind)
    table = page.get_by_role("region", name="The table after step")
    first = table.get_attribute("aria-label")
    page.keyboard.press("ArrowRight")
    expect(table).not_to_have_attribute("aria-label", first or "")
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="Next step")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("group", name="View as").get_by_role("button", name="Laura").click()
    expect(page.get_by_role("group", name="View as").get_by_role("button", name="Laura")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert asked == []


@pytest.mark.slow
def test_a_moment_of_a_file_has_an_address(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, "chinese_ten", "?viewpoint=1#12")
    expect(page.get_by_role("region", name="The table after step 12")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"\?viewpoint=1#13$"))
    assert page.get_by_text("Embed").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_axe_finds_nothing_grave_in_a_file_and_nothing_scrolls_sideways(page: Page, tmp_path: Path, way: Way) -> None:
    page.set_viewport_size(way.size)
    opened(page, tmp_path, "palace")
    assert look(page, way) == []


def test_without_javascript_a_file_tells_the_game_in_words(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    file.write_text(single_file.single_file_page(export("plates")))
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        expect(page.get_by_role("heading", name="Plates")).to_be_visible()
        assert page.get_by_role("listitem").count() > 20
        expect(page.get_by_role("listitem").first).to_be_visible()
