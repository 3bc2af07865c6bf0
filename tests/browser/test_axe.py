"""axe finds no serious or critical fault on pages with much content. test_every_page.py opens every page.

By default a page is viewed once, in light and at the size of a desktop. With `--all` it is viewed in all four looks
(light and dark, with usual and with more contrast) on a desktop, and on a phone. For the boards and the tray see
frontend/tests/browser/fits.test.ts.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from playwright.sync_api import Page, ViewportSize, expect

from games.bots import comparison, time_slices, uploads
from games.models import BotVersion, Deal, Game, Player
from games.play import services as play
from games.play.models import Fault
from games.workers import runner
from scorebook_games.registry import KINDS
from tests.browser.conftest import Live, Sit
from tests.factories import worlds
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.replays.conftest import play_on
from tournaments.seasons.models import Match, Season

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AXE: Final = settings.BASE_DIR / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
NARROWEST: Final = 320  # pixels
# Returns the page's width, and the elements that stick out of the window most.
TOO_WIDE: Final = """() => {
  const wide = document.documentElement.scrollWidth, right = part => part.getBoundingClientRect().right
  const parts = [...document.body.querySelectorAll("*")].filter(part => right(part) > innerWidth + 0.5)
  parts.sort((one, other) => right(other) - right(one))
  return [wide, parts.slice(0, 4).map(part => part.cloneNode().outerHTML).join(" ")]
}"""
PHONE: Final[ViewportSize] = {"width": 360, "height": 740}
DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 900}
# The other scheme changes only colours, so only the rules about colours run again.
OF_COLOURS: Final = ["color-contrast", "link-in-text-block"]
# `preload` would load style sheets and media again, for a rule about autoplay. There is no sound.
# Rules whose faults are moderate at most do not run.
FAULTS: Final = """async (rules) => {
  const only = rules ? { runOnly: { type: "rule", values: rules } } : {};
  const mild = axe._audit.rules.filter(({ impact }) => impact === "minor" || impact === "moderate");
  const off = Object.fromEntries(mild.map(({ id }) => [id, { enabled: false }]));
  const found = await axe.run(document, { resultTypes: ["violations"], preload: false, rules: off, ...only });
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.length} times, first ${nodes[0].html} (${nodes[0].failureSummary})`);
}"""


SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
CONTRASTS: Final[tuple[Literal["no-preference", "more"], ...]] = ("no-preference", "more")


class Way(NamedTuple):
    """The size, colour scheme and contrast with which a page is viewed."""

    size: ViewportSize = DESKTOP
    scheme: Literal["light", "dark"] = "light"
    contrast: Literal["no-preference", "more"] = "no-preference"

    def __str__(self) -> str:
        return f"{self.scheme}{'-more' if self.contrast == 'more' else ''}-{self.size['width']}"


FIRST_WAY: Final = Way()
FOUR_LOOKS: Final = [Way(scheme=scheme, contrast=more) for scheme in SCHEMES for more in CONTRASTS]
WAYS: Final[list[Any]] = [
    FIRST_WAY,
    *(pytest.param(way, marks=pytest.mark.slow) for way in (*FOUR_LOOKS[1:], Way(PHONE), Way(PHONE, "dark"))),
]


def faults(page: Page, way: Way = FIRST_WAY) -> list[str]:
    """Return the serious and critical faults of the page as it is now."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
        page.add_init_script(path=AXE)  # for the next pages, so that half a megabyte is sent once
    page.emulate_media(color_scheme=way.scheme, contrast=way.contrast, reduced_motion="reduce")
    rules = None if (way.scheme, way.contrast) == (SCHEMES[0], CONTRASTS[0]) else OF_COLOURS
    return [f"{way}: {fault}" for fault in page.evaluate(FAULTS, rules)]


def look(page: Page, way: Way = WAYS[0]) -> list[str]:
    """Return the faults of the page, and whether it scrolls sideways on the narrowest phone."""
    page.set_viewport_size(way.size)
    found = faults(page, way)
    page.set_viewport_size({"width": NARROWEST, "height": 740})
    wide, parts = page.evaluate(TOO_WIDE)
    page.set_viewport_size(way.size)
    return found + ([f"{wide} pixels wide where {NARROWEST} are there: {parts}"] if wide > NARROWEST else [])


def check(live: Live, page: Page, paths: list[str], way: Way) -> None:
    """Check that none of these pages has a fault. A failure names all faults."""
    wrong: dict[str, list[str]] = {}
    for path in paths:
        page.set_viewport_size(way.size)
        page.goto(live.address + path)
        if found := look(page, way):
            wrong[path] = found
    assert wrong == {}


@pytest.mark.slow
def test_a_fault_of_one_look_alone_is_found(page: Page) -> None:
    page.set_content(
        "<!DOCTYPE html><html lang='en'><title>A page</title><style>body { background: #fff; color: #000 }"
        "@media (prefers-color-scheme: dark) { body { background: #000; color: #222 } }"
        "@media (prefers-contrast: more) { body { background: #fff; color: #ddd } }</style>"
        "<main><h1>Hall</h1></main>"
    )
    found = [fault.partition(":")[0] for way in FOUR_LOOKS for fault in faults(page, way)]
    assert found == ["light-more-1280", "dark-1280", "dark-more-1280"]


@pytest.fixture
def season(transactional_db: None) -> Season:
    return worlds.demo_league()


@pytest.mark.slow  # by default, the next test looks at some of them, and test_every_page.py at all in a smaller league
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_leagues_pages(live: Live, page: Page, season: Season, way: Way) -> None:
    league = season.league
    match = Match.objects.filter(round__division__season=season).earliest("pk")
    player = Player.objects.filter(bot_version__isnull=False).earliest("pk")
    club = f"/clubs/{league.club.slug}/"
    address = f"{club}{league.slug}/{season.slug}/"
    pages = [address, *(f"{address}{each}/" for each in ("standings", "rounds", "activity", "settings"))]
    check(live, page, [club, *pages, f"/matches/{match.pk}/", f"/players/{player.pk}/"], way)
    page.goto(f"{live.address}{address}standings/")
    page.locator("#standings .fold").first.click()
    expect(page.locator("#standings .sum tfoot")).to_be_visible()
    assert look(page, way) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "looks", [FOUR_LOOKS[1:3], pytest.param(FOUR_LOOKS, marks=pytest.mark.slow)], ids=["two", "four"]
)
def test_colours_stand_out_in_each_look(live: Live, page: Page, season: Season, looks: list[Way]) -> None:
    """Colours have enough contrast in light and dark, with usual and with more contrast. The pages have every colour of
    the styles. By default, light with more contrast and dark are looked at; test_every_page.py looks at light."""
    match = Match.objects.filter(round__division__season=season).earliest("pk")
    address = f"/clubs/{season.league.club.slug}/{season.league.slug}/{season.slug}/"
    paths = [
        "/",
        "/play/",
        "/learn/",
        address,
        f"{address}standings/?row=1",
        f"{address}rounds/",
        f"/matches/{match.pk}/",
    ]
    replay = finished("chinese_ten")
    wrong: list[str] = []
    for path in [*paths, f"/games/{replay.public_id}/?viewpoint=all#{replay.version // 2}"]:
        page.goto(live.address + path)
        wrong += [f"{path}: {fault}" for way in looks for fault in faults(page, way)]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_rules_of_every_kind(live: Live, page: Page, transactional_db: None, way: Way) -> None:
    check(live, page, [f"/rules/{kind}/" for kind in sorted(KINDS)], way)


HASTY: Final = b"""
class Bot:
    kinds = ("chinese_ten",)

    def move(self, view, legal):
        return legal[0] if view.seat == 0 else "lay K 9"
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_pages_of_bots(live: Live, page: Page, martha: Player, way: Way) -> None:
    """The pages are a list, a new bot, a running admission, a bot's page with a comparison, a forfeit, and the
    guides."""
    author = User.objects.get(player=martha)
    bot = uploads.new_bot(owner=author, name="Gannet", description="Dives.")
    uploads.upload_version(bot=bot, data=HASTY)
    live.sign_in(page, martha)
    check(live, page, ["/bots/", "/bots/new/", "/bots/Gannet/"], way)
    time_slices.play_time_slices("axe")
    uploads.upload_version(bot=bot, data=HASTY + b"# 2\n")
    time_slices.play_time_slices("axe")
    versions = BotVersion.objects.filter(bot=bot)
    versions.update(state=BotVersion.State.PASSED)  # admission would reject this bot, because it has to forfeit
    first, second = versions.order_by("number")
    comparison.request_comparison(version=first, against=second, kind="chinese_ten")
    uploads.upload_version(bot=bot, data=b"class Bot\n")
    time_slices.play_time_slices("axe")
    forfeit = Fault.objects.filter(cost="forfeit").earliest("pk")
    paths = [
        "/bots/",
        "/bots/Gannet/",
        f"/faults/{forfeit.pk}/",
        "/help/how-to/bring-a-bot/",
        "/help/reference/bot-protocol/",
    ]
    check(live, page, paths, way)


def finished(kind: str) -> Game:
    deal = Deal.objects.create(seed=b"7" * 32)
    game = play.open_game(kind=kind, players=[ensure_builtin_bots()["sensible"]] * 2, deal=deal)
    runner.play_due_games("axe")
    game.refresh_from_db()
    return game


# The default run tests the boards of the other kinds as components.
EACH_KIND: Final = [
    pytest.param(kind, marks=[] if kind == "chinese_ten" else pytest.mark.slow) for kind in sorted(KINDS)
]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("kind", EACH_KIND)
def test_a_replay_and_its_embedded_page(live: Live, page: Page, kind: str, way: Way) -> None:
    page.set_viewport_size(way.size)
    game = finished(kind)
    page.goto(f"{live.address}/games/{game.public_id}/embed/?viewpoint=all#{game.version // 2}")
    expect(page.locator(".felt")).to_be_visible()
    assert faults(page, way) == []
    page.goto(f"{live.address}/games/{game.public_id}/?viewpoint=0#{game.version // 2}")
    page.get_by_text("Continue from here").click()
    page.get_by_text("Embed").click()
    page.get_by_role("button", name="Verify it yourself").click()
    expect(page.locator(".found li")).to_have_count(4)
    assert look(page, way) == []
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert faults(page, way) == []


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("kind", EACH_KIND)
def test_a_table(live: Live, sit: Sit, kind: str, way: Way, martha: Player, laura: Player) -> None:
    pace = {"pace": "turns"} if kind != "plate_spinner" else {}
    game = play.open_game(kind=kind, players=[martha, laura], deal=Deal.objects.create(seed=b"7" * 32), terms=pace)
    if kind != "plate_spinner":
        play_on(game, 6)
    assert look(sit(live, martha, game, width=way.size["width"]), way) == []
