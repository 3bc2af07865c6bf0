"""Measures how fast a replay opens, steps and changes its viewpoint in a real browser.

    python -m tests.bench.replay [KIND …]

It needs DATABASE_URL, a built front end and Chromium. It makes a separate database on that server, `test_bench_replay`,
and drops it at the end. Built-in bots play some games of each kind. The game whose number of events is closest to
`EVENTS` is opened `OPENINGS` times without a cache, from the request to the drawn board. Then it is stepped through
with the key, and each step is measured to the frame that shows it.

Then it is opened as often with a processor that is `SLOWER` times slower (as Chromium emulates it): the largest
contentful paint, and the total blocking time, which is what tasks take beyond 50 ms. `JavaScript` is what the page
loads without being asked, gzipped.
"""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from time import perf_counter
from typing import Any

import django
from django.db import connection

EVENTS = 500
GAMES = 8
OPENINGS = 5
STEPS = 120
SEATS = {"chinese_ten": 4, "palace": 6, "plate_spinner": 4, "plates": 2, "platinum_fish": 4}
SLOWER = 4
AIM_KB = 35
PAINTED = """() => new Promise((done) => {
  let paint = 0, blocked = 0;
  const look = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  look("largest-contentful-paint", (entry) => (paint = entry.startTime));
  look("longtask", (entry) => (blocked += Math.max(0, entry.duration - 50)));
  const scripts = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/assets/"));
  setTimeout(() => done([paint, blocked, scripts.map(({ name }) => name)]), 500);
})"""
STEP = """() => new Promise((done) => {
  const from = performance.now();
  window.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - from)));
})"""


@contextmanager
def own_database() -> Iterator[None]:
    """Provide a migrated database of this benchmark."""
    name = str(connection.settings_dict["NAME"])
    connection.settings_dict["NAME"] = "bench_replay"
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        yield
    finally:
        with connection.cursor() as cursor:  # the web process was killed with open connections
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        connection.creation.destroy_test_db(name, verbosity=0)


def longest_game(kind: str) -> Any:
    """Play some games of built-in bots. Return the one whose number of events is closest to `EVENTS`."""
    from games.models import Deal, Game
    from games.play import services as play
    from games.workers import runner
    from tests.factories.builtin_bots import ensure_builtin_bots

    bots = [ensure_builtin_bots()["sensible"]] * SEATS[kind]
    for number in range(GAMES):
        play.open_game(kind=kind, players=bots, deal=Deal.objects.create(seed=bytes([number]) * 32))
    while runner.play_due_games("bench"):
        pass
    return min(Game.objects.filter(kind=kind), key=lambda game: abs(game.version - EVENTS))


def opened(browser: Any, address: str, *, slower: int = 1) -> tuple[float, Any]:
    """Open a page in a browser with an empty cache. Return the ms until the board was drawn, and the page."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    began = perf_counter()
    page.goto(address, wait_until="commit")
    page.locator(".felt [data-seat]").first.wait_for()
    return 1000 * (perf_counter() - began), page


def first_load(browser: Any, address: str) -> str:
    """Return what a page's first load takes on a slow processor, in words."""
    from devkit.frontend import BUILT

    found = []
    for _ in range(OPENINGS):
        _, page = opened(browser, address, slower=SLOWER)
        found.append(page.evaluate(PAINTED))
        page.context.close()
    names = {name.rsplit("/", 1)[1] for name in found[0][2] if name.endswith(".js")}
    loaded = sum(len(gzip.compress((BUILT.parent / "assets" / name).read_bytes())) for name in names) / 1000
    return (
        f"JavaScript {loaded:.1f} kB (aim {AIM_KB}), {SLOWER} times slower: largest paint after "
        f"{median(each[0] for each in found):.0f} ms, blocked {median(each[1] for each in found):.0f} ms"
    )


def measure(kind: str, address: str, browser: Any) -> str:
    """Return one line of figures for a kind."""
    game = longest_game(kind)
    page_address = f"{address}/games/{game.public_id}/?viewpoint=all"
    times, steps = [], []
    for _ in range(OPENINGS):
        took, page = opened(browser, page_address)
        times.append(took)
        if len(times) < OPENINGS:
            page.context.close()
    for _ in range(min(STEPS, game.version - 3)):
        steps.append(page.evaluate(STEP))
    began = perf_counter()
    page.get_by_role("button", name="Public").click()
    page.locator('.viewpoint [data-viewpoint="public"][aria-pressed="true"]').wait_for()
    viewpoint = 1000 * (perf_counter() - began)
    page.context.close()
    steps.sort()
    return (
        f"{kind:14} {game.version:5} events  opens in {median(times):5.0f} ms (worst {max(times):5.0f})  "
        f"steps in {median(steps):4.1f} ms (99 %: {steps[int(len(steps) * 0.99) - 1]:4.1f}, worst {steps[-1]:4.1f})  "
        f"other viewpoint in {viewpoint:4.0f} ms\n{'':14} {first_load(browser, page_address)}"
    )


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    os.environ["CELERY_BROKER_URL"] = "memory://localhost"  # no worker uses this database
    django.setup()
    from playwright.sync_api import sync_playwright

    from devkit.browser import find
    from scorebook_games.registry import KINDS
    from tests.browser.conftest import serving
    from tests.servers.web import free_port

    path = find()
    if path is None:
        raise SystemExit("There is no Chromium. Install it, or name its path in SCOREBOOK_CHROMIUM.")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with own_database(), serving(free_port()) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=arguments)
        for kind in sys.argv[1:] or sorted(KINDS):
            print(measure(kind, address, browser), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
