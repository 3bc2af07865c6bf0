"""Measures how long the admin's lists and the dashboard take on a platform with a million games.

    python -m tests.bench.admin_lists [--games 1000000] [--keep]

It makes a database beside that of DATABASE_URL and fills it by bulk statements with finished games between 10,000
people. There are only rows: nobody plays these games. Then it requests every list, its search and its filters, as an
admin's browser does. After a first request that is not counted, it prints the milliseconds of the slowest of four, and
the number of queries. At the end it drops the database, except with `--keep`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

import django
from django.conf import settings

from tests.bench.where import where

PEOPLE = 10_000
REPEATS = 5
FILL = """
    INSERT INTO auth_user (username, password, first_name, last_name, email, is_superuser, is_staff, is_active,
            date_joined)
        SELECT 'person' || n, '', '', '', '', false, false, true, now() - n * interval '1 minute'
        FROM generate_series(1, {people}) n;
    INSERT INTO games_player (user_id, name, created, from_file)
        SELECT id, 'Person ' || id, date_joined, false FROM auth_user WHERE username LIKE 'person%%';
    INSERT INTO stream (subject, version, head, created)
        SELECT 'game', 40, '\\x00', now() FROM generate_series(1, {games});
    INSERT INTO games_deal (seed, revealed_at) SELECT '\\x00', now() FROM generate_series(1, {games});
    INSERT INTO games_game (public_id, kind, rules_version, options, terms, stream_id, deal_id, salt, status, version,
            to_act, awaited_since, opened_at, moved_at, finished_at, played_by_workers, awaits_worker, sandboxed,
            part, attempt, leased_by, failures)
        SELECT lpad(upper(to_hex(n)), 8, '0'), (ARRAY['palace', 'plates', 'chinese_ten'])[1 + n %% 3], 1,
            '{{}}', '{{"sealed": false, "watch_delay": 0, "rated": true}}',
            n + (SELECT min(id) FROM stream) - 1, n + (SELECT min(id) FROM games_deal) - 1, '\\x00', 'finished', 40,
            '{{}}', '{{}}', at, at, at, true, false, false, '', 1, '', 0
        FROM (
            SELECT n, now() - ({games} - n) * interval '{step} seconds' AS at FROM generate_series(1, {games}) n
        ) each;
    INSERT INTO games_seat (game_id, seat, player_id, score, placing, "left")
        SELECT game.id, seat, (SELECT min(id) FROM games_player) + (game.id * 7 + seat * 13) %% {people}, 1,
            1 + seat, ''
        FROM games_game game CROSS JOIN generate_series(0, 1) seat;
    INSERT INTO accounts_notice (user_id, subject, game_id, sentences, url, key, created, send_state, tries, send_error)
        SELECT player.user_id, 'game_over', seat.game_id, '[]', '', 'over:' || seat.game_id, now(), 'none', 0, ''
        FROM games_seat seat JOIN games_player player ON player.id = seat.player_id WHERE seat.seat = 0;
    INSERT INTO common_incident (at, cause, game_id, sentences, detail, times)
        SELECT finished_at, 'worker_lost', id, '[["written", {{"text": "A worker was lost."}}]]', '', 1
        FROM games_game WHERE id %% 20 = 0;
"""


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--games", type=int, default=1_000_000)
    asked.add_argument("--keep", action="store_true", help="leave the database for another run")
    wish = asked.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["SCOREBOOK_AS_OWNER"] = "1"
    django.setup()
    from django.db import connection

    name = f"{connection.settings_dict['NAME']}_lists"
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        there = cursor.fetchone() is not None
        if not there:
            cursor.execute(f'CREATE DATABASE "{name}"')
    connection.close()
    connection.settings_dict["NAME"] = name
    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]
    print(where())
    if not there:
        fill(wish.games)
    measure()
    connection.close()
    if not wish.keep:
        connection.settings_dict["NAME"] = name.removesuffix("_lists")
        with connection.cursor() as cursor:
            cursor.execute(f'DROP DATABASE "{name}"')


def fill(games: int) -> None:
    """Make the tables and the rows."""
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    call_command("createcachetable")
    began = time.monotonic()
    step = max(30 * 86400 // games, 1)
    with connection.cursor() as cursor:
        cursor.execute(FILL.format(games=games, people=PEOPLE, step=step).replace("%%", "%"))
        cursor.execute("VACUUM ANALYZE")
    print(f"{games:,} games, {2 * games:,} seats, {games:,} notices made in {time.monotonic() - began:.0f} s")


def measure() -> None:
    """Request every list as an admin does."""
    from django.contrib import admin
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    from games.models import Game
    from games.operations import daily_counts

    ada, _new = User.objects.get_or_create(username="ada", defaults={"is_staff": True, "is_superuser": True})
    client = Client()
    client.force_login(ada)
    daily_counts.count_finished_days()
    game = Game.objects.order_by("-pk")[1000]
    lines = {"dashboard": reverse("dashboard"), "status": "/api/v1/status/"}
    for model, each in admin.site._registry.items():
        name = model._meta.model_name or ""
        address = reverse(f"admin:{each.opts.app_label}_{name}_changelist")
        lines[name] = address
        lines[f"{name}, searched"] = f"{address}?q=Person 77"
        if name in ("game", "notice", "incident"):
            lines[f"{name}, by a game's id"] = f"{address}?q={game.public_id}"
            lines[f"{name}, page 200"] = f"{address}?p=200"
    lines["game, aborted palace"] = f"{lines['game']}?status__exact=aborted&kind=palace"
    lines["game, one row"] = reverse("admin:games_player_change", args=[game.seats.all()[0].player_id])
    print(f"{'list':40} {'ms':>7} {'queries':>8}")
    for name, address in lines.items():
        slowest, queries = ask(client, address)
        print(f"{name:40} {slowest:7.0f} {queries:8}")


def ask(client: object, address: str) -> tuple[float, int]:
    """Return (ms of the slowest request, queries)."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    times = []
    with CaptureQueriesContext(connection) as asked:
        for _each in range(REPEATS):
            began = time.monotonic()
            status = client.get(address).status_code  # type: ignore[attr-defined]
            times.append(1000 * (time.monotonic() - began))
            if status != 200:
                sys.exit(f"{address} answers {status}")
    return max(times[1:]), len(asked) // REPEATS


if __name__ == "__main__":
    main()
