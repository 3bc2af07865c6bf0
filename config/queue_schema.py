"""The tables and functions of the message queue, in the schema `pgmq` of our own database.

They come as SQL with the package `pgmq`, so that PostgreSQL needs no extension for them.
"""

from __future__ import annotations

from django.db import connection, transaction
from pgmq.install import install_pgmq_from_sql

QUEUES = ("play", "cage", "short", "hooks")
LOCK = 0x70676D71  # "pgmq" in ASCII: a key for the lock that two installers at once wait for


def install_queue() -> str | None:
    """Install the queue into Django's database, as its owner, in one transaction, and make those of `QUEUES` that are
    missing: whoever sends the first message makes its table, and if that were the owner the workers could not use it.

    Returns the version that was installed, or None where the queue was there already (the script runs only once).
    The application's role gets its rights from `games.database_roles.grant_app_role`, to be run after this. Raises
    `pgmq.install.PGMQInstallError`.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            cursor.execute("SELECT to_regclass('pgmq.meta') IS NOT NULL")
            there = cursor.fetchone()[0]
        version = None if there else str(install_pgmq_from_sql(conn=connection.connection))
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pgmq.create(name) FROM unnest(%s::text[]) AS name WHERE to_regclass('pgmq.q_' || name) IS NULL",
                [list(QUEUES)],
            )
        return version
