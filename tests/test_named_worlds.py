"""A world is made once, comes back as it was, and never hides what a test has done before."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection, transaction

from games.common import clock
from games.eventlog import store as eventlog
from games.models import Game, Player
from tests.factories import worlds
from tests.fixtures import saved_rows, shared_rows
from tests.replays.conftest import open_game, play_on
from tests.tournaments.club import BEGIN, let_play, play_season
from tournaments.clubs.models import Club
from tournaments.seasons.models import League, Season

ordinary = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)
made: list[str] = []


@pytest.fixture(autouse=True)
def nothing_is_made_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test makes worlds of its own; those of other files come back after it."""
    monkeypatch.delenv(shared_rows.FOLDER, raising=False)
    monkeypatch.setattr(saved_rows, "EMPTY", nothing())
    monkeypatch.setattr(saved_rows, "present", [])
    made.clear()


def of_martha() -> Player:
    return saved_rows.restored("martha", make_martha)


def make_martha() -> Player:
    made.append("martha")
    cache.set("martha", "has tried")
    transaction.on_commit(lambda: made.append("committed"))
    return Player.objects.create(name="Martha")


def nothing() -> saved_rows.Snapshot:
    return saved_rows.Snapshot(shared=shared_rows.BEGINNING)


def forget() -> None:
    """What the end of a test does to the rows."""
    User.objects.all().delete()
    Player.objects.all().delete()


@ordinary
def test_it_is_made_once_and_put_in_afterwards_with_the_same_ids() -> None:
    with transaction.atomic():
        first = of_martha()
        transaction.set_rollback(True)
    assert not Player.objects.exists()
    again = of_martha()
    assert made == ["martha"]
    assert again == first == Player.objects.get()
    assert again is not first
    assert Player.objects.create(name="Otto").pk > again.pk


@committed
def test_a_committed_test_has_it_too_and_no_hook_is_called() -> None:
    assert of_martha() == Player.objects.get()
    forget()
    assert of_martha() == Player.objects.get()
    assert made == ["martha"]


@ordinary
def test_a_change_of_the_value_is_not_seen_by_who_comes_next() -> None:
    with transaction.atomic():
        first = of_martha()
        first.name = "Laura"
        first.save()
        transaction.set_rollback(True)
    assert of_martha().name == Player.objects.get().name == "Martha"


@ordinary
def test_what_is_cached_in_the_making_is_gone() -> None:
    cache.clear()
    of_martha()
    assert cache.get("martha") is None


@committed
def test_what_is_seldom_wanted_is_made_like_the_rest_the_first_time_too() -> None:
    """No hook is called then either, and nothing cached."""

    def make() -> None:
        Player.objects.create(name="Laura")
        cache.set("laura", 1)
        transaction.on_commit(lambda: made.append("committed"))

    for _ in range(3):
        saved_rows.restored("laura", make, seldom=True)
        assert Player.objects.count() == 1
        assert cache.get("laura") is None
        Player.objects.all().delete()
    assert made == []


@committed
def test_what_is_cached_is_flushed_with_the_rows() -> None:
    cache.set("otto", 1)
    call_command("flush", verbosity=0, interactive=False)
    assert cache.get("otto") is None


@ordinary
def test_where_other_rows_are_it_is_made_anew() -> None:
    Player.objects.create(name="Otto")
    of_martha()
    Player.objects.filter(name="Martha").delete()
    of_martha()
    assert made == ["martha", "martha"]


def otto_beside() -> list[str]:
    def make() -> list[str]:
        made.append("otto")
        Player.objects.create(name="Otto")
        return sorted(Player.objects.values_list("name", flat=True))

    return saved_rows.restored("otto", make)


@ordinary
def test_one_after_another_is_remembered_by_what_was_there_before() -> None:
    for _ in range(2):
        with transaction.atomic():
            of_martha()
            assert otto_beside() == ["Martha", "Otto"]
            transaction.set_rollback(True)
        with transaction.atomic():
            assert otto_beside() == ["Otto"]
            transaction.set_rollback(True)
    assert made == ["martha", "otto", "otto"]


@ordinary
def test_another_process_of_the_run_has_what_one_has_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(shared_rows.FOLDER, str(tmp_path))
    rows = []
    for _process in range(2):
        monkeypatch.setattr(saved_rows, "EMPTY", nothing())
        monkeypatch.setattr(saved_rows, "present", [])
        with transaction.atomic():
            assert of_martha() == Player.objects.get()
            assert otto_beside() == ["Martha", "Otto"]
            rows.append(list(Player.objects.order_by("pk").values()))
            transaction.set_rollback(True)
    assert rows[0] == rows[1]
    assert made == ["martha", "otto"]


@ordinary
def test_a_process_that_was_given_rows_numbers_on_behind_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its own database has counted nothing yet."""
    monkeypatch.setenv(shared_rows.FOLDER, str(tmp_path))
    for _process in range(2):
        monkeypatch.setattr(saved_rows, "EMPTY", nothing())
        monkeypatch.setattr(saved_rows, "present", [])
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SELECT setval('games_player_id_seq', 1, false)")
            martha = of_martha()
            assert Player.objects.create(name="Laura").pk == martha.pk + 1
            transaction.set_rollback(True)
    assert made == ["martha"]


@ordinary
def test_what_two_processes_make_at_once_leads_on_from_the_first_ones_rows_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The other one's rows have other ids, so what it makes next is not what the first one would make."""
    monkeypatch.setenv(shared_rows.FOLDER, str(tmp_path))
    with transaction.atomic():
        of_martha()
        transaction.set_rollback(True)
    monkeypatch.setattr(saved_rows, "EMPTY", nothing())
    monkeypatch.setattr(saved_rows, "present", [])
    with monkeypatch.context() as patch, transaction.atomic():
        patch.setattr(shared_rows, "published", lambda *_asked: None)  # as if the first one were still at it
        of_martha()
        otto_beside()
        transaction.set_rollback(True)
    monkeypatch.setattr(saved_rows, "EMPTY", nothing())
    monkeypatch.setattr(saved_rows, "present", [])
    of_martha()
    otto_beside()
    assert made == ["martha", "martha", "otto", "otto"]


@ordinary
def test_what_is_seldom_wanted_is_stored_once_two_processes_wanted_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(shared_rows.FOLDER, str(tmp_path))
    for _process in range(3):
        monkeypatch.setattr(saved_rows, "EMPTY", nothing())
        monkeypatch.setattr(saved_rows, "present", [])
        with transaction.atomic():
            saved_rows.restored("martha", make_martha, seldom=True)
            transaction.set_rollback(True)
    assert made == ["martha", "martha"]


def test_a_name_with_a_class_that_a_test_has_made_is_no_other_processes_name() -> None:
    class Made:
        pass

    assert shared_rows.is_plain(("season", 4, None, (Player,), "{}"))
    assert not shared_rows.is_plain(("season", (Made,)))
    assert not shared_rows.is_plain(("season", BEGIN))


@ordinary
@pytest.mark.parametrize("change", ["update", "delete", "rolled back"])
def test_what_a_test_does_in_between_is_never_passed_over(change: str) -> None:
    with transaction.atomic():
        of_martha()
        otto_beside()
        transaction.set_rollback(True)
    with transaction.atomic():
        of_martha()
        match change:
            case "update":
                Player.objects.update(name="Laura")
            case "delete":
                Player.objects.all().delete()
            case _:
                transaction.set_rollback(True)
    otto_beside()
    assert made == ["martha", "otto", "otto"]


def test_what_a_file_keeps_for_all_its_tests_is_no_world(kept: None) -> None:
    Player.objects.create(name="Otto")
    for _ in range(2):
        with transaction.atomic():
            of_martha()
            transaction.set_rollback(True)
    assert made == ["martha", "martha"]


@ordinary
def test_rows_that_are_changed_or_go_are_changed_and_go_again() -> None:
    def make() -> None:
        made.append("turned")
        Player.objects.filter(name="Otto").delete()
        Player.objects.filter(name="Martha").update(name="Márta's \\ %s")

    for _ in range(2):
        with transaction.atomic():
            of_martha()
            otto_beside()
            saved_rows.restored("turned", make)
            assert [player.name for player in Player.objects.all()] == ["Márta's \\ %s"]
            transaction.set_rollback(True)
    assert made == ["martha", "otto", "turned"]


def count_rows(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        (count,) = cursor.fetchone()
    return int(count)


def street_with_a_private_club() -> Club:
    return worlds.private(worlds.club(worlds.street()))


def after_a_round() -> Season:
    season = worlds.season(worlds.league(), worlds.bots())
    let_play(1)
    season.refresh_from_db()
    return season


def two_at_a_table() -> Game:
    """Martha and Laura, and Martha is to move."""
    return saved_rows.restored("two", lambda: open_game([Player.objects.create(name=n) for n in ("Martha", "Laura")]))


@ordinary
@pytest.mark.parametrize("make", [street_with_a_private_club, after_a_round, two_at_a_table])
def test_a_world_comes_back_row_by_row(make: Any) -> None:
    with transaction.atomic():
        value, rows = make(), saved_rows.all_rows()
        transaction.set_rollback(True)
    again = make()
    assert saved_rows.all_rows() == rows
    assert sum(map(len, rows.values())) == sum(count_rows(table) for table in rows)
    assert again == value


@pytest.mark.parametrize("time", ["first", "second"])
@committed
def test_a_game_that_is_put_in_can_be_played_on(time: str) -> None:
    with transaction.atomic():
        two_at_a_table()
        transaction.set_rollback(True)
    game = two_at_a_table()
    assert (before := game.version) == len(list(eventlog.read_events(game.stream_id)))
    assert play_on(game, 2).version > before
    assert game.seats.get(seat=0).player.name == "Martha"


@ordinary
def test_a_season_that_is_put_in_can_be_played_on_and_its_clock_was_its_own() -> None:
    with clock.frozen_at(datetime(2031, 1, 1, tzinfo=BEGIN.tzinfo)), transaction.atomic():
        after_a_round()
        transaction.set_rollback(True)
    season = after_a_round()
    assert season.starts_at == BEGIN
    assert play_season(season).status == Season.Status.FINISHED
    assert League.objects.get().seasons.get() == season
