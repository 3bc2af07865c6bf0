"""A machine's clock jumps by an hour or a little. Nobody loses on time, and play continues."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from celery.beat import ScheduleEntry
from django.db.models import F
from django.db.models.functions import Now

from config.broker.beat_scheduler import Scheduler
from games import tasks as games_tasks
from games.clocks import outages
from games.clocks import services as clocks
from games.clocks.models import Heartbeat, PlatformOutage
from games.common import clock
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from games.play import unit_of_work
from games.workers import leases, runner
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from tests.games.conftest import BuiltInBot, Person

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Machine:
    """A machine with a web process and a worker that checks clocks. `real` counts the seconds that pass; `at` is its
    clock, which may be set."""

    def __init__(self, at: datetime) -> None:
        self.at, self.real = at, 0.0
        self.watch = outages.ClockWatch()
        self.tick()

    def set(self, jump: timedelta) -> None:
        self.at += jump

    def tick(self, *, web: bool = True, beat: bool = True) -> None:
        """Do what the web process and the worker do at this time."""
        with clock.frozen_at(self.at):
            if web:
                outages.record_heartbeat(outages.WEB_PART, self.at)
            self.watch.look(self.at, self.real)
            if beat:
                outages.record_heartbeat(outages.BEAT_PART, self.at)
            clocks.settle_outages()
            play.expire_due_games()

    def passes(self, seconds: int, *, web: bool = True, beat: bool = True) -> None:
        """Let time pass, with a tick every ten seconds."""
        for _ in range(seconds // 10):
            self.at += 10 * SECOND
            self.real += 10
            self.tick(web=web, beat=beat)


@pytest.fixture
def machine() -> Machine:
    return Machine(NOON)


@pytest.fixture
def two(person: Person) -> list[Player]:
    return [person("Martha"), person("Laura")]


def live(players: list[Player], **terms: Any) -> Game:
    """Return a game in which each move has a minute."""
    with clock.frozen_at(NOON):
        deal = Deal.objects.create(seed=bytes(range(32)))
        wanted = {"rated": False, "move_seconds": 60, **terms}
        return play.open_game(kind="chinese_ten", players=players, terms=wanted, deal=deal)


def moves(game: Game, at: datetime) -> None:
    """Play the first legal move of the player whose turn it is."""
    fold = play.load_game(game)
    seat = fold.awaited()[0]
    with clock.frozen_at(at):
        text = visibility.legal_moves(fold, seat)[0]
        play.play_move(game=game, seat=seat, text=text, expected_version=fold.version)


def late(game: Game) -> list[int]:
    """Return the seats that lost on time."""
    return [entry.event[1] for entry in eventlog.read_events(game.stream_id) if entry.event[0] == ev.EXPIRED]


def left(game: Game, machine: Machine) -> int:
    """Return the seconds left for the player whose turn it is."""
    fold = play.load_game(game)
    facts = clocks.clock_data(game, eventlog.read_log(game.stream_id), fold, fold.awaited()[0], machine.at)
    return int(facts["seats"][fold.awaited()[0]]["move_ms"]) // 1000


@pytest.mark.some(2)
@pytest.mark.parametrize("jump", [3, 40, 61, 3600, 30 * 24 * 3600])
def test_a_clock_put_forward_takes_time_from_nobody(two: list[Player], machine: Machine, jump: int) -> None:
    game = live(two)
    machine.passes(30)
    machine.set(jump * SECOND)
    machine.passes(10)
    assert late(game) == []
    assert left(game, machine) >= 29  # she has her time from before, and clocks stop for one more minute
    moves(game, machine.at)
    assert late(game) == []
    assert set(PlatformOutage.objects.values_list("settled", flat=True)) == {True}
    assert f"forward by {jump} s" in Incident.objects.get(sentences__0__0="clock_jumped_forward").sentence


def test_after_the_jump_clocks_run_on_and_who_does_not_come_loses_all_the_same(
    two: list[Player], machine: Machine
) -> None:
    game = live(two)
    machine.set(HOUR)
    machine.passes(110)
    assert late(game) == []
    machine.passes(60)
    assert late(game) == [0]


def test_an_hour_back_and_an_hour_forward_again_cost_nobody_anything(two: list[Player], machine: Machine) -> None:
    game = live(two, bank_seconds=60)
    machine.passes(20)
    for jump in (-HOUR, HOUR):
        machine.set(jump)
        machine.passes(10)
        moves(game, machine.at)
        machine.passes(20)
    game.refresh_from_db()
    assert late(game) == []
    times = [entry.ms for entry in eventlog.read_events(game.stream_id)]
    assert times == sorted(times)  # times in a log never decrease
    fold = play.load_game(game)
    for seat in (0, 1):
        assert (
            clocks.clock_data(game, eventlog.read_log(game.stream_id), fold, seat, machine.at)["seats"][seat]["bank_ms"]
            == 60_000
        )


def test_in_an_hour_that_comes_twice_an_outage_is_still_noticed(two: list[Player], machine: Machine) -> None:
    """The last signs of life then have future times, which would hide that no process checks clocks."""
    machine.passes(20)
    machine.set(-HOUR)
    machine.passes(10)
    assert set(Heartbeat.objects.values_list("at", flat=True)) == {machine.at}
    assert outages.is_outage_at(machine.at + 70 * SECOND)
    assert "back by 3600 s" in Incident.objects.get().sentence


def test_two_machines_that_disagree_by_an_hour_take_time_from_nobody(two: list[Player], machine: Machine) -> None:
    """The clock of the web process is an hour ahead of the worker's, so its moves have future times."""
    game = live(two, bank_seconds=60)
    other = machine.at + HOUR
    moves(game, other)
    outages.record_heartbeat(outages.WEB_PART, other + 5 * SECOND)
    for _ in range(6):
        machine.passes(10, web=False)
        outages.record_heartbeat(outages.WEB_PART, machine.at + HOUR)
    assert late(game) == []
    with clock.frozen_at(machine.at + HOUR):
        assert not play.expire_clocks(game=Game.objects.get(pk=game.pk))
    fold = play.load_game(game)
    assert clocks.clock_data(game, eventlog.read_log(game.stream_id), fold, 0, other)["seats"][0]["bank_ms"] == 60_000


def test_who_is_to_check_in_is_waited_for(two: list[Player], machine: Machine) -> None:
    """The game begins at eight. At ten past eight the clock jumps forward by an hour."""
    with clock.frozen_at(NOON):
        deal = Deal.objects.create(seed=bytes(range(32)))
        terms = {"move_seconds": 30, "check_in_minutes": 30, "rated": False}
        game = play.open_game(kind="chinese_ten", players=two, terms=terms, deal=deal, begins=NOON + 60 * SECOND)
    machine.passes(600)  # ten of the eleven minutes
    machine.set(HOUR)
    machine.passes(60)
    game.refresh_from_db()
    assert (game.status, game.version) == ("playing", 2)
    with clock.frozen_at(machine.at):
        for seat in (0, 1):
            play.mark_ready(game=game, seat=seat)
    assert [entry.event[0] for entry in eventlog.read_events(game.stream_id)][-1] == ev.COUNTDOWN


@pytest.mark.slow
def test_who_never_comes_loses_after_the_same_time(two: list[Player], machine: Machine) -> None:
    with clock.frozen_at(NOON):
        terms = {"move_seconds": 30, "check_in_minutes": 30, "rated": False}
        game = play.open_game(kind="chinese_ten", players=two, terms=terms, begins=NOON + 60 * SECOND)
    machine.passes(600)
    machine.set(HOUR)
    machine.passes(11 * 60 + 60)
    game.refresh_from_db()
    assert game.status == "finished"


# leases use the database's clock


def test_a_lease_from_before_the_databases_clock_went_back_is_not_waited_for(built_in: BuiltInBot) -> None:
    bots = [built_in("sensible"), built_in("random")]
    held, paused = (play.open_game(kind="chinese_ten", players=bots) for _ in range(2))
    hour = Now() + HOUR
    Game.objects.filter(pk=held.pk).update(leased_by="gone", leased_until=hour, attempt=F("attempt") + 1)
    Game.objects.filter(pk=paused.pk).update(failures=1, retry_at=hour)
    assert leases.claim_games("one", 10) == []
    games_tasks.sweep()
    assert {claim.game.pk for claim in leases.claim_games("one", 10)} <= {held.pk, paused.pk}
    leases.release_leases({held.pk: 2, paused.pk: 1})
    Game.objects.update(leased_until=None, leased_by="", failures=0)
    assert runner.play_due_games("one") == 2


def test_a_lease_of_now_and_a_pause_of_now_stay(built_in: BuiltInBot) -> None:
    game = play.open_game(kind="chinese_ten", players=[built_in("sensible"), built_in("random")])
    Game.objects.update(leased_by="one", leased_until=Now() + leases.lease(), retry_at=Now() + 300 * SECOND)
    before = Game.objects.get(pk=game.pk)
    assert leases.clamp_future_leases() == 0
    after = Game.objects.get(pk=game.pk)
    assert (after.leased_until, after.retry_at) == (before.leased_until, before.retry_at)


def test_a_game_whose_lease_ended_by_the_databases_jump_is_played_by_one_worker_alone(built_in: BuiltInBot) -> None:
    """After a jump forward, another worker takes the game, and moves of the first one are refused."""
    game = play.open_game(kind="chinese_ten", players=[built_in("sensible"), built_in("random")])
    assert len(leases.claim_games("one", 1)) == 1
    Game.objects.update(leased_until=Now() - HOUR)  # the effect of the jump
    assert runner.play_due_games("two") == 1
    unit = unit_of_work.GameUnit(
        game,
        play.load_game(game),
        {},
        eventlog.read_log(game.stream_id)[:1],
        [[ev.ATTEMPT, 9, "worker_lost"]],
        [0],
        attempt=1,
    )
    with pytest.raises(unit_of_work.ConcurrentAppend):
        unit_of_work.commit([unit], clock.now())
    game.refresh_from_db()
    assert game.status == "finished"


# beat


def beat_at(moments: list[datetime], folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Let beat tick at each of these times, one second after the other. Return what it sends at each."""
    app = Celery("jumps", broker="memory://localhost")
    app.conf.beat_schedule = {
        "each second": {"task": "second", "schedule": 1.0},
        "each half minute": {"task": "half minute", "schedule": 30.0},
    }
    monkeypatch.setattr(app, "now", lambda: moments[0])
    scheduler = Scheduler(app=app, schedule_filename=str(folder / "schedule"))
    sent: list[str] = []
    monkeypatch.setattr(scheduler, "apply_entry", lambda entry, producer=None: sent.append(entry.task))
    found = []
    for moment in moments:
        monkeypatch.setattr(app, "now", lambda moment=moment: moment)
        sent.clear()
        while scheduler.tick() == 0:
            pass
        found.append(sorted(sent))
    scheduler.close()
    return found


def test_beat_goes_on_when_its_clock_is_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    back = NOON - HOUR
    moments = [NOON, NOON + SECOND, NOON + 31 * SECOND, back, back + SECOND, back + 2 * SECOND, back + 31 * SECOND]
    found = beat_at(moments, tmp_path, monkeypatch)
    both = ["half minute", "second"]
    assert found == [[], ["second"], both, both, ["second"], ["second"], both]


def test_beat_sends_each_thing_once_when_its_clock_is_put_forward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = beat_at([NOON, NOON + HOUR, NOON + HOUR, NOON + HOUR + SECOND], tmp_path, monkeypatch)
    assert found == [[], ["half minute", "second"], [], ["second"]]


def test_beat_notes_when_it_has_sent_a_tick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from config.celery import app

    scheduler = Scheduler(app=app, schedule_filename=str(tmp_path / "schedule"), lazy=True)
    sent: list[str] = []
    monkeypatch.setattr(app, "send_task", lambda name, *_given, **_named: sent.append(name))
    noted = Heartbeat.objects.filter(part="beat_sent").values_list("at", flat=True)
    for moment, task in ((NOON, "games.sweep"), (NOON, "games.tick"), (NOON + SECOND, "games.tick")):
        with clock.frozen_at(moment):
            scheduler.apply_async(ScheduleEntry(name=task, task=task, schedule=1.0, app=app), advance=False)
        assert list(noted.all()) == ([NOON] if task == "games.tick" else [])
    assert sent == ["games.sweep", "games.tick", "games.tick"]
    scheduler.close()


def test_the_platform_runs_that_scheduler() -> None:
    from config.celery import app

    assert app.conf.beat_scheduler == "config.broker.beat_scheduler:Scheduler"
