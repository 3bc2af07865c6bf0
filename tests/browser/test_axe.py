"""What axe finds on every page, in light and in dark: nothing that is serious or critical.

On a phone a page is looked at in light: dark changes colours alone, and those are the same on a desk. To have every
page looked at in all four ways: `SCOREBOOK_AXE=every bin/dev test tests/browser`.
"""

from __future__ import annotations

import os
from typing import Any, Final, Literal

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from playwright.sync_api import Page, ViewportSize, expect

from games import cages, comparison, runner, table
from games.bots import uploads
from games.bots.roster import ensure_house_bots
from games.kinds import KINDS
from games.models import BotVersion, Deal, Fault, Game, Player
from tests.browser.conftest import Live, Sit, league_in_play
from tests.replays.conftest import play_on
from tournaments.models import Match, Season

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AXE: Final = settings.BASE_DIR / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
NARROW: Final = 700  # pixels
PHONE: Final[ViewportSize] = {"width": 360, "height": 740}
DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 900}
# The other scheme changes colours only: there only the rules that look at colours are asked again.
OF_COLOURS: Final = ["color-contrast", "link-in-text-block"]
EVERY: Final = os.environ.get("SCOREBOOK_AXE") == "every"
# `preload` would fetch style sheets and media once more, for a rule on sound that plays by itself: there is none.
FAULTS: Final = """async (rules) => {
  const only = rules ? { runOnly: { type: "rule", values: rules } } : {};
  const options = { resultTypes: ["violations"], preload: false, ...only };
  const found = await axe.run(document, options);
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.length} times, first ${nodes[0].html} (${nodes[0].failureSummary})`);
}"""


def faults(page: Page) -> list[str]:
    """The serious and critical faults of what the page shows now, in both schemes (on a phone in light)."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    found = []
    schemes: dict[Literal["light", "dark"], list[str] | None] = {"light": None, "dark": OF_COLOURS}
    if page.viewport_size and page.viewport_size["width"] < NARROW and not EVERY:
        del schemes["dark"]
    for scheme, rules in schemes.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [f"{scheme}: {fault}" for fault in page.evaluate(FAULTS, rules)]
    return found


def check(live: Live, page: Page, paths: list[str]) -> None:
    """No page of these has a fault, on a desk and on a phone; a failure names them all."""
    wrong: dict[str, list[str]] = {}
    for path in paths:
        page.set_viewport_size(DESKTOP)
        page.goto(live.address + path)
        found = faults(page)
        page.set_viewport_size(PHONE)
        if found := found + faults(page):
            wrong[path] = found
    assert wrong == {}


def test_a_fault_of_one_scheme_alone_is_found(page: Page) -> None:
    page.set_content(
        "<!DOCTYPE html><html lang='en'><title>A page</title><style>body { background: #fff; color: #000 }"
        "@media (prefers-color-scheme: dark) { body { background: #000; color: #222 } }</style>"
        "<main><h1>Hall</h1></main>"
    )
    assert [fault.partition(":")[0] for fault in faults(page)] == ["dark"]


@pytest.fixture
def season(transactional_db: None) -> Season:
    return league_in_play()


def test_the_leagues_pages(live: Live, page: Page, season: Season) -> None:
    league = season.league
    match = Match.objects.filter(round__division__season=season).earliest("pk")
    player = Player.objects.filter(bot_version__isnull=False).earliest("pk")
    club = f"/clubs/{league.club.slug}/"
    address = f"{club}{league.slug}/{season.slug}/"
    pages = ["/", "/watch/", "/clubs/", club, address, f"/matches/{match.pk}/", f"/players/{player.pk}/"]
    check(live, page, pages)
    page.goto(live.address + address)
    page.locator("#standings .fold").first.click()
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        expect(page.locator("#standings .sum tfoot")).to_be_visible()
        assert faults(page) == [], size


def test_documents_and_the_doors_in(live: Live, page: Page, martha: Player) -> None:
    rules = [f"/rules/{kind}/" for kind in sorted(KINDS)]
    check(live, page, ["/rules/", *rules, "/fairness/", "/zone/"])
    check(live, page, ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"])
    live.sign_in(page, martha)
    check(live, page, ["/", f"/players/{martha.pk}/", "/accounts/logout/"])


def test_the_dashboard(live: Live, page: Page, martha: Player) -> None:
    User.objects.filter(player=martha).update(is_staff=True, is_superuser=True)
    live.sign_in(page, martha)
    page.goto(live.address + "/admin/dashboard/")
    assert faults(page) == []


HASTY: Final = b"""
class Bot:
    kinds = ("chinese_ten",)

    def move(self, view, legal):
        return legal[0] if view.seat == 0 else "lay K 9"
"""


def test_the_pages_of_bots(live: Live, page: Page, martha: Player) -> None:
    """A list, a new bot, the gate at work, the bot's own page with a comparison, a forfeit, the guides."""
    author = User.objects.get(player=martha)
    bot = uploads.new_bot(owner=author, name="Gannet", description="Dives.")
    uploads.upload(bot=bot, data=HASTY)
    live.sign_in(page, martha)
    check(live, page, ["/bots/", "/bots/new/", "/bots/Gannet/"])
    cages.play_due("axe")
    uploads.upload(bot=bot, data=HASTY + b"# 2\n")
    cages.play_due("axe")
    versions = BotVersion.objects.filter(bot=bot)
    versions.update(state=BotVersion.State.PASSED)  # the gate lets in no bot that forfeits, and a forfeit is wanted
    first, second = versions.order_by("number")
    comparison.ask_for(version=first, against=second, kind="chinese_ten")
    uploads.upload(bot=bot, data=b"class Bot\n")
    cages.play_due("axe")
    forfeit = Fault.objects.filter(cost="forfeit").earliest("pk")
    check(live, page, ["/bots/", "/bots/Gannet/", f"/faults/{forfeit.pk}/", "/help/bots/", "/help/bot-protocol/"])
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, size


def finished(kind: str) -> Game:
    deal = Deal.objects.create(seed=b"7" * 32)
    game = table.open(kind=kind, players=[ensure_house_bots()["sensible"]] * 2, deal=deal)
    runner.play_due("axe")
    game.refresh_from_db()
    return game


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_replay_and_its_embedded_page(live: Live, page: Page, kind: str, size: Any) -> None:
    page.set_viewport_size(size)
    game = finished(kind)
    middle = game.version // 2
    for path in (f"/games/{game.public_id}/?eyes=0#{middle}", f"/games/{game.public_id}/embed/?eyes=all#{middle}"):
        page.goto(live.address + path)
        expect(page.locator(".felt")).to_be_visible()
        assert faults(page) == [], path
    page.goto(f"{live.address}/games/{game.public_id}/?eyes=public")
    page.get_by_text("Play on from here").click()
    page.get_by_text("Put it on another page").click()
    page.get_by_role("button", name="Verify it yourself").click()
    expect(page.locator(".found li")).to_have_count(4)
    page.keyboard.press("?")
    assert faults(page) == []


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_table(live: Live, sit: Sit, kind: str, width: int, martha: Player, laura: Player) -> None:
    pace = {"pace": "turns"} if kind != "plate_spinner" else {}
    game = table.open(kind=kind, players=[martha, laura], deal=Deal.objects.create(seed=b"7" * 32), terms=pace)
    if kind != "plate_spinner":
        play_on(game, 6)
    assert faults(sit(live, martha, game, width=width)) == []
