"""The tools of a replay besides steps: verify, embed, continue the game. Its size in bytes is limited."""

from __future__ import annotations

import gzip
import http.server
import itertools
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Page, Request, Route, expect

from games.models import Deal, Game, Player
from games.play import services as play
from games.workers import runner
from scorebook_games.registry import KINDS
from tests.browser.conftest import Live
from tests.browser.test_viewer import at, visit
from tests.factories import worlds
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.replays.conftest import open_game, play_on

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KILOBYTE = 1000
BUILT = settings.BASE_DIR / "frontend" / "dist"


@pytest.fixture
def finished(transactional_db: None) -> Game:
    return worlds.finished_game()


def verify(page: Page) -> list[str]:
    page.get_by_role("button", name="Verify it yourself").click()
    lines = page.get_by_role("status", name="What was checked").get_by_role("listitem")
    expect(lines).to_have_count(4)
    return lines.all_inner_texts()


def test_a_reader_verifies_a_game_on_their_own_machine_and_on_the_server(
    page: Page, live: Live, finished: Game
) -> None:
    visit(page, live, finished)
    own, chain, promise, server = verify(page)
    head = bytes(finished.stream.head).hex()
    assert f"all {finished.version} events" in own
    assert head[:12] in chain
    assert "the commitment in the first event" in promise
    assert f"lead to all {finished.version} events" in server
    expect(page.locator(".stamp").first).to_contain_text("Verified.")


def test_a_file_of_which_one_byte_was_changed_is_found_out_on_the_readers_machine(
    page: Page, live: Live, finished: Game
) -> None:
    def forged(route: Route) -> None:
        answer = route.fetch()
        data = answer.json()
        data["log"]["batches"][-1]["times"][-1] += 1
        route.fulfill(response=answer, body=json.dumps(data))

    page.route("**/export/?as=json", forged)
    visit(page, live, finished)
    assert "Error: On your own machine: The chain ends in" in verify(page)[1].replace("\n", " ")
    expect(page.locator(".stamp").first).to_contain_text("Not verified.")


@pytest.mark.slow
def test_real_time_cuts_a_long_pause_short_and_says_so(page: Page, live: Live, finished: Game) -> None:
    def with_a_night_between(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=re.sub(r'("version": 3, "ms": )\d+', r"\g<1>30000000", answer.text()))

    page.route(f"**/games/{finished.public_id}/**", with_a_night_between)
    visit(page, live, finished, "#2")
    page.get_by_role("combobox", name="Playback").select_option("Real time")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_text("A pause of 8 h 20 min was shortened.")).to_be_visible()
    at(page, finished.version)


@pytest.mark.slow
def test_a_link_to_eyes_that_are_not_open_offers_those_that_are(
    page: Page, live: Live, martha: Player, laura: Player
) -> None:
    game = play_on(open_game([martha, laura]), 4)
    live.sign_in(page, martha)
    answer = page.request.get(f"{live.address}/games/{game.public_id}/?viewpoint=1")
    assert answer.status == 403
    for offer in ("View of Martha", "Public view"):
        assert offer in answer.text()
    assert "View of Laura" not in answer.text()


@pytest.mark.slow
def test_who_has_stepped_back_in_a_live_game_returns_to_its_head(
    page: Page, live: Live, martha: Player, laura: Player
) -> None:
    game = play_on(open_game([martha, laura]), 4)
    visit(page, live, game)
    at(page, game.version)
    button = page.get_by_role("button", name="Live")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Home")
    at(page, 2)
    play_on(game, 2)
    expect(button).to_contain_text(f"+{game.version - 2}")
    at(page, 2)
    button.click()
    at(page, game.version)
    play_on(game)
    expect(page.get_by_role("link", name="JSON")).to_be_visible()
    assert "Verified" in page.locator(".stamp").first.inner_text()


@pytest.mark.slow
def test_somebody_plays_on_from_a_moment(page: Page, live: Live, finished: Game) -> None:
    laura = Player.objects.get(name="Laura")
    live.sign_in(page, laura)
    visit(page, live, finished, "?viewpoint=1#20")
    page.get_by_text("Continue from here").click()
    expect(page.get_by_role("combobox", name="Your seat")).to_have_value("1")
    page.get_by_role("button", name="Play as Laura from step 20").click()
    page.wait_for_url(lambda address: finished.public_id not in address)
    expect(page.locator(".tray h2")).to_be_visible()
    expect(page.get_by_role("link", name=f"step 20 of {finished.public_id}")).to_be_visible()
    game = Game.objects.get(continued_from=finished)
    assert game.seats.get(player=laura).seat == 1


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Serve another site. Yield its address, and the folder that it serves."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object, **named: object) -> None:
            super().__init__(*arguments, directory=str(tmp_path), **named)  # type: ignore[arg-type]

        def log_message(self, *sentence: object) -> None:
            """Log nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", tmp_path
        server.shutdown()


def test_the_copied_code_shows_the_moment_on_another_site(
    page: Page, live: Live, finished: Game, elsewhere: tuple[str, Path]
) -> None:
    visit(page, live, finished, "?viewpoint=1#17")
    page.get_by_text("Embed").click()
    code = page.get_by_role("textbox", name="Code to embed this moment").input_value()
    site, folder = elsewhere
    (folder / "blog.html").write_text(f"<!doctype html><title>A blog</title><link rel=icon href='data:,'>{code}")
    page.goto(f"{site}/blog.html")
    frame = page.frame_locator("iframe")
    expect(frame.locator(".felt")).to_have_attribute("aria-label", "The table after step 17")
    expect(frame.locator(".tag")).to_have_text("this view")
    frame.get_by_role("button", name="Next step").click()
    expect(frame.locator(".felt")).to_have_attribute("aria-label", "The table after step 18")
    home = frame.get_by_role("link", name="Open in Scorebook")
    expect(home).to_have_attribute("href", f"/games/{finished.public_id}/")


@pytest.mark.slow
def test_a_full_table_fits_into_its_frame_and_stays_as_it_is_from_step_to_step(page: Page, live: Live) -> None:
    game = play.open_game(kind="palace", players=[ensure_builtin_bots()["sensible"]] * 6)
    runner.play_due_games("frame")
    page.set_viewport_size({"width": 640, "height": 720})
    page.goto(f"{live.address}/games/{game.public_id}/embed/?viewpoint=all#40")
    for key in ("Home", "End", "k"):
        page.keyboard.press(key)
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    expect(page.get_by_role("button", name="Next step")).to_be_in_viewport()
    size = page.locator(".felt").evaluate("(felt) => Number(felt.style.zoom)")
    assert 0.5 <= size < 1


def test_only_the_embedded_page_may_be_framed_and_it_opens_nothing_by_a_session(
    page: Page, live: Live, martha: Player, laura: Player
) -> None:
    game = play_on(open_game([martha, laura]), 4)
    live.sign_in(page, martha)
    address = f"{live.address}/games/{game.public_id}/"
    assert page.request.get(address).headers["x-frame-options"] == "DENY"
    embedded = page.request.get(f"{address}embed/")
    assert "x-frame-options" not in embedded.headers
    assert '"viewpoint": "public"' in embedded.text()
    assert page.request.get(f"{address}embed/?viewpoint=0").status == 403


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[] if kind == "plate_spinner" else pytest.mark.slow) for kind in sorted(KINDS)]
)
def test_the_first_view_of_a_replay_is_light(page: Page, live: Live, kind: str) -> None:
    """All downloads for a replay of a game of built-in bots are together at most 163 kB, as transferred.

    It opens on its result, so the card and each step's reason are among them, and rounds, theatre and what explains
    things on the table are a part of its programs; its page names its picture for other sites, and its styles those of
    teams and availability.
    """
    game = play.open_game(
        kind=kind, players=[ensure_builtin_bots()["sensible"]] * 2, deal=Deal.objects.create(seed=bytes([9]) * 32)
    )
    runner.play_due_games("weight")
    weights: dict[str, int] = {}

    def weigh(request: Request) -> None:
        answer = request.response()
        assert answer
        sizes = request.sizes()
        weights[answer.url] = sizes["responseBodySize"] + sizes["responseHeadersSize"]

    page.on("requestfinished", weigh)
    visit(page, live, game)
    page.wait_for_load_state("networkidle")
    assert len(weights) >= 8
    assert sum(weights.values()) <= 169 * KILOBYTE, weights


#: What the first drawing may load, in kB: the viewer and the table, each with the board of a kind.
ISLAND = {"src/viewer.ts": 35.0, "src/table/start.ts": 54.5}
#: How much more with the board that draws any kind.
GENERIC = 0.9
#: What is loaded after it: what a reader goes through a game with, motion, dragging, sound, lists of keys, the stream.
LATER = [
    "src/views/deck.ts",
    "src/lively.ts",
    "src/table/drag.ts",
    "src/explain/part.ts",
    "src/sound/synth.ts",
    "src/views/part.ts",
    "src/stream.ts",
]


def test_the_island_is_light() -> None:
    """The scripts that are loaded for the first drawing keep to `ISLAND` when gzipped; the rest comes later."""
    manifest = json.loads((BUILT / "manifest.json").read_text())

    def files(name: str) -> set[str]:
        entry = manifest[name]
        return {entry["file"]}.union(*(files(each) for each in entry.get("imports", [])))

    boards = [name for name in manifest if name.endswith("/board.ts")]
    assert len(boards) == len(KINDS) + 1  # one more for the generic board
    for side, board in itertools.product(ISLAND, boards):
        loaded = files("src/replay.ts") | files(side) | files(board)
        sizes = {file: len(gzip.compress((BUILT / file).read_bytes())) for file in loaded}
        most = ISLAND[side] + (GENERIC if "/generic/" in board else 0)
        assert 20 * KILOBYTE < sum(sizes.values()) <= most * KILOBYTE, sizes
        assert not {manifest[part]["file"] for part in LATER} & loaded, side
