"""The tables and functions of the message queue, in the schema `pgmq` of Scorebook's database.

They come as SQL with the package `pgmq`, so PostgreSQL needs no extension for them.
"""

from __future__ import annotations

from django.db import connection, transaction
from pgmq.install import install_pgmq_from_sql

QUEUES = ("play", "sandbox", "short", "hooks", "review")
INSTALL_LOCK_KEY = 0x70676D71  # "pgmq" in ASCII: the key of the lock between two installers

# Each process that sends or takes messages asks for the trigger that notifies listeners. The package's function drops
# and creates it each time; two at once then fail because it exists, or deadlock, and a message is lost. This one
# creates it only if it is missing.
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
    """Install the queue in Django's database, as its owner, in one transaction, and create the missing tables of
    `QUEUES`.

    Otherwise the first sender of a message would create its table, and workers could not use a table of the owner.
    Returns the installed version, or None if the queue existed (the script runs only once).
    `games.operations.database_roles.grant_app_role` must run afterwards, to give the application's role its rights.
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
