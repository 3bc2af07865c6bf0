"""Every text on tables and replays can be translated: in the test language each text is in brackets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from games.models import Game, Player
from games.play import services as play
from scorebook_games.kinds.plate_spinner.catalogue import looks
from scorebook_games.registry import KINDS
from tests.browser.conftest import Live, Sit, serving
from tests.browser.playing_by_touch import open_game
from tests.fixtures.bracketed_texts import left_over
from tests.replays.conftest import play_on
from tests.servers.web import free_port

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Returns all texts of a page, visible or for screen readers, without signs and without data for programs.
VISIBLE_TEXTS: Final = """() => {
  const apart = ".mark, svg, kbd, script, textarea, input, .notation";
  const [texts, names] = [[], []];
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_ALL);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node instanceof Text && !node.parentElement.closest(apart)) texts.push(node.data);
    if (node instanceof Element)
      for (const name of ["aria-label", "aria-valuetext", "title", "alt", "placeholder"])
        names.push(node.getAttribute(name) ?? "");
  }
  return [...texts, ...names].join("\\n");
}"""
PEOPLE: Final = ("Martha", "Laura", "Random", "Simple", "Sensible", "Strong")


@pytest.fixture(scope="module")
def abroad(django_db_setup: None) -> Iterator[Live]:
    """Run the platform in the test language."""
    with serving(free_port(), "tests.browser.bracketed:application") as address:
        yield Live(address)


def untranslated(page: Page) -> list[str]:
    """Return the texts of the page that are not in brackets. Names are not translated."""
    names = [*PEOPLE, "JSON", *(look["name"] for look in looks(1).values())]
    return left_over(page.evaluate(VISIBLE_TEXTS), names)


def opened(kind: str, players: list[Player]) -> Game:
    if kind == "plate_spinner":
        return open_game(players, kind, pace="beats", rated=False)
    return play_on(open_game(players, kind), 9)


@pytest.mark.slow  # it starts another web process
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_untranslated_text_is_left_on_table_and_replay(
    abroad: Live, sit: Sit, martha: Player, laura: Player, kind: str
) -> None:
    game = opened(kind, [martha, laura])
    pages = [sit(abroad, player, game) for player in (martha, laura)]
    for page in pages:
        assert untranslated(page) == []
        page.keyboard.press("?")
        expect(page.locator("dialog")).to_be_visible()
        assert untranslated(page) == []
        page.keyboard.press("Escape")
    play.leave_game(game=game, seat=1, how="resigned")
    for page in pages:
        expect(page.locator(".ended, .viewer .list").first).to_be_visible()
        assert untranslated(page) == []
    pages[0].goto(f"{abroad.address}/games/{game.public_id}/?viewpoint=all&look=1")
    expect(pages[0].locator(".viewer .list li").last).to_be_visible()
    pages[0].locator(".seal button").click()
    expect(pages[0].locator(".found li")).to_have_count(4)
    for key in ("?", "End"):
        pages[0].keyboard.press(key)
        assert untranslated(pages[0]) == []
