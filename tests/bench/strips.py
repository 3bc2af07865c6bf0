"""Draws how each kind's three most frequent events move: strips of pictures, to be looked at.

    python -m tests.bench.strips FOLDER [KIND …]

It needs a built front end and Chromium, no database. Built-in bots play a game of each kind. For each of its three most
frequent events that move something, an example in the middle of the game is shown at `TIMES` of its motion, at 1280 and
360 px, light and dark: one PNG for each kind, width and colours, with a row for each event.
"""

from __future__ import annotations

import base64
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

import django

EVENTS: Final = 3
TIMES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)  # parts of an animation's time
WIDTHS: Final = (1280, 360)
STILL: Final = 12  # a row needs an event that moves something: so many examples are tried
STEP: Final = """() => new Promise((done) => {
  window.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  setTimeout(() => {
    const all = document.getAnimations().filter((each) => !(each instanceof CSSTransition));
    for (const each of all) each.pause();
    done(all.length);
  });
})"""
FREEZE: Final = """(share) => {
  const all = document.getAnimations().filter((each) => !(each instanceof CSSTransition));
  const end = Math.max(0, ...all.map(({ effect }) => Number(effect.getComputedTiming().endTime)));
  for (const each of all) {
    each.currentTime = share * end * 0.999;
  }
}"""


def examples(data: dict[str, Any]) -> dict[str, list[int]]:
    """Return by type of event, the most frequent first, the frames of its examples, from the middle of the game on."""
    frames = data["frames"]
    found: dict[str, list[int]] = {}
    for at in sorted(range(1, len(frames)), key=lambda at: abs(at - len(frames) // 2)):
        found.setdefault(frames[at]["event"]["type"], []).append(at)
    order = Counter({name: len(places) for name, places in found.items()}).most_common()
    return {name: found[name] for name, _ in order}


def strip(page: Any, data: dict[str, Any], name: str, places: list[int]) -> list[bytes]:
    """Return pictures of the table during the first example that moves something; [] if none does."""
    for at in places[:STILL]:
        version = data["frames"][at - 1]["version"]
        page.evaluate("(version) => (window.location.hash = String(version))", version)
        page.wait_for_timeout(100)
        moved = page.evaluate(STEP)
        if not moved:
            continue
        shots = []
        for share in TIMES:
            page.evaluate(FREEZE, share)
            shots.append(page.screenshot(clip=clip_of(page)))
        page.evaluate("() => document.getAnimations().forEach((each) => each.finish())")
        print(f"  {name}: step {data['frames'][at]['version']}, {moved} animations", flush=True)
        return shots
    return []


def clip_of(page: Any) -> Any:
    """Return the part of the window that shows the table."""
    return page.locator("section.felt").bounding_box()


def sheet(browser: Any, rows: list[tuple[str, list[bytes]]], width: int) -> bytes:
    """Return one picture of the strips, a row for each event."""
    shown = 480 if width > 700 else 240
    html = "".join(
        f"<h2>{name}</h2><div>"
        + "".join(f'<img width={shown} src="data:image/png;base64,{base64.b64encode(png).decode()}">' for png in shots)
        + "</div>"
        for name, shots in rows
    )
    page = browser.new_page(viewport={"width": (shown + 4) * len(TIMES) + 20, "height": 600})
    page.set_content(f"<style>div {{ display: flex; gap: 4px }} h2 {{ font: 16px sans-serif }}</style>{html}")
    picture: bytes = page.screenshot(full_page=True)
    page.close()
    return picture


def draw(browser: Any, data: dict[str, Any], width: int, *, dark: bool) -> bytes:
    """Return the strips of a kind as one picture."""
    from tests.bench.shown_games import opened

    page = opened(browser, data, width=width, dark=dark)
    rows: list[tuple[str, list[bytes]]] = []
    for name, places in examples(data).items():
        if len(rows) < EVENTS and (shots := strip(page, data, name, places)):
            rows.append((name, shots))
    page.context.close()
    return sheet(browser, rows, width)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from scorebook_games.registry import KINDS
    from tests.bench.shown_games import chromium, replay

    folder, *kinds = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for kind in kinds or sorted(KINDS):
            data = replay(kind)
            for width in WIDTHS:
                for look in ("light", "dark"):
                    name = f"{kind}-{width}-{look}.png"
                    print(name, flush=True)
                    (Path(folder) / name).write_bytes(draw(browser, data, width, dark=look == "dark"))


if __name__ == "__main__":
    main()
