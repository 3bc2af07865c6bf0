"""`bin/dev pictures`: the screenshots of README and tutorials, taken of a demo of their own.

The demo has a database of its own, which is dropped afterwards. `tests/pictures/site.py` walks through it as the
tutorials say, so a label that has changed there is noticed here.
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
    """Starts the demo, takes the pictures, ends the demo. The exit code is that of the walk."""
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
    """An empty database beside the folder's own, with one role. It is dropped afterwards."""
    drop = sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(NAME))
    with psycopg.connect(place.owner, autocommit=True) as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(NAME)))
        address = urlsplit(place.owner)._replace(path=f"/{NAME}").geturl()
        try:
            yield Database(address, address, "for pictures", is_ours=False)
        finally:
            connection.execute(drop)
