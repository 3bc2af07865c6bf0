"""Of simultaneous requests on separate connections, one player gets the seat and one game is opened."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.common import clock
from games.common.errors import DomainError
from games.lobby import services as lobby
from games.lobby.models import Chair, OpenTable
from games.lobby.table_request import TableRequest
from games.models import Game, Player
from tests.games.conftest import at_once
from tests.games.lobby.conftest import joined

pytestmark = pytest.mark.django_db(transaction=True)

TWO = TableRequest(kind="chinese_ten", seats=2, terms={"move_days": 3})


@pytest.fixture
def people(transactional_db: None) -> list[Player]:
    return [joined(name) for name in ("Martha", "Laura", "Otto", "Ines", "Nora", "Hugh")]


def codes(answers: list[OpenTable | DomainError]) -> list[str]:
    return sorted(answer.code for answer in answers if isinstance(answer, DomainError))


def test_of_five_who_want_the_last_chair_one_gets_it(people: list[Player]) -> None:
    martha, *others = people
    made = lobby.create_table(host=martha, wish=TWO)
    answers = at_once(*[lambda who=who: lobby.sit(table=made, player=who) for who in others])
    assert codes(answers) == ["table_full"] * 4
    assert Game.objects.count() == 1
    assert Chair.objects.filter(table=made).count() == 2
    game = Game.objects.get()
    assert game.seats.count() == 2
    made.refresh_from_db()
    assert made.game == game


def test_who_sits_down_twice_at_once_has_one_chair(people: list[Player]) -> None:
    martha, laura, *_others = people
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms={"move_days": 3}))
    answers = at_once(*[lambda: lobby.sit(table=made, player=laura) for _ in range(4)])
    assert codes(answers) == []
    assert sorted(Chair.objects.filter(table=made).values_list("player__name", flat=True)) == ["Laura", "Martha"]
    assert Game.objects.count() == 0


@pytest.mark.parametrize("_again", range(3))
def test_a_table_is_closed_or_played_at_never_both(people: list[Player], _again: int) -> None:
    martha, laura, *_others = people
    made = lobby.create_table(host=martha, wish=TWO)
    closing, sitting = at_once(
        lambda: lobby.close(table=made, player=martha), lambda: lobby.sit(table=made, player=laura)
    )
    made.refresh_from_db()
    if made.status == OpenTable.Status.OPENED:
        assert Game.objects.count() == 1
        assert codes([closing, sitting]) == ["table_full"]
    else:
        assert made.status == OpenTable.Status.CLOSED
        assert Game.objects.count() == 0
        assert codes([closing, sitting]) == ["table_over"]


def test_all_say_at_once_that_they_are_here_and_one_game_is_opened(people: list[Player]) -> None:
    long_ago = clock.now() - timedelta(minutes=10)
    with clock.frozen_at(long_ago):
        made = lobby.create_table(host=people[0], wish=TableRequest(kind="plates", seats=6, terms={"move_seconds": 30}))
        for player in people[1:5]:
            lobby.sit(table=made, player=player)
    assert lobby.sit(table=made, player=people[5]).status == OpenTable.Status.CHECKING
    answers = at_once(*[lambda who=who: lobby.mark_ready(table=made, player=who) for who in people])
    assert codes(answers) == []
    made.refresh_from_db()
    assert made.status == OpenTable.Status.OPENED
    assert Game.objects.get().seats.count() == 6


def test_nobody_gets_a_fourth_chair_by_haste(people: list[Player]) -> None:
    hurried, *hosts = people
    tables = [
        lobby.create_table(host=host, wish=TableRequest(kind="plates", seats=3, terms={"move_days": 3}))
        for host in hosts
    ]
    answers = at_once(*[lambda made=made: lobby.sit(table=made, player=hurried) for made in tables])
    assert codes(answers) == ["too_many_tables"] * 2
    assert Chair.objects.filter(player=hurried).count() == 3


def test_two_who_sit_down_at_one_anothers_tables_wait_for_nobody(people: list[Player]) -> None:
    martha, laura, *_others = people
    hers, lauras = lobby.create_table(host=martha, wish=TWO), lobby.create_table(host=laura, wish=TWO)
    answers = at_once(lambda: lobby.sit(table=hers, player=laura), lambda: lobby.sit(table=lauras, player=martha))
    assert codes(answers) == []
    assert Game.objects.count() == 2


def test_two_sweeps_take_an_absent_persons_chair_once(people: list[Player]) -> None:
    martha, laura, otto, *_others = people
    now = clock.now()
    with clock.frozen_at(now - timedelta(minutes=10)):
        made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms={"move_seconds": 30}))
        lobby.sit(table=made, player=laura)
    with clock.frozen_at(now - timedelta(seconds=40)):
        lobby.sit(table=made, player=otto)
        lobby.mark_ready(table=made, player=martha)
    at_once(lobby.expire_due_tables, lobby.expire_due_tables, lambda: lobby.sit(table=made, player=joined("Abel")))
    lobby.expire_due_tables()  # both may have skipped a table that a player was joining
    made.refresh_from_db()
    assert Game.objects.count() <= 1
    assert not Chair.objects.filter(table=made, player=laura).exists()
    assert Chair.objects.filter(table=made, player__in=[martha, otto]).count() == 2
