"""Measures how smoothly a replay moves on a phone, from Chromium's own trace.

    python -m tests.bench.frames [KIND …]

It needs a built front end and Chromium, no database. Built-in bots play a game of each kind, and `STEPS` of its steps
are shown with their motion, one after the other, in a window of 360 by 780 px, at one pixel of the screen for each of
the page. It prints two things for each kind.

What a viewer sees, with a main thread that is `SLOWER` times slower (emulated by Chromium): a picture is due every
1/60 s from the first one in which things move to the last. The compositor reports which of them came. Beside it: how
long after the key things began to move, and how many animations the compositor could not do without the main thread.
What a busy machine shows of one square that moves alone stands before each kind: compare with that.

What the main thread does, not slowed down: its own processor time a step, which hardly depends on what else runs, its
long tasks, and the sorts of work that took most.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from itertools import pairwise
from typing import Any, Final

import django

SLOWER: Final = 4
FRAME_MS: Final = 1000 / 60
LONG_MS: Final = 50
START: Final = 12  # the first frames of a game deal cards
STEPS: Final = 24
SHOWN: Final = 8
CATEGORIES: Final = [
    "toplevel",
    "blink",
    "cc",
    "blink.animations",
    "blink.user_timing",
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
]
WALK: Final = """async (steps) => {
  for (let step = 0; step < steps; step++) {
    performance.mark("step");
    dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await new Promise((done) => setTimeout(done, 30));
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    await new Promise((done) => setTimeout(done, 60));
  }
}"""

ALONE: Final = """async (steps) => {
  const square = document.body.appendChild(document.createElement("div"));
  square.style.cssText = "width: 60px; height: 90px; background: green";
  for (let step = 0; step < steps; step++) {
    performance.mark("step");
    await square.animate([{ transform: "none" }, { transform: "translate(200px, 300px)" }], 280).finished;
    await new Promise((done) => setTimeout(done, 90));
  }
}"""

Event = dict[str, Any]


def traced(page: Any, walk: str = WALK) -> list[Event]:
    """Return the trace of `STEPS` steps, in ms."""
    page.context.browser.start_tracing(page=page, categories=CATEGORIES)
    page.evaluate(walk, STEPS)
    events: list[Event] = json.loads(page.context.browser.stop_tracing())["traceEvents"]
    for each in events:
        each.update({key: each[key] / 1000 for key in ("ts", "dur", "tdur") if key in each})
    return events


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


def tasks_of(done: list[Event]) -> list[Event]:
    """Return the tasks of a thread, without what lies within another task."""
    found: list[Event] = []
    for each in done:
        if each["name"].endswith("RunTask") and (not found or each["ts"] >= found[-1]["ts"] + found[-1]["dur"]):
            found.append(each)
    return found


def own_times(done: list[Event]) -> list[tuple[str, float]]:
    """Return the processor's ms of each sort of work, without what lies within it."""
    found: defaultdict[str, float] = defaultdict(float)
    around: list[tuple[str, float]] = []
    for each in done:
        while around and each["ts"] >= around[-1][1]:
            around.pop()
        found[each["name"]] += each.get("tdur", 0)
        if around:
            found[around[-1][0]] -= each.get("tdur", 0)
        around.append((each["name"], each["ts"] + each["dur"]))
    return sorted(found.items(), key=lambda each: -each[1])


def animations(events: list[Event]) -> list[Event]:
    """Return the animations: `ts` and `end` of each, and whether it needed the main thread."""
    found: list[Event] = []
    last: dict[Any, Event] = {}  # a browser may give the same name to each of an element's animations
    for each in sorted((each for each in events if each["name"] == "Animation"), key=lambda each: each["ts"]):
        key, data = (each["pid"], each["id2"]["local"]), each["args"].get("data", {})
        if each["ph"] == "b":
            last[key] = {"failed": False}
            found.append(last[key])
        elif key in last and each["ph"] == "n":
            last[key]["failed"] |= bool(data.get("compositeFailed"))
            if data.get("state") == "running":
                last[key].setdefault("ts", each["ts"])
        elif key in last:
            last[key].setdefault("end", each["ts"])
    return [each for each in found if "ts" in each and each.get("end", 0) > each["ts"]]


def seen(events: list[Event]) -> str:
    """Return what a viewer saw of the motion, as a line."""
    shown: defaultdict[float, bool] = defaultdict(bool)  # by the time of a picture that is due while something moves
    for each in events:
        if each["name"] == "PipelineReporter" and each["ph"] == "b":
            report = each["args"]["frame_reporter"]
            if report["has_compositor_animation"]:
                shown[each["ts"]] |= report["state"].startswith("STATE_PRESENTED")
    due, came, longest, delays = 0, 0, 0.0, []
    begins = sorted(each["ts"] for each in events if each["name"] == "step")
    for begin, end in pairwise([*begins, float("inf")]):
        times = sorted(time for time in shown if begin <= time < end and shown[time])
        if times:
            delays.append(times[0] - begin)
            due += round((times[-1] - times[0]) / FRAME_MS) + 1
            came += len(times)
            longest = max([longest, *(late - early for early, late in pairwise(times))])
    moving = animations(events)
    return (
        f"{came / due:.1%} of {due} pictures came, the longest time without one {longest:.0f} ms; motion began "
        f"{sorted(delays)[len(delays) // 2]:.0f} ms after the key (median of {len(delays)} steps); "
        f"{sum(each['failed'] for each in moving)} of {len(moving)} animations needed the main thread"
    )


def work(events: list[Event]) -> str:
    """Return what the main thread did, as two lines."""
    done = of_main_thread(events)
    tasks, costs = sorted(each.get("tdur", 0) for each in tasks_of(done)), own_times(done)
    layouts = sum(each["name"] == "Layout" for each in done)
    long = sum(each > LONG_MS / SLOWER for each in tasks)
    return (
        f"{sum(tasks) / STEPS:.1f} ms a step, {layouts / STEPS:.1f} layouts; tasks of {LONG_MS} ms if {SLOWER} times "
        f"slower: {long / STEPS:.1f} a step, the longest {SLOWER * tasks[-1]:.0f} ms\n    "
        + ", ".join(f"{name} {cost / STEPS:.1f}" for name, cost in costs[:SHOWN])
    )


def alone(browser: Any) -> None:
    """Print what a viewer sees of a page that has nothing but one square, which moves: more cannot be had here now."""
    page = browser.new_page(viewport={"width": 360, "height": 780})
    print(f"one square, load {os.getloadavg()[0]:.1f}\n  {seen(traced(page, ALONE))}", flush=True)
    page.close()


def measure(browser: Any, kind: str) -> None:
    """Print the figures of a kind."""
    from tests.bench.shown_games import opened, replay

    data = replay(kind)
    print(f"{kind}, {len(data['game']['seats'])} seats, load {os.getloadavg()[0]:.1f}")
    for slower, told in ((SLOWER, seen), (1, work)):
        page = opened(browser, data, width=360)
        page.set_default_timeout(120_000)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        page.evaluate(WALK, START)
        print("  " + told(traced(page)), flush=True)
        page.context.close()


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from scorebook_games.registry import KINDS
    from tests.bench.shown_games import chromium

    with chromium() as browser:
        for kind in sys.argv[1:] or sorted(KINDS):
            alone(browser)
            measure(browser, kind)


if __name__ == "__main__":
    main()
