"""Measures how many seconds a killed worker costs: `python -m tests.chaos.killed_worker [--times 5]`.

It runs two real workers and beat, with the lease that a club has. In the middle of a game it kills the worker that
plays it (kill −9), and measures the time until the next event of that game is stored. At the end the game must have the
rule events of the same game without any kill. It works in a separate database, like `tests.bench.play`.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import tempfile
import time
from pathlib import Path

from tests.bench.play import own_database  # sets Django up

from config.broker.pgmq_schema import install_queue  # isort: skip
from django.conf import settings  # isort: skip
from games.play.roster import ensure_builtin_bot  # isort: skip
from games.models import Game  # isort: skip
from tests.games.workers.test_worker_kill import (  # isort: skip
    Parts,
    is_over,
    open_game,
    player_of,
    reaches,
    rule_events,
    undisturbed,
    wait_until,
)

PACE_MS = 400


def killed(game: Game, parts: Parts, number: int) -> float:
    """Kill the worker that plays the game, and start another. Return the seconds until the game continued."""
    process = os.getpgid(player_of(game))
    version = Game.objects.get(pk=game.pk).version
    os.killpg(process, signal.SIGKILL)
    begun = time.monotonic()
    parts.worker(f"another{number}")
    wait_until(reaches(game, version + 2), "The next event")  # the first event is @attempt
    return time.monotonic() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5)
    times = parser.parse_args().times
    with own_database(), tempfile.TemporaryDirectory() as folder:
        install_queue()
        players = [ensure_builtin_bot("sensible"), ensure_builtin_bot("random")]
        expected = undisturbed(players)
        game = open_game(players, PACE_MS)
        parts = Parts(Path(folder), settings.SCOREBOOK_LEASE_SECONDS)
        try:
            parts.beat()
            for name in ("one", "two"):
                parts.worker(name)
            costs = []
            for number in range(times):
                wait_until(reaches(game, Game.objects.get(pk=game.pk).version + 3), "Play")
                costs.append(killed(game, parts, number))
                print(f"worker {number + 1} killed: the game stood still for {costs[-1]:.1f} s", flush=True)
            wait_until(is_over(game), "The end")
        finally:
            parts.stop()
        assert rule_events(game) == expected
        lease = settings.SCOREBOOK_LEASE_SECONDS
        print(f"median {statistics.median(costs):.1f} s, most {max(costs):.1f} s (lease {lease} s)")


if __name__ == "__main__":
    main()
