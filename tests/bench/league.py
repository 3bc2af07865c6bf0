"""Measures how many games a second a whole league plays: they are opened, played by built-in bots, logged, recorded and
rated.

    python -m tests.bench.league [--entrants 16] [--seasons 2] [--games 12] [--kind chinese_ten] [--bot random]

The seasons are round robins in which each round follows at once. Real Celery workers play them to their end over the
queue in PostgreSQL, first with one worker that plays and then with two. For comparison, the engine alone plays the same
bots, seeds and moves in one process without storage. At the end `rebuild` must find no difference. It works in a
separate database, like tests.bench.play.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import get_user_model  # noqa: E402
from django.db import connection  # noqa: E402

from config.broker.pgmq_schema import install_queue  # noqa: E402
from games.common import clock  # noqa: E402
from games.models import Game  # noqa: E402
from scorebook_games.bots.builtin import BUILTIN_BOTS  # noqa: E402
from scorebook_games.registry import KINDS  # noqa: E402
from tests.bench.play import bare, own_database  # noqa: E402
from tests.bench.where import where  # noqa: E402
from tests.servers.database_url import database_url  # noqa: E402
from tournaments.clubs.members import set_owner_role  # noqa: E402
from tournaments.clubs.models import Club  # noqa: E402
from tournaments.entries import services as entries  # noqa: E402
from tournaments.lifecycle import services as seasons  # noqa: E402
from tournaments.maintenance.demo import built_in_bot_player  # noqa: E402
from tournaments.maintenance.rebuild import find_differences  # noqa: E402
from tournaments.ratings.models import RatingChange  # noqa: E402
from tournaments.seasons.models import League, Season  # noqa: E402

PATIENCE_SECONDS = 300


@contextmanager
def workers(count: int) -> Iterator[None]:
    """Run `count` processes that play, one for the league's steps and a beat, as in `bin/dev up`, within the block."""
    environment = os.environ | {
        "DATABASE_URL": database_url(connection.settings_dict),
    }
    for name in ("DATABASE_APP_URL", "CELERY_BROKER_URL"):
        environment.pop(name, None)
    celery = [sys.executable, "-m", "celery", "-A", "config"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "ERROR"]
    worker = [*celery, "worker", "-c", "1", *quiet]
    plays = [*worker, "-Q", "play", "--prefetch-multiplier", "1"]
    short = [*worker, "-Q", "short", "--prefetch-multiplier", "8", "-n", "short@%h"]
    with tempfile.TemporaryDirectory() as folder:
        beat = [*celery, "beat", "-s", str(Path(folder) / "schedule"), "--pidfile=", "-l", "ERROR"]
        commands = [[*plays, "-n", f"play{number}@%h"] for number in range(count)] + [short, beat]
        running = [
            subprocess.Popen(
                command, cwd=settings.BASE_DIR, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            for command in commands
        ]
        try:
            yield
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait()


def start_seasons(wish: argparse.Namespace, name: str) -> list[Season]:
    """Start the seasons. All their rounds are due at once."""
    owner, _ = get_user_model().objects.get_or_create(username="bench")
    club, _ = Club.objects.get_or_create(slug="bench", defaults={"name": "Bench", "owner": owner})
    set_owner_role(club)
    league, _ = League.objects.get_or_create(club=club, slug="bench", defaults={"name": "Bench"})
    players = [built_in_bot_player(f"Bench {number}", wish.bot) for number in range(wish.entrants)]
    started = []
    for number in range(wish.seasons):
        season = seasons.create_season(
            league=league,
            name=f"{name} {number}",
            kind=wish.kind,
            format="round_robin",
            games_a_match=wish.games,
            starts_at=clock.now() - timedelta(days=1),
            calendar={"seconds": 1},
        )
        entries.enter_players(season=season, players=players)
        started.append(seasons.start_season(season=season))
    return started


def play(wish: argparse.Namespace, count: int) -> tuple[list[Game], float]:
    """Let `count` workers play. Return the games, and the seconds from the first opening to the last season's end."""
    name = f"{count} workers"
    started = start_seasons(wish, name)
    until = time.monotonic() + PATIENCE_SECONDS
    with workers(count):
        while Season.objects.filter(name__startswith=name, status=Season.Status.RUNNING).exists():
            assert time.monotonic() < until, f"The seasons did not end within {PATIENCE_SECONDS} s."
            time.sleep(0.1)
    ends = [one.finished_at for one in Season.objects.filter(name__startswith=name) if one.finished_at]
    games = list(Game.objects.filter(match_game__match__round__division__season__in=started).select_related("deal"))
    return games, (max(ends) - min(game.opened_at for game in games)).total_seconds()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entrants", type=int, default=16)
    parser.add_argument("--seasons", type=int, default=2)
    parser.add_argument("--games", type=int, default=12, help="games a match")
    parser.add_argument("--kind", choices=sorted(KINDS), default="chinese_ten")
    parser.add_argument("--bot", choices=sorted(BUILTIN_BOTS), default="random")
    wish = parser.parse_args()
    print(where())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that its workers are stopped too
    with own_database():
        install_queue()
        rates = {}
        for count in (1, 2):
            games, seconds = play(wish, count)
            rates[count] = len(games) / seconds
            print(f"{count} worker(s): {len(games)} games in {seconds:.1f} s, {rates[count]:.0f} games/s", flush=True)
        _, alone = bare(wish.kind, wish.bot, [bytes(game.deal.seed) for game in games])
        engine = len(games) / alone
        print(
            f"bare engine: {engine:.0f} games/s; one worker {rates[1] / engine:.2f} of it, two {rates[2] / engine:.2f}"
        )
        assert RatingChange.objects.count() == 2 * Game.objects.count()
        assert list(find_differences()) == []
        print("no differences")


if __name__ == "__main__":
    main()
