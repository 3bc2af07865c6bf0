"""A bot does not run between its answer and its next question: a read hold or a signal stops it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator

import pytest

from games.sandbox import Fault, policy, seccomp, self_check
from games.sandbox import process as bot_process
from games.sandbox.monitor import QUICK_MS
from games.sandbox.process import GRACE_MS, Answer, BotProcess
from games.sandbox.supervisor import Zygote
from tests.sandbox.attacks import LONG_MS, SPEAK, hello, move
from tests.sandbox.test_sandboxed_process import PLAIN, let_others_run, sandboxed, state


@pytest.fixture(params=["held", "stopped"], scope="module")
def either(sandbox: self_check.Tier, request: pytest.FixtureRequest) -> Iterator[Zygote]:
    """Return two zygotes: one stops its bots at a read hold, the other by signals, as on older kernels."""
    running = Zygote(holds_reads=request.param == "held")
    yield running
    running.close()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a bot enough time to reach the read hold, however busy the machine is."""
    monkeypatch.setattr(bot_process, "GRACE_MS", LONG_MS)


def cpu_ms(process: BotProcess) -> float:
    return 1000 * time.clock_gettime(process._clock)


def asked(zygote: Zygote, source: bytes) -> BotProcess:
    """A bot that has received hello."""
    process = sandboxed(zygote, source)
    hello(process)
    return process


def speaking(then: str) -> bytes:
    """A bot that writes its answer itself, then runs `then`, and then returns the same answer."""
    head = f"import os\n{SPEAK}class Bot:\n    def move(self, view, legal):\n"
    return f"{head}        speak(view.version)\n        {then}\n        return legal[0]\n".encode()


def answers_to(process: BotProcess, version: int) -> list[Answer]:
    """All lines of the bot up to its answer to that question. A bot stopped earlier first repeats its old answer."""
    sentence = [move(process, version)]
    while json.loads(sentence[-1].line)["version"] != version:
        sentence.append(process.ask(b"", wall_ms=LONG_MS, cpu_ms=LONG_MS))
    return sentence


def settled(process: BotProcess) -> bool:
    """Wait until the bot is stopped: at the read hold, or in state T of the kernel."""
    if process._hold and process._hold.holds:
        return True
    while state(process.pid) != "T":
        os.sched_yield()
    return True


@pytest.mark.some(1)
def test_a_bot_that_has_answered_uses_no_processor_until_it_is_asked_again(either: Zygote) -> None:
    process = asked(either, PLAIN)
    move(process, 1)
    assert settled(process)
    before = cpu_ms(process)
    let_others_run()
    assert cpu_ms(process) == before
    assert json.loads(move(process, 2).line)["version"] == 2
    process.close()


def test_two_bots_never_run_at_the_same_time_though_one_wants_to_signal_to_the_other(either: Zygote) -> None:
    """A bot cannot notice the work of the other bot while it is asked."""
    sender, other = asked(either, speaking("if view.version % 2:\n            while True: pass")), asked(either, PLAIN)
    for version in (0, 1):
        move(sender, version)
        assert settled(sender)
        before = cpu_ms(sender)
        move(other, version)
        assert cpu_ms(sender) == before
    sender.close()
    other.close()


@pytest.mark.usefixtures("patient")
def test_a_bot_that_comes_back_is_held_and_gets_no_signal(zygote: Zygote) -> None:
    process = asked(zygote, PLAIN)
    assert process._hold
    assert process._hold.holds
    assert state(process.pid) in "SD"
    process.close()


def test_who_thinks_on_after_its_answer_pays_for_it(either: Zygote) -> None:
    """Each answer costs 3 ms more of processor time: on its own clock, or on the next if the bot was stopped before."""
    later = (
        "from time import thread_time\n        until = thread_time() + 0.003\n        while thread_time() < until: pass"
    )
    process = asked(either, speaking(later))
    answers = [answer for version in range(4) for answer in answers_to(process, version)]
    assert sum(answer.cpu_ms for answer in answers) >= 9
    assert sum(answer.wall_ms for answer in answers) >= 9
    process.close()


def test_who_never_comes_back_is_stopped_after_some_milliseconds_which_it_pays(either: Zygote) -> None:
    process = asked(either, speaking("while True: pass"))
    answer = move(process, 1)
    assert process._stopped
    assert settled(process)
    before = cpu_ms(process)
    let_others_run()
    assert cpu_ms(process) == before
    assert answer.cpu_ms <= answer.wall_ms + 1
    assert QUICK_MS + GRACE_MS < 20  # what it can have gained, and it has paid for it
    with pytest.raises(Fault) as caught:
        move(process, 2, cpu_ms=60)
    assert caught.value.kind == "cpu_limit"


def test_who_sleeps_after_its_answer_sleeps_in_its_own_time(zygote: Zygote) -> None:
    """The bot wakes when it is asked again, and not while another bot is asked."""
    process = asked(zygote, speaking("import time; time.sleep(60)"))
    move(process, 1)
    assert process._stopped
    assert settled(process)
    before = cpu_ms(process)
    let_others_run()
    assert cpu_ms(process) == before
    process.close()


def test_a_bot_that_reads_by_a_way_without_a_hold_is_stopped_by_a_signal(zygote: Zygote) -> None:
    own_way = b"""
import json, os
class Bot:
    def move(self, view, legal):
        version = view.version
        asked = bytearray(9999)
        while True:
            os.write(3, json.dumps({"move": "take", "version": version}).encode() + b"\\n")
            version = json.loads(asked[: os.readv(0, [asked])])["version"]
"""
    process = asked(zygote, own_way)
    for version in range(3):
        assert json.loads(move(process, version).line)["version"] == version
        assert process._stopped
        assert settled(process)
    process.close()


@pytest.mark.usefixtures("patient")
def test_an_ask_of_any_length_passes_the_hold(zygote: Zygote) -> None:
    process = asked(zygote, PLAIN)
    for version, pad in enumerate((0, 9_000, 65_000, 66_000, 300_000, 0)):
        assert json.loads(move(process, version, pad=pad).line)["version"] == version
        assert process._hold
        assert process._hold.holds
    process.close()


def test_what_was_said_besides_is_not_taken_for_the_next_answer(zygote: Zygote) -> None:
    process = asked(zygote, speaking("pass"))  # which answers twice
    for version in range(4):
        assert json.loads(answers_to(process, version)[-1].line)["version"] == version
    process.close()


def test_the_hold_belongs_to_the_policy_that_games_remember(monkeypatch: pytest.MonkeyPatch) -> None:
    before = policy.facts(uid="own", landlock=7)["seccomp"]
    monkeypatch.setattr(seccomp, "read_hold", lambda: b"")
    assert policy.facts(uid="own", landlock=7)["seccomp"] != before


@pytest.mark.slow
def test_a_kernel_that_cannot_hold_them_has_its_bots_stopped_by_signals(sandbox: self_check.Tier) -> None:
    older = Zygote(holds_reads=False)
    process = asked(older, PLAIN)
    assert process._hold is None
    assert process._stopped
    process.close()
    older.close()
