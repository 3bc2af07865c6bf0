"""Measures the lab in a real browser, against a running server (`bin/dev up`).

    python -m tests.bench.lab http://localhost:8000/ [--games 200]

It prints the seconds from opening the page to a game on the board, the processor's seconds of the browser meanwhile,
which depend less on what else the machine does, and the bytes that were loaded: with an empty cache, with a full one
three times (from the image of Python's memory that the first page kept), and once more in the same page, whose worker
is warm (it is kept between runs; only the bot is loaded again). Then games of Chinese Ten a second between a bot's file
that plays at random and the built-in `random`, in the browser and in this CPython with the same request, with and
without luck ledgers. All of it uses one core at a time.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any, Final

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from devkit.browser import find
from scorebook_games.lab import bridge
from scorebook_games.lab.starters import SMALL, starter
from tests.bench.where import where

KIND: Final = "chinese_ten"
TIMEOUT: Final = 120_000  # ms
AGAIN: Final = 3
LEDGERS: Final = ((False, "without ledgers"), (True, "with ledgers"))
# Asks the page's worker as the page does, and returns the answer with the time that it took.
ASK: Final = """([act, ask]) => new Promise((resolve) => {
  const began = performance.now();
  const id = Math.floor(1e6 + 1e6 * Math.random());
  const hear = ({ data }) => {
    if (data.id !== id || data.answer === undefined) return;
    removeEventListener("message", hear);
    resolve([JSON.parse(data.answer), (performance.now() - began) / 1000]);
  };
  addEventListener("message", hear);
  document.querySelector("#lab iframe").contentWindow.postMessage({ id, act, ask: JSON.stringify(ask) }, "*");
})"""


class Traffic:
    """Counts what the page loads: bytes as they come over the network, compressed."""

    def __init__(self, session: CDPSession) -> None:
        self.bytes = self.requests = 0
        session.send("Network.enable")
        session.on("Network.loadingFinished", self._finished)

    def _finished(self, event: dict[str, Any]) -> None:
        self.bytes += int(event["encodedDataLength"])
        self.requests += 1


def first_run(page: Page, address: str) -> tuple[float, Traffic]:
    """Open the lab and press Run; return the seconds until the game is on the board."""
    traffic = Traffic(page.context.new_cdp_session(page))
    began = time.monotonic()
    page.goto(f"{address}bots/lab/?kind={KIND}")
    return run(page, began), traffic


def run(page: Page, began: float) -> float:
    """Press Run; return the seconds since `began` until a game is on the board."""
    page.evaluate("document.querySelector('.felt')?.setAttribute('data-before', '')")
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator(".felt:not([data-before]) [data-card]").first.wait_for(timeout=TIMEOUT)
    return time.monotonic() - began


def processor(browser: Browser) -> dict[int, float]:
    """Return the processor's seconds of each process of the browser."""
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return {each["id"]: each["cpuTime"] for each in found}


def request(games: int, *, ledgers: bool) -> dict[str, Any]:
    """Return a series that its test does not end early: equal bots, and claims that are close to each other."""
    return {
        "kind": KIND,
        "source": starter(KIND, SMALL),
        "against": ["random"],
        "deal": 0,
        "games": games,
        "options": {},
        "bounds": [-5, 5],
        "luck_ledgers": ledgers,
    }


def here(asked: dict[str, Any]) -> float:
    """Return games a second of this CPython."""
    begun = bridge.begin("series", json.dumps(asked), lambda _news: None)
    assert not isinstance(begun, str), begun
    began = time.monotonic()
    while not (standing := json.loads(begun.step()))["over"]:
        pass
    return float(standing["games"]) / (time.monotonic() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("--games", type=int, default=200)
    given = parser.parse_args()
    print(where())
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find(), args=["--no-sandbox"])
        context = browser.new_context()
        page = context.new_page()
        for name in ("empty cache", *["full cache"] * AGAIN, "warm worker"):
            used = processor(browser)
            if name == "warm worker":
                seconds, loaded = run(page, time.monotonic()), ""
            else:
                page.close()
                page = context.new_page()
                seconds, traffic = first_run(page, given.address)
                loaded = f"{traffic.bytes:>12,} bytes in {traffic.requests} requests"
            spent = sum(after - used.get(process, 0) for process, after in processor(browser).items())
            print(f"{name:<16}{seconds:6.1f} s, processor {spent:5.1f} s {loaded}")
        for ledgers, name in LEDGERS:
            asked = request(given.games, ledgers=ledgers)
            standing, seconds = page.evaluate(ASK, ["series", asked])
            there = standing["games"] / seconds
            print(f"{name:<16}{there:6.1f} games/s in the browser, {here(asked):6.1f} in CPython")
        browser.close()


if __name__ == "__main__":
    main()
