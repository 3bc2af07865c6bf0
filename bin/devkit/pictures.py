"""`bin/dev pictures` takes the screenshots of README and tutorials from a demo.

The demo has its own database, which is dropped afterwards. `tests/pictures/site.py` follows the tutorials, so it fails
if a label there has changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from devkit import browser, database
from devkit.console import Trouble, step
from devkit.database import Database
from devkit.paths import secret
from devkit.supervise import running
from devkit.up import address_from, alone, check_free, parts_of, prepare, wait_until_ready

NAME = "scorebook_pictures"


def pictures(arguments: Sequence[str]) -> int:
    """Start the demo, take the pictures and stop the demo. Return the exit code of `tests.pictures.site`."""
    if arguments:
        raise Trouble("bin/dev pictures takes no arguments.")
    chromium, address = browser.bring(), address_from(os.environ)
    if chromium is None:
        raise Trouble("There is no Chromium. Install one, or name it: SCOREBOOK_CHROMIUM=/path/to/chromium.")
    os.environ["SCOREBOOK_ORGANISER_PASSWORD"] = password = secret("pictures_password")
    with alone(address), database.brought() as place, own_database(place) as demo:
        check_free(address)
        prepare(demo)
        parts = parts_of(demo, address)
        with running(parts) as supervisor:
            with step("ready"):
                wait_until_ready(supervisor, address)
            walk = [sys.executable, "-m", "tests.pictures.site", str(address), chromium]
            return subprocess.run(walk, env={**os.environ, "ORGANISER_PASSWORD": password}, check=False).returncode


@contextmanager
def own_database(place: Database) -> Iterator[Database]:
    """Provide an empty database with one role for the duration of the block."""
    drop = sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(NAME))
    with psycopg.connect(place.owner, autocommit=True) as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(NAME)))
        address = urlsplit(place.owner)._replace(path=f"/{NAME}").geturl()
        try:
            yield Database(address, address, "for pictures", is_ours=False)
        finally:
            connection.execute(drop)
