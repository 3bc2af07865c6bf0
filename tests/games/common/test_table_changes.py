"""Changes of the tables of which pages are made are noted, and nothing else is."""

from __future__ import annotations

import pytest

from games.common import clock
from games.common.models import TableChange
from games.common.table_changes import CHANGE_RETENTION, delete_old_changes, note_repair, tables_version
from games.models import Bot, Player

pytestmark = pytest.mark.django_db
PLAYERS = "games_player"


def test_a_new_name_is_noted_and_the_same_name_is_not() -> None:
    player = Player.objects.create(name="Martha")
    before, bots = tables_version(PLAYERS), tables_version("games_bot")
    Player.objects.filter(pk=player.pk).update(name="Martha", created=clock.now())
    Player.objects.filter(pk=0).update(name="Nobody")
    assert tables_version(PLAYERS) == before
    Player.objects.filter(pk=player.pk).update(name="Marta")
    renamed = tables_version(PLAYERS)
    assert renamed != before
    assert tables_version("games_bot") == bots
    player.delete()
    assert tables_version(PLAYERS) != renamed


def test_a_table_with_all_columns_is_noted_at_each_change() -> None:
    versions = [tables_version("games_bot")]
    bot = Bot.objects.create(name="Auk")
    versions.append(tables_version("games_bot"))
    Bot.objects.filter(pk=bot.pk).update(description="Quick.")
    versions.append(tables_version("games_bot"))
    bot.delete()
    versions.append(tables_version("games_bot"))
    assert len(set(versions)) == 4


def test_a_repair_changes_the_version_of_all_tables() -> None:
    before = tables_version(PLAYERS)
    note_repair()
    assert tables_version(PLAYERS) != before


def test_old_notes_are_deleted() -> None:
    Bot.objects.create(name="Auk")
    fresh = TableChange.objects.count()  # more than one where rows of an earlier test were deleted one by one
    TableChange.objects.create(name="games_bot", at=clock.now() - 2 * CHANGE_RETENTION)
    assert delete_old_changes() == 1
    assert TableChange.objects.count() == fresh >= 1
