"""Kills the processes of a platform at random moments while leagues are played on it.

    python -m tests.chaos.kills [--kills 200] [--broker database] [--seed N] [--folder /var/tmp/kills]

It starts a whole platform: PostgreSQL (fsync on), two web processes behind a balancer, workers of all queues, beat, and
Redis if that is the broker. An organiser sets up one season after the other. Built-in bots, uploaded bots in their
sandboxes, and people with tokens and with browsers play them; an author uploads versions of a bot, which go through
admission; watchers follow games; a receiver takes webhooks. Meanwhile it kills one part after the other (kill −9), some
before the last one works again, and suspends workers until their lease has passed. A small supervisor restarts what
died.

At the end everything must finish by itself. Then it checks that no game is lost or counted twice, every move that was
answered with 2xx is stored once, nobody ran out of time or was blamed for a fault, every log verifies, `rebuild` finds
no difference, no message is stuck, webhooks have arrived, streams have no gap, and no process is left. It prints how
long each sort of part took to work again. It exits with 1 if anything is wrong, and then keeps the parts' logs. It
needs Linux.
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
    parser.add_argument("--folder", type=Path, help="an empty folder for PostgreSQL and logs (default: a new one)")
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
        from tests.chaos.kill_run import run

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
