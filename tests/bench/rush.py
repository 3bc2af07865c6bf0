"""Measures how a web process answers people who open pages while hundreds watch live games through it.

    python -m tests.bench.rush [--watchers 300] [--people 60] [--seconds 60] [--rate 4]

One uvicorn, started as the platform starts it, serves so many watchers (tests.bench.crowd) of a game in which `--rate`
moves are made a second. Meanwhile `--people` browsers request one page after the other without a pause. They give up
after 30 s, and when they are refused they wait as long as the answer says. It prints how many pages were answered,
refused as busy, and not answered in 30 s; how long each took; how soon health checks were answered; and the load of the
machine. It works in a separate database, like tests.bench.play. Run `manage collectstatic` before.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import resource
import statistics
import time
from collections import Counter
from typing import Final

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_MAX_STREAMS_PER_IP", "0")  # all people have the same address

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.db import connection  # noqa: E402

from games.models import Player  # noqa: E402
from games.play import services as play  # noqa: E402
from tests.bench.play import own_database  # noqa: E402
from tests.bench.watchers import SPARE, ended, started, worked  # noqa: E402
from tests.bench.where import where  # noqa: E402
from tests.servers.database_url import database_url  # noqa: E402
from tests.servers.web import web_process  # noqa: E402

PAGES: Final = ("/", "/clubs/", "/watch/", "/ratings/", "/play/", "/games/{game}/", "/api/v1/games/", "/rules/palace/")
GIVES_UP: Final = 30.0  # seconds
NO_ANSWER: Final = "no answer in 30 s"
AGAIN: Final = re.compile(rb"(?i)\r\nretry-after: (\d+)")


async def ask(port: int, path: str) -> tuple[str, float]:
    """Request a page. Return the answer's status and code, and the seconds to wait before the next attempt (0: none).
    It uses little CPU time, because it shares the machine with the server."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        head, _empty, body = (await reader.read(-1)).partition(b"\r\n\r\n")
    finally:
        writer.close()
    status = head[9:12].decode()
    again = AGAIN.search(head)
    return f"{status} busy" if status == "503" and b"busy" in body else status, float(again[1]) if again else 0


async def person(port: int, pages: list[str], until: float, found: list[tuple[str, float]]) -> None:
    """Open one page after the other."""
    while time.monotonic() < until:
        began, again = time.monotonic(), 0.0
        try:
            async with asyncio.timeout(GIVES_UP):
                shown, again = await ask(port, random.choice(pages))
        except TimeoutError:
            shown = NO_ANSWER
        except OSError as error:
            shown = type(error).__name__
        found.append((shown, time.monotonic() - began))
        await asyncio.sleep(again)


async def checks(port: int, until: float, found: list[float]) -> None:
    """Request the process's health once a second."""
    while time.monotonic() < until:
        began = time.monotonic()
        await ask(port, "/health/live/")
        found.append(time.monotonic() - began)
        await asyncio.sleep(1)


async def rush(port: int, pages: list[str], people: int, seconds: float) -> tuple[list[tuple[str, float]], list[float]]:
    """Run people and health checks. Return all answers with their seconds, and the seconds of the health checks."""
    found: list[tuple[str, float]] = []
    healthy: list[float] = []
    until = time.monotonic() + seconds
    asking = [person(port, pages, until, found) for _ in range(people)]
    await asyncio.gather(*asking, checks(port, until, healthy))
    return found, healthy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watchers", type=int, default=300)
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=float, default=4, help="moves a second")
    wish = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, wish.watchers + wish.people + SPARE)), hard))
    print(where())
    with own_database(), web_process(pool=10) as web:
        people = [
            Player.objects.create(name=name, user=User.objects.create_user(name.lower()))
            for name in ("Martha", "Laura")
        ]
        game = play.open_game(kind="palace", players=people).public_id
        os.environ["DATABASE_URL"] = database_url(connection.settings_dict)
        crowd = started("-m", "tests.bench.crowd", str(web.port), str(wish.watchers), game)
        assert crowd.stdout
        assert crowd.stdout.readline() == "all\n"
        moves = int(wish.rate * wish.seconds)
        mover = started("-c", f"from tests.bench import watchers; watchers.mover([{game!r}], {moves}, {wish.rate})")
        spent = -worked(web.process.pid)
        pages = [page.format(game=game) for page in PAGES]
        found, healthy = asyncio.run(rush(web.port, pages, wish.people, wish.seconds))
        spent += worked(web.process.pid)
        load = where()
        mover.kill()
        cut = ended(crowd)["cut"]
    judge(found, healthy, spent, cut)
    print(load)


def judge(found: list[tuple[str, float]], healthy: list[float], spent: float, cut: int) -> None:
    """Print the results."""
    for shown, count in sorted(Counter(found for found, _seconds in found).items()):
        took = sorted(seconds for each, seconds in found if each == shown)
        print(f"{shown:20}{count:6}   s: median {statistics.median(took):6.2f}   slowest {took[-1]:6.2f}")
    healthy.sort()
    print(f"health checks {len(healthy):12}   s: median {statistics.median(healthy):6.2f}   slowest {healthy[-1]:6.2f}")
    print(f"processor of the web {spent:.1f} s; watchers' streams ended by the web: {cut}")


if __name__ == "__main__":
    main()
