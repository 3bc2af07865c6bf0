"""Claims, leases and the fence: which worker may play a game. A worker that has lost its lease can store nothing."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import translation
from pytest_django import DjangoAssertNumQueries, Settings

from games import tasks as games_tasks
from games.common import clock
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import Game, Player
from games.play import services as play
from games.play import unit_of_work
from games.workers import leases
from games.workers.models import Worker
from scorebook_games.chance import SeedDealer
from tests.games.conftest import BuiltInBot, Person, at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def bots(built_in: BuiltInBot) -> list[Player]:
    return [built_in("random"), built_in("random")]


@pytest.fixture
def game(bots: list[Player]) -> Game:
    return play.open_game(kind="chinese_ten", players=bots)


def claimed(worker: str, limit: int = 10) -> list[int]:
    return [claim.game.pk for claim in leases.claim_games(worker, limit)]


def run_out(game: Game) -> None:
    """Let the game's lease end by the database's clock."""
    Game.objects.filter(pk=game.pk).update(leased_until=Now() - timedelta(seconds=1))


def seconds_left(game: Game) -> float:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM leased_until - statement_timestamp()) FROM games_game WHERE id = %s", [game.pk]
        )
        return float(cursor.fetchone()[0])


def a_unit(game: Game, attempt: int) -> unit_of_work.GameUnit:
    """Return a program's next move, as the runner of this attempt stores it."""
    unit = play.begin_unit(game)
    unit.attempt = attempt
    seat = unit.fold.to_act()[0]
    action = unit.fold.rules.legal_actions(unit.fold.state, seat)[0]
    unit.take(unit.fold.rules.decide(unit.fold.state, seat, action, SeedDealer(bytes(game.deal.seed))), clock.now())
    return unit


def test_a_claimed_game_is_nobody_elses_until_it_is_released(game: Game) -> None:
    assert claimed("one") == [game.pk]
    assert claimed("two") == []
    leases.release_leases({game.pk: 1})
    assert claimed("two") == [game.pk]
    assert Game.objects.get(pk=game.pk).attempt == 2
    assert not Incident.objects.exists()


def test_what_waits_for_a_person_is_not_claimed(person: Person, built_in: BuiltInBot) -> None:
    game = play.open_game(kind="chinese_ten", players=[person("Martha"), built_in("random")])
    assert claimed("one") == []
    play.leave_game(game=game, seat=0, how="resigned")
    assert claimed("one") == []


def test_a_game_in_which_a_program_is_to_act_between_people_is_claimed(person: Person, built_in: BuiltInBot) -> None:
    game = play.open_game(kind="chinese_ten", players=[built_in("random"), person("Martha")])
    assert claimed("one") == [game.pk]


def test_a_game_is_not_claimed_before_its_time(game: Game) -> None:
    Game.objects.update(retry_at=Now() + timedelta(seconds=60))
    assert claimed("one") == []
    Game.objects.update(retry_at=Now() - timedelta(seconds=1))
    assert claimed("one") == [game.pk]


def alive(name: str, *, silent: timedelta = timedelta(0), queue: str = "play") -> Worker:
    """Return a worker whose last sign of life was `silent` ago."""
    sign = clock.now() - silent
    return Worker.objects.create(name=name, started_at=sign, heartbeat_at=sign, queues=[queue])


def test_workers_share_what_waits(bots: list[Player]) -> None:
    play.open_many([play.Opening("chinese_ten", bots)] * 20)
    for name in ("one", "two", "three"):
        alive(name)
    alive("of clocks", queue="short")
    assert [len(claimed(name, 50)) for name in ("one", "two", "three")] == [7, 7, 6]
    play.open_many([play.Opening("chinese_ten", bots)] * 3)
    assert [len(leases.claim_more(name, 43)) for name in ("one", "two", "three")] == [1, 1, 1]


def test_who_is_done_takes_more_and_nothing_is_set_aside_for_a_worker_that_does_not_come(bots: list[Player]) -> None:
    play.open_many([play.Opening("chinese_ten", bots)] * 20)
    alive("one")
    alive("two")
    taken = []
    while games := claimed("one", 50):
        taken.append(len(games))
        Game.objects.filter(pk__in=games).update(status="finished", leased_until=None, leased_by="")
    assert taken == [10, 5, 3, 1, 1]


def test_a_worker_that_died_has_no_share(bots: list[Player]) -> None:
    play.open_many([play.Opening("chinese_ten", bots)] * 20)
    alive("one")
    alive("two", silent=2 * leases.lease())
    assert len(claimed("one", 50)) == 20


def test_one_worker_takes_all_that_it_may_without_asking_for_its_share(
    bots: list[Player], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    play.open_many([play.Opening("chinese_ten", bots)] * 60)
    alive("one")
    with django_assert_max_num_queries(8):  # four of them begin and end transactions
        assert len(claimed("one", 50)) == 50


def test_a_claim_takes_no_more_than_asked(bots: list[Player]) -> None:
    play.open_many([play.Opening("chinese_ten", bots)] * 5)
    assert len(claimed("one", 3)) == 3
    assert len(claimed("two", 3)) == 2


@pytest.mark.django_db(transaction=True)
def test_workers_that_claim_at_once_share_the_games(bots: list[Player]) -> None:
    games = play.open_many([play.Opening("chinese_ten", bots)] * 40)
    found = at_once(*[lambda name=name: claimed(name, 40) for name in "abcd"])

    together = [pk for own in found if isinstance(own, list) for pk in own]
    assert sorted(together) == sorted(game.pk for game in games)


def test_the_claim_after_a_lost_worker_says_so_and_where_it_was(game: Game) -> None:
    claimed("one")
    run_out(game)
    assert leases.lost_games().get() == game
    (claim,) = leases.claim_games("two", 10)

    assert (claim.lost, claim.game.attempt) == ("one", 2)
    incident = Incident.objects.get()
    assert incident.cause == Incident.Cause.WORKER_LOST
    assert incident.sentence == (
        f"Worker one was lost at event {game.version} of game {game.public_id}, when seat 1 had the move. Worker two "
        "continues (attempt 2)."
    )


def test_the_database_says_what_time_it_is_for_leases(game: Game) -> None:
    claimed("one")
    with clock.frozen_at(clock.now() + timedelta(days=1)):
        assert claimed("two") == []


def test_an_append_of_a_lost_attempt_is_refused_and_changes_nothing(game: Game) -> None:
    claimed("one")
    unit = a_unit(game, 1)
    run_out(game)
    claimed("two")
    before = Game.objects.filter(pk=game.pk).values().get()
    with pytest.raises(unit_of_work.ConcurrentAppend) as caught:
        unit_of_work.commit([unit], clock.now())

    assert caught.value.units == [unit]
    assert Game.objects.filter(pk=game.pk).values().get() == before
    assert len(eventlog.stored_batches(game.stream_id)) == 1


def test_one_lost_game_spoils_the_transaction_of_all_that_were_to_be_stored_with_it(bots: list[Player]) -> None:
    games = play.open_many([play.Opening("chinese_ten", bots)] * 3)
    claimed("one")
    units = [a_unit(game, 1) for game in games]
    run_out(games[1])
    claimed("two")
    with pytest.raises(unit_of_work.ConcurrentAppend) as caught:
        unit_of_work.commit(units, clock.now())

    assert caught.value.units == [units[1]]
    assert [len(eventlog.stored_batches(game.stream_id)) for game in games] == [1, 1, 1]


def test_an_append_renews_the_lease(game: Game) -> None:
    claimed("one")
    Game.objects.update(leased_until=Now() + timedelta(seconds=1))
    unit_of_work.commit([a_unit(game, 1)], clock.now())

    assert seconds_left(game) > 10


def test_a_life_sign_renews_what_is_still_held_and_nothing_else(bots: list[Player]) -> None:
    mine, theirs = play.open_many([play.Opening("chinese_ten", bots)] * 2)
    claimed("one")
    run_out(mine)
    run_out(theirs)
    Game.objects.filter(pk=theirs.pk).update(attempt=2)
    leases.renew({mine.pk: 1, theirs.pk: 1})

    assert seconds_left(mine) > 10
    assert seconds_left(theirs) < 0


@pytest.mark.django_db(transaction=True)
def test_a_life_sign_waits_for_nobody_who_is_storing(game: Game) -> None:
    claimed("one")
    run_out(game)

    def renewing() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '5s'")
        leases.renew({game.pk: 1})

    with transaction.atomic():
        Game.objects.select_for_update().get(pk=game.pk)
        assert at_once(renewing) == [None]
    assert seconds_left(game) < 0


def test_a_game_that_was_released_by_an_old_attempt_stays_with_the_new_one(game: Game) -> None:
    claimed("one")
    run_out(game)
    claimed("two")
    leases.release_leases({game.pk: 1})

    assert Game.objects.get(pk=game.pk).leased_by == "two"


def test_a_game_that_kills_its_workers_is_claimed_alone_and_in_the_end_left_to_an_admin(bots: list[Player]) -> None:
    poison, *others = play.open_many([play.Opening("chinese_ten", bots)] * 3)
    for _ in range(leases.MAX_FAILED_CLAIMS):
        claimed("one")
        run_out(poison)
    claimed("one")  # the next claim records that this one was lost
    run_out(poison)
    Game.objects.filter(pk__in=[game.pk for game in others]).update(leased_until=None)

    assert set(claimed("two")) == {game.pk for game in others}
    assert claimed("two") == []
    assert leases.given_up_games().get() == poison
    play.retry_game(game=poison)
    assert claimed("two") == [poison.pk]


def test_a_game_that_failed_waits_for_others_only_so_long_however_many_of_them_are_due(bots: list[Player]) -> None:
    failed, *others = play.open_many([play.Opening("chinese_ten", bots)] * 4)
    now = clock.now()
    Game.objects.filter(pk=failed.pk).update(failures=1, retry_at=now - timedelta(seconds=5))
    assert [claim.game.pk for claim in leases.claim_more("one", 1)] == [others[0].pk]
    assert claimed("one", 1) == [others[1].pk]

    Game.objects.filter(pk=failed.pk).update(retry_at=now - timedelta(minutes=1))
    assert leases.claim_more("one", 1) == [], "what is in hand is played to its end first"
    assert claimed("one") == [failed.pk], "it comes alone"
    assert [claim.game.pk for claim in leases.claim_more("two", 2)] == [others[2].pk]


def test_the_first_move_after_failures_wipes_them_out_but_a_new_attempt_does_not(game: Game) -> None:
    claimed("one")
    run_out(game)
    (claim,) = leases.claim_games("two", 1)
    unit = play.begin_unit(claim.game)
    unit.attempt = 2
    unit.take([["@attempt", 2, "worker_lost"]], clock.now())
    unit_of_work.commit([unit], clock.now())
    assert Game.objects.get(pk=game.pk).failures == 1
    unit_of_work.commit([a_unit(claim.game, 2)], clock.now())
    assert Game.objects.get(pk=game.pk).failures == 0


def test_a_silent_worker_is_noted_once_and_may_come_back() -> None:
    now = clock.now()
    worker = Worker.objects.create(name="one", started_at=now, heartbeat_at=now)
    assert leases.note_silent_workers() == 0
    with clock.frozen_at(now + timedelta(seconds=31)):
        assert leases.note_silent_workers() == 1
        assert leases.note_silent_workers() == 0
    incident = Incident.objects.get()
    assert incident.sentence.startswith("Worker one has not reported since")
    with translation.override("de"):
        assert incident.sentence.startswith("Worker one hat sich seit")

    with leases.heartbeat_of("one"):
        worker.refresh_from_db()
        assert worker.stopped_at is None
    worker.refresh_from_db()
    assert worker.stopped_at


def test_a_worker_that_stopped_long_ago_is_forgotten() -> None:
    now = clock.now()
    Worker.objects.create(name="one", started_at=now, heartbeat_at=now, stopped_at=now - timedelta(days=2))
    leases.note_silent_workers()

    assert not Worker.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_was_forgotten_while_it_was_suspended_is_listed_again(settings: Settings) -> None:
    settings.SCOREBOOK_LEASE_SECONDS = 1
    with leases.heartbeat_of("one", ["play"]):
        Worker.objects.all().delete()
        until = clock.now() + timedelta(seconds=20)
        while not Worker.objects.filter(name="one", queues=["play"], stopped_at=None).exists():
            assert clock.now() < until
            time.sleep(0.02)


@pytest.mark.django_db(transaction=True)
def test_a_pulse_keeps_the_leases_of_its_worker(game: Game, settings: Settings) -> None:
    settings.SCOREBOOK_LEASE_SECONDS = 1
    with leases.heartbeat_of("one") as pulse:
        claimed("one")
        first = Game.objects.get(pk=game.pk).leased_until
        pulse.hold({game.pk: 1}, 60)
        until = clock.now() + timedelta(seconds=20)
        while Game.objects.get(pk=game.pk).leased_until == first:
            assert clock.now() < until


def test_the_sweep_expires_clocks_and_notes_silent_workers(person: Person) -> None:
    players = [person("Martha"), person("Laura")]
    game = play.open_game(kind="chinese_ten", players=players, terms={"move_seconds": 60})
    Worker.objects.create(name="one", started_at=game.opened_at, heartbeat_at=game.opened_at)
    with clock.frozen_at(game.opened_at + timedelta(seconds=61)):
        games_tasks.sweep()

    game.refresh_from_db()
    assert game.status == Game.Status.FINISHED
    assert Incident.objects.count() == 1
