"""The role that web, worker and beat run as: it can write a log's next row, and change none that is written. Logs are
those of games and seasons, and the two audit logs of what admins and organisers did.

The tables' owner migrates and runs the tests; this role is what a fault or an intruder in the running application
has to work with. With one role for both, the triggers of the logs' migrations alone hold.
"""

from __future__ import annotations

from django.db import connection, transaction
from psycopg import sql

APP_ROLE = "scorebook_app"

# The app role's rights; {role} is quoted. What is added later by the owner is covered by the default privileges.
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
    """The role named for the application can't be it; the text says why and what to name instead."""


def grant_app_role(*, name: str = APP_ROLE, password: str | None = None) -> bool:
    """Make the application's role, or bring it up to date; run by the tables' owner after every migration.

    Without a `password` an existing one is left as it is. Returns whether the role is new. Raises `WrongRole` when it
    is the owner itself or a superuser, whom no right could be withheld from.
    """
    with transaction.atomic():
        new = not _refuse_powerful(name)
        role = sql.Identifier(name)
        if new:
            # As its member the owner may hand it tables; an owner who is no superuser may not otherwise.
            _run(sql.SQL("CREATE ROLE {role} LOGIN; GRANT {role} TO CURRENT_USER"), role=role)
        if password is not None:
            _run(sql.SQL("ALTER ROLE {role} LOGIN PASSWORD {password}"), role=role, password=sql.Literal(password))
        _run(sql.SQL(_GRANTS), role=role, database=sql.Identifier(str(connection.settings_dict["NAME"])))
        if _queue_is_installed():
            _run(sql.SQL(_QUEUE_GRANTS), role=role)
            _hand_over_queues(name)
    return new


def _refuse_powerful(name: str) -> bool:
    """Whether there is a role `name`. Raises `WrongRole` if it is the owner or has powers that no grant bounds."""
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
    """Give the role the queues that the owner made, by running a task itself."""
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
