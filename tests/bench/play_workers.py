"""Measures how many games a second one, two and three workers play together, and how they share the games.

    python -m tests.bench.play_workers [--games 20] [--kind plate_spinner] [--bot sensible] [--rounds 3]

Each round measures each number of workers twice: once each worker takes its share, and once each takes what it finds,
like a worker that knows of no other. The first figure is games by wall time, so the load is printed beside it. The
second is games by the CPU time of the worker that used the most, which is what free cores would give. It works in a
separate database, like `tests.bench.play`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Sequence
from multiprocessing.synchronize import Barrier
from statistics import median
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.db import connection  # noqa: E402

from games.models import Game  # noqa: E402
from games.play import services as play_services  # noqa: E402
from games.play.roster import ensure_builtin_bot  # noqa: E402
from games.workers import leases, runner  # noqa: E402
from games.workers.models import Worker  # noqa: E402
from tests.bench.play import own_database  # noqa: E402

SHARED = {True: "shared", False: "taken"}
BUDGET_SECONDS = 600
forks = multiprocessing.get_context("fork")


def play(number: int, queues: Sequence[str], ready: Barrier, used: Any) -> None:
    """Run one worker, which begins when all are ready. Store its CPU seconds in `used`."""
    worker = f"worker {number}"
    with leases.heartbeat_of(worker, queues):
        ready.wait()
        begun = time.process_time()
        runner.play_due_games(worker, BUDGET_SECONDS)
        used[number] = time.process_time() - begun
        ready.wait()  # all workers count as alive until all have finished


def games_a_second(kind: str, bot: str, games: int, workers: int, *, shared: bool) -> tuple[float, float, list[int]]:
    """Return games per second, games per CPU second of the busiest worker, and games of each worker."""
    Worker.objects.all().delete()
    play_services.open_many([play_services.Opening(kind, [ensure_builtin_bot(bot)] * 2)] * games)
    connection.close()
    ready = forks.Barrier(workers + 1)
    queues = [leases.PLAY_QUEUE] if shared else []
    used = forks.Array("d", workers)
    playing = [forks.Process(target=play, args=(n, queues, ready, used)) for n in range(workers)]
    for each in playing:
        each.start()
    ready.wait()
    begun = time.perf_counter()
    ready.wait()
    seconds = time.perf_counter() - begun
    for each in playing:
        each.join()
    assert not Game.objects.filter(status=Game.Status.PLAYING).exists()
    spread = sorted(Worker.objects.values_list("games_played", flat=True), reverse=True)
    return games / seconds, games / max(used[:]), spread


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--kind", default="plate_spinner")
    parser.add_argument("--bot", default="sensible")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    found: dict[tuple[int, bool], list[float]] = {}
    with own_database():
        for _ in range(given.rounds):
            for workers in given.workers:
                for shared in SHARED:
                    rate, free, spread = games_a_second(given.kind, given.bot, given.games, workers, shared=shared)
                    found.setdefault((workers, shared), []).append(free)
                    load = f"load {os.getloadavg()[0]:.1f}"
                    figures = f"{rate:6.2f} games/s, by CPU time {free:6.2f}, {spread}, {load}"
                    print(f"{workers} workers, {SHARED[shared]}: {figures}", flush=True)
    alone = median(found[given.workers[0], True])
    for (workers, shared), rates in found.items():
        ratio = median(rates) / alone
        print(f"{workers} workers, {SHARED[shared]}: {ratio:.2f} times those of {given.workers[0]}, by CPU time")


if __name__ == "__main__":
    main()
