"""The databases of a test run: one a process, each a copy of a template that is migrated once.

The template stays in the cluster and is named by this folder, and by the digest of all migrations and of the pinned
packages. So the next run makes its databases in a fraction of a second; a changed migration makes a new one, and the
old one goes. Checkouts that share a cluster have templates and databases of their own.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from psycopg import sql

from tests.servers.database_url import database_url

FOLDER = hashlib.sha256(bytes(Path(__file__).resolve().parent)).hexdigest()[:8]
TEMPLATE = f"test_template_{FOLDER}_"
PROCESS = "SCOREBOOK_TEST_PROCESS"  # its number, where tests run in several (tests/parallel.py)
LOCK = 20261122  # of an advisory lock: one process makes the template, and the others wait


@contextmanager
def of_this_process() -> Iterator[None]:
    """Provide an empty, migrated database within the block. Django's connection uses it."""
    own = settings.DATABASES["default"]
    process = os.environ.get(PROCESS) or os.environ.get("PYTEST_XDIST_WORKER", "alone")
    name = f"test_{own['NAME']}_{FOLDER}_{os.environ.get('SCOREBOOK_TEST_RUN', '')}{process}"
    with maintenance() as cursor:
        template = bring_template(cursor)
        drop(cursor, name)
        cursor.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*map(sql.Identifier, (name, template))))
        # Commits of tests do not wait for the disk: tests kill our processes, never the server.
        cursor.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(sql.Identifier(name)))
    lead_to(name)
    yield
    connection.close()
    with maintenance() as cursor:
        drop(cursor, name)


def lead_to(name: str) -> None:
    connection.close()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name


@contextmanager
def maintenance() -> Iterator[psycopg.Cursor]:
    """Provide a cursor on the cluster's own database."""
    address = database_url({**connection.settings_dict, "NAME": "postgres"})
    with psycopg.connect(address, autocommit=True) as connected, connected.cursor() as cursor:
        yield cursor


def bring_template(cursor: psycopg.Cursor) -> str:
    """Return the template's name. The first process makes it."""
    name = TEMPLATE + digest()
    cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
    try:
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [TEMPLATE])
        there = {each for (each,) in cursor.fetchall()}
        if name not in there:
            for old in there:
                drop(cursor, old)
            make_template(cursor, name)
    finally:
        cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
    return name


def make_template(cursor: psycopg.Cursor, name: str) -> None:
    """Make the template under another name, and rename it when it is complete. A killed process leaves no broken
    template."""
    making = f"making_{name}"
    drop(cursor, making)
    cursor.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(making)))
    lead_to(making)
    call_command("migrate", verbosity=0, interactive=False)
    call_command("createcachetable", verbosity=0)
    connection.close()
    cursor.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(*map(sql.Identifier, (making, name))))


def drop(cursor: psycopg.Cursor, name: str) -> None:
    """Drop the database with this name. The owner cannot terminate processes of another role in it (a web process that
    is ending, the vacuum); they have ten seconds to end."""
    ends = time.monotonic() + 10
    while True:
        try:
            cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
        except psycopg.errors.InsufficientPrivilege:
            if time.monotonic() > ends:
                raise
            time.sleep(0.05)
        else:
            return


def digest() -> str:
    """Return 16 hex digits that change with our migrations and with the versions of packages that have migrations."""
    hashed = hashlib.sha256((Path(settings.BASE_DIR) / "requirements" / "app.txt").read_bytes())
    for app in sorted(apps.get_app_configs(), key=lambda each: each.label):
        for path in sorted((Path(app.path) / "migrations").glob("*.py")):
            hashed.update(f"{app.label}/{path.name}\0".encode() + path.read_bytes())
    return hashed.hexdigest()[:16]
