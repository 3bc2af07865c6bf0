"""A platform whose processes are killed at random moments while leagues are played in it.

    python -m tests.chaos.kills [--kills 200] [--broker database] [--seed N] [--folder /var/tmp/kills]

Brings up a whole platform for itself: PostgreSQL (fsync on), two web processes behind a balancer, workers of all
queues, beat, and Redis where that is the broker. Built-in bots, uploaded ones in their sandboxes, people with tokens
and with browsers play seasons that an organiser sets up one after the other; a bot goes through admission version after
version; watchers follow games, a receiver takes webhooks. Meanwhile parts are killed (kill −9) one after the other,
some before the last has come back, and workers stopped past their lease and woken. A small supervisor starts again what
died.

At the end everything has to come to its end by itself, and then: no game lost, none counted twice, every move that was
answered with 2xx there once, nobody out of time or at fault, every log verified, `rebuild` without a difference, no
message stuck, webhooks told, streams without a gap, no process left. Prints how long each sort of part took to work
again, and exits with 1 if anything is not as it must be; the parts' logs stay then. For Linux.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from devkit.supervise import interrupt_on_signals
from tests.chaos.platform import built


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--broker", choices=("database", "redis"), default="database")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--folder", type=Path, help="an empty one, for PostgreSQL and logs; else one of its own")
    asked = parser.parse_args()
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="kills-", dir="/var/tmp"))
    folder.mkdir(exist_ok=True)
    interrupt_on_signals()
    begun = time.monotonic()
    load = os.getloadavg()[0]
    print(
        f"{asked.kills} kills, broker {asked.broker}, seed {asked.seed}, load {load:.1f}; logs in {folder}", flush=True
    )
    with built(folder, asked.broker) as platform:
        import django

        django.setup()
        from django.core.management import call_command

        for command in ("migrate", "createcachetable", "install_queue", "grant_app_role"):
            call_command(command, verbosity=0)
        from tests.chaos.under_fire import run

        found = run(platform, asked.kills, random.Random(asked.seed))
        print(f"{time.monotonic() - begun:.0f} s in all, load {load:.1f} to {os.getloadavg()[0]:.1f}")
    left = platform.strays()
    found += [f"Left behind: {each}" for each in left]
    print("\n".join(found) or "No faults.")
    if not found and not asked.folder:
        shutil.rmtree(folder)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
