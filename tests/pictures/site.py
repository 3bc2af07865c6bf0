"""Takes the screenshots of README and tutorials. `bin/dev pictures` runs it against a separate demo.

It follows docs/tutorials/first-league.md, first-bot.md and first-api-call.md, and uses the labels that they name.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from playwright.sync_api import Locator, Page, ViewportSize, expect, sync_playwright

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = ROOT / "docs" / "pictures"
SIZE: Final[ViewportSize] = {"width": 1280, "height": 900}
PAGE_TIMEOUT: Final = 240_000  # milliseconds, for an opened round, an admission, or the first table of a demo season


def main(address: str, chromium: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        walk = Walk(browser.new_page(viewport=SIZE, timezone_id="UTC", locale="en-GB"), address.rstrip("/"))
        walk.first_league()
        walk.first_bot()
        walk.first_api_call()
        walk.demo_season()
        walk.demo_replay()
        browser.close()


class Walk:
    """A browser on the demo's site, which follows the tutorials."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        page.set_default_timeout(30_000)

    def take(self, name: str) -> None:
        """Take a picture of the window."""
        self.page.wait_for_load_state("networkidle")
        self.page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")
        print(f"  {name}.png", flush=True)

    def press(self, label: str) -> None:
        self.page.get_by_role("button", name=label, exact=True).click()

    def follow(self, label: str) -> None:
        self.page.get_by_role("link", name=label).first.click()

    def unfold(self, topic: str) -> None:
        self.page.locator(f"#{topic} > summary").click()

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).fill(text)

    def choose(self, label: str, option: str) -> None:
        self.page.get_by_role("combobox", name=label, exact=True).select_option(label=option)

    def reload_until(self, wanted: Locator) -> None:
        """Reload the page until it has this element."""
        deadline = time.monotonic() + PAGE_TIMEOUT / 1000
        while not wanted.count():
            assert time.monotonic() < deadline, f"{wanted} is not on {self.page.url}"
            self.page.wait_for_timeout(3000)
            self.page.reload()

    def sign_up(self, name: str) -> None:
        self.page.goto("about:blank")  # because a game's page reloads when its player logs out
        self.page.context.clear_cookies()
        self.page.goto(self.address)
        self.follow("Sign up")
        self.fill("Name", name)
        self.fill("Password", "the lamp shop 1961")
        self.fill("Password (again)", "the lamp shop 1961")
        self.press("Sign up")

    def first_league(self) -> None:
        """Follow docs/tutorials/first-league.md, steps 1 to 5."""
        self.sign_up("Ottoline")
        self.follow("Clubs")
        self.follow("Create a club")
        self.fill("Name", "Harbour Card Club")
        self.choose("Time zone", "UTC")
        self.press("Create club")
        self.take("first-league-club")
        self.follow("New season…")
        self.fill("Name of the new league", "Tuesday League")
        self.fill("Season", "Winter")
        self.unfold("options")
        self.fill("Packs of cards", "1")
        self.unfold("entrants")
        self.choose("Sensible", "2")
        self.choose("Random", "1")
        self.unfold("format")
        self.choose("Format", "Round robin")
        self.fill("Games per match", "1")
        first = datetime.now(UTC) + timedelta(minutes=2)
        self.fill("First round", f"{first:%Y-%m-%d}")
        self.fill("Time", f"{first:%H:%M}")
        self.unfold("calendar")
        self.fill("Interval", "1 minute")
        self.press("Preview")
        self.press("Open for entries")
        self.press("Enter this season")
        self.take("first-league-open")
        self.press("Start season…")
        self.press("Start season")
        self.page.goto(f"{self.address}/me/games/")
        self.reload_until(self.page.get_by_role("link", name="Play Chinese Ten with"))
        self.follow("Play Chinese Ten with")
        expect(self.page.locator("#replay .felt, #table .felt").first).to_be_visible()
        self.take("first-league-table")

    def first_bot(self) -> None:
        """Follow docs/tutorials/first-bot.md, step 5, with the file of its step 2."""
        code = re.findall(r"```python\n(.*?)```", (ROOT / "docs/tutorials/first-bot.md").read_text(), re.DOTALL)[-1]
        self.sign_up("Wilhelmina")
        self.follow("Bots")
        self.follow("Upload a bot")
        self.fill("Name", "Magpie")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mybot.py").write_text(code)
            self.page.get_by_label("File").set_input_files(Path(folder) / "mybot.py")
            self.press("Upload")
        expect(self.page.get_by_text("±").first).to_be_visible(timeout=PAGE_TIMEOUT)
        self.take("first-bot")

    def first_api_call(self) -> None:
        """Follow docs/tutorials/first-api-call.md: the token of step 2, and the programs of steps 4 and 5."""
        self.sign_up("Thaddeus")
        self.page.goto(f"{self.address}/me/tokens/")
        self.fill("Name", "tutorial")
        for scope in ("read", "play"):
            self.page.locator(f"[name=scopes][value={scope}]").check()
        self.press("Create token")
        token = self.page.locator("main input[readonly]").first.input_value()
        environment = {**os.environ, "SCOREBOOK": self.address, "TOKEN": token, "PYTHONPATH": str(ROOT / "docs")}
        text = (ROOT / "docs/tutorials/first-api-call.md").read_text()
        for language, command in (("python", [sys.executable, "play.py"]), ("javascript", ["node", "play.mjs"])):
            [program] = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / command[1]).write_text(program)
                subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=180)
            print(f"  played a game in {language}", flush=True)

    def demo_season(self) -> None:
        """Show a season of people in the demo, with standings."""
        self.page.context.clear_cookies()
        self.page.goto(f"{self.address}/clubs/lantern-street/")
        self.follow("Thursday League")
        self.take("season")

    def demo_replay(self) -> None:
        """Show the last finished game of Chinese Ten, all cards open, at one of its later moments."""
        answer = self.page.request.get(f"{self.address}/api/v1/games/?status=finished&kind=chinese_ten&page_size=1")
        self.page.goto(f"{self.address}/games/{answer.json()['results'][0]['id']}/")
        self.page.locator("#replay .felt").first.wait_for()
        for _step in range(20):
            self.page.keyboard.press("ArrowRight")
        self.take("replay")


if __name__ == "__main__":
    main(os.fspath(sys.argv[1]), sys.argv[2])
