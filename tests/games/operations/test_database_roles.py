"""Triggers and roles both keep the log's tables append-only (docs/explanation/event-log.md), and the queue works with
the app role."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone
from kombu.connection import Connection
from psycopg import sql

from config.broker.pgmq_schema import QUEUES, install_queue
from config.celery import app as celery
from games.admin_actions.models import AdminAction
from games.eventlog import store as eventlog
from games.eventlog.models import Batch, Stream
from games.operations.database_roles import WrongRole, grant_app_role
from tournaments.seasons.models import OrganiserAction

AppConnection = psycopg.Connection[Any]


def libpq(user: str, password: str) -> str:
    place = connection.settings_dict
    named = {"host": place["HOST"], "port": place["PORT"], "dbname": place["NAME"], "user": user, "password": password}
    return " ".join(f"{name}='{value}'" for name, value in named.items() if value)


def drop(role: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(role)))
        # The tables of the role's queues were dropped with it.
        cursor.execute("SELECT to_regclass('pgmq.meta') IS NOT NULL")
        if cursor.fetchone()[0]:
            cursor.execute("DELETE FROM pgmq.meta WHERE to_regclass('pgmq.q_' || queue_name) IS NULL")


@pytest.fixture
def app_role(transactional_db: None) -> Iterator[tuple[str, str]]:
    """Yield (name, password) of a new app role. Roles belong to the whole server, so each run creates another."""
    name, password = f"scorebook_app_{secrets.token_hex(4)}", secrets.token_hex(8)
    install_queue()
    grant_app_role(name=name, password=password)
    yield name, password
    drop(name)


@pytest.fixture
def app(app_role: tuple[str, str]) -> Iterator[AppConnection]:
    with psycopg.connect(libpq(*app_role), autocommit=True) as lesser:
        yield lesser


@pytest.fixture
def stream(db: None) -> Stream:
    now = timezone.now()
    stream = eventlog.create(subject=Stream.Subject.GAME, at=now)
    eventlog.append(stream.pk, [["a"], ["b"]], expected=0, times=[0, 5], at=now)
    return stream


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE batch SET body = 'j[]'",
        "UPDATE batch SET at = now() WHERE false",
        "DELETE FROM batch",
        "TRUNCATE batch",
        "ALTER TABLE batch DISABLE TRIGGER ALL",
        "ALTER TABLE batch ADD COLUMN note text",
        "DROP TRIGGER batch_is_append_only ON batch",
        "CREATE TRIGGER t BEFORE INSERT ON batch FOR EACH ROW EXECUTE FUNCTION refuse_change()",
        "DROP TABLE batch",
        "DELETE FROM stream",
        "TRUNCATE stream CASCADE",
        "DROP TABLE stream CASCADE",
        "UPDATE admin_actions_adminaction SET reason = ''",
        "DELETE FROM admin_actions_adminaction",
        "TRUNCATE admin_actions_adminaction",
        "UPDATE seasons_organiseraction SET by_id = NULL",
        "DELETE FROM seasons_organiseraction",
        "TRUNCATE seasons_organiseraction",
        "SET session_replication_role = replica",
        "CREATE TABLE mine (id int)",
    ],
)
def test_the_app_role_may_not_change_the_log(app: AppConnection, stream: Stream, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        app.execute(statement)
    assert [entry.event for entry in eventlog.read_events(stream.pk)] == [["a"], ["b"]]


def test_the_app_role_appends_and_reads_and_has_the_usual_rights_elsewhere(app: AppConnection, stream: Stream) -> None:
    app.execute("UPDATE stream SET version = version + 1, head = sha256('x') WHERE id = %s", [stream.pk])
    app.execute(
        "INSERT INTO batch (stream_id, seq, count, times, at, body) VALUES (%s, 2, 1, '{9}', now(), 'j[[\"c\"]]')",
        [stream.pk],
    )
    assert app.execute("SELECT count(*) FROM batch WHERE stream_id = %s", [stream.pk]).fetchone() == (2,)
    app.execute("INSERT INTO games_player (name, created, from_file, is_team) VALUES ('Ida', now(), false, false)")
    app.execute("UPDATE games_player SET name = 'Ada'")
    app.execute("DELETE FROM games_player")
    with app.cursor() as cursor:  # as in `games.common.bulk_insert`
        [key] = cursor.execute("SELECT nextval(pg_get_serial_sequence('games_deal', 'id'))").fetchone() or [None]
        with cursor.copy("COPY games_deal (id, seed) FROM STDIN") as copy:
            copy.write_row([key, b"secret"])
    assert app.execute("SELECT seed FROM games_deal").fetchone() == (b"secret",)


def test_a_table_that_a_later_migration_makes_is_open_to_the_app_role(app: AppConnection) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE later (id serial, name text)")
        try:
            app.execute("INSERT INTO later (name) VALUES ('x')")
            assert app.execute("SELECT id FROM later").fetchone() == (1,)
        finally:
            cursor.execute("DROP TABLE later")


def test_granting_again_changes_nothing_and_sets_the_new_password(app_role: tuple[str, str]) -> None:
    name, _ = app_role
    assert grant_app_role(name=name, password="another") is False
    with psycopg.connect(libpq(name, "another")) as lesser, pytest.raises(psycopg.errors.InsufficientPrivilege):
        lesser.execute("DELETE FROM batch")


def test_the_owner_is_refused_as_app_role(db: None) -> None:
    owner = str(connection.settings_dict["USER"])
    with pytest.raises(WrongRole, match="Use another role"):
        grant_app_role(name=owner)
    with pytest.raises(CommandError, match="Use another role"):
        call_command("grant_app_role", name=owner)


def test_the_command_takes_name_and_password_from_the_apps_address(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"scorebook_app_{secrets.token_hex(4)}"
    monkeypatch.setenv("DATABASE_APP_URL", f"postgresql://{name}:secret@localhost/ignored")
    try:
        call_command("grant_app_role")
        call_command("grant_app_role")
        assert capsys.readouterr().out == f"Role {name} was created.\nRole {name} is up to date.\n"
        with psycopg.connect(libpq(name, "secret")) as lesser:
            assert lesser.execute("SELECT current_user").fetchone() == (name,)
    finally:
        drop(name)


@pytest.fixture
def audited(stream: Stream) -> None:
    """Create a row in each of two audit logs."""
    now = timezone.now()
    AdminAction.objects.create(at=now, action="warn", target_type="person", target_id="7", reason="Spam.")
    OrganiserAction.objects.create(
        stream=stream, version=1, what="season_paused", events=[["season_paused", {}]], at=now
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", ["admin_actions_adminaction", "seasons_organiseraction"])
@pytest.mark.parametrize("statement", ["UPDATE {table} SET by_id = NULL", "DELETE FROM {table}", "TRUNCATE {table}"])
def test_the_triggers_refuse_to_change_the_audit_logs(audited: None, table: str, statement: str) -> None:
    with pytest.raises(DatabaseError, match="append-only"), connection.cursor() as cursor:
        cursor.execute(statement.format(table=table))
    assert AdminAction.objects.count() == OrganiserAction.objects.count() == 1


def test_the_app_role_writes_and_reads_the_audit_logs(app: AppConnection, audited: None) -> None:
    columns = "at, action, target_type, target_id, fields, reason, sentences, outcome, key"
    values = "now(), 'ban', 'person', '7', '{}', 'x', '[]', 'y', ''"
    app.execute(f"INSERT INTO admin_actions_adminaction ({columns}) VALUES ({values})")
    assert app.execute("SELECT count(*) FROM admin_actions_adminaction").fetchone() == (2,)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE batch SET body = 'j[]'",
        "DELETE FROM batch",
        "TRUNCATE batch",
        "DELETE FROM stream",
        "TRUNCATE stream CASCADE",
        "UPDATE stream SET version = version - 1",
        "UPDATE stream SET head = sha256('x')",
        "UPDATE stream SET subject = 'season'",
    ],
)
def test_the_triggers_refuse_the_owner_too(stream: Stream, statement: str) -> None:
    with pytest.raises(DatabaseError, match="append-only"), connection.cursor() as cursor:
        cursor.execute(statement)
    assert Batch.objects.count() == 1


def test_every_trigger_is_on_while_tests_run(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname, tgenabled FROM pg_trigger "
            "WHERE tgrelid IN ('batch'::regclass, 'stream'::regclass, 'admin_actions_adminaction'::regclass, "
            "'seasons_organiseraction'::regclass) AND NOT tgisinternal"
        )
        assert dict(cursor.fetchall()) == {
            "batch_is_append_only": "O",
            "batch_is_not_truncated": "O",
            "stream_only_grows": "O",
            "stream_is_not_deleted": "O",
            "stream_is_not_truncated": "O",
            "admin_action_is_append_only": "O",
            "admin_action_is_not_truncated": "O",
            "organiser_action_is_append_only": "O",
            "organiser_action_is_not_truncated": "O",
        }


@pytest.mark.django_db(transaction=True)
def test_the_flush_empties_the_log_and_the_trigger_is_on_again_after_it(stream: Stream) -> None:
    call_command("flush", interactive=False, verbosity=0)
    assert not Batch.objects.exists()
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("TRUNCATE batch")


def test_installing_the_queue_again_changes_nothing(transactional_db: None, capsys: pytest.CaptureFixture[str]) -> None:
    install_queue()
    assert install_queue() is None
    call_command("install_queue")
    assert "already installed" in capsys.readouterr().out


def test_a_message_goes_through_the_queue_as_the_app_role(app_role: tuple[str, str]) -> None:
    with broker(app_role) as connected:
        queue = connected.SimpleQueue("asked")
        queue.put({"game": 7})
        message = queue.get(block=True, timeout=60)
        message.ack()
        assert message.payload == {"game": 7}
        queue.close()


def test_a_message_that_the_owner_sends_before_any_worker_runs_is_the_workers(app_role: tuple[str, str]) -> None:
    """The demo and commands send as the owner. The platform's queues exist before that and belong to the app role."""
    assert {*QUEUES} == {
        celery.conf.task_default_queue,
        *(route["queue"] for route in celery.conf.task_routes.values()),
    }
    owner = connection.settings_dict
    for name in QUEUES:
        with broker((str(owner["USER"]), str(owner["PASSWORD"]))) as connected:
            queue = connected.SimpleQueue(name)
            queue.put({"game": name})
            queue.close()
        with broker(app_role) as connected:
            queue = connected.SimpleQueue(name)
            message = queue.get(block=True, timeout=60)
            message.ack()
            assert message.payload == {"game": name}
            queue.close()


def test_processes_that_begin_at_once_are_not_in_each_others_way(app_role: tuple[str, str]) -> None:
    """Each process creates the notification trigger. On a new platform, one of the first processes used to fail."""

    def begin(name: str) -> str:
        with broker(app_role) as connected:
            queue = connected.SimpleQueue(name)
            queue.put({"game": 1})
            queue.close()
        return name

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(begin, ["short"] * 6)) == ["short"] * 6


def test_a_queue_that_the_owner_made_serves_the_app_role_after_a_grant(app_role: tuple[str, str]) -> None:
    name, password = app_role
    owner = connection.settings_dict
    with broker((str(owner["USER"]), str(owner["PASSWORD"]))) as connected:
        queue = connected.SimpleQueue("begun")
        queue.put({"game": 8})
        queue.close()
    grant_app_role(name=name)
    with broker((name, password)) as connected:
        queue = connected.SimpleQueue("begun")
        message = queue.get(block=True, timeout=60)
        message.ack()
        assert message.payload == {"game": 8}
        queue.close()


def broker(login: tuple[str, str]) -> Connection:
    options = {
        "conn_string": libpq(*login),
        "init_extension": False,
        "pool_timeout": 5,
        "wait_time_seconds": 0,
        "use_notify": True,
        "notify_throttle_interval_ms": 0,
    }
    return Connection("pgmq://", transport_options=options)  # type: ignore[no-untyped-call]
