"""Draws the rules' pictures: `python -m tests.pictures draw`. It needs the built front end and Chromium.

The product's own boards draw the positions of `positions.json`, in light and dark, into the folder of each kind.
"""

from __future__ import annotations

import base64
import json
import mimetypes
import os
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from playwright.sync_api import Browser, Page, Route, sync_playwright

from devkit.browser import find
from scorebook_games.registry import KINDS
from tests.pictures.positions import Position, payload, recorded

HOME = "http://pictures.invalid/"
WIDTH = 680
SCALE = 1.25  # pixels of a picture for each pixel of the page, for screens with a high resolution
LARGEST = 50_000  # bytes
FRONTEND = settings.BASE_DIR / "frontend"
SHEETS = ("tokens", "site", "cards", "tables", "replay")
# Shows only the board, at the picture's width. A phone shows it smaller.
ALONE = f"""
body {{ background: var(--paper); padding: 12px; width: {WIDTH + 24}px; min-height: 0; }}
.viewer {{ display: block; }} .viewer .deck, .viewer .side {{ display: none; }}
"""
# A screenshot is PNG; the browser converts it to WebP.
TO_WEBP = """async ([png, quality]) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d").drawImage(image, 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/webp", quality })).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}"""


def page_of(position: Position) -> str:
    """Return a page that has only the replay's viewer, with the data of a position."""
    sheets = "".join(f'<link rel="stylesheet" href="/static/css/{name}.css">' for name in SHEETS)
    page = {"replay": "", "events": "", "text": "", "json": "", "seal": None, "shortcuts": {"on": False, "keys": {}}}
    return f"""<!doctype html><html lang="en"><meta charset="utf-8">{sheets}<style>{ALONE}</style>
<main><div id="replay" class="viewer"></div></main>{embedded("replay-data", payload(position))}
{embedded("replay-page", page)}<script type="module" src="/static/{script_of()}"></script></html>"""


def script_of() -> str:
    """Return the path of the built entry of games' pages, below the static files."""
    path: str = json.loads((FRONTEND / "dist" / "manifest.json").read_text())["src/replay.ts"]["file"]
    return path


def embedded(name: str, data: dict[str, Any]) -> str:
    text = json.dumps(data).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def serve(route: Route, html: str) -> None:
    """Answer the browser's requests from the repository's files, without a server."""
    path = urlsplit(route.request.url).path
    if path == "/":
        route.fulfill(body=html, content_type="text/html")
        return
    name = path.removeprefix("/static/")
    found = next((each for each in (FRONTEND / "static" / name, FRONTEND / "dist" / name) if each.is_file()), None)
    if found is None:
        route.fulfill(status=404, body="")
    else:
        route.fulfill(body=found.read_bytes(), content_type=mimetypes.guess_type(found.name)[0] or "text/plain")


def draw(browser: Browser, position: Position, scheme: str) -> bytes:
    """Return the picture of a position as WebP. The scheme is "light" or "dark"."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 1400},  # a desktop size: a phone's table has another layout
        device_scale_factor=SCALE,  # a zoomed page would be taken for a felt that has grown
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    html = page_of(position)
    page.route("**/*", lambda route: serve(route, html))
    page.goto(f"{HOME}#{position.version}")
    page.wait_for_selector(f'section.felt[aria-label="The table after step {position.version}"]')
    shot = page.locator("section.felt").screenshot(animations="disabled")
    picture = compressed(page, shot)
    context.close()
    return picture


def compressed(page: Page, png: bytes) -> bytes:
    """Return `png` as WebP, in the best quality that `LARGEST` allows."""
    for quality in (0.8, 0.7, 0.6, 0.5):
        picture = base64.b64decode(page.evaluate(TO_WEBP, [base64.b64encode(png).decode(), quality]))
        if len(picture) < LARGEST:
            return picture
    raise ValueError("The picture is too large.")


def main(names: list[str]) -> None:
    """Draw all pictures, or those with these names."""
    with sync_playwright() as driver:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=find(), args=arguments)
        for position in recorded():
            if names and position.name not in names:
                continue
            for scheme in ("light", "dark"):
                picture = draw(browser, position, scheme)
                folder = KINDS[position.kind].pictures
                folder.mkdir(exist_ok=True)
                (folder / f"{position.name}-{scheme}.webp").write_bytes(picture)
                print(f"{position.name}-{scheme}.webp: {len(picture)} bytes")
        browser.close()
