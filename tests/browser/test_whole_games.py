"""Two people play a whole game of each kind in two browsers, and both see the result."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from games.eventlog import store as eventlog
from games.models import Game, Player
from games.play import services as play
from games.play.endings import outcome_sentence
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.fold import Fold
from tests.browser.conftest import Live, Sit
from tests.browser.playing_by_touch import at, both_at, bundle, open_game, play_by_touch, until, version

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TURN_LIMIT = "The turn limit was reached."
TO_THE_END = ""  # the sentence may begin with any words


def ended(pages: Sequence[Page], game: Game, words: str) -> None:
    """Check that both pages show the end of the game, and the card with the places and the scores."""
    game.refresh_from_db()
    assert game.status == Game.Status.FINISHED
    assert game.outcome
    names = list(game.seats.order_by("seat").values_list("player__name", flat=True))
    found = outcome_sentence(game.outcome, names, [])
    assert found.startswith(words)
    for seat, page in enumerate(pages):
        expect(page.locator(".tray h2")).to_have_text("The game is over")
        expect(page.locator(".tray .need")).to_have_text(found)
        own = page.locator(f".outcome .places [data-seat='{seat}']")
        expect(own).to_contain_text(f"{game.outcome['placings'][seat]}.")
        expect(own.locator("b")).to_have_text(str(game.outcome["scores"][seat]))
        expect(page.get_by_role("link", name="My games").last).to_be_visible()


class Traffic:
    """What a page asked for and got since now: requests, and bytes of bodies as transferred, streams included."""

    def __init__(self, page: Page) -> None:
        self.requests = self.bytes = 0
        session = page.context.new_cdp_session(page)
        session.on("Network.requestWillBeSent", lambda _event: self._count(1, 0))
        session.on("Network.dataReceived", lambda event: self._count(0, event["encodedDataLength"]))
        session.send("Network.enable")

    def _count(self, requests: int, received: int) -> None:
        self.requests += requests
        self.bytes += received

    def __str__(self) -> str:
        return f"{self.requests} requests, {self.bytes / 1000:.1f} kB"


def print_traffic(game: Game, before: int, traffic: Sequence[Traffic]) -> None:
    """Print what a game cost since the version `before`."""
    moves = len({entry.ms for entry in eventlog.read_events(game.stream_id, after=before)})
    print(f"\n{game.kind}: {moves} moves, {version(game) - before} events; {' and '.join(map(str, traffic))}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("chinese_ten", {"packs": 1}, TO_THE_END),
        ("palace", {"packs": 1, "jokers": False, "turn_limit": 8}, TURN_LIMIT),
        ("plates", {"rounds": 1, "turn_limit": 8}, TURN_LIMIT),
        ("platinum_fish", {"turn_limit": 10}, TURN_LIMIT),
    ],
)
def test_a_game_is_played_to_its_result(
    live: Live, sit: Sit, martha: Player, laura: Player, kind: str, options: dict[str, object], words: str
) -> None:
    game = open_game([martha, laura], kind, options)
    pages = [sit(live, player, game) for player in (martha, laura)]
    traffic, before = [Traffic(page) for page in pages], version(game)
    play_by_touch(pages, game, 200)
    ended(pages, game, words)
    print_traffic(game, before, traffic)
    pages[0].get_by_role("link", name="Replay").click()
    expect(pages[0].get_by_role("slider", name="Position in the game")).to_be_visible()


def test_a_game_is_played_to_its_result_on_a_phone_with_the_connection_lost_in_the_middle(
    live: Live, sit: Sit, martha: Player, laura: Player
) -> None:
    game = open_game([martha, laura], "chinese_ten", {"packs": 1, "turn_limit": 12})
    pages = [sit(live, martha, game, width=360, height=740), sit(live, laura, game)]
    play_by_touch(pages, game, 6)
    pages[0].context.set_offline(True)
    expect(pages[0].locator(".tray .link")).to_contain_text("The connection is lost")
    fold = play.load_game(game)
    play.play_move(game=game, seat=fold.awaited()[0], text=first_legal(fold), expected_version=fold.version)
    at(pages[1], version(game))
    pages[0].context.set_offline(False)
    both_at(pages, game)
    play_by_touch(pages, game, 200)
    ended(pages, game, TURN_LIMIT)
    assert pages[0].evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_whole_game_costs_one_request_a_move_and_nothing_else(
    live: Live, sit: Sit, page: Page, martha: Player, laura: Player
) -> None:
    """The stream brings what the others do, and the answer to a move what follows from it.

    Scripts and styles are not counted: a page loads some once, after the first drawing or touch, or at the end.
    What explains the things on the table is asked once a page. After the end each page loads itself once more, and
    whoever watches loads the game, because all cards are open now.
    """
    game = open_game([martha, laura], "chinese_ten", {"packs": 1, "turn_limit": 12})
    pages = [sit(live, player, game) for player in (martha, laura)]
    with page.expect_request("**/events/?**"):
        page.goto(f"{live.address}/games/{game.public_id}/")
    expect(page.get_by_role("slider", name="Position in the game")).to_be_visible()
    asked: list[str] = []

    def count(request: Request) -> None:
        path = urlsplit(request.url).path
        if not path.startswith("/static/"):
            asked.append(f"{request.method} {path}")

    for each in (*pages, page):
        each.on("request", count)
    before = version(game)
    play_by_touch(pages, game, 200)
    ended(pages, game, TURN_LIMIT)
    expect(page.get_by_text("The game is over.").first).to_be_visible()
    address = f"/api/v1/games/{game.public_id}"
    moves, itself, whole = f"POST {address}/moves/", f"GET /games/{game.public_id}/", f"GET {address}/replay/"
    explanations = "GET /api/v1/kinds/chinese_ten/explanations/"
    assert set(asked) <= {moves, itself, whole, explanations}
    assert asked.count(explanations) <= len([*pages, page])
    assert asked.count(moves) == len({entry.ms for entry in eventlog.read_events(game.stream_id, after=before)}) > 10
    assert (asked.count(itself) <= 3, asked.count(whole)) == (True, 1)


def first_legal(fold: Fold) -> str:
    """Return the first legal move of the seat whose turn it is."""
    return visibility.legal_moves(fold, fold.awaited()[0])[0]


@pytest.mark.slow
def test_plate_spinner_is_played_in_beats_with_grabs_drafts_and_attached_rims(
    live: Live, sit: Sit, martha: Player, laura: Player
) -> None:
    game = open_game([martha, laura], "plate_spinner", {"turn_limit": 24}, pace="beats", rated=False)
    pages = [sit(live, player, game) for player in (martha, laura)]
    traffic, before = [Traffic(page) for page in pages], version(game)
    while (fold := play.load_game(game)).outcome() is None:
        for seat in fold.to_act():
            expect(pages[seat].locator(".tray.acting")).to_be_visible()
            bundle(pages[seat])
        both_at(pages, game)
    ended(pages, game, TURN_LIMIT)
    print_traffic(game, before, traffic)
    done = {entry["type"] for entry in recorded_events(pages[0])}
    assert done >= {"rolled", "assigned", "grabbed", "drafted"}, done


@pytest.mark.slow
def test_plate_spinner_is_played_live_to_its_result(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura], "plate_spinner", {"roll_ms": 0, "turn_limit": 10}, pace="live", rated=False)
    pages = [sit(live, player, game) for player in (martha, laura)]
    for page in pages:
        page.get_by_role("button", name="I am ready").click()
    for page in pages:
        expect(page.locator(".tray h2")).to_have_text("Get ready")
    game.refresh_from_db()
    assert game.deadline
    pages[0].wait_for_function("(moment) => Date.now() > moment", arg=game.deadline.timestamp() * 1000)
    play.expire_clocks(game=game)
    while (fold := play.load_game(game)).outcome() is None:
        both_at(pages, game)
        page = pages[fold.to_act()[0]]
        expect(page.locator(".tray.acting")).to_be_visible()
        page.locator(".moves [data-move], .btn.roll").first.click()
        until(page, "version", str(fold.version), wanted=False)
    ended(pages, game, TURN_LIMIT)


def recorded_events(page: Page) -> list[dict[str, str]]:
    """Return the game's events from the page's own replay."""
    frames = page.evaluate(
        "fetch(`/api/v1${location.pathname}replay/`).then((answer) => answer.json()).then(({ frames }) => frames)"
    )
    return [frame["event"] for frame in frames]
