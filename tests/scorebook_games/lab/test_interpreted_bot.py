"""A bot's file in this interpreter, as a worker in a browser runs it: lines, clocks, faults, prints, resumed games."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scorebook_games import text
from scorebook_games.bots.process import Fault
from scorebook_games.bots.protocol import DEFAULT_CLOCK, START_TIMEOUT_MS, hello_line
from scorebook_games.cli.players import BotPlayer, BuiltInPlayer
from scorebook_games.cli.process import LocalProcess
from scorebook_games.cli.record import decisions, exported, recorded
from scorebook_games.cli.series import deal_seed
from scorebook_games.cli.table import STRIKES, Table
from scorebook_games.lab import bridge, hashes
from scorebook_games.lab.bot import InterpretedBot
from scorebook_games.registry import KINDS
from tests.parameters import mostly_slow

AT_RANDOM = "return view.random.choice(legal)"
PRINTS = "print('I may make', len(legal), 'moves')\nreturn legal[0]"
HELLO = json.dumps(hello_line("chinese_ten", 0, 2, {}, {}, 7, 1)).encode()


def bot_with(move: str, before: str = "") -> str:
    body = "\n        ".join(move.splitlines())
    return f"{before}\nclass Bot:\n    def move(self, view, legal):\n        {body}\n"


def asked(source: str, kind: str = "chinese_ten", **more: Any) -> dict[str, Any]:
    """Return a request to play deal 3 against `random` at the smallest table."""
    against = ["random"] * (KINDS[kind].spec.seats_min - 1)
    return {"kind": kind, "source": source, "against": against, "seat": 0, "deal": 3, "options": {}, **more}


def answer_to(act: str, request: dict[str, Any], news: list[Any] | None = None) -> dict[str, Any]:
    send = (lambda text: news.append(json.loads(text))) if news is not None else lambda _news: None
    answer: dict[str, Any] = json.loads(bridge.ask(act, json.dumps(request), send))
    return answer


def events_of(played: dict[str, Any]) -> list[str]:
    """Return the events of a game as bytes; their times are left out."""
    return [batch["body"] for batch in played["export"]["log"]["batches"]]


@pytest.mark.parametrize("kind", mostly_slow(sorted(KINDS), ["chinese_ten", "plate_spinner"]))
def test_a_game_has_the_same_events_as_with_a_process_of_its_own(tmp_path: Path, kind: str) -> None:
    seed = deal_seed(kind, 3)
    file = tmp_path / "bot.py"
    file.write_text(bot_with(AT_RANDOM))
    process = BotPlayer("bot.py", lambda number: LocalProcess.start(file, number), {**DEFAULT_CLOCK})
    others = [BuiltInPlayer("random", seed) for _ in range(KINDS[kind].spec.seats_min - 1)]
    there = Table(kind, [process, *others], {}, seed, 3 * (1 + len(others))).play()
    process.close()
    here = answer_to("play", asked(file.read_text(), kind))
    assert events_of(here) == events_of({"export": exported(there, datetime.now(UTC))})
    assert here["faults"] == []


def test_what_a_bot_prints_stands_at_the_move_at_which_it_printed() -> None:
    news: list[Any] = []
    played = answer_to("play", asked(bot_with(PRINTS)), news)
    frames = {frame["version"]: frame for frame in played["replay"]["frames"]}
    assert len(played["notes"]) == played["times"]["asks"] > 5
    assert all(frames[note["version"] + 1]["seat"] == 0 for note in played["notes"])
    assert {note["text"].split()[0] for note in played["notes"]} == {"I"}
    assert ["heard", "I may make"] in news, "it is heard while the bot computes, so that a bot that hangs is heard"


def test_an_error_is_a_crash_whose_traceback_begins_in_the_file() -> None:
    played = answer_to("play", asked(bot_with("return view['cards']")))
    assert [fault["kind"] for fault in played["faults"]] == ["crashed"] * STRIKES
    first = played["faults"][0]
    assert first["output"].startswith('Traceback (most recent call last):\n  File "bot.py", line 4, in move\n')
    assert first["output"].endswith("KeyError: 'cards'\n")
    assert played["faults"][-1]["cost"] == "forfeit"
    assert played["replay"]["game"]["termination"] == "forfeited"


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ("class Bot\n", "start_crashed", "SyntaxError"),
        ("x = 1\n", "start_crashed", "The file has no class Bot."),
        ("raise SystemExit(3)\n", "start_crashed", "exit code 3"),
        ("", "request", "The file is empty."),
    ],
)
def test_a_file_that_cannot_be_run_is_refused_with_the_reason(source: str, kind: str, words: str) -> None:
    refused = answer_to("play", asked(source))["refused"]
    assert refused["kind"] == kind
    assert words in refused["reason"] + refused["output"]


@pytest.mark.parametrize("module", ["js", "pyodide", "scorebook_games.registry"])
def test_a_module_that_the_sandbox_lacks_is_missing_here_too(module: str) -> None:
    refused = answer_to("play", asked(bot_with(AT_RANDOM, f"import {module}")))["refused"]
    assert f"ModuleNotFoundError: No module named '{module}'" in refused["output"]


def test_the_sdk_can_be_imported() -> None:
    source = bot_with(AT_RANDOM, "import scorebook_bot").replace("class Bot", "class Bot(scorebook_bot.Bot)")
    assert answer_to("play", asked(source))["faults"] == []


def test_an_answer_after_the_time_is_a_timeout_and_empties_the_bank() -> None:
    source = bot_with("import time\ntime.sleep(0.02)\nreturn legal[0]")
    played = answer_to("play", asked(source, clock={"move_ms": 1, "bank_ms": 1}))
    assert played["faults"][0]["kind"] == "timeout"
    assert played["faults"][0]["reason"] == "The bot did not answer within 2 ms."
    assert played["faults"][1]["reason"] == "The bot did not answer within 1 ms."


def test_an_answer_that_the_rules_do_not_allow_names_the_legal_moves() -> None:
    fault = answer_to("play", asked(bot_with("return 'lay 1C'")))["faults"][0]
    assert fault["kind"] == "illegal_move"
    assert fault["evidence"]["move"] == "lay 1C"
    assert fault["evidence"]["legal"]


class Killed(BaseException):
    """The worker was ended."""


class Watchdog:
    """What a page does about bots that hang: it ends their worker, and lets the game go on in another one."""

    def __init__(self, hangs: Callable[[int, int], bool]) -> None:
        self.hangs = hangs  # whether the bot of a seat never answers at a version
        self.hung: list[tuple[int, int]] = []
        self.events: list[Any] = []
        self.faults: dict[tuple[int, int], dict[str, Any]] = {}

    def play(self, request: dict[str, Any]) -> dict[str, Any]:
        """Play a game to its end."""
        for _worker in range(10):
            resume = {"events": list(self.events), "faults": list(self.faults.values())}
            with suppress(Killed):
                told = {**request, "resume": resume} if self.hung else request
                answer: dict[str, Any] = json.loads(bridge.ask("play", json.dumps(told), self.hear))
                return answer
        raise AssertionError("The bots never forfeited.")

    def hear(self, text: str) -> None:
        what, *news = json.loads(text)
        if what != "asking":
            return
        seat, version, limit, events, faults = news
        self.events += events
        self.faults |= {(fault["seat"], fault["version"]): fault for fault in faults}
        if limit > START_TIMEOUT_MS and self.hangs(seat, version):
            self.hung.append((seat, version))
            fault = {"seat": seat, "version": version, "kind": "timeout", "reason": "It hung.", "output": "so far"}
            self.faults[seat, version] = {**fault, "evidence": {"reason": "It hung."}, "cost": ""}
            raise Killed


def test_a_game_goes_on_after_the_worker_of_a_bot_that_never_answers_was_ended() -> None:
    watchdog = Watchdog(lambda _seat, version: version > 9 and not watchdog.hung)
    played = watchdog.play(asked(bot_with(AT_RANDOM)))
    (hung,) = watchdog.hung
    (fault,) = played["faults"]
    assert (fault["seat"], fault["version"], fault["kind"], fault["output"]) == (*hung, "timeout", "so far")
    assert fault["cost"]
    assert played["replay"]["frames"][0]["version"] == 2
    assert played["replay"]["game"]["termination"] == "rules"


def test_a_bot_that_always_hangs_forfeits_as_one_that_always_crashes() -> None:
    watchdog = Watchdog(lambda _seat, _version: True)
    played = watchdog.play(asked(bot_with(AT_RANDOM)))
    assert [fault["kind"] for fault in played["faults"]] == ["timeout"] * STRIKES
    assert played["faults"][-1]["cost"] == "forfeit"
    assert len(watchdog.hung) == STRIKES


def test_crashes_before_a_bot_hangs_count_and_are_shown() -> None:
    watchdog = Watchdog(lambda _seat, version: version > 9)
    played = watchdog.play(asked(bot_with("return 1 / 0")))
    assert [fault["kind"] for fault in played["faults"]] == ["crashed"] * (STRIKES - 1) + ["timeout"]
    assert "ZeroDivisionError" in played["faults"][0]["output"]


def test_two_bots_that_hang_in_the_same_beat_both_forfeit() -> None:
    other = {"name": "bot.py", "source": bot_with(AT_RANDOM)}
    watchdog = Watchdog(lambda _seat, _version: True)
    played = watchdog.play(asked(bot_with(AT_RANDOM), "plate_spinner", against=[other]))
    assert {fault["seat"] for fault in played["faults"]} == {0, 1}
    assert played["faults"][-1]["cost"] == "forfeit"
    assert [seat["name"] for seat in played["replay"]["game"]["seats"]] == ["bot.py", "bot.py (2)"]


def test_each_bot_has_random_draws_of_its_own_in_one_interpreter() -> None:
    source = bot_with("", "import random").replace("        \n", "        return str(random.random())\n").encode()
    line = json.dumps(
        {"type": "move", "version": 2, "events": [], "observation": None, "legal": [], "clock_ms": 1}
    ).encode()

    def draws(turns: str, seeds: dict[str, int]) -> dict[str, list[str]]:
        bots = {name: InterpretedBot(source, seed, lambda _text: None) for name, seed in seeds.items()}
        found: dict[str, list[str]] = {name: [] for name in seeds}
        for bot in bots.values():
            bot.ask(HELLO, wall_ms=5000, cpu_ms=5000)
        for name in turns:
            found[name].append(json.loads(bots[name].ask(line, wall_ms=5000, cpu_ms=5000).line)["move"])
        return found

    together = draws("abbaab", {"a": 1, "b": 2})
    assert together["a"] == draws("aaa", {"a": 1})["a"]
    assert together["b"] == draws("bbb", {"b": 2})["b"]


def test_a_bot_that_has_ended_is_not_asked_again() -> None:
    bot = InterpretedBot(b"class Bot:\n    def move(self, view, legal):\n        exit\n", 1, lambda _text: None)
    bot.close()
    with pytest.raises(Fault, match="start_timeout"):
        bot.ask(HELLO, wall_ms=5000, cpu_ms=5000)


def test_another_viewpoint_of_a_game_is_made_from_its_export() -> None:
    played = answer_to("play", asked(bot_with(AT_RANDOM)))
    public = answer_to("view", {"export": played["export"], "viewpoint": "public"})
    assert played["replay"]["viewpoint"] == "0"
    assert public["viewpoint"] == "public"
    assert public["version"] == played["replay"]["version"]


def test_a_changed_bot_is_asked_again_at_one_decision_of_a_game() -> None:
    played = answer_to("play", asked(bot_with("return legal[0]")))
    decided = [decision.version for decision in decisions(recorded(played["export"])) if decision.seat == 0]
    request = {"export": played["export"], "seat": 0, "source": bot_with("return legal[0]")}
    same = answer_to("decide", {**request, "to": decided[1]})
    assert (same["asked"], same["differing"]) == (2, [])
    assert same["last"]["until"] == decided[1] + 1
    other = answer_to("decide", {**request, "to": decided[1], "source": bot_with("print('now')\nreturn legal[-1]")})
    assert other["last"]["says"] == [other["last"]["legal"][-1]]
    assert other["notes"][-1] == {"seat": 0, "version": decided[1], "text": "now\n"}
    assert "refused" in answer_to("decide", {**request, "to": 100_000})


def test_a_series_plays_each_deal_from_every_seat_until_its_test_has_decided() -> None:
    request = {**asked(bot_with("return legal[0]")), "games": 7}
    begun = bridge.begin("series", json.dumps(request), lambda _news: None)
    assert not isinstance(begun, str)
    steps = [json.loads(begun.step()) for _ in range(4)]
    assert [step["games"] for step in steps] == [2, 4, 6, 8]
    end = json.loads(begun.step())
    assert end == {**steps[-1], "over": True}
    refused = bridge.begin("series", json.dumps({**request, "source": ""}), lambda _news: None)
    assert isinstance(refused, str)
    assert "refused" in json.loads(refused)


def test_a_moment_of_a_game_is_analysed_step_by_step_with_its_moves_in_words_and_its_luck() -> None:
    export = answer_to("play", asked(bot_with("return legal[0]")))["export"]
    decided = [decision.version for decision in decisions(recorded(export)) if decision.seat == 0]
    moment = {"export": export, "seat": 0, "version": decided[1]}
    begun = bridge.begin("analyse", json.dumps(moment), lambda _news: None)
    assert not isinstance(begun, str)
    first, second = json.loads(begun.step()), json.loads(begun.step())
    assert second["spent"] > first["spent"]
    assert first["made"] in first["words"]
    entries = answer_to("luck", {"export": export})["entries"]
    assert {entry["sort"] for entry in entries} >= {"chance", "decision"}
    over = bridge.begin("analyse", json.dumps({**moment, "version": 10_000}), lambda _news: None)
    assert isinstance(over, str)
    assert json.loads(over)["refused"]["reason"] == "The game is over at this moment."


def test_a_series_counts_the_games_that_faults_forfeit() -> None:
    request = {**asked(bot_with("return 1 / 0")), "games": 4}
    begun = bridge.begin("series", json.dumps(request), lambda _news: None)
    assert not isinstance(begun, str)
    standing = json.loads(begun.step())
    assert standing["forfeits"] == 2
    assert [fault["deal"] for fault in standing["faults"]] == [3, 3]


@pytest.fixture
def translations() -> Iterator[None]:
    """Restore the translations of this process after the test."""
    before = text._in_use
    yield
    text.use_translations(before)


@pytest.mark.usefixtures("translations")
def test_words_are_in_the_readers_language() -> None:
    bridge.use_language("de")
    german = answer_to("play", asked(bot_with(AT_RANDOM)))["replay"]["frames"][0]["words"]
    text.use_translations(text.Translations(lambda message: message, text.english_plural))
    assert german != answer_to("play", asked(bot_with(AT_RANDOM)))["replay"]["frames"][0]["words"]


@pytest.mark.parametrize(("iterations", "length"), [(1, 32 * 7), (1, 40), (3, 65)])
def test_draws_are_the_same_where_python_has_no_openssl(iterations: int, length: int) -> None:
    given = ("sha256", b"seed", b"salt", iterations, length)
    assert hashes.pbkdf2_hmac(*given) == hashlib.pbkdf2_hmac(*given)
