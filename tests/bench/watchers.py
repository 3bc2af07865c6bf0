"""How soon a thousand watchers of live games, over real sockets to one web process, have what happens.

    python -m tests.bench.watchers [--watchers 1000] [--games 1] [--moves 100] [--rate 4] [--reconnect 0.1]

One uvicorn, as the house starts it, serves Server-Sent Events to so many clients of another process; a third makes so
many moves, `--rate` a second, in the games in turn. In the middle a part of the watchers (`--reconnect`) hangs up and
comes back with `Last-Event-ID`. Printed: the ms from the commit of a move to the socket of each watcher (and from just
before the move was asked for), how many database connections and how much memory the watchers cost, and whether any
had an event twice or not at all. It works in a database of its own, as tests.bench.play.

Each watcher is a file descriptor of the web process (and one of the proxy before it, which needs another): `ulimit -n`
must be above their number with a hundred to spare.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_STREAMS", "0")  # all of them come from one address

import django

django.setup()

import psycopg  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.db import connection  # noqa: E402

from config.address import address_of  # noqa: E402
from games import log, observe, table  # noqa: E402
from games.models import Game, Player  # noqa: E402
from tests.bench.play import own_database  # noqa: E402
from tests.bench.where import where  # noqa: E402
from tests.replays.test_stream import web_process  # noqa: E402

SPARE: Final = 100


@dataclass(eq=False)
class Watcher:
    """One client: the events that it had, with when (s, of the machine's steady clock)."""

    game: str
    port: int
    had: list[tuple[int, float]] = field(default_factory=list)

    async def watch(self) -> None:
        """Read until the connection ends or this is cancelled; goes on behind the last event that it had."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        resume = f"Last-Event-ID: {self.had[-1][0]}\r\n" if self.had else ""
        head = f"GET /api/v1/games/{self.game}/events/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
        writer.write(f"{head}{resume}\r\n".encode())
        rest = b""
        try:
            while chunk := await reader.read(1 << 16):
                now = time.monotonic()
                *lines, rest = (rest + chunk).split(b"\n")
                self.had += [(int(line[4:]), now) for line in lines if line.startswith(b"id: ")]
        finally:
            writer.transport.abort()

    def faults(self, last: int) -> int:
        """How many events it had twice, out of turn, or not at all."""
        versions = [version for version, _ in self.had]
        wanted = list(range(versions[0], last + 1)) if versions else [0]
        return abs(len(versions) - len(wanted)) + sum(a != b for a, b in zip(versions, wanted, strict=False))


def mover(games: list[str], moves: int, rate: float) -> None:
    """Make the moves, and print of each game, version: when it was asked for, and when it was committed."""
    committed: list[float] = []
    notify: Callable[..., None] = log._notify

    def noted(payloads: Sequence[str]) -> None:
        committed.append(time.monotonic())
        notify(payloads)

    log._notify = noted
    rows = [Game.objects.get(public_id=each) for each in games]
    due = time.monotonic()
    for turn in range(moves):
        due += 1 / rate
        time.sleep(max(0, due - time.monotonic()))
        game = rows[turn % len(rows)]
        fold = table.load(game)
        seat = fold.to_act()[0]
        text = random.Random(turn).choice(observe.legal_moves(fold, seat))
        asked = time.monotonic()
        committed.clear()
        moved = table.move(game=game, seat=seat, text=text, expected_version=fold.version)
        print(game.public_id, fold.version, moved.version, asked, committed[0], flush=True)


async def watch_all(watchers: list[Watcher], command: list[str], again: float, told: Callable[[], str]) -> list[str]:
    """Have everybody watch while the moves are made; the mover's lines."""
    tasks = {each: asyncio.create_task(each.watch()) for each in watchers}
    while not all(each.had for each in watchers):
        await asyncio.sleep(0.2)
    await asyncio.sleep(2)
    print(await asyncio.to_thread(told), flush=True)
    moving = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    assert moving.stdout
    lines = []
    flaky = watchers[: int(len(watchers) * again)]
    while line := await moving.stdout.readline():
        lines.append(line.decode())
        for each in flaky[len(lines) % 10 :: 10] if len(lines) % 7 == 0 else ():
            tasks[each].cancel()
            await asyncio.gather(tasks[each], return_exceptions=True)
            tasks[each] = asyncio.create_task(each.watch())
    await moving.wait()
    await asyncio.sleep(3)
    print(await asyncio.to_thread(told), flush=True)
    for task in tasks.values():
        task.cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)
    return lines


def ms(times: list[float]) -> str:
    return f"median {1000 * statistics.median(times):6.1f}  p99 {1000 * statistics.quantiles(times, n=100)[98]:6.1f}"


def judge(watchers: list[Watcher], lines: list[str]) -> None:
    """Print what came of it."""
    asked: dict[tuple[str, int], tuple[float, float]] = {}
    last: dict[str, int] = {}
    for line in lines:
        game, before, after, wanted, committed = line.split()
        for version in range(int(before) + 1, int(after) + 1):
            asked[game, version] = float(wanted), float(committed)
        last[game] = int(after)
    seen = [
        (asked[each.game, version], at)
        for each in watchers
        for version, at in each.had
        if (each.game, version) in asked
    ]
    flaky = [each for each in watchers if each.faults(last.get(each.game, 0))]
    print(f"{len(lines)} moves, {len(asked)} events, had {len(seen):,} times by {len(watchers)} watchers")
    print(f"commit to client, ms    {ms([at - committed for (_, committed), at in seen])}")
    print(f"move asked to client    {ms([at - wanted for (wanted, _), at in seen])}")
    firsts: dict[float, list[float]] = {}
    for (_, began), at in seen:
        firsts.setdefault(began, []).append(at - began)
    print(f"the last of all clients {ms([max(times) for times in firsts.values()])}")
    print(f"watchers with an event lost, twice or out of turn: {len(flaky)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watchers", type=int, default=1000)
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--rate", type=float, default=4, help="moves a second")
    parser.add_argument("--reconnect", type=float, default=0.1, help="the part of watchers who come back")
    parser.add_argument("--kind", default="palace")
    wish = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wish.watchers + SPARE:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, wish.watchers + SPARE), hard))
    print(f"{where()}; at most {resource.getrlimit(resource.RLIMIT_NOFILE)[0]} files")
    with own_database(), web_process() as web:
        people = [
            Player.objects.create(name=name, user=User.objects.create_user(name.lower()))
            for name in ("Martha", "Laura")
        ]
        games = [table.open(kind=wish.kind, players=people).public_id for _ in range(wish.games)]
        pid = web.process.pid

        def told() -> str:
            return f"{connections()} database connections, {memory(pid):.1f} MiB in the web process"

        print(f"nobody watches: {told()}")
        watchers = [Watcher(games[place % len(games)], web.port) for place in range(wish.watchers)]
        code = f"from tests.bench import watchers; watchers.mover({games!r}, {wish.moves}, {wish.rate})"
        os.environ["DATABASE_URL"] = address_of(connection.settings_dict)
        lines = asyncio.run(watch_all(watchers, [sys.executable, "-c", code], wish.reconnect, told))
        judge(watchers, lines)
    print(where())


def connections() -> int:
    """How many connections the database has but this process's own."""
    asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(address_of(connection.settings_dict)) as own:
        row = own.execute(asked).fetchone()
        return int(row[0]) - 1 if row else 0


def memory(pid: int) -> float:
    """MiB of a process that are its own."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        kib = sum(int(line.split()[1]) for line in file if line.startswith("Private_"))
    return kib / 1024


if __name__ == "__main__":
    main()
