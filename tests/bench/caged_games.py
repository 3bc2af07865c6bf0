"""How many games a second uploaded bots play in their cages, with one worker and with two.

    python -m tests.bench.caged_games [--games 80] [--kind chinese_ten] [--think-ms 2]

The bots think that long over each move (of processor time) and then make the first legal one. Opened beforehand, the
games are played by processes that do what a worker with a sandbox does; their start is not counted. It works in a
database of its own, as tests.bench.play.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.db import connection  # noqa: E402

from config.address import address_of  # noqa: E402
from games import cages, table  # noqa: E402
from games.bots import sandbox, uploads  # noqa: E402
from games.models import BotVersion, Game, Player  # noqa: E402
from tests.bench.play import own_database  # noqa: E402
from tests.bench.where import where  # noqa: E402

SOURCE = """
from time import process_time

class Bot:
    def move(self, view, legal):
        until = process_time() + {seconds}
        while process_time() < until:
            pass
        return legal[0]
"""
BOTS = 16  # each of an author of its own, and each in a few games at once at the most
GO = "go\n"


def players(think_ms: float) -> list[Player]:
    """Uploaded bots that may play."""
    found = []
    for number in range(BOTS):
        author = get_user_model().objects.create_user(f"author-{number}")
        Player.objects.create(name=f"Author {number}", user=author)
        version = uploads.upload(
            bot=uploads.new_bot(owner=author, name=f"Thinker {number}"),
            data=SOURCE.format(seconds=think_ms / 1000).encode(),
        )
        version.state = BotVersion.State.PASSED
        version.save()
        version.trials.all().delete()  # its gate
        found.append(Player.objects.get(bot_version=version))
    return found


def played(wish: argparse.Namespace, bots: list[Player], workers: int) -> float:
    """The seconds that so many workers took for the games."""
    pairs = [(bots[number % BOTS], bots[(number + 1 + number // BOTS) % BOTS]) for number in range(wish.games)]
    openings = [table.Opening(wish.kind, pair, terms={"rated": False}) for pair in pairs]
    opened = [game.pk for game in table.open_many(openings)]
    environment = os.environ | {
        "DATABASE_URL": address_of(connection.settings_dict),
        "DATABASE_APP_URL": "",
        "CELERY_BROKER_URL": "memory://localhost",
    }
    command = [sys.executable, "-m", "tests.bench.caged_games", "--work"]
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
    for process in processes:
        assert process.wait() == 0
    seconds = time.perf_counter() - began
    assert Game.objects.filter(pk__in=opened, status=Game.Status.FINISHED).count() == wish.games
    return seconds


def work(name: str) -> None:
    """A worker: ready with its sandbox, it waits for the word and plays until nothing is left."""
    sandbox.tier()
    print("ready", flush=True)
    sys.stdin.readline()
    cages.play_due(name, 600)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=80)
    parser.add_argument("--kind", default="chinese_ten")
    parser.add_argument("--think-ms", type=float, default=2.0)
    parser.add_argument("--work", help="be the worker of that name")
    wish = parser.parse_args()
    if wish.work:
        work(wish.work)
        return
    print(where())
    with own_database():
        bots = players(wish.think_ms)
        one, two = played(wish, bots, 1), played(wish, bots, 2)
    for workers, seconds in ((1, one), (2, two)):
        print(f"{workers} worker{'s'[: workers - 1]}  {wish.games / seconds:6.1f} games/s")
    print(f"two / one  {one / two:6.2f}")


if __name__ == "__main__":
    main()
