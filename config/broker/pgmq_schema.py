"""The tables and functions of the message queue, in the schema `pgmq` of our own database.

They come as SQL with the package `pgmq`, so that PostgreSQL needs no extension for them.
"""

from __future__ import annotations

from django.db import connection, transaction
from pgmq.install import install_pgmq_from_sql

QUEUES = ("play", "sandbox", "short", "hooks")
INSTALL_LOCK_KEY = 0x70676D71  # "pgmq" in ASCII: a key for the lock that two installers at once wait for

# Each process that sends or takes messages asks for the trigger that tells listeners of new ones. The package's own
# function drops it and makes it anew every time: two that begin at once are in each other's way, by a trigger that is
# there already or a deadlock, and a message is lost to that. This one makes it where it is missing.
ENABLE_ONCE = """
    CREATE OR REPLACE FUNCTION pgmq.enable_notify_insert(queue_name TEXT, throttle_interval_ms INTEGER DEFAULT 250)
    RETURNS void LANGUAGE plpgsql AS $function$
    DECLARE
        qtable TEXT := pgmq.format_table_name(queue_name, 'q');
        wanted RECORD;
    BEGIN
        SELECT queue_name AS name, throttle_interval_ms AS ms INTO wanted;
        IF NOT EXISTS (
            SELECT 1 FROM pgmq.notify_insert_throttle kept
            WHERE kept.queue_name = wanted.name AND kept.throttle_interval_ms = wanted.ms
        ) THEN
            INSERT INTO pgmq.notify_insert_throttle (queue_name, throttle_interval_ms) VALUES (wanted.name, wanted.ms)
            ON CONFLICT ON CONSTRAINT notify_insert_throttle_queue_name_key
            DO UPDATE SET throttle_interval_ms = EXCLUDED.throttle_interval_ms;
        END IF;
        PERFORM pg_advisory_xact_lock(hashtext('pgmq notify'), hashtext(wanted.name));
        IF NOT EXISTS (
            SELECT 1 FROM pg_trigger
            WHERE tgrelid = format('pgmq.%I', qtable)::regclass AND tgname = 'trigger_notify_queue_insert_listeners'
        ) THEN
            EXECUTE format(
                'CREATE CONSTRAINT TRIGGER trigger_notify_queue_insert_listeners AFTER INSERT ON pgmq.%I '
                'DEFERRABLE FOR EACH ROW EXECUTE PROCEDURE pgmq.notify_queue_listeners()', qtable
            );
        END IF;
    END;
    $function$
"""


def install_queue() -> str | None:
    """Install the queue into Django's database, as its owner, in one transaction, and make those of `QUEUES` that are
    missing: whoever sends the first message makes its table, and if that were the owner the workers could not use it.

    Returns the version that was installed, or None where the queue was there already (the script runs only once).
    The application's role gets its rights from `games.operations.database_roles.grant_app_role`, to be run after this.
    Raises `pgmq.install.PGMQInstallError`.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [INSTALL_LOCK_KEY])
            cursor.execute("SELECT to_regclass('pgmq.meta') IS NOT NULL")
            there = cursor.fetchone()[0]
        version = None if there else str(install_pgmq_from_sql(conn=connection.connection))
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pgmq.create(name) FROM unnest(%s::text[]) AS name WHERE to_regclass('pgmq.q_' || name) IS NULL",
                [list(QUEUES)],
            )
            cursor.execute(ENABLE_ONCE)
        return version
