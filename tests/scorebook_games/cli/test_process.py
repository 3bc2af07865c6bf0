"""A bot in a separate process on its author's machine, including processes that hang and die."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from games.sandbox import output as sandbox_output
from scorebook_games.bots import output
from scorebook_games.bots.conversation import hello_to_seat
from scorebook_games.bots.process import Fault
from scorebook_games.bots.protocol import DEFAULT_CLOCK, encode_line
from scorebook_games.cli.process import SDK, LocalProcess
from tests.scorebook_games.cli.conftest import BotFile
from tests.scorebook_games.games_in_memory import Local

HELLO = encode_line(hello_to_seat(Local("palace").fold, 0, 7, DEFAULT_CLOCK))
ASK = encode_line(
    {
        "type": "move",
        "version": 3,
        "events": [],
        "observation": {"hand": ["8S"]},
        "legal": ["take", "play 8"],
        "clock_ms": 9,
    }
)
LONG_TIMEOUTS = {"wall_ms": 60_000, "cpu_ms": 10_000}


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_class_with_a_move_is_enough(bot_file: BotFile) -> None:
    with LocalProcess.start(bot_file(move="return legal[-1]")) as bot:
        assert json.loads(bot.ask(HELLO, **LONG_TIMEOUTS).line) == {
            "type": "ready",
            "protocol": 1,
            "want": ["observation", "events"],
            "kinds": [],
        }
        answer = bot.ask(ASK, **LONG_TIMEOUTS)
    assert json.loads(answer.line) == {"move": "play 8", "version": 3}
    assert 0 < answer.wall_ms < 120_000
    assert is_gone(bot.process.pid)


def test_a_file_that_ends_with_run_plays_by_itself_and_in_the_kit(bot_file: BotFile) -> None:
    source = """
        import scorebook_bot

        class Bot(scorebook_bot.Bot):
            kinds = ("palace",)
            want = ("observation",)

            def move(self, view, legal):
                return "play " + view["hand"][0][0]

        if __name__ == "__main__":
            scorebook_bot.run(Bot)
    """
    file = bot_file(source)
    (file.parent / "scorebook_bot.py").write_bytes(SDK.read_bytes())
    for bot in (LocalProcess.start(file), LocalProcess(["python3", str(file)])):
        with bot:
            assert json.loads(bot.ask(HELLO, **LONG_TIMEOUTS).line)["kinds"] == ["palace"]
            assert json.loads(bot.ask(ASK, **LONG_TIMEOUTS).line)["move"] == "play 8"


def test_what_a_bot_prints_goes_to_the_standard_error_and_breaks_nothing(bot_file: BotFile) -> None:
    move = """
        print("thinking of", legal)
        import os, sys
        os.write(1, b"straight to the descriptor\\n")
        sys.stdout.write("and by hand\\n")
        return legal[0]
    """
    with LocalProcess.start(bot_file(move=move)) as bot:
        bot.ask(HELLO, **LONG_TIMEOUTS)
        assert json.loads(bot.ask(ASK, **LONG_TIMEOUTS).line)["move"] == "take"
        assert bot.unasked() == b""
        written = bot.stderr()
    assert b"thinking of ['take', 'play 8']" in written
    assert b"straight to the descriptor" in written
    assert b"and by hand" in written


def test_beginning_and_end_of_the_standard_error_are_kept_and_more_does_not_stop_it(bot_file: BotFile) -> None:
    with LocalProcess.start(bot_file(move="print('x' * 3_000_000 + 'end')\nreturn legal[0]")) as bot:
        bot.ask(HELLO, **LONG_TIMEOUTS)
        bot.ask(ASK, **LONG_TIMEOUTS)
        assert bot.stderr() == b"x" * 4096 + b"\n[2991812 bytes left out]\n" + b"x" * 4092 + b"end\n"


@pytest.mark.parametrize("keeper", [output.KeptOutput, sandbox_output.KeptOutput])
def test_the_sandbox_and_the_kit_keep_the_same_of_a_bots_output(
    keeper: type[output.KeptOutput] | type[sandbox_output.KeptOutput],
) -> None:
    short, exact, long = keeper(), keeper(), keeper()
    short.add(b"a\n")
    exact.add(b"a" * 5000)
    exact.add(b"b" * 3192)
    for _ in range(3):
        long.add(b"c" * 4095 + b"\n")
    assert short.text() == b"a\n"
    assert exact.text() == b"a" * 5000 + b"b" * 3192
    assert long.text() == b"c" * 4095 + b"\n\n[4096 bytes left out]\n" + b"c" * 4095 + b"\n"


def test_what_a_bot_has_printed_without_a_line_end_is_there_when_it_is_ended(bot_file: BotFile) -> None:
    with LocalProcess.start(bot_file(move="print('at', 7, end=' ')\nwhile True: pass")) as bot:
        bot.ask(HELLO, **LONG_TIMEOUTS)
        with pytest.raises(Fault) as fault:
            bot.ask(ASK, wall_ms=200, cpu_ms=10_000)
    assert fault.value.stderr == b"at 7 "


def test_a_program_that_does_not_flush_its_answers_is_told_so() -> None:
    own = "import sys, time; sys.stdin.readline(); print('{}'); time.sleep(60)"
    with LocalProcess([sys.executable, "-c", own]) as bot, pytest.raises(Fault) as fault:
        bot.ask(HELLO, wall_ms=500, cpu_ms=10_000)
    assert fault.value.evidence["reason"] == (
        "The bot did not answer within 500 ms. It has written nothing to its standard output: let it flush after each "
        "line."
    )


@pytest.mark.some(1)
@pytest.mark.parametrize("move", ["while True: pass", "import time; time.sleep(60)", "import sys; sys.stdin.read()"])
def test_a_bot_that_hangs_is_ended_when_its_time_is_up(bot_file: BotFile, move: str) -> None:
    with LocalProcess.start(bot_file(move=f"print('wait')\n{move}")) as bot:
        bot.ask(HELLO, **LONG_TIMEOUTS)
        began = time.monotonic()
        with pytest.raises(Fault) as fault:
            bot.ask(ASK, wall_ms=200, cpu_ms=10_000)
        assert time.monotonic() - began < 30
    assert (fault.value.kind, fault.value.stderr) == ("timeout", b"wait\n")
    assert fault.value.evidence["reason"] == "The bot did not answer within 200 ms."
    assert is_gone(bot.process.pid)


def test_a_bot_that_ignores_signals_and_has_children_is_ended_with_them(bot_file: BotFile) -> None:
    move = """
        import os, signal
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        child = os.fork()
        if child:
            print(child)
        while True:
            signal.pause()
    """
    with LocalProcess.start(bot_file(move=move)) as bot:
        bot.ask(HELLO, **LONG_TIMEOUTS)
        with pytest.raises(Fault) as fault:
            bot.ask(ASK, wall_ms=500, cpu_ms=10_000)
    child = int(fault.value.stderr)
    until = time.monotonic() + 60
    while not is_gone(child) and time.monotonic() < until and Path(f"/proc/{child}/stat").exists():
        if Path(f"/proc/{child}/stat").read_text().split()[2] == "Z":  # ended; whoever adopted it has yet to look
            break
        time.sleep(0.01)
    else:
        assert is_gone(child)


def test_a_bot_that_does_not_read_is_not_waited_for(bot_file: BotFile) -> None:
    with LocalProcess.start(bot_file("import time\ntime.sleep(60)")) as bot, pytest.raises(Fault) as fault:
        bot.ask(b"x" * 1_000_000 + b"\n", wall_ms=200, cpu_ms=10_000)
    assert fault.value.kind == "start_timeout"


def test_a_bot_that_spends_too_much_processor_time_is_told_so(bot_file: BotFile) -> None:
    with LocalProcess.start(bot_file(move="sum(range(10_000_000))\nreturn legal[0]")) as bot:
        bot.ask(HELLO, **LONG_TIMEOUTS)
        with pytest.raises(Fault) as fault:
            bot.ask(ASK, wall_ms=10_000, cpu_ms=10)
    assert fault.value.kind == "cpu_limit"
    assert "10 ms were left" in fault.value.evidence["reason"]


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("class Bot\n", "SyntaxError"),
        ("import numpy\n", "ModuleNotFoundError"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("class Player: pass\n", "The file has no class Bot."),
        ("class Bot: pass\n", "The class Bot has no method move(self, view, legal)."),
        ("from scorebook_bot import Bot\n", "The class Bot has no method move(self, view, legal)."),
        ("x = b'0' * (1 << 30)\n", "MemoryError"),
    ],
)
def test_a_bot_that_does_not_load_says_why(bot_file: BotFile, source: str, written: str) -> None:
    with LocalProcess.start(bot_file(source)) as bot, pytest.raises(Fault) as fault:
        bot.ask(HELLO, **LONG_TIMEOUTS)
    assert fault.value.kind == "start_crashed"
    assert fault.value.evidence["reason"] == "The bot's process ended with exit code 1."
    assert written in fault.value.stderr.decode()


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("move", "reason", "written"),
    [
        ("raise ValueError('out of ideas')", "The bot's process ended with exit code 1.", "out of ideas"),
        ("import os; os._exit(3)", "The bot's process ended with exit code 3.", ""),
        ("import os; os.kill(os.getpid(), 11)", "The bot's process was stopped by SIGSEGV.", ""),
        ("return None", "The bot's process ended with exit code 1.", "move() returned None, which is not a move"),
        ("return 8", "The bot's process ended with exit code 1.", "move() returned 8, which is not a move"),
        ("open('/dev/shm/x', 'w').write('x' * 10_000)", "", "File"),
    ],
)
def test_a_bot_that_ends_in_the_middle_crashed(bot_file: BotFile, move: str, reason: str, written: str) -> None:
    with LocalProcess.start(bot_file(move=move)) as bot:
        bot.ask(HELLO, **LONG_TIMEOUTS)
        with pytest.raises(Fault) as fault:
            bot.ask(ASK, **LONG_TIMEOUTS)
    assert fault.value.kind == "crashed"
    assert reason in fault.value.evidence["reason"]
    assert written in fault.value.stderr.decode()


def test_a_line_without_an_end_is_not_read_for_ever() -> None:
    shout = ["python3", "-c", "import sys\nwhile True: sys.stdout.write('x' * 65536)"]
    with LocalProcess(shout) as bot, pytest.raises(Fault) as fault:
        bot.ask(HELLO, **LONG_TIMEOUTS)
    assert fault.value.kind == "bad_reply"
    assert "longer than 65536 bytes" in fault.value.evidence["reason"]


def test_asked_nothing_a_process_gives_its_next_line() -> None:
    with LocalProcess(["python3", "-c", "input(); print('one\\ntwo\\n')"]) as bot:
        assert bot.ask(b"\n", **LONG_TIMEOUTS).line == b"one"
        assert bot.ask(b"", **LONG_TIMEOUTS).line == b"two"


def test_what_was_written_before_an_ask_is_no_answer_to_it_and_not_lost_sight_of() -> None:
    early = "import sys\nfor line in sys.stdin:\n    print('answer', line.strip()); print('early', flush=True)"
    with LocalProcess(["python3", "-c", early]) as bot:
        assert bot.ask(b"1\n", **LONG_TIMEOUTS).line == b"answer 1"
        assert bot.ask(b"", **LONG_TIMEOUTS).line == b"early"
        bot.ask(b"2\n", **LONG_TIMEOUTS)
        until = time.monotonic() + 60
        while bot.unasked() != b"early\n" and time.monotonic() < until:
            pass
        assert bot.ask(b"3\n", **LONG_TIMEOUTS).line == b"answer 3"
        assert bot.unasked().startswith(b"early\n")


def test_a_program_that_is_not_there_is_a_fault_of_the_start() -> None:
    with pytest.raises(Fault, match="start_crashed: no-such-program can't be run"):
        LocalProcess(["no-such-program"])


def test_sets_come_in_the_same_order_in_every_process(bot_file: BotFile) -> None:
    orders = set()
    for _ in range(2):
        with LocalProcess.start(bot_file(move="return ' '.join({'a', 'b', 'c', 'd', 'e', 'f'})")) as bot:
            bot.ask(HELLO, **LONG_TIMEOUTS)
            orders.add(json.loads(bot.ask(ASK, **LONG_TIMEOUTS).line)["move"])
    assert len(orders) == 1
