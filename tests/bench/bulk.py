"""Measures how long `verify --all`, `rebuild --check` and `rebuild` take for each game of a database.

    python -m tests.bench.bulk [--processes 2] [--only verify]

It works on the database of DATABASE_URL, which `tests.bench.generate` fills; nothing is different there, so `rebuild`
writes nothing. It prints milliseconds a game: of the processor, in all our processes together but not in PostgreSQL,
and by the clock. Aim: 0.7 ms by the clock on two cores with nothing else to do.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from io import StringIO

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_AS_OWNER", "1")

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from games.models import Game  # noqa: E402
from tests.bench.where import where  # noqa: E402


def run(*command: str, processes: int) -> Callable[[], None]:
    def work() -> None:
        call_command(*command, f"--processes={processes}", stdout=StringIO())

    return work


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", choices=["verify", "rebuild --check", "rebuild"])
    wish = parser.parse_args()
    commands = {
        "verify": run("verify", "--all", processes=wish.processes),
        "rebuild --check": run("rebuild", "--check", processes=wish.processes),
        "rebuild": run("rebuild", processes=wish.processes),
    }
    games = Game.objects.count()
    print(where())
    print(f"{games:,} games, {wish.processes} processes; ms a game")
    for name, work in commands.items():
        if wish.only in (None, name):
            begun, used = time.perf_counter(), sum(os.times()[:4])
            work()
            cpu, clock = sum(os.times()[:4]) - used, time.perf_counter() - begun
            print(f"{name:16} processor {1000 * cpu / games:6.2f}   clock {1000 * clock / games:6.2f}", flush=True)
    print(where())


if __name__ == "__main__":
    main()
