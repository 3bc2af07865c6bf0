"""Of simultaneous requests on separate connections nobody is paired twice, and nobody misses anybody."""

from __future__ import annotations

from threading import Event

import pytest
from django.db import connection, transaction

from games.lobby import seekers
from games.models import Game, Player, Seat
from tests.games.conftest import at_once
from tests.games.lobby.conftest import joined

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people(transactional_db: None) -> list[Player]:
    return [joined(name) for name in ("Martha", "Laura", "Otto", "Ines")]


def test_who_asks_at_the_same_moment_is_paired_once(people: list[Player]) -> None:
    """Four people ask at once, each twice: of all that follows, everybody sits in one game."""
    at_once(*[lambda who=who: seekers.seek(player=who, kind="chinese_ten", pace="day") for who in [*people, *people]])
    for who in people:  # the pages of those who were not paired ask again
        seekers.seek(player=who, kind="chinese_ten", pace="day")
    assert Game.objects.count() == 2
    assert sorted(Seat.objects.values_list("player__name", flat=True)) == ["Ines", "Laura", "Martha", "Otto"]


def test_two_who_ask_at_the_same_moment_find_each_other(people: list[Player]) -> None:
    """Martha's request is stored but not committed when Laura's comes, which waits for it."""
    martha, laura, *_others = people
    stored, answered = Event(), Event()

    def ask_first() -> None:
        with transaction.atomic():
            seekers.seek(player=martha, kind="chinese_ten", pace="day")
            stored.set()
            while not answered.is_set() and not someone_waits_for_a_lock():
                answered.wait(0.02)

    def ask_second() -> Game | None:
        stored.wait()
        found = seekers.seek(player=laura, kind="chinese_ten", pace="day")
        answered.set()
        return found

    at_once(ask_first, ask_second)
    assert set(Game.objects.get().seats.values_list("player", flat=True)) == {martha.pk, laura.pk}


def someone_waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database"
            " WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted"
        )
        return bool(cursor.fetchone()[0])


def test_who_is_wanted_in_two_queues_at_once_plays_in_one(people: list[Player]) -> None:
    martha, laura, otto, _ines = people
    seekers.seek(player=martha, kind="chinese_ten", pace="day")
    seekers.seek(player=otto, kind="plates", pace="day")
    at_once(
        lambda: seekers.seek(player=laura, kind="chinese_ten", pace="day"),
        lambda: seekers.seek(player=martha, kind="plates", pace="day"),
    )
    assert Seat.objects.filter(player=martha).count() == 1
