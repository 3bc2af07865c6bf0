"""Measures how fast the dataset is made from games in the database.

    python -m tests.bench.dataset [--games 4000] [--kind palace] [--bot sensible] [--processes 2]

It needs DATABASE_URL, makes a separate database on that server and drops it at the end. Built-in bots play `PLAYED`
games of each kind for two, which are copied until there are `--games`. It measures the time by the clock from the first
query to the closed file. Aim: 1,000,000 games in 10 minutes on two cores, which are 1,667 games/s.
SCOREBOOK_ENGINE_BUILD chooses the build of the engines.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_AS_OWNER", "1")
django.setup()

from django.db import transaction  # noqa: E402

from games.common import clock  # noqa: E402
from games.models import Game  # noqa: E402
from replays.dataset import check, export  # noqa: E402
from scorebook_games.bots.builtin import BUILTIN_BOTS  # noqa: E402
from scorebook_games.registry import KINDS  # noqa: E402
from tests.bench.copies import copy_games, ids, name_of, unchecked  # noqa: E402
from tests.bench.play import own_database, whole_path  # noqa: E402
from tests.bench.where import where  # noqa: E402

PLAYED: Final = 50  # games of a kind that are not copies
AIM_GAMES_PER_SECOND: Final = 1_000_000 / 600


def copies(models: Sequence[Game], count: int) -> None:
    """Make `count` copies of these games, with their logs."""
    begun = clock.now() - timedelta(hours=1)
    player = models[0].seats.get(seat=0).player_id
    with transaction.atomic():
        unchecked()
        new = zip(ids("games_game", count), ids("stream", count), ids("games_deal", count), strict=True)
        copy_games(
            [
                (game, name_of(game), stream, deal, models[place % len(models)].pk, begun, None, player, player)
                for place, (game, stream, deal) in enumerate(new)
            ],
            by_workers=True,
        )


def measure(kind: str, bot: str, count: int, processes: int, checked: int) -> str:
    """Return a line of the table."""
    games, _opening, _playing = whole_path(kind, bot, PLAYED)
    copies(games, count - PLAYED)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dataset.parquet"
        begun, used = time.perf_counter(), sum(os.times()[:4])
        summary = export.write_dataset(path, processes=processes)
        seconds, cpu = time.perf_counter() - begun, sum(os.times()[:4]) - used
        size = path.stat().st_size / summary.rows
        drawn, differ = check.rows_that_differ(path, count=checked, chance=random.Random(1))
    assert summary.games == count, f"{summary.games} games of {count}"
    assert not differ, f"{len(differ)} of {drawn} rows differ"
    rate = count / seconds
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return (
        f"{kind:14} {summary.rows / count:9.0f} {rate:8.0f} {summary.rows / seconds:10,.0f} {1000 * cpu / count:8.2f} "
        f"{1_000_000 / rate / 60:8.1f} {rate / AIM_GAMES_PER_SECOND:6.2f} {size:8.1f} {memory:7d}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--kind", choices=sorted(KINDS), action="append")
    parser.add_argument("--bot", choices=sorted(BUILTIN_BOTS), default="sensible")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--check", type=int, default=1000, help="rows that are derived again")
    wish = parser.parse_args()
    print(where())
    print(f"{wish.games} games of two seats by {wish.bot}, {wish.processes} processes beside the one that writes")
    print("kind           decisions  games/s     rows/s   CPU ms  million   /aim  B a row  MB")
    for kind in wish.kind or sorted(KINDS):
        with own_database():
            print(measure(kind, wish.bot, wish.games, wish.processes, wish.check), flush=True)
    print(where())


if __name__ == "__main__":
    main()
