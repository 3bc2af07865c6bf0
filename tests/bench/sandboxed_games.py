"""Measures how many games a second uploaded bots play in their sandboxes, with one worker and with two.

    python -m tests.bench.sandboxed_games [--games 80] [--kind chinese_ten] [--think-ms 2] [--rounds 1]

The bots use `--think-ms` of CPU time for each move and then make the first legal move. The games are opened first. Then
processes play them that work like a worker with a sandbox; their start is not counted. It works in a separate database,
like tests.bench.play.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.db import connection  # noqa: E402

from games import sandbox  # noqa: E402
from games.bots import time_slices, uploads  # noqa: E402
from games.models import BotVersion, Game, Player  # noqa: E402
from games.play import services as play  # noqa: E402
from games.sandbox import self_check  # noqa: E402
from games.workers import sandboxed_bot  # noqa: E402
from tests.bench.play import own_database  # noqa: E402
from tests.bench.where import where  # noqa: E402
from tests.servers.database_url import database_url  # noqa: E402

SOURCE = """
from time import thread_time  # the clock of the whole process goes by ticks where its time is limited

class Bot:
    def move(self, view, legal):
        until = thread_time() + {seconds}
        while thread_time() < until:
            pass
        return legal[0]
"""
BOTS = 16  # each has a different author and plays only a few games at once
GO = "go\n"
COMPUTATION = "for _ in range(20_000_000): pass"


def players(think_ms: float) -> list[Player]:
    """Upload bots, let them pass admission, and return their players."""
    found = []
    for number in range(BOTS):
        author = get_user_model().objects.create_user(f"author-{number}")
        Player.objects.create(name=f"Author {number}", user=author)
        version = uploads.upload_version(
            bot=uploads.new_bot(owner=author, name=f"Thinker {number}"),
            data=SOURCE.format(seconds=think_ms / 1000).encode(),
        )
        version.state = BotVersion.State.PASSED
        version.save()
        version.trials.all().delete()  # without the trials of its admission
        found.append(Player.objects.get(bot_version=version))
    return found


class Played(NamedTuple):
    """The seconds of some games, and the CPU seconds of workers, bots and database."""

    seconds: float
    used: dict[str, float]


def played(wish: argparse.Namespace, bots: list[Player], workers: int) -> Played:
    """Play the games with this number of workers."""
    pairs = [(bots[number % BOTS], bots[(number + 1 + number // BOTS) % BOTS]) for number in range(wish.games)]
    openings = [play.Opening(wish.kind, pair, terms={"rated": False}) for pair in pairs]
    opened = [game.pk for game in play.open_many(openings)]
    environment = os.environ | {
        "DATABASE_URL": database_url(connection.settings_dict),
        "DATABASE_APP_URL": "",
        "CELERY_BROKER_URL": "memory://localhost",
    }
    command = [sys.executable, "-m", "tests.bench.sandboxed_games", "--work"]
    processes = [
        subprocess.Popen([*command, f"bench {number}"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for number in range(workers)
    ]
    for process in processes:
        assert process.stdout
        process.stdout.readline()
    began = time.perf_counter()
    for process in processes:
        assert process.stdin
        process.stdin.write(GO.encode())
        process.stdin.flush()
    found = [process.communicate()[0] for process in processes]
    seconds = max(json.loads(each)["ended"] for each in found) - began
    assert Game.objects.filter(pk__in=opened, status=Game.Status.FINISHED).count() == wish.games
    used = [json.loads(each)["used"] for each in found]
    return Played(seconds, {who: sum(each[who] for each in used) for who in used[0]})


def computed(programs: int) -> float:
    """Return the seconds of the same computation in several programs at once. It shows what two cores gain on this
    machine."""
    began = time.perf_counter()
    processes = [subprocess.Popen([sys.executable, "-c", COMPUTATION]) for _ in range(programs)]
    for process in processes:
        process.wait()
    return time.perf_counter() - began


def work(name: str) -> None:
    """Run a worker. It prepares its sandbox, waits for the start, plays until nothing is left, and prints its costs as
    JSON."""
    sandbox.tier()
    for seat in (0, 1):
        self_check.zygote(sandboxed_bot.HASH_SEED, seat)  # otherwise the first game would start it
    before = processor_seconds()
    print("ready", flush=True)
    sys.stdin.readline()
    time_slices.play_time_slices(name, 600)
    ended = time.perf_counter()
    for zygote in self_check._knowledge().zygotes.values():
        zygote.close()  # now the CPU time of its bots is counted
    used = {who: seconds - before[who] for who, seconds in processor_seconds().items()}
    print(json.dumps({"ended": ended, "used": used}))


def process_seconds(pid: int) -> float:
    """Return the CPU seconds of a running process. clock_getcpuclockid(3) describes the clock's id."""
    return time.clock_gettime((~pid << 3) | 2)


def processor_seconds() -> dict[str, float]:
    """Return the CPU seconds of this worker, its bots, and its database process if it is visible."""
    ours = os.times()
    living = sum(process_seconds(each.process.pid) for each in self_check._knowledge().zygotes.values() if each.alive())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    try:
        fields = Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
    except OSError:
        ticks = 0
    return {
        "worker": ours.user + ours.system,
        "bots": ours.children_user + ours.children_system + living,
        "database": ticks / os.sysconf("SC_CLK_TCK"),
    }


def a_round(wish: argparse.Namespace, bots: list[Player]) -> None:
    """Measure one worker and then two, and how much faster two programs are that only compute."""
    gain = 2 * computed(1) / computed(2)
    seconds = []
    for workers in (1, 2):
        took = played(wish, bots, workers)
        seconds.append(took.seconds)
        each = ", ".join(f"{who} {1000 * used / wish.games:.0f}" for who, used in took.used.items())
        print(
            f"{workers} worker{'s'[: workers - 1]:1} {wish.games / took.seconds:6.1f} games/s, ms of CPU a game: {each}"
        )
    print(f"two / one  {seconds[0] / seconds[1]:.2f}; of two programs that only compute {gain:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=80)
    parser.add_argument("--kind", default="chinese_ten")
    parser.add_argument("--think-ms", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=1, help="how often to measure one worker and two")
    parser.add_argument("--work", help="run the worker with this name")
    wish = parser.parse_args()
    if wish.work:
        work(wish.work)
        return
    print(where())
    with own_database():
        bots = players(wish.think_ms)
        for _ in range(wish.rounds):
            a_round(wish, bots)


if __name__ == "__main__":
    main()
