"""Luck ledgers of finished games are found by a query, claimed, computed once, tried again and rebuilt."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client

from config.monitoring import metrics
from games.admin_actions import registry as admin_actions
from games.common import clock
from games.common.models import Incident
from games.models import Deal, Game, Player
from games.play import continuation
from games.play import services as play
from games.play.departures import RESIGNED
from games.workers import runner
from replays import claims
from replays.review import ledgers
from replays.review.models import MILLIONTHS, LuckLedger
from replays.review.tasks import compute_ledgers, find_ledgers
from scorebook_games.luck.ledger import ledger_of
from scorebook_games.registry import KINDS
from scorebook_games.value import ValueFunction
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.fixtures.removed_kinds import removed_kinds
from tests.replays.conftest import open_game, play_on

pytestmark = pytest.mark.django_db

State = LuckLedger.State


class OtherValue(ValueFunction):
    """A value function like that of Chinese Ten with another hash."""

    hash = "f" * 16


@pytest.fixture(scope="module")
def people(kept: None) -> list[int]:
    return [Player.objects.create(name=each, user=User.objects.create_user(each)).pk for each in ("martha", "laura")]


@pytest.fixture(scope="module")
def played(people: list[int]) -> int:
    """Return the id of a finished game of bots."""
    bots = [ensure_builtin_bots()[name] for name in ("sensible", "random")]
    game = play.open_game(kind="chinese_ten", players=bots, deal=Deal.objects.create(seed=bytes(range(32))))
    runner.play_due_games("test")
    return game.pk


@pytest.fixture
def game(played: int) -> Game:
    return Game.objects.get(pk=played)


@pytest.fixture
def both(people: list[int]) -> list[Player]:
    return [Player.objects.get(pk=pk) for pk in people]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("1/0")

    monkeypatch.setattr(ledgers, "ledger_of", fail)


def computed(game: Game) -> LuckLedger:
    compute_ledgers()
    return LuckLedger.objects.get(game=game)


def be_due() -> None:
    LuckLedger.objects.update(due_at=clock.now() - timedelta(hours=1))


def sums(row: LuckLedger) -> list[float]:
    parts = zip(row.start, row.luck, row.own, row.others, row.unexplained, row.departures, strict=True)
    return [sum(each) for each in parts]


def with_value(monkeypatch: pytest.MonkeyPatch, value: ValueFunction | None) -> None:
    monkeypatch.setitem(KINDS, "chinese_ten", replace(KINDS["chinese_ten"], value=value))


def other_value() -> ValueFunction:
    value = KINDS["chinese_ten"].value
    assert value
    other = type("Other", (OtherValue, type(value)), {})
    made: ValueFunction = other(value.rules, value.file)
    return made


def test_the_ledger_of_a_finished_game_is_that_of_the_library_and_its_parts_add_up(game: Game) -> None:
    row = computed(game)
    value = KINDS["chinese_ten"].value
    assert value
    made = ledger_of((entry.event for entry in ledgers._events(game)), value)
    assert (row.state, row.value_hash, row.people) == (State.DONE, value.hash, False)
    assert (row.policy, row.luck, row.own, row.unexplained) == ("sensible", made.luck, made.own, made.unexplained)
    assert (row.luck_error, row.own_error, row.others_error) == (made.luck_error, made.own_error, made.others_error)
    assert (row.start_error, row.unexplained_error) == (list(made.start_error), made.unexplained_error)
    assert sums(row) == pytest.approx(row.result, abs=1e-9)
    gains = [sum(gains[seat] for *_, gains in row.entries) / MILLIONTHS for seat in (0, 1)]
    whole = [result - start for result, start in zip(row.result, row.start, strict=True)]
    assert gains == pytest.approx(whole, abs=len(row.entries) / MILLIONTHS)


def test_a_game_that_is_on_gets_no_ledger_until_it_is_over(both: list[Player]) -> None:
    game = play_on(open_game(both), 3)
    compute_ledgers()
    assert not LuckLedger.objects.filter(game=game).exists()
    play.leave_game(game=game, seat=0, how=RESIGNED)
    row = computed(game)
    assert (row.state, row.people, row.result) == (State.DONE, True, [0.0, 1.0])
    assert row.departures[0] < 0 < row.departures[1]


def test_an_aborted_game_has_a_ledger_up_to_its_end_and_one_that_was_not_dealt_says_so(both: list[Player]) -> None:
    game = play_on(open_game(both), 6)
    play.abort_game(game=game)
    waiting = play.open_game(kind="chinese_ten", players=both, begins=clock.now() + timedelta(days=1))
    play.abort_game(game=waiting)
    row = computed(game)
    assert row.state == State.DONE
    assert 0 < row.result[0] < 1
    assert sums(row) == pytest.approx(row.result, abs=1e-9)
    nothing = LuckLedger.objects.get(game=waiting)
    assert (nothing.state, nothing.reason) == (State.NONE, "not_dealt")


def test_a_game_that_continues_another_has_no_ledger_because_its_player_may_know_every_card(
    game: Game, both: list[Player]
) -> None:
    going_on, _ = continuation.continue_from(game, 20, 0, both[0], "sensible")
    play.leave_game(game=going_on, seat=0, how=RESIGNED)
    row = computed(going_on)
    assert (row.state, row.reason, row.luck) == (State.NONE, "continued", [])
    find_ledgers()
    call_command("luck_ledgers", "--renew", stdout=StringIO())
    assert computed(going_on).state == State.NONE
    assert LuckLedger.objects.filter(game=going_on).count() == 1


def test_a_kind_without_a_value_function_has_no_ledger_until_it_gets_one(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        with_value(without, None)
        row = computed(game)
        assert (row.state, row.reason, row.value_hash) == (State.NONE, "no_value_function", "")
        find_ledgers()
        assert computed(game).state == State.NONE
    find_ledgers()
    assert computed(game).state == State.DONE


def test_a_value_function_without_its_weights_is_none_until_they_are_there(
    game: Game, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    value = KINDS["chinese_ten"].value
    assert value
    shutil.copy(value.file.with_name("value.py"), tmp_path)
    without = type(value)(value.rules, tmp_path / "value-1.json")
    with_value(monkeypatch, without)
    assert (computed(game).state, computed(game).reason) == (State.NONE, "no_value_function")
    (tmp_path / "value-1.json").write_text("{}")
    assert KINDS["chinese_ten"].usable_value is None
    (tmp_path / "value-1.json").write_text(value.file.read_text())
    find_ledgers()
    assert computed(game).state == State.DONE


def test_games_by_former_rules_and_of_removed_kinds_say_why_they_have_none(game: Game) -> None:
    Game.objects.filter(pk=game.pk).update(rules_version=99)
    assert computed(game).reason == "other_rules"
    LuckLedger.objects.all().delete()
    with removed_kinds("chinese_ten"):
        assert computed(game).reason == "no_kind"


def test_another_value_function_makes_a_ledger_beside_the_old_one_which_keeps_its_figures(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = computed(game)
    with_value(monkeypatch, other_value())
    compute_ledgers()
    find_ledgers()
    assert LuckLedger.objects.count() == 1, "only who asks for it gets another"
    call_command("luck_ledgers", "--renew", stdout=StringIO())
    call_command("luck_ledgers", "--renew", stdout=StringIO())
    rows = list(LuckLedger.objects.order_by("pk").values())
    assert [row["value_hash"] for row in rows] == [old.value_hash, "f" * 16]
    assert rows[0] == LuckLedger.objects.filter(pk=old.pk).values().get()
    assert rows[0]["luck"] == old.luck


def test_a_deleted_ledger_comes_again_to_the_byte(game: Game) -> None:
    def figures() -> Mapping[str, Any]:
        compute_ledgers()
        return LuckLedger.objects.values("luck", "own", "entries", "luck_error", "value_hash", "state").get(game=game)

    first = figures()
    LuckLedger.objects.all().delete()
    assert figures() == first


def test_a_ledger_from_before_keeps_its_luck_and_says_nothing_of_play_until_it_is_computed_again(
    game: Game, client: Client
) -> None:
    new = computed(game)
    made = LuckLedger.objects.filter(game=game)
    old_entries = [[2, "chance", None, [1, -1]], [3, "decision", 1, [20, -20]]]
    made.update(policy="", own=[0.3, 0.1], others=[-0.1, -0.3], unexplained=[], own_error=[], entries=old_entries)
    with connection.cursor() as cursor:
        cursor.execute(import_module("replays.review.migrations.0004_own_play").FORWARD)
    old = made.get()
    assert (old.luck, old.own, old.others) == (new.luck, [0.0, 0.0], [0.0, 0.0])
    assert old.unexplained == pytest.approx([0.2, -0.2])
    assert old.entries == [old_entries[0], [3, "unexplained", None, [20, -20]]]
    seat = client.get(f"/api/v1/games/{game.public_id}/luck/").json()["seats"][0]
    assert (seat["own"], seat["others"], seat["own_error"]) == (None, None, None)
    assert "play worth" not in client.get(f"/games/{game.public_id}/").content.decode()
    call_command("luck_ledgers", stdout=StringIO())
    assert (made.get().policy, made.get().own, made.get().luck) == ("sensible", new.own, new.luck)


def test_a_ledger_that_a_search_passed_by_is_found_by_the_next_full_one(game: Game, both: list[Player]) -> None:
    with clock.frozen_at(clock.now() + timedelta(hours=2)):
        later = play_on(open_game(both), 2)
        play.leave_game(game=later, seat=0, how=RESIGNED)
    computed(later)
    LuckLedger.objects.filter(game=game).delete()
    compute_ledgers()
    assert not LuckLedger.objects.filter(game=game).exists()
    find_ledgers()
    assert computed(game).state == State.DONE


def test_the_command_says_what_differs_and_corrects_it(game: Game) -> None:
    computed(game)
    LuckLedger.objects.update(luck=[0.5, -0.5])
    words = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("luck_ledgers", "--check", stdout=words)
    assert ended.value.code == 1
    assert f"game {game.public_id} has another luck than" in words.getvalue()
    call_command("luck_ledgers", stdout=words)
    with pytest.raises(SystemExit) as ended:
        call_command("luck_ledgers", "--check", stdout=words)
    assert (ended.value.code, words.getvalue().splitlines()[-1]) == (0, "no differences")


def test_the_metrics_say_how_many_wait_for_a_worker(game: Game) -> None:
    ledgers.find_games()
    assert game.finished_at
    found = ledgers.due_queue(game.finished_at + timedelta(seconds=90))
    assert (found.name, found.waiting, found.oldest) == ("luck", 1, 90)
    assert b'scorebook_queue_waiting{place="due",queue="luck"} 1.0' in metrics.text()
    compute_ledgers()
    assert ledgers.due_queue(clock.now()).waiting == 0


# -- claims


def test_a_claimed_ledger_is_not_claimed_twice_and_comes_back_when_its_worker_is_lost(game: Game) -> None:
    ledgers.find_games()
    lost = ledgers.claim(10)
    assert [row.game_id for row in lost] == [game.pk]
    assert ledgers.claim(10) == []
    be_due()
    [taken] = ledgers.claim(10)
    assert not ledgers.store(lost[0], {"state": State.NONE, "reason": "not_dealt"}), "its claim is over"
    ledgers.compute(taken)
    assert LuckLedger.objects.get(game=game).state == State.DONE


def test_a_game_that_kills_its_workers_is_given_up_and_told_to_the_admins(game: Game) -> None:
    ledgers.find_games()
    for _ in range(claims.MAX_ATTEMPTS):
        assert len(ledgers.claim(10)) == 1
        be_due()
    assert ledgers.claim(10) == []
    assert LuckLedger.objects.get(game=game).state == State.FAILED
    assert Incident.objects.get().sentence == f"The luck ledger of game {game.public_id} failed 5 times."


def test_a_ledger_that_fails_is_tried_again_and_given_up_until_an_admin_asks(
    game: Game, failing: None, client: Client
) -> None:
    for _ in range(claims.MAX_ATTEMPTS):
        assert not Incident.objects.exists()
        compute_ledgers()
        assert LuckLedger.objects.get(game=game).state in (State.WAITING, State.FAILED)
        be_due()
    incident = Incident.objects.get(game=game)
    assert "ZeroDivisionError" in incident.detail
    compute_ledgers()
    assert LuckLedger.objects.get(game=game).attempts == claims.MAX_ATTEMPTS
    admin = User.objects.create_superuser("admin")
    action = next(each for each in admin_actions.every_action() if each.code == "retry_ledgers")
    assert action.words(**action.act(None, reason="fixed", by=admin)) == "1 luck ledger is tried again."
    assert LuckLedger.objects.get(game=game).state == State.WAITING


def test_a_failed_ledger_is_computed_again_when_the_value_function_was_mended(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as failing:
        failing.setattr(ledgers, "ledger_of", lambda *_: 1 / 0)
        for _ in range(claims.MAX_ATTEMPTS):
            compute_ledgers()
            be_due()
        find_ledgers()
        assert LuckLedger.objects.get(game=game).state == State.FAILED, "the same would fail again"
    with_value(monkeypatch, other_value())
    find_ledgers()
    row = computed(game)
    assert (row.state, row.value_hash) == (State.DONE, "f" * 16)


def test_games_with_people_come_first(game: Game, both: list[Player]) -> None:
    own = play_on(open_game(both), 2)
    play.leave_game(game=own, seat=0, how=RESIGNED)
    ledgers.find_games()
    assert [row.game_id for row in ledgers.claim(1)] == [own.pk]
    assert [row.game_id for row in ledgers.claim(1)] == [game.pk]


def test_a_ledger_that_was_tried_before_is_claimed_alone(game: Game, both: list[Player]) -> None:
    ledgers.find_games()
    ledgers.claim(10)
    be_due()
    assert len(ledgers.claim(10)) == 1
    own = play_on(open_game(both), 2)
    play.leave_game(game=own, seat=0, how=RESIGNED)
    ledgers.find_games()
    be_due()
    assert [row.game_id for row in ledgers.claim(10)] == [own.pk]
    assert [row.game_id for row in ledgers.claim(10)] == [game.pk]
