"""Games that built-in bots play have the same rule events, even if they are interrupted and another worker continues
them."""

from __future__ import annotations

import time
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError, connection

from games import tasks as games_tasks
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from games.workers import leases, runner
from games.workers.models import Worker
from scorebook_games.bots import builtin as built_in_bots
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.terms import BEATS
from tests.games.conftest import BuiltInBot, Person

pytestmark = pytest.mark.django_db

SEED = bytes(range(32))


def open_game(players: list[Player], kind: str = "chinese_ten", **terms: Any) -> Game:
    """Open a game with the same seed each time. Plates has one round."""
    options = {"rounds": 1} if kind == "plates" else {}
    return play.open_game(kind=kind, players=players, options=options, terms=terms, deal=Deal.objects.create(seed=SEED))


def rule_events(game: Game) -> list[Event]:
    return [entry.event for entry in eventlog.read_events(game.stream_id) if not ev.is_table_event(entry.event)]


@pytest.fixture
def bots(built_in: BuiltInBot) -> list[Player]:
    return [built_in("sensible"), built_in("random"), built_in("random")]


def test_what_is_due_is_played_to_its_end(bots: list[Player]) -> None:
    openings = [
        play.Opening(kind, bots) for kind in ("chinese_ten", "palace", "plate_spinner", "plates") for _ in range(2)
    ]
    games = play.open_many(openings)
    assert runner.play_due_games("one") == 8

    for game in games:
        game.refresh_from_db()
        outcome = play.load_game(game).outcome()
        assert outcome is not None
        assert game.outcome == visibility.outcome_data(outcome)
        assert tuple(game.seats.values_list("placing", flat=True)) == outcome.placings
        assert (game.leased_by, game.leased_until, game.attempt) == ("", None, 1)
        assert game.deal.revealed_at == game.finished_at
    assert Worker.objects.get(name="one").games_played == 8


@pytest.mark.parametrize(
    "kind",
    ["chinese_ten", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("palace", "plate_spinner", "plates"))],
)
def test_the_rule_events_do_not_depend_on_how_the_game_is_cut_up(
    bots: list[Player], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = open_game(bots, kind)
    runner.play_due_games("one")
    monkeypatch.setattr(runner, "CHUNK_SECONDS", 0.0005)
    pieces = open_game(bots, kind)
    runner.play_due_games("two")

    assert len(eventlog.stored_batches(pieces.stream_id)) > len(eventlog.stored_batches(whole.stream_id))
    assert rule_events(pieces) == rule_events(whole)


class BusyMachine:
    """Stands in for `time`: the clock goes on by a tenth of a second between two looks, but nothing has worked."""

    def __init__(self) -> None:
        self.at = time.monotonic()

    def monotonic(self) -> float:
        self.at += 0.1
        return self.at

    def thread_time(self) -> float:
        return 0.0


def test_on_a_busy_machine_no_more_transactions_are_needed_for_games_that_bots_play_at_full_speed(
    bots: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_game(bots)
    sessions = runner.load_sessions(leases.claim_games("one", 1))
    monkeypatch.setattr(runner, "time", BusyMachine())
    chunk = runner.chunk_of(sessions, inf)
    looks = 0
    while not chunk.is_over():
        looks += 1
    assert 0.1 * looks > runner.CHUNK_SECONDS


def test_a_paced_game_is_stored_after_the_same_time_by_the_clock_however_busy_the_machine_is(
    bots: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_game(bots, bot_pace_ms=100)
    sessions = runner.load_sessions(leases.claim_games("one", 1))
    monkeypatch.setattr(runner, "time", BusyMachine())
    chunk = runner.chunk_of(sessions, inf)
    assert [chunk.is_over() for _ in range(3)] == [False, False, True]


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("kind", "programs"),
    [
        ("chinese_ten", ["sensible", "random", "random"]),
        ("plate_spinner", ["strong", "random"]),
        *(
            pytest.param(kind, ["strong", "random"], marks=pytest.mark.slow)
            for kind in sorted(built_in_bots.BUILTIN_BOTS["strong"].kinds - {"plate_spinner"})
        ),
    ],
)
def test_the_rule_events_do_not_depend_on_how_many_workers_were_lost(
    built_in: BuiltInBot, kind: str, programs: list[str]
) -> None:
    bots = [built_in(program) for program in programs]
    expected = open_game(bots, kind)
    runner.play_due_games("undisturbed")
    game = open_game(bots, kind)
    for worker in ("one", "two", "three"):
        play_a_little(worker)
    assert runner.play_due_games("four") == 1

    assert rule_events(game) == rule_events(expected)
    attempts = [entry.event for entry in eventlog.read_events(game.stream_id) if entry.event[0] == ev.ATTEMPT]
    assert [attempt[1] for attempt in attempts] == [2, 3, 4]


def play_a_little(worker: str) -> None:
    """Claim the game as this worker, play and store a few moves, and lose the lease."""
    hands = runner.store_sessions(runner.load_sessions(leases.claim_games(worker, 1)))
    for _ in range(5):
        seat = hands[0].seat
        assert seat is not None
        (runner.play_beat if hands[0].unit.fold.pace == BEATS else runner.play_turn)(hands[0], seat, 0)
    runner.store_sessions(hands)
    Game.objects.update(leased_until="2020-01-01T00:00Z")


def test_a_worker_that_lost_its_lease_lets_the_game_go_and_keeps_the_others(bots: list[Player]) -> None:
    lost, kept = open_game(bots), open_game(bots)
    hands = runner.load_sessions(leases.claim_games("one", 2))
    Game.objects.filter(pk=lost.pk).update(attempt=2)
    for hand in hands:
        runner.play_on(hand, runner.Chunk(time.monotonic() + 60))
    left = runner.store_sessions(hands)

    assert [hand.game.pk for hand in left] == [kept.pk]
    assert len(eventlog.stored_batches(lost.stream_id)) == 1
    assert Game.objects.get(pk=kept.pk).status == Game.Status.FINISHED


def test_a_chunk_lasts_until_the_processor_has_worked_for_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if another program has the processor for a while, and no longer than until its time by the clock."""
    now, worked = [100.0], [5.0]
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda: now[0], thread_time=lambda: worked[0]))
    chunk = runner.Chunk(102.0, worked=5.25)
    over = []
    for now[0], worked[0] in ((100.1, 5.1), (100.5, 5.2), (100.54, 5.24), (100.56, 5.25)):
        over.append(chunk.is_over())
    assert over == [False, False, False, True]

    worked[0], now[0] = 0.0, 102.0
    assert runner.Chunk(102.0, worked=5.25).is_over()


def test_an_abort_comes_through_while_a_worker_plays(bots: list[Player]) -> None:
    game = open_game(bots)
    hands = runner.load_sessions(leases.claim_games("one", 1))
    runner.play_on(hands[0], runner.Chunk(time.monotonic() + 60))
    play.abort_game(game=Game.objects.get(pk=game.pk), reason="late")

    assert runner.store_sessions(hands) == []
    assert rule_events(game) == [eventlog.read_events(game.stream_id)[1].event]


def test_a_leaver_comes_through_while_a_worker_plays_and_the_worker_goes_on_from_there(
    person: Person, built_in: BuiltInBot
) -> None:
    game = open_game([built_in("random"), built_in("random"), person("Martha")])
    hands = runner.load_sessions(leases.claim_games("one", 1))
    runner.play_on(hands[0], runner.Chunk(time.monotonic() + 60))
    play.leave_game(game=Game.objects.get(pk=game.pk), seat=2, how="resigned")
    (hand,) = runner.store_sessions(hands)

    assert hand.unit.programs == {0: "random", 1: "random", 2: "sensible"}
    assert hand.unit.events == []
    leases.release_leases({game.pk: 1})
    assert runner.play_due_games("one") == 1
    assert game.seats.get(seat=2).placing == 3


def test_with_people_every_move_is_stored_before_the_next_is_thought_of(person: Person, built_in: BuiltInBot) -> None:
    game = open_game([built_in("random"), built_in("sensible"), person("Martha")])
    assert runner.play_due_games("one") == 0

    game.refresh_from_db()
    assert game.to_act == [2]
    assert (game.leased_by, game.leased_until, game.awaits_worker) == ("", None, False)
    decided = sum(event[0] in ("captured", "laid", "took", "placed") for event in rule_events(game))
    assert 2 <= len(eventlog.stored_batches(game.stream_id)) - 1 <= decided


def test_people_and_programs_play_a_game_together(person: Person, built_in: BuiltInBot) -> None:
    game = open_game([person("Martha"), built_in("sensible")])
    while game.status == Game.Status.PLAYING:
        if game.awaits_worker:
            runner.play_due_games("one")
            game.refresh_from_db()
        else:
            legal = visibility.legal_moves(play.load_game(game), 0)
            play.play_move(game=game, seat=0, text=legal[0], expected_version=game.version)

    assert set(game.seats.values_list("placing", flat=True)) <= {1, 2}
    assert not [entry for entry in eventlog.read_events(game.stream_id) if entry.event[0] == ev.ATTEMPT]


def test_built_in_bots_can_be_slowed_down_and_a_budget_is_kept(bots: list[Player]) -> None:
    game = open_game(bots, bot_pace_ms=200)
    begun = time.monotonic()
    assert runner.play_due_games("one", budget_seconds=3) == 0
    took = time.monotonic() - begun

    game.refresh_from_db()
    moves = sum(event[0] in ("captured", "laid") for event in rule_events(game))
    assert 0 < moves <= took / 0.2 + 1
    assert (game.status, game.leased_by, game.leased_until) == (Game.Status.PLAYING, "", None)
    assert runner.play_due_games("two") == 1
    assert not Incident.objects.exists()


def test_who_sits_down_while_paced_games_are_played_does_not_wait_for_them(
    bots: list[Player], person: Person, built_in: BuiltInBot
) -> None:
    """A worker that plays slow games claims new ones meanwhile, and keeps its leases."""
    slow = open_game(bots, bot_pace_ms=5000)
    sat_down: list[Game] = []

    def answered() -> bool:
        if not sat_down:
            sat_down.append(open_game([built_in("random"), person("Martha")]))
        sat_down[0].refresh_from_db()
        return not sat_down[0].awaits_worker

    assert runner.play_due_games("one", budget_seconds=30, stop=answered) == 0

    assert answered()
    assert (sat_down[0].attempt, sat_down[0].leased_by) == (1, "")
    slow.refresh_from_db()
    assert (slow.status, slow.attempt) == (Game.Status.PLAYING, 1)


class Broken:
    """A built-in bot that raises an error, or whose answer is not a legal move."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.kinds = frozenset({"chinese_ten"})
        self.looks = True

    def recalls(self, kind: str) -> bool:
        return False

    def move(self, *_view: object) -> str:
        if self.answer is None:
            raise ZeroDivisionError("no plan")
        return self.answer


@pytest.mark.parametrize(
    ("answer", "cause", "evidence"),
    [(None, "crashed", "ZeroDivisionError: no plan"), ("castle", "illegal_move", "'castle' is none of")],
)
def test_a_bot_that_fails_stops_its_own_game_only_and_is_tried_again_later(
    built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch, answer: str | None, cause: str, evidence: str
) -> None:
    monkeypatch.setitem(built_in_bots.BUILTIN_BOTS, "broken", Broken(answer))
    sound = open_game([built_in("random"), built_in("random")])
    game = open_game([built_in("random"), built_in("broken")])
    assert runner.play_due_games("one") == 1

    game.refresh_from_db()
    sound.refresh_from_db()
    assert sound.status == Game.Status.FINISHED
    assert (game.status, game.leased_by, game.failures) == (Game.Status.PLAYING, "", 1)
    assert game.to_act == [1]
    assert game.retry_at
    incident = Incident.objects.get()
    assert (incident.cause, incident.game) == (cause, game)
    assert incident.sentence == (
        f"The built-in bot broken in seat 2 failed at event {game.version}. Game {game.public_id} has stopped. "
        "The next attempt is in 2 s."
    )
    assert evidence in incident.detail
    assert runner.play_due_games("one") == 0


def test_a_game_that_fails_again_and_again_waits_for_an_admin_and_goes_on_when_resumed(
    built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(built_in_bots.BUILTIN_BOTS, "broken", Broken(None))
    game = open_game([built_in("broken"), built_in("random")])
    pauses = []
    for _ in range(leases.MAX_FAILED_CLAIMS):
        runner.play_due_games("one")
        game.refresh_from_db()
        assert game.retry_at
        pauses.append(game.retry_at)
        Game.objects.update(retry_at=None)

    runner.play_due_games("one")
    assert Incident.objects.get().times == leases.MAX_FAILED_CLAIMS
    assert Incident.objects.get().sentence.endswith("The game waits for an admin.")
    assert leases.given_up_games().get() == game
    monkeypatch.setitem(built_in_bots.BUILTIN_BOTS, "broken", built_in_bots.BUILTIN_BOTS["random"])
    play.retry_game(game=game)
    assert runner.play_due_games("one") == 1


class Unplugger:
    """A built-in bot that ends the database session of the worker that asks it."""

    kinds = frozenset({"chinese_ten"})
    looks = False

    def recalls(self, kind: str) -> bool:
        return False

    def move(self, _view: object, legal: list[str], _rng: object) -> str:
        pid = connection.connection.info.backend_pid
        with connection.copy().temporary_connection() as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        return legal[0]


@pytest.mark.django_db(transaction=True)
def test_a_worker_whose_database_session_ends_leaves_its_game_to_the_next(
    built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = open_game([built_in("random"), built_in("random")])
    runner.play_due_games("undisturbed")
    game = open_game([built_in("random"), built_in("random")])
    with monkeypatch.context() as patch:
        patch.setitem(built_in_bots.BUILTIN_BOTS, "random", Unplugger())
        with pytest.raises(OperationalError):
            runner.play_due_games("one")
    assert len(eventlog.stored_batches(game.stream_id)) == 1
    assert runner.play_due_games("two") == 1

    assert rule_events(game) == rule_events(expected)


def test_the_task_plays_what_is_due(bots: list[Player]) -> None:
    game = open_game(bots)
    games_tasks.play()

    assert Game.objects.get(pk=game.pk).status == Game.Status.FINISHED
    assert Worker.objects.get().name == games_tasks.worker_name()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "limit"), [("palace", 16), ("plate_spinner", 40)])
def test_strong_bots_play_through_the_same_door_as_the_others(
    built_in: BuiltInBot, kind: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They play in turns, and in beats with bundles of several moves (PS-17). An interrupted game is the same."""
    players = [built_in("strong"), built_in("sensible")]
    options = {"turn_limit": limit}
    whole = play.open_game(kind=kind, players=players, options=options, deal=Deal.objects.create(seed=SEED))
    runner.play_due_games("one")
    monkeypatch.setattr(runner, "CHUNK_SECONDS", 0.0005)
    cut = play.open_game(kind=kind, players=players, options=options, deal=Deal.objects.create(seed=SEED))
    runner.play_due_games("two")
    for game in (whole, cut):
        game.refresh_from_db()
        assert game.outcome is not None
        assert game.outcome["termination"] in ("turn_limit", "rules")
        assert not Incident.objects.filter(game=game).exists()
    assert rule_events(whole) == rule_events(cut)
