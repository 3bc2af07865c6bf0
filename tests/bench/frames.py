"""Measures how smoothly a replay moves on a phone whose processor is `SLOWER` times slower.

    python -m tests.bench.frames [KIND …]

It needs a built front end and Chromium, no database. Built-in bots play a game of each kind. Its replay is played at
360 px for `SECONDS`, at double speed, in three ways that take turns: nothing is played (the machine alone), played
with reduced motion (steps without motion), and played. For each way it prints the share of frames that came within 16.7
ms of the one before, the longest frames, and the main thread's own time for scripts, styles and layout a step. The
thread's time does not depend on what else runs; frames do, so compare them within one run.
"""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from typing import Any, Final

import django

SLOWER: Final = 4
SECONDS: Final = 4
ROUNDS: Final = 3
START: Final = 12  # the first frames of a game deal cards
IN_TIME_MS: Final = 17.2  # 16.7, and what clocks are rounded by
WAYS: Final = ("still", "reduced", "moving")
COUNTED: Final = """(seconds) => new Promise((done) => {
  const times = [], until = performance.now() + 1000 * seconds;
  const tick = (now) => (times.push(now), now < until ? requestAnimationFrame(tick) : done(times));
  requestAnimationFrame(tick);
})"""


class Way:
    """One way of looking at a replay, in a page of its own: its frames' intervals in ms, and the thread's work in s."""

    def __init__(self, browser: Any, data: dict[str, Any], name: str) -> None:
        from tests.bench.shown_games import opened

        self.name = name
        self.page = opened(browser, data, width=360, moving=name != "reduced")
        self.session = self.page.context.new_cdp_session(self.page)
        self.session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.page.get_by_role("button", name="Speed").first.click()  # from 1× to 2×
        for _ in range(START):
            self.page.get_by_role("button", name="Next step").click()
        self.intervals: list[float] = []
        self.work = dict.fromkeys(("ScriptDuration", "RecalcStyleDuration", "LayoutDuration"), 0.0)
        self.steps = self.layouts = 0

    def watch(self) -> None:
        """Look on for `SECONDS`."""
        before, at = self.metrics(), self.version()
        if self.name != "still":
            self.page.locator(".controls .play").click()
        times = self.page.evaluate(COUNTED, SECONDS)
        if self.name != "still":
            self.page.locator(".controls .play").click()
        after = self.metrics()
        self.intervals += [late - early for early, late in pairwise(times)]
        self.steps += self.version() - at
        self.layouts += int(after["LayoutCount"] - before["LayoutCount"])
        for each in self.work:
            self.work[each] += after[each] - before[each]

    def metrics(self) -> dict[str, float]:
        """Return the counters of Chromium's main thread."""
        found = self.session.send("Performance.getMetrics")["metrics"]
        return {each["name"]: each["value"] for each in found}

    def version(self) -> int:
        """Return the number of the step that is shown."""
        return int(self.page.locator(".deck .now i").inner_text())

    def told(self) -> str:
        """Return the figures as a line."""
        late = sorted(self.intervals)[-3:]
        share = sum(each <= IN_TIME_MS for each in self.intervals) / len(self.intervals)
        line = f"  {self.name:8} {share:6.1%} of {len(self.intervals):4} frames in time, longest " + ", ".join(
            f"{each:.0f}" for each in reversed(late)
        )
        if not self.steps:
            return line
        script, styles, layout = (1000 * each / self.steps for each in self.work.values())
        return (
            f"{line} ms; {self.steps} steps, each: script {script:.0f}, styles {styles:.0f}, layout {layout:.0f} ms, "
            f"{self.layouts / self.steps:.1f} layouts"
        )


def measure(browser: Any, kind: str) -> None:
    """Print the figures of a kind."""
    from tests.bench.shown_games import replay

    data = replay(kind)
    ways = [Way(browser, data, name) for name in WAYS]
    for _ in range(ROUNDS):
        for way in ways:
            way.watch()
    print(f"{kind}, {len(data['game']['seats'])} seats, load {os.getloadavg()[0]:.1f}")
    for way in ways:
        print(way.told(), flush=True)
        way.page.context.close()


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
