"""The database role of web, worker and beat: it can append to a log, and change nothing that is written.

Logs are those of games and seasons, and the two audit logs of admins and organisers. The tables' owner migrates and
runs the tests. An error or an intruder in the running application has only this role. With one role for both, only the
triggers of the logs' migrations protect them.
"""

from __future__ import annotations

from django.db import connection, transaction
from psycopg import sql

APP_ROLE = "scorebook_app"

# The application role's rights; {role} is quoted. The default privileges cover what the owner adds later.
_GRANTS = """
    GRANT CONNECT ON DATABASE {database} TO {role};
    REVOKE CREATE ON SCHEMA public FROM PUBLIC, {role};
    GRANT USAGE ON SCHEMA public TO {role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role};
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role};
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role};
    REVOKE ALL ON batch, stream, admin_actions_adminaction, seasons_organiseraction, django_migrations FROM {role};
    GRANT SELECT, INSERT ON batch, admin_actions_adminaction, seasons_organiseraction TO {role};
    GRANT SELECT, INSERT, UPDATE ON stream TO {role};
    GRANT SELECT ON django_migrations TO {role};
"""
# The queue's transport makes its tables itself, with a trigger on each, and so must own them.
_QUEUE_GRANTS = """
    GRANT USAGE, CREATE ON SCHEMA pgmq TO {role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pgmq TO {role};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA pgmq TO {role};
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgmq TO {role};
"""
_FOREIGN_QUEUES = """
    SELECT tablename FROM pg_tables
    WHERE schemaname = 'pgmq' AND (tablename LIKE 'q\\_%%' OR tablename LIKE 'a\\_%%') AND tableowner <> %s
"""


class WrongRole(ValueError):
    """The role named for the application cannot be used. The text says why and what to name instead."""


def grant_app_role(*, name: str = APP_ROLE, password: str | None = None) -> bool:
    """Create the application's role, or update it. The tables' owner runs this after every migration.

    Without a `password`, an existing one is left unchanged. Returns whether the role is new. Raises `WrongRole` if it
    is the owner itself or a superuser, from whom no right can be withheld.
    """
    with transaction.atomic():
        new = not _refuse_powerful(name)
        role = sql.Identifier(name)
        if new:
            # As a member of the role, the owner may give it tables; otherwise an owner who is no superuser may not.
            _run(sql.SQL("CREATE ROLE {role} LOGIN; GRANT {role} TO CURRENT_USER"), role=role)
        if password is not None:
            _run(sql.SQL("ALTER ROLE {role} LOGIN PASSWORD {password}"), role=role, password=sql.Literal(password))
        _run(sql.SQL(_GRANTS), role=role, database=sql.Identifier(str(connection.settings_dict["NAME"])))
        if _queue_is_installed():
            _run(sql.SQL(_QUEUE_GRANTS), role=role)
            _hand_over_queues(name)
    return new


def _refuse_powerful(name: str) -> bool:
    """Return whether there is a role `name`.

    Raises `WrongRole` if it is the owner or has powers that no grant limits.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper, rolname = current_user FROM pg_roles WHERE rolname = %s", [name])
        row = cursor.fetchone()
    if row is None:
        return False
    if any(row):
        raise WrongRole(f"{name} is the database's owner or a superuser. Use another role, such as {APP_ROLE}.")
    return True


def _queue_is_installed() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('pgmq.meta') IS NOT NULL")
        return bool(cursor.fetchone()[0])


def _hand_over_queues(name: str) -> None:
    """Give the role the queues that the owner created by running a task itself."""
    with connection.cursor() as cursor:
        cursor.execute(_FOREIGN_QUEUES, [name])
        queues = [row[0] for row in cursor.fetchall()]
    for queue in queues:
        _run(
            sql.SQL("ALTER TABLE {queue} OWNER TO {role}"),
            queue=sql.Identifier("pgmq", queue),
            role=sql.Identifier(name),
        )


def _run(statement: sql.SQL, **parts: sql.Composable) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement.format(**parts))
