"""Measures how long a move takes from its POST to the screen of another browser, and what it costs the processor.

    python -m tests.bench.latency ADDRESS GAME SESSION_A SESSION_B [MOVES [FOLDER]]

ADDRESS is a running site, GAME the id of a game for two in which these sessions' users play. It prints medians and 99th
percentiles in ms, and the machine's load before and after. FOLDER is the checkout from which the site runs: then it
also prints the processor time of a move in all processes that work there, PostgreSQL's included. Beside a running
league, subtract what the same processes use in the same time without moves.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page, sync_playwright

from devkit.browser import find

WATCH = """() => {
  const table = document.querySelector(".tabletop");
  window.shown = {};
  const note = () => (window.shown[table.dataset.version] = performance.timeOrigin + performance.now());
  new MutationObserver(note).observe(table, { attributes: true, attributeFilter: ["data-version"] });
}"""
PARTS = ("POST to its answer", "POST to the other screen")


def processor_seconds(folder: Path) -> float:
    """Return the processor time so far of all processes whose working directory is in `folder`."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is somebody else's
            if (process / "cwd").resolve().is_relative_to(folder):
                used = (process / "stat").read_text().rpartition(")")[2].split()
                ticks += int(used[11]) + int(used[12])  # utime and stime (proc(5)); a process that ended counts no more
    return ticks / os.sysconf("SC_CLK_TCK")


def player(address: str, session: str) -> httpx.Client:
    """Return an HTTP client that plays as the user of a session."""
    client = httpx.Client(base_url=address, cookies={"sessionid": session, "csrftoken": "0" * 32}, timeout=30)
    client.headers["X-CSRFToken"] = "0" * 32
    return client


def turn(client: httpx.Client, game: str) -> dict[str, Any]:
    made: dict[str, Any] = client.get(f"/api/v1/games/{game}/turn/").json()
    return made


def measured(clients: list[httpx.Client], pages: list[Page], game: str) -> list[float] | None:
    """Play a move. Return the ms of the parts in `PARTS`, or None if the game is over."""
    acting = next((seat for seat, client in enumerate(clients) if turn(client, game)["may_act"]), None)
    if acting is None:
        return None
    now = turn(clients[acting], game)
    other = pages[1 - acting]
    sent = time.time() * 1000
    body = {"move": now["legal"][0]["move"], "expected_version": now["version"]}
    version = clients[acting].post(f"/api/v1/games/{game}/moves/", json=body).json()["version"]
    answered = time.time() * 1000
    other.wait_for_function("(version) => window.shown[version]", arg=version)
    shown = float(other.evaluate("(version) => window.shown[version]", version))
    return [answered - sent, shown - sent]


def main(address: str, game: str, sessions: list[str], moves: int, folder: Path | None) -> None:
    """Play the moves and print the figures."""
    os.chdir("/")  # so that this process and its browser do not count
    print(f"load before: {os.getloadavg()[0]:.1f}")
    clients = [player(address, session) for session in sessions]
    rows: list[list[float]] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find(), args=["--no-sandbox"] if os.geteuid() == 0 else [])
        pages: list[Page] = []
        for session in sessions:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
            page = context.new_page()
            page.goto(f"{address}/games/{game}/")
            page.wait_for_selector(".tabletop[data-link=open]")
            page.evaluate(WATCH)
            pages.append(page)
        before = processor_seconds(folder) if folder else 0.0
        while len(rows) < moves and (row := measured(clients, pages, game)):
            rows.append(row)
        used = processor_seconds(folder) - before if folder else 0.0
        browser.close()
    print(f"{len(rows)} moves; load after: {os.getloadavg()[0]:.1f}")
    for part, times in zip(PARTS, zip(*rows, strict=True), strict=True):
        high = statistics.quantiles(times, n=100)[98]
        print(f"{part:28} median {statistics.median(times):6.0f} ms   p99 {high:6.0f} ms")
    if folder:
        print(f"processor time of a move     {1000 * used / len(rows):6.1f} ms in all processes in {folder}")


if __name__ == "__main__":
    arguments = dict(enumerate(sys.argv))
    main(
        sys.argv[1],
        sys.argv[2],
        sys.argv[3:5],
        int(arguments.get(5, 40)),
        Path(arguments[6]).resolve() if 6 in arguments else None,
    )
