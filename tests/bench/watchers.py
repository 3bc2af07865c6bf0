"""Measures how soon a thousand watchers of live games, over real sockets to one web process, receive each event.

    python -m tests.bench.watchers [--watchers 1000] [--games 1] [--moves 100] [--rate 4] [--reconnect 0.1]

One uvicorn, started as the platform starts it, serves Server-Sent Events to so many clients of a second process
(tests.bench.crowd). A third process makes so many moves, `--rate` a second, in the games in turn. After a third of the
moves, ten watchers disconnect with each move, just when it was made, and reconnect with `Last-Event-ID`, until a part
of all watchers (`--reconnect`) has done so.

It prints the ms from the commit of a move to the socket of each watcher, by the kernel's time stamp, and how much later
the clients' process, which shares the machine's processors, read it; the steps between (tests.bench.watched); the CPU
time of both processes; how long Python's garbage collector stopped the web process; how many database connections and
how much memory the watchers cost; and whether a watcher received an event twice or not at all. It works in a separate
database, like tests.bench.play.

Each watcher is a file descriptor of the web process (and one of the proxy before it, which needs another): `ulimit -n`
must be at least their number and a hundred more.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_MAX_STREAMS_PER_IP", "0")  # all watchers have the same address

import django

django.setup()

import httpx  # noqa: E402
import psycopg  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.db import connection  # noqa: E402

from games.eventlog import store as eventlog  # noqa: E402
from games.models import Game, Player  # noqa: E402
from games.play import services as play  # noqa: E402
from scorebook_games.gamelog import visibility  # noqa: E402
from tests.bench.play import own_database  # noqa: E402
from tests.bench.where import where  # noqa: E402
from tests.servers.database_url import database_url  # noqa: E402
from tests.servers.web import web_process  # noqa: E402

SPARE: Final = 100
OPEN_BATCH_SIZE: Final = 10
AIM_MS: Final = 100
TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Move:
    """A move: its game, the versions before and after it, and when it was requested and committed (in s)."""

    game: str
    key: int
    before: int
    after: int
    asked: float
    committed: float


def mover(games: list[str], moves: int, rate: float) -> None:
    """Make moves in the games in turn, and print each as the parts of a `Move`."""
    committed: list[float] = []
    notify: Callable[..., None] = eventlog._notify

    def noted(payloads: Sequence[str]) -> None:
        committed.append(time.time())
        notify(payloads)

    eventlog._notify = noted
    rows = [Game.objects.get(public_id=each) for each in games]
    due = time.monotonic()
    for turn in range(moves):
        due += 1 / rate
        time.sleep(max(0, due - time.monotonic()))
        game = rows[turn % len(rows)]
        fold = play.load_game(game)
        seat = fold.to_act()[0]
        text = random.Random(turn).choice(visibility.legal_moves(fold, seat))
        asked = time.time()
        committed.clear()
        moved = play.play_move(game=game, seat=seat, text=text, expected_version=fold.version)
        print(json.dumps([game.public_id, game.pk, fold.version, moved.version, asked, committed[0]]), flush=True)


def started(*arguments: str) -> subprocess.Popen[str]:
    """Start a Python process with pipes for its input and output."""
    command = [sys.executable, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def watch_all(crowd: subprocess.Popen[str], moving: Callable[[], subprocess.Popen[str]], wish: Any) -> list[Move]:
    """Let the mover make its moves while everybody watches, and let some reconnect. Return the moves."""
    mover = moving()
    assert mover.stdout
    assert crowd.stdin
    moves, back = [], int(wish.watchers * wish.reconnect)
    for line in mover.stdout:
        moves.append(Move(*json.loads(line)))
        if len(moves) > wish.moves / 3 and back > 0:
            print(f"again {min(back, OPEN_BATCH_SIZE)}", file=crowd.stdin, flush=True)
            back -= OPEN_BATCH_SIZE
    mover.wait()
    time.sleep(3)
    return moves


def ended(crowd: subprocess.Popen[str]) -> dict[str, Any]:
    """End the process of the watchers and return what they received."""
    assert crowd.stdin
    assert crowd.stdout
    print("end", file=crowd.stdin, flush=True)
    found = cast(dict[str, Any], json.load(crowd.stdout))
    crowd.wait()
    return found


def faults(versions: list[int], last: int) -> int:
    """Return how many events a watcher received twice, out of order, or not at all."""
    wanted = list(range(versions[0], last + 1)) if versions else [0]
    return abs(len(versions) - len(wanted)) + sum(a != b for a, b in zip(versions, wanted, strict=False))


def ms(times: Sequence[float]) -> str:
    """Return the median, 99th percentile and maximum of `times` (in s) in ms."""
    worst = statistics.quantiles(times, n=100)[98]
    return f"median {1000 * statistics.median(times):6.1f}  p99 {1000 * worst:6.1f}  most {1000 * max(times):6.1f}"


def judge(games: list[str], moves: list[Move], had: list[list[tuple[int, float, float]]], cut: int) -> None:
    """Print what the watchers received and when."""
    of_event = {(move.game, version): move for move in moves for version in range(move.before + 1, move.after + 1)}
    seen: list[tuple[Move, float, float]] = []
    lost = 0
    for place, events in enumerate(had):
        game = games[place % len(games)]
        seen += [(of_event[game, each], at, hand) for each, at, hand in events if (game, each) in of_event]
        last = max((move.after for move in moves if move.game == game), default=0)
        lost += faults([each for each, _at, _hand in events], last) > 0
    print(f"{len(moves)} moves, {len(of_event)} events, had {len(seen):,} times by {len(had)} watchers")
    to_socket = [at - move.committed for move, at, _ in seen]
    print(f"commit to the client's socket, ms   {ms(to_socket)}    (aim: p99 {AIM_MS})")
    print(f"commit to the client's hands        {ms([hand - move.committed for move, _, hand in seen])}")
    print(f"the clients' own lag                {ms([hand - at for _, at, hand in seen])}")
    print(f"watchers with an event lost, twice or out of turn: {lost}; ended by the web: {cut}")


def explain(moves: list[Move], had: list[list[tuple[int, float, float]]], steps: dict[str, Any]) -> None:
    """Print how long each step between commit and socket took, for the moves of which all times are known."""
    arrivals: dict[tuple[int, int], list[float]] = {}
    for place, events in enumerate(had):
        for version, at, _ in events:
            arrivals.setdefault((place, version), []).append(at)
    parts: dict[str, list[float]] = {"commit to note heard": [], "note to events read": []}
    parts |= {"read to the first socket": [], "first to the last socket": []}
    for move in moves:
        heard = min((at for game, at in steps["heard"] if game == move.key and at >= move.committed), default=None)
        read = min((at for game, ready, at in steps["read"] if game == move.key and ready >= move.after), default=None)
        there = sorted(each[0] for (_place, version), each in arrivals.items() if version == move.after)
        if heard and read and there:
            for part, length in zip(
                parts, (heard - move.committed, read - heard, there[0] - read, there[-1] - there[0]), strict=True
            ):
                parts[part].append(length)
    for part, lengths in parts.items():
        print(f"  {part:34}{ms(lengths)}")
    began, over = moves[0].asked, moves[-1].committed + 1
    for generation in range(3):
        stops = [length for each, at, length in steps["stops"] if each == generation and began <= at <= over]
        worst = f", the longest {1000 * max(stops):.1f} ms" if stops else ""
        print(f"  collector, generation {generation}: {len(stops)} times, {1000 * sum(stops):.1f} ms in all{worst}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watchers", type=int, default=1000)
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--rate", type=float, default=4, help="moves a second")
    parser.add_argument("--reconnect", type=float, default=0.1, help="the part of watchers that reconnect")
    parser.add_argument("--kind", default="palace")
    wish = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wish.watchers + SPARE:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, wish.watchers + SPARE), hard))
    print(f"{where()}; at most {resource.getrlimit(resource.RLIMIT_NOFILE)[0]} files")
    with own_database(), web_process(application="tests.bench.watched:application") as web:
        people = [
            Player.objects.create(name=name, user=User.objects.create_user(name.lower()))
            for name in ("Martha", "Laura")
        ]
        games = [play.open_game(kind=wish.kind, players=people).public_id for _ in range(wish.games)]
        pid = web.process.pid
        os.environ["DATABASE_URL"] = database_url(connection.settings_dict)
        print(f"nobody watches: {connections()} database connections, {memory(pid):.1f} MiB in the web process")
        crowd = started("-m", "tests.bench.crowd", str(web.port), str(wish.watchers), *games)
        assert crowd.stdout
        began = time.monotonic()
        assert crowd.stdout.readline() == "all\n"
        print(f"all are there after {time.monotonic() - began:.1f} s")
        time.sleep(2)
        print(f"{connections()} database connections, {memory(pid):.1f} MiB in the web process")
        spent = {process: -worked(process) for process in (pid, crowd.pid)}
        code = f"from tests.bench import watchers; watchers.mover({games!r}, {wish.moves}, {wish.rate})"
        moves = watch_all(crowd, lambda: started("-c", code), wish)
        spent = {process: before + worked(process) for process, before in spent.items()}
        print(f"{connections()} database connections, {memory(pid):.1f} MiB in the web process")
        print(f"processor: web {spent[pid]:.1f} s, clients {spent[crowd.pid]:.1f} s")
        steps = httpx.get(f"{web.address}/steps").json()
        found = ended(crowd)
        judge(games, moves, found["had"], found["cut"])
        explain(moves, found["had"], steps)
    print(where())


def connections() -> int:
    """Return the number of database connections other than this process's own."""
    asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(database_url(connection.settings_dict)) as own:
        row = own.execute(asked).fetchone()
        return int(row[0]) - 1 if row else 0


def memory(pid: int) -> float:
    """Return the memory that belongs to one process alone, in MiB."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        kib = sum(int(line.split()[1]) for line in file if line.startswith("Private_"))
    return kib / 1024


def worked(pid: int) -> float:
    """Return the CPU seconds of a process so far."""
    with open(f"/proc/{pid}/stat") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / TICKS


if __name__ == "__main__":
    main()
