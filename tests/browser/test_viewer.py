"""A replay in a real browser: steps, keys, viewpoints, links, and whether the board shows what was observed."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from games.models import Deal, Game, Player
from games.play import services as play
from games.workers import runner
from scorebook_games.registry import KINDS
from tests.browser.conftest import Live
from tests.factories import worlds
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.parameters import mostly_slow
from tests.replays.conftest import open_game, play_on

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Returns what the drawing shows on the board.
CARDS = "const cards = (at) => [...document.querySelectorAll(`${at} [data-card]`)].map((card) => card.dataset.card);"
TEN_BOARD = f"""() => {{ {CARDS} return {{
  spots: [1, 2, 3, 4].map((number) => cards(`[data-place="spot ${{number}}"]`)),
  deck: Number(document.querySelector("[data-deck]").dataset.deck),
  hands: [0, 1].map((seat) => cards(`[data-seat="${{seat}}"] .shown`)),
  points: [0, 1].map((seat) => Number(document.querySelector(`[data-seat="${{seat}}"] .score b`).textContent)),
}} }}"""
STRICT = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"


@pytest.fixture
def finished(transactional_db: None) -> Game:
    return worlds.finished_game()


def replay(live: Live, game: Game, viewpoint: str) -> dict[int, dict[str, Any]]:
    """Return the observations of a game by version, from the API."""
    answer = httpx.get(f"{live.address}/api/v1/games/{game.public_id}/replay/?viewpoint={viewpoint}").raise_for_status()
    return {frame["version"]: frame["observation"] for frame in answer.json()["frames"]}


def visit(page: Page, live: Live, game: Game, rest: str = "") -> None:
    page.goto(f"{live.address}/games/{game.public_id}/{rest}")
    expect(page.locator(".felt")).to_be_visible()


def at(page: Page, version: int) -> None:
    """Wait until the page shows this version."""
    expect(page.locator(".list [aria-current] i")).to_have_text(str(version))


def ten_shown(seen: dict[str, Any], viewpoint: int) -> dict[str, Any]:
    """Return what the board must show of an observation of Chinese Ten from a seat's viewpoint."""
    hands = [["back"] * count for count in seen["hand_counts"]]
    hands[viewpoint] = seen["hand"]
    return {
        "spots": [spot[-3:] for spot in seen["spots"]],
        "deck": seen["deck"],
        "hands": hands,
        "points": seen["points"],
    }


@pytest.mark.slow
def test_a_board_shows_what_the_api_says_was_observed_then(page: Page, live: Live, finished: Game) -> None:
    """frontend/tests/browser/boards.test.ts checks all boards at all moments of golden games."""
    seen = replay(live, finished, "0")
    visit(page, live, finished, "?viewpoint=0#2")
    for version in sorted(seen)[:8]:
        at(page, version)
        assert page.evaluate(TEN_BOARD) == ten_shown(seen[version], 0), version
        page.keyboard.press("j")


@pytest.mark.slow
def test_keys_step_play_and_change_the_eyes(page: Page, live: Live, finished: Game) -> None:
    visit(page, live, finished, "?viewpoint=public#2")
    chosen = page.locator(".viewpoint [aria-pressed=true]")
    for key, version in [("ArrowRight", 3), ("j", 4), ("k", 3), ("End", finished.version), ("Home", 2)]:
        page.keyboard.press(key)
        at(page, version)
    for key, viewpoint in [("1", "0"), ("2", "1"), ("f", "0"), ("a", "all"), ("0", "public")]:
        page.keyboard.press(key)
        expect(chosen).to_have_attribute("data-viewpoint", viewpoint)
        at(page, 2)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Shortcuts")).to_be_hidden()
    page.get_by_role("button", name="8×").click()
    page.keyboard.press("End")
    page.keyboard.press("k")
    page.get_by_role("button", name="Play").click()
    at(page, finished.version)
    expect(page.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.slow
def test_a_link_leads_to_its_moment_and_eyes_and_the_address_follows(page: Page, live: Live, finished: Game) -> None:
    visit(page, live, finished, "?viewpoint=1#17")
    at(page, 17)
    page.locator(".list li").nth(7).locator("a").first.click()
    at(page, 9)
    page.wait_for_url("**/?viewpoint=1#9")
    page.reload()
    at(page, 9)
    field = page.get_by_role("textbox", name="Link to this moment in this view")
    expect(field).to_have_value(f"{live.address}/games/{finished.public_id}/?viewpoint=1&at=9#9")
    page.evaluate("location.hash = '#12'")
    at(page, 12)


def test_a_live_game_goes_on_by_itself(page: Page, live: Live, martha: Player, laura: Player) -> None:
    game = play_on(open_game([martha, laura]), 3)
    visit(page, live, game)
    at(page, game.version)
    expect(page.get_by_role("button", name="All cards")).to_be_disabled()
    before = game.version
    play_on(game, 2)
    assert game.version > before
    at(page, game.version)
    play_on(game)
    expect(page.get_by_role("button", name="All cards")).to_be_enabled()
    at(page, game.version)
    head = page.locator(".gamehead")
    expect(head.locator(".state")).to_contain_text(re.compile(r"Finished\s+Rated\s+\w+ wins\."))
    expect(head.locator(".result b")).to_have_count(2)
    expect(page.get_by_role("heading", name="The final position")).to_be_attached()


# Parts of the viewer that must exist once, when all have been loaded. The entry script then runs again, as under a
# second file name.
PARTS = """async (count) => {
  const parts = () => [...document.querySelectorAll("#replay > :not([role=dialog])")];
  const later = (ms) => new Promise((done) => setTimeout(done, ms));
  while (parts().length < count) await later(20);
  const entry = document.querySelector('script[src*="/replay-"]').src;
  await import(entry + "?again");
  await later(100);
  return parts().map((part) => `${part.tagName} ${part.getAttribute("class")}`);
}"""


@pytest.mark.parametrize("rest", mostly_slow(["", "embed/"], [""]), ids=["page", "embed"])
@pytest.mark.parametrize("state", ["finished", pytest.param("live", marks=pytest.mark.slow)])
def test_a_viewer_is_mounted_once_and_every_file_has_one_name(
    page: Page, live: Live, martha: Player, laura: Player, state: str, rest: str
) -> None:
    game = open_game([martha, laura])
    play_on(game) if state == "finished" else play_on(game, 4)
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url) if request.resource_type == "script" else None)
    visit(page, live, game, rest)
    count = 4 if rest else 5
    parts = page.evaluate(PARTS, count)
    assert len(parts) == len(set(parts)) == count, parts
    names = [re.sub(r"-[\w-]{8}\..*", "", url) for url in scripts if "/assets/" in url and "?again" not in url]
    assert len(names) == len(set(names)) > 1, scripts


def test_the_page_works_under_a_strict_content_policy(page: Page, live: Live, finished: Game) -> None:
    """The page has no inline script, inline style or eval. A violation is an error in the console, which fails the
    test."""

    def with_policy(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, "content-security-policy": STRICT})

    page.route(f"{live.address}/games/**", with_policy)
    visit(page, live, finished, "?viewpoint=all")
    page.keyboard.press("End")
    at(page, finished.version)
    page.keyboard.press("1")
    expect(page.locator(".tag")).to_have_text("this view")


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nothing_makes_the_page_scroll_sideways(page: Page, live: Live, kind: str) -> None:
    deal = Deal.objects.create(seed=bytes([9]) * 32)  # in this deal of Platinum Fish the board becomes wide
    game = play.open_game(kind=kind, players=[ensure_builtin_bots()["sensible"]] * 2, deal=deal)
    runner.play_due_games("browser")
    for width in (345, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        visit(page, live, game, "?viewpoint=0")
        for key in ("Home", "j", "End"):
            page.keyboard.press(key)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, key)


def test_without_javascript_the_game_stands_there_in_words(browser: Browser, live: Live, finished: Game) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live.address}/games/{finished.public_id}/")
    expect(page.get_by_text("The board needs JavaScript")).to_be_visible()
    expect(page.get_by_text("The final position")).to_be_visible()
    page.get_by_text("Every step").click()
    expect(page.locator(".steps li")).to_have_count(finished.version - 1)
    expect(page.locator(".steps li").last).to_be_visible()
    expect(page.get_by_role("link", name="Download as JSON")).to_be_visible()
    context.close()


SPINNER_BOARD = """() => {
  const plates = (root) => [...root.querySelectorAll("[data-piece^='plate ']")];
  const ids = (root) => plates(root).map(({ dataset }) => dataset.piece.slice(6));
  const seats = [0, 1, 2].map((seat) => document.querySelector(`.viewer [data-seat="${seat}"]`));
  const dice = (root) => [...root.querySelectorAll("[data-die]")].map((die) => die.dataset.die).join("");
  const near = plates(seats[0]);
  return {
    market: ids(document.querySelector(".viewer .stall")),
    plates: seats.map(ids),
    dice: seats.map((seat) => dice(seat.querySelector(".pool"))),
    lying: near.map((plate) => plate.querySelectorAll(".slot [data-die]").length),
    meeples: [...document.querySelectorAll(".meeples .meeple:not(.gone) b")].map((one) => Number(one.textContent)),
    scores: seats.map((seat) => Number(seat.querySelector(".score > b").textContent)),
  };
}"""


def spinner_shown(seen: dict[str, Any]) -> dict[str, Any]:
    """Return what the board must show of an observation of Plate Spinner with seat 0 at the near edge."""
    players = seen["players"]
    loose = [seen["loose"] if seat == seen["turn"] else [] for seat in range(len(players))]  # PS-19
    lying = [sum(die is not None for group in plate["filled"] for die in group) for plate in players[0]["plates"]]
    return {
        "market": seen["market"],
        "plates": [[plate["id"] for plate in player["plates"]] + loose[seat] for seat, player in enumerate(players)],
        "dice": [player["dice"] for player in players],
        "lying": lying + [0 for _rim in loose[0]],
        "meeples": seen["meeples"],
        "scores": [player["score"] for player in players],
    }


@pytest.mark.slow
def test_the_board_of_plate_spinner_shows_market_meeples_plates_and_dice(page: Page, live: Live) -> None:
    """Sensible bots play a game of Plate Spinner (PS-18)."""
    page.set_viewport_size({"width": 1280, "height": 900})
    game = play.open_game(kind="plate_spinner", players=[ensure_builtin_bots()["sensible"]] * 3)
    runner.play_due_games("browser")
    seen = replay(live, game, "0")
    versions = sorted(seen)
    visit(page, live, game, "?viewpoint=0")
    for version in versions[:: len(versions) // 25]:
        page.evaluate("(version) => { location.hash = `#${version}` }", version)
        at(page, version)
        assert page.evaluate(SPINNER_BOARD) == spinner_shown(seen[version])
    assert "Beaker A1" in (page.locator('.near [data-piece="plate A1"]').get_attribute("aria-label") or "")
