"""Games on an author's machine with real processes: faults, what they cost, and the printed figures."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from replays.verify import read_export, verify
from scorebook_games.analysis.comparison import MAX_DEALS, Bounds
from scorebook_games.bots.process import Fault
from scorebook_games.bots.protocol import DEFAULT_CLOCK
from scorebook_games.cli import series
from scorebook_games.cli.players import BotPlayer, BuiltInPlayer
from scorebook_games.cli.process import LocalProcess
from scorebook_games.cli.record import NoRecord, decisions, exported, read, recorded
from scorebook_games.cli.series import Plan, Result, deal_means, deal_results, deal_seed, percentile, play
from scorebook_games.cli.table import STRIKES, Table
from scorebook_games.contract import Outcome
from scorebook_games.registry import KINDS
from tests.parameters import mostly_slow
from tests.scorebook_games.cli.conftest import BotFile
from tests.scorebook_games.games_in_memory import DAWDLING, SEED, Local

QUICK = {"move_ms": 200, "bank_ms": 0, "cpu_ms": 60_000}  # for bots that hang; a busy machine may delay others as long
LEGAL = "return legal[int(view.random.random() * len(legal))]"


@contextmanager
def player(file: Path, clock: dict[str, int] = DEFAULT_CLOCK) -> Iterator[BotPlayer]:
    with closing(BotPlayer(file.name, lambda seed: LocalProcess.start(file, seed), clock)) as bot:
        yield bot


def faulty(after: int, failure: str) -> str:
    """Return a method `move` that plays random moves and fails from a certain move on."""
    lines = ["self.asked = getattr(self, 'asked', 0) + 1", f"if self.asked > {after}:"]
    return "\n".join([*lines, *[f"    {line}" for line in failure.splitlines()], LEGAL])


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", mostly_slow(sorted(KINDS), ["chinese_ten", "plate_spinner"]))
def test_a_local_game_is_a_log_that_anybody_can_verify(bot_file: BotFile, kind: str) -> None:
    seats = min(3, KINDS[kind].spec.seats_max)
    with player(bot_file(move=LEGAL)) as bot:
        (*_, last) = play(Plan(kind, ("random",) * (seats - 1), {"turn_limit": 40}), bot, seats)
    export = exported(last.played, datetime(2026, 11, 21, tzinfo=UTC))
    assert verify(read_export(json.dumps(export))).faults == []
    assert last.played.failures == []
    again = recorded(json.loads(json.dumps(export)))
    assert again.players == ["random"] * (seats - 1) + ["mybot.py"]
    earlier = export | {"schema": 1, "game": export["game"] | {"players": again.players}}
    assert recorded(earlier) == again
    assert verify(read_export(json.dumps(earlier))).faults == []
    assert again.entries == last.played.entries
    assert [each.seat for each in decisions(again)].count(seats - 1) > 0


def test_each_deal_is_played_from_every_seat_and_drawn_from_its_number(bot_file: BotFile) -> None:
    plan = Plan("chinese_ten", ("random", "sensible"), {})
    with player(bot_file(move=LEGAL)) as bot:
        results = list(play(plan, bot, 4))
    assert [each.seat for each in results] == [0, 1, 2, 0, 1, 2]
    assert [each.played.seed for each in results] == [deal_seed("chinese_ten", deal) for deal in (0, 0, 0, 1, 1, 1)]
    assert [each.played.names for each in results[:3]] == [
        ["mybot.py", "random", "sensible"],
        ["random", "mybot.py", "sensible"],
        ["random", "sensible", "mybot.py"],
    ]
    dealt = [each.played.entries[1].event for each in results]
    assert dealt[0] == dealt[1] == dealt[2] != dealt[3]


def test_each_game_starts_a_process_whose_chance_is_the_seats_as_on_the_server(bot_file: BotFile) -> None:
    source = f"""
        import random
        drawn = random.random()
        class Bot:
            def move(self, view, legal):
                print(view.seed, drawn)
                {LEGAL}
    """
    sentence = set()
    with player(bot_file(source)) as bot:
        for _result in play(Plan("chinese_ten", ("random",), {}), bot, 2):
            seed, drawn = bot.stderr().split()[-2:]
            assert float(drawn) == random.Random(int(seed)).random()
            sentence.add(seed)
        assert len(bot.times.wall) == len(bot.times.cpu) > 10
    assert len(sentence) == 2


def test_a_question_has_one_deadline_for_all_that_is_said_to_it(bot_file: BotFile) -> None:
    """All answers but the last belong to other questions, and each takes a part of the time."""
    game = Local("chinese_ten")
    with player(bot_file(DAWDLING), {**QUICK, "move_ms": 100}) as bot:
        bot.begin(game.fold, 0, 1)
        with pytest.raises(Fault, match="timeout"):
            bot.choose(game.fold, game.entries)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("failure", "kind", "sentence"),
    [
        ("while True: pass", "timeout", "The bot did not answer within 200 ms."),
        ("raise ValueError('no ideas')", "crashed", "The bot's process ended with exit code 1."),
        ("return 'play Z'", "illegal_move", "A move is written"),
        ("return 'x' * 300", "bad_reply", '"move" has 300 characters'),
    ],
)
def test_a_fault_costs_a_move_by_lot_and_the_third_the_game(
    bot_file: BotFile, failure: str, kind: str, sentence: str
) -> None:
    with player(bot_file(move=faulty(2, failure)), QUICK if kind == "timeout" else DEFAULT_CLOCK) as bot:
        played = Table("palace", [bot, BuiltInPlayer("sensible", SEED)], {}, SEED, 0).play()
    assert [each.fault.kind for each in played.failures] == [kind] * STRIKES
    assert all(sentence in each.fault.evidence["reason"] for each in played.failures)
    assert played.failures[-1].cost == "forfeit"
    assert played.fold.left == [0]
    assert played.outcome.placings == (2, 1)
    assert verify(read_export(json.dumps(exported(played, datetime.now(UTC))))).faults == []


def test_among_three_another_bot_plays_on_for_who_forfeits(bot_file: BotFile) -> None:
    with player(bot_file(move="return 'nothing'")) as bot:
        others = [BuiltInPlayer("random", SEED), BuiltInPlayer("random", SEED)]
        played = Table("chinese_ten", [bot, *others], {}, SEED, 0).play()
    assert played.fold.taken_over == {0: "random"}
    assert played.outcome.termination == "rules"
    assert played.outcome.placings[0] == 3


def test_after_a_crash_a_new_process_is_told_the_whole_game_and_plays_on(bot_file: BotFile) -> None:
    move = f"""
        print(len(view.history))
        if len(view.history) > max(20, len(view.events)):
            raise SystemExit(1)
        {LEGAL}
    """
    with player(bot_file(move=move)) as bot:
        played = Table("palace", [bot, BuiltInPlayer("random", SEED)], {}, SEED, 0).play()
    crashes = [each for each in played.failures if each.fault.kind == "crashed"]
    assert crashes
    first = int(crashes[0].fault.stderr.split()[-1])
    assert first == crashes[0].version - 1  # the history is all but the opening


def test_a_bundle_that_goes_wrong_costs_a_bundle_by_lot(bot_file: BotFile) -> None:
    source = """
        class Bot:
            def move(self, view, legal): return legal[-1]
            def bundle(self, view, legal):
                if view.beat == 2:
                    return ["dance"]
                return ["roll " + legal["dice"]] if legal["roll"] else ["finish"]
    """
    with player(bot_file(source)) as bot:
        played = Table("plate_spinner", [bot, BuiltInPlayer("random", SEED)], {"turn_limit": 30}, SEED, 0).play()
    faults = [each.fault for each in played.failures if each.fault.evidence["move"] == "dance"]
    assert faults[0].kind == "illegal_move"
    assert any(move.startswith("roll ") for move in faults[0].evidence["legal"])


def test_a_bot_that_does_not_start_ends_the_series(bot_file: BotFile) -> None:
    with player(bot_file("import numpy")) as bot, pytest.raises(Fault, match="start_crashed"):
        list(play(Plan("palace", ("random",), {}), bot, 2))


def test_the_bank_pays_for_what_goes_beyond_a_move(bot_file: BotFile) -> None:
    move = f"import time\nprint(view.clock_ms)\ntime.sleep(.1 if not view.events[0]['version'] > 3 else 0)\n{LEGAL}"
    clock = {"move_ms": 50, "bank_ms": 5000, "cpu_ms": 60_000}
    with player(bot_file(move=move), clock) as bot:
        Table("chinese_ten", [bot, BuiltInPlayer("random", SEED)], {}, SEED, 0).play()
        found = [int(line) for line in bot.stderr().split()]
    assert found[0] == 5050
    assert found[1] <= 5000
    assert 0 < found[-1] < 5050


# -- figures


def result(placings: tuple[int, ...], seat: int) -> Result:
    """Return a finished game with this result for a bot in `seat`."""
    players = [BuiltInPlayer("random", SEED) for _ in placings]
    game = Table("chinese_ten", players, {"turn_limit": 1}, SEED, 0).play()
    game.fold.ended = Outcome("rules", (0,) * len(placings), placings)
    return Result(game, seat)


def test_shares_count_ties_by_half_and_a_shared_win_as_a_part() -> None:
    assert (result((1, 2, 3), 0).points, result((1, 2, 3), 0).win_share) == (1.0, 1.0)
    assert (result((1, 2, 3), 1).points, result((1, 2, 3), 1).win_share) == (0.5, 0.0)
    assert (result((1, 1, 3), 1).points, result((1, 1, 3), 1).win_share) == (0.75, 0.5)
    assert result((1, 1), 0).points == 0.5


def test_a_deal_counts_once_it_was_played_from_every_seat() -> None:
    won, lost = result((1, 2), 0), result((2, 1), 0)
    assert deal_results([won, lost, won, won, lost], 2) == [(0.5, 0.5), (1.0, 1.0)]
    assert deal_means([won, lost], 2, lambda each: float(each.seat)) == [0.0]
    assert deal_results([won], 2) == []


@pytest.mark.parametrize(("share", "deals"), [(1.0, 6), (0.5, MAX_DEALS)])
def test_play_goes_on_until_the_test_has_decided(
    monkeypatch: pytest.MonkeyPatch, bot_file: BotFile, share: float, deals: int
) -> None:
    """The bot wins every game, or every second deal, which is between the bounds."""

    def played(kind: str, players: Any, options: Any, seed: bytes, number: int) -> Any:
        won = share == 1.0 or number % 4 < 2
        own = number % 2
        placings = (1, 2) if won == (own == 0) else (2, 1)
        return SimpleNamespace(play=lambda: SimpleNamespace(outcome=Outcome("rules", (0, 0), placings), entries=[]))

    monkeypatch.setattr(series, "Table", played)
    with player(bot_file(move=LEGAL)) as bot:
        games = list(play(Plan("chinese_ten", ("random",), {}, bounds=Bounds(-20, 20)), bot))
    assert len(games) == 2 * deals


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(value) for value in range(1, 101)]
    assert [percentile(values, percent) for percent in (50, 90, 99, 100)] == [50.0, 90.0, 99.0, 100.0]
    assert percentile([], 50) == 0.0
    assert percentile([3.0], 1) == 3.0


# -- files


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"format": "scorebook-game", "schema": 2}',
        '{"format":"scorebook-game","schema":1}',
        "[" * 10**5,
    ],
)
def test_what_is_no_export_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "game.json").write_text(text)
    with pytest.raises(NoRecord, match=re.escape("game.json is not the JSON export of a game")):
        read(str(tmp_path / "game.json"))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoRecord, match="can't be read"):
        read(str(tmp_path / "nothing.json"))
