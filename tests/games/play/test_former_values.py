"""What 0.1.0 wrote `house_bot` for is `built_in_bot`, in whatever is read."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from django.db import connection

from games.play.departures import leave_events
from replays.verify import read_export, verify
from scorebook_games.gamelog.events import RESIGNED, TAKEN_OVER
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import terms_of
from tests.replays.forged_exports import export, opening, play
from tests.tournaments.seasons.test_old_logs import LOGS
from tournaments.seasons.events.registry import read_events
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.settings import parse_settings

ROWS = [
    ("games.migrations.0006_built_in_bot", "games_game", ["terms"]),
    ("games.lobby.migrations.0002_built_in_bot", "lobby_opentable", ["terms"]),
    ("tournaments.seasons.migrations.0005_built_in_bot", "seasons_season", ["settings", "terms"]),
]


def test_a_leaver_is_replaced_as_the_log_of_an_earlier_version_says() -> None:
    fold = Fold(opening("chinese_ten", 3, {}, "house_bot"))
    assert fold.opened["terms"]["leaver"] == "built_in_bot"
    assert leave_events(fold, 0, RESIGNED, [])[-1] == [TAKEN_OVER, 0, "sensible"]


def test_an_export_of_an_earlier_version_is_verified() -> None:
    record = read_export(json.dumps(export(play("chinese_ten", 3, leaver="house_bot"))))
    assert verify(replace(record, facts={**record.facts, "terms": {"leaver": "house_bot"}})).faults == []


def test_who_asks_by_a_former_value_gets_the_present_one() -> None:
    asked = dict.fromkeys(("expiry", "leaver", "no_show"), "house_bot")
    assert [getattr(terms_of(asked), name) for name in asked] == ["built_in_bot"] * 3
    settings = parse_settings({"kind": "chinese_ten", "terms": asked, "short_tables": "house_bot"})
    assert (settings.short_tables, settings.terms["leaver"]) == ("built_in_bot", "built_in_bot")


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_the_settings_in_the_log_of_an_earlier_season_have_present_values(path: Path) -> None:
    log = json.loads(path.read_text())["log"]
    assert "house_bot" in json.dumps(log)
    folded = SeasonFold(read_events(log))
    assert folded.settings["terms"]["leaver"] == "built_in_bot"


@pytest.mark.django_db
@pytest.mark.parametrize(("migration", "table", "columns"), ROWS, ids=[table for _, table, _ in ROWS])
def test_rows_of_a_running_installation_are_renamed(migration: str, table: str, columns: list[str]) -> None:
    """It runs in a table that hides the real one."""
    sql = import_module(migration).FORWARDS
    names = ", ".join(columns)
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMP TABLE {table} ({', '.join(f'{name} jsonb' for name in columns)})")
        for value in ("house_bot", "random"):
            row = json.dumps({"leaver": value, "bot_faults": 3})
            cursor.execute(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(columns))})", [row] * len(columns))
        cursor.execute(sql)
        cursor.execute(f"SELECT {names} FROM {table}")
        found = {json.loads(value)["leaver"] for row in cursor.fetchall() for value in row}
        cursor.execute(f"DROP TABLE pg_temp.{table}")
    assert found == {"built_in_bot", "random"}
