"""Measures what a step of a replay costs the main thread of a browser, on a phone's width and without a clock's help.

    python -m tests.bench.steps [KIND …]

It needs a built front end and Chromium, no database. Built-in bots play a game of each kind, and `STEPS` of its steps
are shown with their motion, one after the other. From a trace it prints the main thread's own time a step and a frame,
which hardly depends on what else runs, and what it was spent on. A frame in which only the compositor worked is none of
the main thread's. A phone is some `SLOWER` times slower, and has 16.7 ms for a frame.
"""

from __future__ import annotations

import json
import os
import sys
from bisect import bisect_right
from collections import defaultdict
from typing import Any, Final

import django

SLOWER: Final = 4
FRAME_MS: Final = 16.7
START: Final = 12  # the first frames of a game deal cards
STEPS: Final = 24
SHOWN: Final = 8
CATEGORIES: Final = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "blink", "cc"]
WALK: Final = """async (steps) => {
  for (let step = 0; step < steps; step++) {
    dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await new Promise((done) => setTimeout(done, 30));
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    await new Promise((done) => setTimeout(done, 60));
  }
}"""

Event = dict[str, Any]


def of_main_thread(events: list[Event]) -> list[Event]:
    """Return what the page's main thread did, in order; what lies within something else comes after it."""
    mains = {
        (each["pid"], each["tid"])
        for each in events
        if each["name"] == "thread_name" and each["args"]["name"] == "CrRendererMain"
    }
    threads = defaultdict(list)
    for each in events:
        if each.get("ph") == "X" and (each["pid"], each["tid"]) in mains:
            threads[each["pid"], each["tid"]].append(each)
    busiest = max(threads.values(), key=lambda done: sum(each["name"] == "FunctionCall" for each in done))
    return sorted(busiest, key=lambda each: (each["ts"], -each.get("dur", 0)))


def ms(event: Event) -> float:
    """Return the processor's time of an event in ms."""
    return float(event.get("tdur", 0)) / 1000


def own_times(done: list[Event]) -> list[tuple[str, float]]:
    """Return the ms of each sort of work, without what lies within it."""
    found: defaultdict[str, float] = defaultdict(float)
    around: list[tuple[str, float]] = []
    for each in done:
        while around and each["ts"] >= around[-1][1]:
            around.pop()
        found[each["name"]] += ms(each)
        if around:
            found[around[-1][0]] -= ms(each)
        around.append((each["name"], each["ts"] + each["dur"]))
    return sorted(found.items(), key=lambda each: -each[1])


def frames_of(done: list[Event]) -> list[float]:
    """Return the ms of all tasks from each frame of the main thread to the next one, in ascending order."""
    begins = [each["ts"] for each in done if each["name"] == "ProxyMain::BeginMainFrame"]
    work = [0.0] * (len(begins) + 1)
    end = 0
    for each in done:
        if each["name"].endswith("RunTask") and each["ts"] >= end:
            end = each["ts"] + each["dur"]
            work[bisect_right(begins, end)] += ms(each)
    return sorted(work[1:])


def measure(browser: Any, kind: str) -> None:
    """Print the figures of a kind."""
    from tests.bench.shown_games import opened, replay

    page = opened(browser, replay(kind), width=360)
    page.set_default_timeout(120_000)
    page.evaluate(WALK, START)
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.evaluate(WALK, STEPS)
    done = of_main_thread(json.loads(browser.stop_tracing())["traceEvents"])
    page.context.close()
    frames, costs = frames_of(done), own_times(done)
    in_time = sum(SLOWER * each < FRAME_MS for each in frames) / len(frames)
    print(
        f"{kind}, load {os.getloadavg()[0]:.1f}: {sum(cost for _, cost in costs) / STEPS:.1f} ms a step in "
        f"{len(frames) / STEPS:.1f} frames, of which the median {frames[len(frames) // 2]:.1f}, the 95th of 100 "
        f"{frames[len(frames) * 95 // 100]:.1f}, the longest {frames[-1]:.1f} ms; {in_time:.0%} in time if {SLOWER} "
        "times slower\n  " + ", ".join(f"{name} {cost / STEPS:.1f}" for name, cost in costs[:SHOWN]),
        flush=True,
    )


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from scorebook_games.registry import KINDS
    from tests.bench.shown_games import chromium

    with chromium() as browser:
        for kind in sys.argv[1:] or sorted(KINDS):
            measure(browser, kind)


if __name__ == "__main__":
    main()
