"""The time of an uploaded bot: each question has one deadline, and a game has one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from games import sandbox
from games.bots import time_slices
from games.common import clock
from games.models import Game
from games.play import services as play
from games.play.models import Fault
from games.sandbox import policy
from games.workers import kept_processes, leases, runner, sandboxed_bot, uploaded_bots
from games.workers.sandboxed_bot import Failure, SandboxedBot
from scorebook_games.gamelog.terms import TERMS_SCHEMA, stored_terms, terms_of
from tests.games.bots.conftest import FIRST, Upload
from tests.games.bots.test_faults import BUSY, QUICK, bad, seated
from tests.games.conftest import BuiltInBot
from tests.scorebook_games.games_in_memory import DAWDLING, Local

CPU_LIMIT = next(option for option in TERMS_SCHEMA if option.name == "bot_cpu_ms")
CRASHING = """
from time import thread_time
until = thread_time() + 0.2
while thread_time() < until:
    pass
class Bot:
    def move(self, view, legal):
        raise ValueError(view.clock_ms)
"""
PARTS = """
import scorebook_bot
from time import thread_time
class Bot:
    def move(self, view, legal):
        print(view.clock_ms)
        until = thread_time() + 0.06
        while thread_time() < until:
            pass
        return legal[0]
"""


def game_of(kind: str, **terms: int) -> Local:
    """Return a game in memory in which a bot has 100 ms for an answer and no bank."""
    game = Local(kind)
    game.fold.opened["terms"] |= {"bot_move_ms": 100, "bot_bank_ms": 0, **terms}
    return game


def failure_of(bot: SandboxedBot, game: Local) -> Failure:
    with pytest.raises(Failure) as failed:
        bot.choose(game.fold, game.entries)
    return failed.value


def test_answers_to_something_else_are_passed_over_within_the_time_of_the_question() -> None:
    """The bot computes for 144 ms in total. A new deadline for each answer would accept it."""
    with closing(SandboxedBot(DAWDLING.encode(), 0, 1)) as bot:
        failure = failure_of(bot, game_of("chinese_ten"))
    assert failure.kind == "timeout"
    assert failure.evidence["wall_limit_ms"] == 100
    assert failure.evidence["wall_ms"] > 90


def test_the_parts_of_a_bundle_share_one_time_and_no_bot_is_told_less_than_none() -> None:
    with closing(SandboxedBot(PARTS.encode(), 0, 1)) as bot:
        failure = failure_of(bot, game_of("plate_spinner"))
    assert failure.kind == "timeout"
    first, *rest = map(int, failure.stderr.split())
    assert first == 100
    assert all(0 <= found <= 40 for found in rest)


def test_what_a_bot_used_for_an_answer_that_is_no_good_is_taken_from_its_bank() -> None:
    slow = (
        b"import time\nclass Bot:\n    def move(self, view, legal):\n        time.sleep(0.3)\n        return 'dance'\n"
    )
    with closing(SandboxedBot(slow, 0, 1)) as bot:
        failure = failure_of(bot, game_of("chinese_ten", bot_bank_ms=5000))
    assert failure.kind == "illegal_move"
    assert 200 <= failure.charged_ms <= 5000


def test_what_a_restart_takes_of_the_processor_is_the_games_and_what_a_start_takes_is_not() -> None:
    game = game_of("chinese_ten")
    with closing(SandboxedBot(CRASHING.encode(), 0, 1)) as bot:
        bot.begin(most_ends=3)
        assert failure_of(bot, game).kind == "crashed"
        first = bot.cpu_ms
        assert failure_of(bot, game).kind == "crashed"
        assert bot.cpu_ms - first >= 200 > first
        bot.begin(cpu_ms=59_950, ends=1, most_ends=3)
        assert failure_of(bot, game).kind == "cpu_limit"


def test_a_bot_that_ends_its_process_time_and_again_is_not_started_any_more() -> None:
    with closing(SandboxedBot(CRASHING.encode(), 0, 1)) as bot:
        bot.begin(most_ends=2)
        kinds = [failure_of(bot, game_of("chinese_ten")) for _ in range(4)]
    assert [failure.kind for failure in kinds] == ["crashed", "crashed", "restart_limit", "restart_limit"]
    assert str(kinds[3]).startswith("The bot’s process ended 2 times in this game")


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Provide a list of the seeds of all bots that are started. Bots that still run end after the test."""
    made: list[int] = []

    class Counting(sandbox.SandboxedProcess):
        @classmethod
        def start(cls, source: bytes, **given: Any) -> sandbox.SandboxedProcess:
            made.append(given["seed"])
            return super().start(source, **given)

    monkeypatch.setattr(sandboxed_bot, "SandboxedProcess", Counting)
    yield made
    for game, seat in list(kept_processes._kept_processes):
        kept_processes.drop(game, seat)


def played_for_a_while(answers: int) -> float:
    """Let a worker claim the game, play until the bot in seat 0 has given so many answers, and release it. Return the
    CPU ms that the bot had used before."""
    (hand,) = runner.load_sessions(leases.claim_sandboxed_games("sandbox 1", 1))
    bot = hand.sandboxed_bots[0]
    used = bot.cpu_ms
    while len(bot.times) < answers:
        assert hand.seat is not None
        runner.play_turn(hand, hand.seat, 0)
    runner.release_sessions(runner.store_sessions([hand]))
    return used


@pytest.mark.django_db
@pytest.mark.parametrize(("most", "count"), [(kept_processes.MAX_PROCESSES, 1), (0, 4)])
def test_a_game_starts_each_bot_once_as_long_as_there_is_room_for_it(
    most: int, count: int, upload: Upload, built_in: BuiltInBot, starts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_processes, "MAX_PROCESSES", most)
    game = play.open_game(
        kind="chinese_ten", players=[seated(upload(BUSY)), built_in("random")], terms={"rated": False}
    )
    used = [played_for_a_while(2) for _ in range(4)]
    assert len(starts) == count
    assert len(set(starts)) == 1  # always with the same seed
    assert used == sorted(set(used))  # its CPU time continues to count
    assert uploaded_bots.processor_used(game)[0] == pytest.approx(used[3] * 4 / 3, rel=0.3)


@pytest.mark.django_db
def test_a_bot_that_is_kept_is_ended_when_its_game_is_over(
    upload: Upload, built_in: BuiltInBot, starts: list[int]
) -> None:
    games = [
        play.open_game(kind="chinese_ten", players=[seated(upload(FIRST, name)), built_in("random")], terms=QUICK)
        for name in ("Gannet", "Puffin")
    ]
    for _ in games:
        played_for_a_while(1)
    kept_processes.tidy()
    assert len(kept_processes._kept_processes) == 2
    Game.objects.filter(pk=games[0].pk).update(status="aborted", finished_at=clock.now())
    kept_processes.tidy()
    assert [game for game, _seat in kept_processes._kept_processes] == [games[1].public_id]
    time_slices.play_time_slices("sandbox 1")
    assert not kept_processes._kept_processes
    assert len(starts) == 2


@pytest.mark.django_db
def test_how_often_a_bot_has_ended_its_process_is_counted_over_workers(upload: Upload, built_in: BuiltInBot) -> None:
    """A restart is recorded even if it cost nothing, because nobody may know that the seat could act."""
    version = upload(bad("crashed"))
    game = play.open_game(kind="chinese_ten", players=[seated(version), built_in("random")], terms=QUICK)
    row = {"bot_version": version, "game": game, "seat": 0, "position": 2, "at": clock.now(), "cost": "none"}
    Fault.objects.bulk_create(Fault(kind=kind, **row) for kind in ("crashed", "timeout", "bad_reply", "illegal_move"))
    (hand,) = runner.load_sessions(leases.claim_sandboxed_games("sandbox 1", 1))
    assert hand.sandboxed_bots[0].ends == 3
    assert hand.seat is not None
    runner.play_turn(hand, hand.seat, 0)
    runner.release_sessions(runner.store_sessions([hand]))
    last = Fault.objects.first()
    assert last is not None
    assert (last.kind, last.evidence["ends"]) == ("restart_limit", 3)


def test_no_terms_promise_more_processor_time_than_a_bots_process_may_use() -> None:
    assert (CPU_LIMIT.maximum, CPU_LIMIT.default) == (1000 * policy.CPU_SECONDS, 1000 * policy.CPU_SECONDS)


def test_terms_of_before_with_more_processor_time_than_there_ever_was_still_open_games() -> None:
    """A season that was set up with them goes on."""
    stored = {**terms_of({}).plain(), "bot_cpu_ms": 600_000}
    assert terms_of(stored_terms(stored)) == terms_of({})
