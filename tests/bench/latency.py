"""Measures how long a move takes from its POST to the screen of another browser, and what it costs the processor.

    python -m tests.bench.latency [FOLDER] [--moves 100] [--kind chinese_ten] [--motion]

It runs the site of this checkout with its demo leagues (`bin/dev up`, unless that runs already), opens games of two
people in it, and plays them: one move after another is sent as the page does, while both players have the game open in
a browser. It prints medians and 99th percentiles in ms, and the machine's load before and after.

The two browsers share the machine with the site, and draw without a graphics processor. So they ask for reduced motion:
each move else takes them a third of a second of what the site needs for the next. `--motion` leaves the motion on.

FOLDER is another checkout, for example of an older commit. Its site then runs beside the first one, and both get a move
in turn. So what else the machine does slows both, and the ratio of their times holds on a busy machine too.

The processor time of a move is what all processes of a site use, PostgreSQL's included, in `WINDOW` seconds in which a
move is made, less what they use in as much time without one: the leagues go on meanwhile. Where a move's time goes is
shown by part: the web process, the database, the workers.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from devkit.browser import find

ROOT: Final = Path(__file__).resolve().parents[2]
PORT: Final = 8490
WINDOW: Final = 0.4  # seconds in which all that follows from a move has happened
READY_TIMEOUT: Final = 1800  # seconds until a site is ready: it may have to be built first
WATCH: Final = """() => {
  const table = document.querySelector(".tabletop");
  window.shown = {};
  const note = () => (window.shown[table.dataset.version] ??= performance.timeOrigin + performance.now());
  new MutationObserver(note).observe(table, { attributes: true, attributeFilter: ["data-version"] });
}"""
OPEN_GAMES: Final = """
import json
from django.contrib.auth.models import User
from django.test import Client
from games.models import Deal, Player
from games.play import services
people, sessions = [], []
for name in ("Latency A", "Latency B"):
    user, _ = User.objects.get_or_create(username=name.replace(" ", "").lower())
    people.append(Player.objects.get_or_create(user=user, defaults={{"name": name}})[0])
    client = Client()
    client.force_login(user)
    sessions.append(client.cookies["sessionid"].value)
seeds = [bytes([number]) * 32 for number in range({games})]
terms = {{"rated": False}}
made = [services.open_game(kind={kind!r}, players=people, deal=Deal.objects.create(seed=seed), terms=terms)
        for seed in seeds]
print(json.dumps([sessions, [game.public_id for game in made]]))
"""
MOVES_OF_A_GAME: Final = 15  # fewer than any game has


class Site:
    """A running checkout, with games of two people that are not played yet."""

    def __init__(self, folder: Path, port: int, kind: str, games: int, *, motion: bool) -> None:
        self.folder = folder
        self.motion = motion
        self.address = f"http://localhost:{port}"
        script = OPEN_GAMES.format(kind=kind, games=games)
        command = [str(folder / "bin" / "dev"), "manage", "shell", "-c", script]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
        sessions, self.games = json.loads(done.stdout.splitlines()[-1])
        self.sessions: list[str] = sessions
        self.clients = [self.client(session) for session in sessions]
        self.pages: list[Page] = []
        self.game = ""
        self.has_frames = True  # its answer to a move brings the frames
        self.answered: list[float] = []
        self.shown: list[float] = []
        self.used: list[Counter[str]] = []

    def client(self, session: str) -> httpx.Client:
        """Return an HTTP client that plays as the user of a session."""
        client = httpx.Client(base_url=self.address, cookies={"sessionid": session, "csrftoken": "0" * 32}, timeout=30)
        client.headers["X-CSRFToken"] = "0" * 32
        return client

    def turns(self) -> list[dict[str, Any]]:
        return [client.get(f"/api/v1/games/{self.game}/turn/").json() for client in self.clients]

    def sit_down(self, browser: Browser) -> list[dict[str, Any]]:
        """Open the next game in two browsers, if none is being played; return both players' turns."""
        turns = self.turns() if self.game else []
        if any(turn["may_act"] for turn in turns):
            return turns
        self.game = self.games.pop(0)
        for page in self.pages:
            page.context.close()
        self.pages = [self.page(browser, session) for session in self.sessions]
        return self.turns()

    def page(self, browser: Browser, session: str) -> Page:
        reduced: Literal["reduce", "no-preference"] = "no-preference" if self.motion else "reduce"
        context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion=reduced)
        context.add_cookies([{"name": "sessionid", "value": session, "url": self.address}])
        page = context.new_page()
        page.goto(f"{self.address}/games/{self.game}/")
        page.wait_for_selector(".tabletop[data-link=open]")
        page.evaluate(WATCH)
        return page

    def move(self, browser: Browser) -> None:
        """Play a move and keep its figures."""
        turns = self.sit_down(browser)
        acting = next(seat for seat, turn in enumerate(turns) if turn["may_act"])
        turn, other = turns[acting], self.pages[1 - acting]
        time.sleep(WINDOW)  # what the look at the turns costs is over
        before = processor_seconds(self.folder)
        sent = time.time()
        version = self.post(acting, {"move": turn["legal"][0]["move"], "expected_version": turn["version"]})
        answered = time.time()
        other.wait_for_function("(version) => window.shown[version]", arg=version)
        self.answered.append(1000 * (answered - sent))
        self.shown.append(float(other.evaluate("(version) => window.shown[version]", version)) - 1000 * sent)
        time.sleep(max(0.0, sent + WINDOW - time.time()))
        between, took = processor_seconds(self.folder), time.time() - sent
        time.sleep(took)
        with_move, without = between - before, processor_seconds(self.folder) - between
        self.used.append(Counter({part: with_move[part] - without[part] for part in {*with_move, *without}}))

    def post(self, seat: int, body: dict[str, Any]) -> int:
        """Send a move; return the version after it."""
        wanted: dict[str, Any] = {"idempotency_key": f"{self.game} {body['expected_version']}"}
        wanted |= {"frames": True} if self.has_frames else {}
        answer = self.clients[seat].post(f"/api/v1/games/{self.game}/moves/", json={**body, **wanted})
        if answer.status_code == 400 and self.has_frames:
            self.has_frames = False
            return self.post(seat, body)
        answer.raise_for_status()
        version: int = answer.json()["version"]
        return version

    def processor_ms(self) -> dict[str, float]:
        """Return the processor time of a move by part of the site, in ms; the total is ""."""
        parts = sorted({part for each in self.used for part in each})
        means = {part: 1000 * statistics.fmean(each[part] for each in self.used) for part in parts}
        return {**means, "": sum(means.values())}


def processor_seconds(folder: Path) -> Counter[str]:
    """Return the processor time so far of all processes whose working directory is in `folder`, by part of the site."""
    used: Counter[str] = Counter()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is somebody else's
            if not (process / "cwd").resolve().is_relative_to(folder):
                continue
            part = part_of((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            for thread in (process / "task").iterdir():
                with suppress(OSError):
                    used[part] += int((thread / "schedstat").read_text().split()[0])
    return Counter({part: nanoseconds / 1e9 for part, nanoseconds in used.items()})


def part_of(command: str) -> str:
    if "uvicorn" in command:
        return "web"
    return "database" if "postgres" in command else "workers and others"


@contextmanager
def running(folder: Path, port: int) -> Iterator[int]:
    """Run the site of a checkout, or use the one that runs; provide its port."""
    lock = folder / ".local" / "up.lock"
    command = [str(folder / "bin" / "dev"), "up"]
    lock.parent.mkdir(exist_ok=True)
    with (folder / ".local" / "latency.log").open("w") as log:
        site = subprocess.Popen(command, cwd=folder, env={**os.environ, "PORT": str(port)}, stdout=log, stderr=log)
    try:
        end = time.monotonic() + READY_TIMEOUT
        while not is_ready(port):
            if site.poll() is not None and (known := lock.read_text().split()):
                port = int(known[1].rstrip("/").rpartition(":")[2])  # it runs already
                if is_ready(port):
                    break
            if time.monotonic() > end or (site.poll() is not None and not is_ready(port)):
                raise SystemExit(f"{folder}: `bin/dev up` does not run; see .local/latency.log there.")
            time.sleep(0.5)
        yield port
    finally:
        if site.poll() is None:
            site.send_signal(signal.SIGINT)
            site.wait()


def is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/health/ready/", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def print_figures(sites: list[Site]) -> None:
    print(f"{'':28}" + "".join(f"{site.folder.name:>24}" for site in sites))
    for words, rows in (
        ("POST to its answer", [site.answered for site in sites]),
        ("POST to the other screen", [site.shown for site in sites]),
    ):
        for name, number in (("median", 49), ("p99", 98)):
            figures = [statistics.quantiles(row, n=100, method="inclusive")[number] for row in rows]
            print(f"{words + ', ' + name:34}" + "".join(f"{each:12.1f} ms{'':9}" for each in figures))
    spent = [site.processor_ms() for site in sites]
    for part in sorted({part for each in spent for part in each} - {""}):
        print(f"{'processor, ' + part:34}" + "".join(f"{each.get(part, 0.0):12.1f} ms{'':9}" for each in spent))
    print(f"{'processor, all processes':34}" + "".join(f"{each['']:12.1f} ms{'':9}" for each in spent))
    if len(spent) == 2:
        print(f"{'ratio to ' + sites[1].folder.name:34}{spent[0][''] / spent[1]['']:12.3f}")


def main(folders: list[Path], kind: str, moves: int, *, motion: bool) -> None:
    """Play the moves and print the figures."""
    print(f"load before: {os.getloadavg()[0]:.1f}", flush=True)
    os.chdir("/")  # so that this process and its browser do not count
    with ExitStack() as stack:
        ports = [stack.enter_context(running(folder, PORT + number)) for number, folder in zip(count(), folders)]
        sites = [
            Site(folder, port, kind, moves // MOVES_OF_A_GAME + 1, motion=motion)
            for folder, port in zip(folders, ports, strict=True)
        ]
        driver = stack.enter_context(sync_playwright())
        browser = driver.chromium.launch(executable_path=find(), args=["--no-sandbox"] if os.geteuid() == 0 else [])
        for number in range(moves):
            for site in sites if number % 2 else sites[::-1]:
                site.move(browser)
        browser.close()
    print(f"{moves} moves of {kind} on each site; load after: {os.getloadavg()[0]:.1f}")
    print_figures(sites)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", nargs="?", type=Path, help="another checkout, which is measured in turn")
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--kind", default="chinese_ten")
    parser.add_argument("--motion", action="store_true", help="with motion on the boards")
    chosen = parser.parse_args()
    others = [chosen.folder.resolve()] if chosen.folder else []
    main([ROOT, *others], chosen.kind, chosen.moves, motion=chosen.motion)
