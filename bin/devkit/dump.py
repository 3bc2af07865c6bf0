"""`bin/dev dump FILE` and `bin/dev load FILE` move this checkout's database to another version or place."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import psycopg

from devkit import binaries, cluster, database
from devkit.cluster import Place
from devkit.console import Trouble, step
from devkit.paths import secret


def dump(arguments: Sequence[str]) -> int:
    """Write the database into a new file, in PostgreSQL's custom format."""
    file = named(arguments)
    if file.exists():
        raise Trouble(f"{file} exists already. Choose another file.")
    with cluster.joined() as place, step("dump") as done:
        database.make_roles(place)
        run(place, "pg_dump", "--format=custom", f"--file={file}", database.NAME)
        done(str(file))
    return 0


def load(arguments: Sequence[str]) -> int:
    """Load a file into an empty database, completely or not at all."""
    file = named(arguments)
    if not file.is_file():
        raise Trouble(f"The file {file} does not exist.")
    with cluster.joined() as place, step("load") as done:
        database.make_roles(place)
        if not is_empty(place):
            raise Trouble("The database of this folder is not empty. Move .local/postgres away first.")
        run(place, "pg_restore", "--single-transaction", "--exit-on-error", f"--dbname={database.NAME}", str(file))
        done(str(file))
    return 0


def named(arguments: Sequence[str]) -> Path:
    if len(arguments) != 1:
        raise Trouble("Name one file, as in: bin/dev dump FILE, or bin/dev load FILE")
    if os.environ.get("DATABASE_URL"):
        raise Trouble("DATABASE_URL is set. Use pg_dump and pg_restore for that database, or unset DATABASE_URL.")
    return Path(arguments[0]).resolve()


def is_empty(place: Place) -> bool:
    with psycopg.connect(place.superuser_url(database.NAME)) as connection:
        return connection.execute("select 1 from pg_tables where schemaname = 'public'").fetchone() is None


def run(place: Place, program: str, *arguments: str) -> None:
    """Run a PostgreSQL program of the cluster's version as its superuser. Raises `Trouble`."""
    made_with = int((place.data / "PG_VERSION").read_text())
    folder = binaries.find(made_with, os.environ.get("SCOREBOOK_PG_BIN", "")).folder
    where = {"PGHOST": str(place.socket), "PGPORT": str(cluster.PORT)}
    who = {"PGUSER": cluster.SUPERUSER, "PGPASSWORD": secret("postgres")}
    environment = {**cluster.server_environment(), **where, **who}
    done = subprocess.run([folder / program, *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Trouble(f"{program} failed: {done.stderr.strip()}")
