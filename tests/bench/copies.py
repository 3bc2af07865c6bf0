"""Copies rows of games by database statements, for `tests.bench.generate`. Django must be set up before the import."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import psycopg
from django.db import connection, models

from games.eventlog.models import Batch, Stream
from games.models import PUBLIC_ALPHABET, Deal, Game, Seat

PLAN: Final = """
    CREATE TEMPORARY TABLE plan (
        game bigint, public_id text, stream bigint, deal bigint, model bigint, at timestamptz, audience_club_id bigint,
        first bigint, second bigint
    ) ON COMMIT DROP
"""
LONG: Final = "FROM plan JOIN games_game model ON model.id = plan.model"


def unchecked() -> None:
    """Skip checks of foreign keys until this transaction ends, if the role may do so."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        if cursor.fetchone() == (True,):
            cursor.execute("SET LOCAL session_replication_role = replica")


def copy_games(plan: Sequence[tuple[Any, ...]], *, by_workers: bool) -> None:
    """Make the planned games with their logs. `by_workers`: bots play in all their seats."""
    with psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(PLAN)
        with cursor.copy("COPY plan FROM STDIN") as rows:
            for row in plan:
                rows.write_row(row)
        later = "plan.at + (model.finished_at - model.opened_at)"
        cursor.execute(
            copied(Stream, {"id": "plan.stream", "created": "plan.at"})
            + f"{LONG} JOIN stream own ON own.id = model.stream_id ORDER BY plan.stream"
        )
        cursor.execute(
            copied(Batch, {"stream_id": "plan.stream", "at": "plan.at + (own.at - model.opened_at)"})
            + f"{LONG} JOIN batch own ON own.stream_id = model.stream_id ORDER BY plan.stream, own.seq"
        )
        cursor.execute(
            copied(Deal, {"id": "plan.deal", "revealed_at": later})
            + f"{LONG} JOIN games_deal own ON own.id = model.deal_id ORDER BY plan.deal"
        )
        named = {"id": "plan.game", "public_id": "plan.public_id", "stream_id": "plan.stream"}
        named |= {"deal_id": "plan.deal", "opened_at": "plan.at", "moved_at": later, "finished_at": later}
        cursor.execute(
            copied(
                Game,
                {**named, "audience_club_id": "plan.audience_club_id", "played_by_workers": str(by_workers).lower()},
            )
            + "FROM plan JOIN games_game own ON own.id = plan.model JOIN games_game model ON model.id = plan.model "
            "ORDER BY plan.game"
        )
        player = "CASE own.seat WHEN 0 THEN plan.first ELSE plan.second END"
        cursor.execute(
            copied(Seat, {"game_id": "plan.game", "player_id": player}, leave=("id",))
            + f"{LONG} JOIN games_seat own ON own.game_id = model.id ORDER BY plan.game, own.seat"
        )
        cursor.execute("DROP TABLE plan")


def copied(model: type[models.Model], own: dict[str, str], leave: Sequence[str] = ()) -> str:
    """Return the start of a statement that copies rows (`own`), with new values for some columns and without those of
    `leave`."""
    columns = [getattr(field, "column", None) for field in model._meta.concrete_fields]  # a composite key has no column
    names = [str(column) for column in columns if column and column not in leave]
    values = ", ".join(own.get(name, f'own."{name}"') for name in names)
    listed = ", ".join(f'"{name}"' for name in names)
    return f"INSERT INTO {model._meta.db_table} ({listed}) SELECT {values} "


def copy(model: type[models.Model], names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    listed = ", ".join(f'"{name}"' for name in names)
    statement = f"COPY {model._meta.db_table} ({listed}) FROM STDIN"
    with psycopg.Cursor(connection.connection) as cursor, cursor.copy(statement) as to:
        for row in rows:
            to.write_row(row)


def ids(name: str, count: int) -> list[int]:
    """Return a range of new ids for rows of a table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [name, count])
        return [int(row[0]) for row in cursor.fetchall()]


def name_of(game: int) -> str:
    """Return a unique name for a game. Names of neighbouring numbers look different."""
    mixed = game * 0x9E3779B97F4B % 2**40
    return "".join(PUBLIC_ALPHABET[mixed >> 5 * place & 31] for place in range(8))
