"""Provides a database and its roles: the one of DATABASE_URL, or this checkout's own cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from django.core.exceptions import ImproperlyConfigured
from psycopg import sql

from config.env import variables
from config.env.database_url import redacted_url
from devkit import cluster
from devkit.cluster import Place
from devkit.console import Trouble
from devkit.paths import secret

# Everything here belongs to one person, so bots may run with that person's uid if they cannot have another.
FOR_ONE_PERSON = {"SCOREBOOK_BOTS_SHARE_UID": "1"}
AS_FILES = {"DATABASE_URL_FILE", "DATABASE_APP_URL_FILE"}
NOT_FOR_SERVICES = {"DATABASE_URL", "SCOREBOOK_AS_OWNER", "SCOREBOOK_DEBUG", *AS_FILES}
OWNER, APP, NAME = "scorebook", "scorebook_app", "scorebook"


@dataclass(frozen=True)
class Database:
    """The URLs of a database: `owner` migrates and runs tests; `app` runs web, workers and beat, and cannot change a
    log. They are equal if only one was given. `words` describe the database; `is_ours`: whether it is this checkout's
    own."""

    owner: str
    app: str
    words: str
    is_ours: bool

    def owner_environment(self) -> dict[str, str]:
        """Return the environment for `manage` and the tests."""
        addresses = {"DATABASE_URL": self.owner, "DATABASE_APP_URL": self.app}
        kept = {name: value for name, value in os.environ.items() if name not in AS_FILES}
        return {**FOR_ONE_PERSON, **kept, **addresses, "SCOREBOOK_AS_OWNER": "1"}

    def app_environment(self) -> dict[str, str]:
        """Return the environment for web, workers and beat, without the owner's URL and without development
        settings."""
        kept = {name: value for name, value in os.environ.items() if name not in NOT_FOR_SERVICES}
        return {**FOR_ONE_PERSON, **kept, "DATABASE_APP_URL": self.app}


@contextmanager
def brought() -> Iterator[Database]:
    """Provide a database that answers, for the duration of the block. Raises `Trouble`."""
    if owner := variables.read_secret("DATABASE_URL"):
        app = variables.read_secret("DATABASE_APP_URL") or owner
        check(owner)
        words = redacted_url(owner) + ("; one role only, see docs/how-to/configure.md" if app == owner else "")
        yield Database(owner, app, words, is_ours=False)
        return
    with cluster.joined() as place:
        make_roles(place)
        owner, app = place.url(OWNER, secret("owner"), NAME), place.url(APP, secret("app"), NAME)
        yield Database(owner, app, f"PostgreSQL {version(owner)} of this folder, in .local/postgres", is_ours=True)


def check(url: str) -> None:
    """Raise `Trouble` if the URL is invalid or the database does not answer."""
    try:
        place = redacted_url(url)
        psycopg.connect(url, connect_timeout=3).close()
    except ImproperlyConfigured as error:
        raise Trouble(
            f"{error}\nCorrect DATABASE_URL (and DATABASE_APP_URL), or unset it to use a database of this folder."
        ) from None
    except psycopg.Error as error:
        raise Trouble(
            f"The database {place} does not answer: {str(error).strip().splitlines()[0]}\n"
            "Start it, correct DATABASE_URL, or unset DATABASE_URL to use a database of this folder."
        ) from None


def version(url: str) -> int:
    with psycopg.connect(url) as connection:
        return connection.info.server_version // 10000


def make_roles(place: Place) -> None:
    """Create the two roles and the database if they do not exist."""
    with psycopg.connect(place.superuser_url(), autocommit=True) as connection:
        for role, rights, kept in ((OWNER, "createdb createrole", "owner"), (APP, "", "app")):
            if not connection.execute("select 1 from pg_roles where rolname = %s", [role]).fetchone():
                words = sql.SQL("create role {} login {} password {}")
                connection.execute(words.format(sql.Identifier(role), sql.SQL(rights), sql.Literal(secret(kept))))
        connection.execute(
            sql.SQL("grant {} to {} with admin option").format(sql.Identifier(APP), sql.Identifier(OWNER))
        )
        if not connection.execute("select 1 from pg_database where datname = %s", [NAME]).fetchone():
            connection.execute(
                sql.SQL("create database {} owner {}").format(sql.Identifier(NAME), sql.Identifier(OWNER))
            )
