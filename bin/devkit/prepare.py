"""`python -m devkit.prepare` runs migrations and prepares the queue, the app's role and the demo, as the owner.

It is one Django process for all of them; each step does only what is missing.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import django
import psycopg
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from django.db.migrations.exceptions import InconsistentMigrationHistory

from config.env.database_url import parse_database_url, redacted_url
from devkit.console import step
from devkit.paths import LOGIN_WORDS, secret, write_private
from scorebook_games.kind import BrokenKind

LOGINS = {"organiser": "owns the club", "admin": "runs the platform (/admin/)"}

DATABASE_TOO_OLD = (
    "The database {database} was made by an earlier version of Scorebook, and this version cannot read it. Nothing was "
    "changed. If you do not need its games, remove the database of this folder by `rm -r .local/postgres`. Then start "
    "again."
)


def main() -> None:
    django.setup()
    check_kinds()
    with step("migrations") as done:
        done(migrate())
    with step("demo") as done:
        done(demo())


def check_kinds() -> None:
    """Raise `CommandError`, with what to do, if a kind of SCOREBOOK_KINDS is missing or broken.

    A running server leaves such a kind out. Whoever starts one by hand can mend it.
    """
    from scorebook_games.registry import broken_of_named  # noqa: PLC0415  loads all kinds

    if broken := broken_of_named():
        raise CommandError("\n".join(broken.values()))


def migrate() -> str:
    """Prepare tables, queue, and the rights of the role of the running parts; return what was done, in words."""
    with old_database_refused():
        call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    call_command("install_queue", stdout=io.StringIO())
    owner, app = os.environ["DATABASE_URL"], os.environ["DATABASE_APP_URL"]
    if app == owner:
        return "done; one role for all, so only triggers protect the log"
    role = str(parse_database_url(app)["USER"])
    known = ["--name", role] if connects(app) else []  # otherwise it is created with the password in DATABASE_APP_URL
    call_command("grant_app_role", *known, stdout=io.StringIO())
    return f"done; the role {role} can add to the log, not change it"


@contextmanager
def old_database_refused() -> Iterator[None]:
    """Raise `CommandError`, with what to do, if the database has migrations that do not exist any more."""
    try:
        yield
    except InconsistentMigrationHistory:
        named = redacted_url(os.environ["DATABASE_URL"])
        raise CommandError(DATABASE_TOO_OLD.format(database=named)) from None


def check_migrations() -> None:
    """Exit with 1 if a model has changed without a migration. For `bin/dev check`."""
    django.setup()
    with old_database_refused():
        call_command("makemigrations", check_changes=True, dry_run=True)


def demo() -> str:
    """Create the demo club and its two logins; return what was done. Their passwords are stored, so that `up` can print
    them."""
    for name in LOGINS:
        os.environ.setdefault(f"SCOREBOOK_{name.upper()}_PASSWORD", secret(f"{name}_password")[:12])
    call_command("demo", stdout=io.StringIO())
    write_private(LOGIN_WORDS, "\n".join(login_words(name, role) for name, role in LOGINS.items()))
    return "a club with leagues in progress"


def login_words(name: str, role: str) -> str:
    password = os.environ[f"SCOREBOOK_{name.upper()}_PASSWORD"]
    known = get_user_model().objects.get(username=name).check_password(password)
    return f"  {name:<14}{role:<29}password {password if known else 'as it was set earlier'}"


def connects(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=3).close()
    except psycopg.OperationalError:
        return False
    return True


if __name__ == "__main__":
    try:
        check_migrations() if sys.argv[1:] == ["check"] else main()
    except (CommandError, DatabaseError, BrokenKind) as error:
        sys.exit(f"\n{error}")
    except KeyboardInterrupt:
        sys.exit(130)
