"""Replays of games between built-in bots as pages that need no server: the built viewer draws them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright

from devkit.browser import find
from replays.export.single_file import EMPTY_PAGE_DATA
from scorebook_games.cli.record import exported, recorded
from scorebook_games.cli.replay_data import facts_of, replay_of
from scorebook_games.cli.series import deal_seed, seated
from scorebook_games.cli.table import Table
from scorebook_games.frames.serialize import explanations_of
from scorebook_games.gamelog.visibility import ALL
from tests.pictures.draw import HOME, SHEETS, embedded, script_of, serve

SEATS: Final = {"chinese_ten": 4, "palace": 4, "plate_spinner": 4, "plates": 3, "platinum_fish": 4}
NAMES: Final = ("Martha", "Laura", "Otto", "Bram")


def replay(kind: str, *, deal: int = 0, seats: int | None = None) -> dict[str, Any]:
    """Return the replay of a whole game with all cards, as the API has it. The same deal gives the same game."""
    seed, count = deal_seed(kind, deal), seats or SEATS[kind]
    played = Table(kind, seated(["sensible"] * count, seed), {}, seed, deal).play()
    export = exported(played, datetime(2026, 1, 1, tzinfo=UTC))
    entries = recorded(export).entries
    facts = facts_of(export, entries)
    for row in facts["seats"]:
        row.update(name=NAMES[row["seat"] % len(NAMES)], bot=False)
    return replay_of(facts, entries, ALL)


def page_of(data: dict[str, Any], styles: str = "") -> str:
    """Return the page of a replay as HTML, with further styles."""
    sheets = "".join(f'<link rel="stylesheet" href="/static/css/{name}.css">' for name in SHEETS)
    page = {**EMPTY_PAGE_DATA, "explanations": explanations_of(data["game"]["kind"])}
    title = data["game"]["title"]
    return f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">{sheets}<style>{styles}</style>
<header class="masthead"><div class="wrap"><a class="brand" href="/">Scorebook</a></div></header>
<main id="main"><div class="wrap"><header class="gamehead"><h1>{title}</h1></header>
<div id="replay" class="viewer"></div></div></main>{embedded("replay-data", data)}{embedded("replay-page", page)}
<script type="module" src="/static/{script_of()}"></script></html>"""


def opened(browser: Browser, data: dict[str, Any], *, width: int, dark: bool = False, moving: bool = True) -> Page:
    """Open the page of a replay at its first frame, in a window of `width`. Close its context at the end."""
    context = browser.new_context(
        viewport={"width": width, "height": 780 if width < 700 else 900},
        color_scheme="dark" if dark else "light",
        reduced_motion="no-preference" if moving else "reduce",
        has_touch=width < 700,
    )
    page = context.new_page()
    html = page_of(data)
    page.route("**/*", lambda route: serve(route, html))
    page.goto(HOME)
    page.locator(".deck .controls").wait_for()
    page.wait_for_load_state("networkidle")
    return page


@contextmanager
def chromium() -> Iterator[Browser]:
    """Provide a headless Chromium."""
    path = find()
    if path is None:
        raise SystemExit("There is no Chromium. Install it, or name its path in SCOREBOOK_CHROMIUM.")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()
