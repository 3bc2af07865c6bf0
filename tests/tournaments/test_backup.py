"""A backup is taken while a season is played, and restored elsewhere (docs/how-to/back-up-and-restore.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from devkit import binaries
from games.common import clock
from games.eventlog.models import Batch
from games.models import Game
from tests.servers.database_url import database_url
from tests.tournaments.club import BEGIN, Start, play_all
from tournaments.director import director

pytestmark = pytest.mark.django_db(transaction=True)

GO_ON = """
import django
django.setup()
from tests.tournaments.club import play_season
from tournaments.seasons.models import Season
print(play_season(Season.objects.get()).status)
"""


def program(name: str) -> str | Path:
    """Return the path of a PostgreSQL program of the server's version."""
    with closing(psycopg.connect(database_url(connection.settings_dict))) as server:
        major = server.info.server_version // 10000
    return binaries.find(major, os.environ.get("SCOREBOOK_PG_BIN", "")).folder / name


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """Yield the address of an empty database beside that of the tests. It is dropped at the end."""
    here = connection.settings_dict
    name = f"{here['NAME']}_elsewhere"
    with closing(psycopg.connect(database_url(here), autocommit=True)) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}"')
        server.execute(f'CREATE DATABASE "{name}"')
        yield database_url({**here, "NAME": name})
        server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def manage(address: str, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DATABASE_URL": address, "DATABASE_APP_URL": "", "SCOREBOOK_DEBUG": "1"}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONPATH": str(settings.BASE_DIR)}
    environment |= {"CELERY_BROKER_URL": "memory://localhost"}  # no worker serves it
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_backup_of_a_season_in_play_verifies_and_the_season_goes_on_from_it(
    running: Start, elsewhere: str, tmp_path: Path
) -> None:
    running(6)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
        file = tmp_path / "backup"
        dump = subprocess.Popen(
            [program("pg_dump"), "--format=custom", f"--file={file}", database_url(connection.settings_dict)]
        )
        play_all(1)  # games move on while it is being written
        director.advance()
        assert dump.wait(60) == 0
    here = Batch.objects.count()

    restore: list[str | Path] = [
        program("pg_restore"),
        "--single-transaction",
        "--exit-on-error",
        f"--dbname={elsewhere}",
        str(file),
    ]
    subprocess.run(restore, check=True, capture_output=True)

    with closing(psycopg.connect(elsewhere)) as there:
        [(events,)] = there.execute(f"SELECT count(*) FROM {Batch._meta.db_table}").fetchall()
        assert 0 < events <= here
    verified = manage(elsewhere, "manage.py", "verify", "--all")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    rebuilt = manage(elsewhere, "manage.py", "rebuild", "--check")
    assert rebuilt.stdout.splitlines()[-1] == "no differences"
    gone_on = manage(elsewhere, "-c", GO_ON)
    assert gone_on.stdout.split() == ["finished"], gone_on.stderr
    assert manage(elsewhere, "manage.py", "verify", "--all").returncode == 0
    assert manage(elsewhere, "manage.py", "rebuild", "--check").stdout.splitlines()[-1] == "no differences"
    assert Batch.objects.count() == here, "the platform itself knows nothing of it"
    assert Game.objects.exists()


def test_what_guards_the_log_comes_back_with_it(running: Start, elsewhere: str, tmp_path: Path) -> None:
    running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
    file = tmp_path / "backup"
    subprocess.run(
        [program("pg_dump"), "--format=custom", f"--file={file}", database_url(connection.settings_dict)], check=True
    )
    subprocess.run([program("pg_restore"), "--single-transaction", f"--dbname={elsewhere}", str(file)], check=True)
    with closing(psycopg.connect(elsewhere)) as there, pytest.raises(psycopg.errors.RestrictViolation):
        there.execute(f"DELETE FROM {Batch._meta.db_table}")
