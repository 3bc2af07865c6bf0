"""A sandbox as the runner uses it: questions, stops, charged time, and the reason of an end."""

from __future__ import annotations

import json
import os
import platform
import random
import re
import select
import signal
import sys
import time
from pathlib import Path

import pytest

from games.sandbox import Fault, SandboxedProcess, policy, root, self_check, supervisor, vdso
from games.sandbox.process import BotProcess
from games.sandbox.supervisor import Zygote
from tests.sandbox.attacks import LONG_MS, hello, move

PLAIN = b"class Bot:\n    def move(self, view, legal): return legal[0]\n"


def sandboxed(zygote: Zygote, source: bytes) -> BotProcess:
    return BotProcess(zygote, source, wall_ms=LONG_MS, cpu_ms=LONG_MS)


def fault_of(zygote: Zygote, source: bytes) -> Fault:
    with pytest.raises(Fault) as caught:
        sandboxed(zygote, source)
    return caught.value


def printed(zygote: Zygote, source: bytes) -> str:
    """Return what a file that is not a bot prints."""
    return fault_of(zygote, source + b"\nraise SystemExit").stderr.decode()


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def test_a_bot_is_asked_and_answers(sandbox: self_check.Tier) -> None:
    with SandboxedProcess.start(PLAIN, hash_seed=0, wall_ms=LONG_MS, cpu_ms=LONG_MS) as process:
        assert json.loads(hello(process).line)["type"] == "ready"
        answer = move(process, 41)
    assert json.loads(answer.line) == {"move": "take", "version": 41}
    assert 0 < answer.cpu_ms < LONG_MS
    assert 0 < answer.wall_ms < LONG_MS


def test_nobody_is_left_when_the_sandbox_is_closed(sandbox: self_check.Tier) -> None:
    with SandboxedProcess.start(PLAIN, hash_seed=0, wall_ms=LONG_MS, cpu_ms=LONG_MS) as process:
        assert Path(f"/proc/{process.pid}").exists()
    assert not Path(f"/proc/{process.pid}").exists()


def test_a_bot_that_has_ended_is_not_asked_again(zygote: Zygote) -> None:
    process = sandboxed(zygote, PLAIN)
    process.close()
    with pytest.raises(Fault, match="infrastructure"):
        hello(process)


def test_a_bot_does_not_think_while_it_is_not_asked(zygote: Zygote) -> None:
    process = sandboxed(zygote, b"import os\nos.write(3, b'loaded\\n')\nwhile True: pass")
    while state(process.pid) != "T":  # the kernel ends the bot as soon as it would go on
        os.sched_yield()
    before = time.clock_gettime(process._clock)
    let_others_run()
    assert state(process.pid) == "T"
    assert time.clock_gettime(process._clock) == before
    process.close()


def let_others_run() -> None:
    """Yield the processor so often that any process which may run shows up as having run."""
    until = time.process_time() + 0.02
    while time.process_time() < until:
        os.sched_yield()


def test_what_it_says_unasked_is_forgotten_and_it_can_be_waited_for(zygote: Zygote) -> None:
    process = sandboxed(zygote, b"import os\nclass Bot:\n    def move(self, view, legal):\n"
                            b"        os.write(3, b'{\"move\": \"early\", \"version\": %d}\\n' % (view.version - 1))\n"
                            b"        return legal[0]\n")  # fmt: skip
    hello(process)
    for version in range(5):
        answer = move(process, version)
        while json.loads(answer.line)["version"] != version:
            answer = process.ask(b"", wall_ms=LONG_MS, cpu_ms=LONG_MS)
        assert json.loads(answer.line)["move"] == "take"
    process.close()


def test_of_a_line_that_it_has_begun_unasked_nothing_is_kept(zygote: Zygote) -> None:
    process = sandboxed(zygote, b"import os\nos.write(3, b'loaded\\n')\nwhile True:\n"
                            b"    os.read(0, 9999)\n    os.write(3, b'whole\\nhalf')\n")  # fmt: skip
    assert [process.ask(b"go\n", wall_ms=LONG_MS, cpu_ms=LONG_MS).line for _ in range(3)] == [b"whole"] * 3
    process.close()


def test_an_answer_that_comes_after_its_time_is_late_though_the_bot_computed_to_the_last(zygote: Zygote) -> None:
    """The answer is 15 ms late: less than the time between two looks at a bot that waits for a processor."""
    process = sandboxed(zygote, b"import time\nclass Bot:\n    def move(self, view, legal):\n"
                            b"        until = time.thread_time() + 0.215\n"
                            b"        while time.thread_time() < until: pass\n"
                            b"        return legal[0]\n")  # fmt: skip
    hello(process)
    with pytest.raises(Fault) as caught:
        move(process, 1, wall_ms=200)
    assert (caught.value.kind, caught.value.evidence["wall_limit_ms"]) == ("timeout", 200)


def test_its_chance_starts_from_a_number_of_its_own(zygote: Zygote) -> None:
    for seed in (7, 2**47):
        with pytest.raises(Fault) as caught:
            BotProcess(zygote, b"import random; print(random.random())", wall_ms=LONG_MS, cpu_ms=LONG_MS, seed=seed)
        assert float(caught.value.stderr.split()[0]) == random.Random(seed).random()


def test_beginning_and_end_of_what_it_prints_are_kept(zygote: Zygote) -> None:
    raised = fault_of(zygote, b"print('first words')\nprint('x' * 500_000)\nraise KeyError('last words')")
    assert raised.stderr.startswith(b"first words\nxxx")
    assert b"\n[49" in raised.stderr
    assert b" bytes left out]\nxxx" in raised.stderr
    assert raised.stderr.endswith(b"line 3, in <module>\n    raise KeyError('last words')\nKeyError: 'last words'\n")


def test_the_end_is_kept_too_where_nobody_read_any_more(zygote: Zygote) -> None:
    """It begins after the first MiB, and lies in the pipe when the bot ends."""
    raised = fault_of(zygote, b"print('x' * ((1 << 20) + 100))\nraise KeyError('last words')")
    assert raised.stderr.endswith(b"KeyError: 'last words'\n")


def test_what_it_has_printed_without_a_line_end_is_there_when_it_is_ended(zygote: Zygote) -> None:
    with pytest.raises(Fault) as caught:
        BotProcess(zygote, b"print('at', 7, end=' ')\nwhile True: pass", wall_ms=LONG_MS, cpu_ms=50)
    assert caught.value.stderr == b"at 7 "


def test_it_tells_the_version_of_the_python_that_runs_it(zygote: Zygote) -> None:
    found = printed(zygote, b"import platform, sys\nprint(sys.version)\nprint(platform.python_version())")
    assert found == f"{sys.version}\n{platform.python_version()}\n"


def test_a_hosts_path_is_removed_and_a_text_that_ends_like_it_stays() -> None:
    """A linker puts the text "3.11.7" into the end of the path."""
    content = b"\0/home/ada/3.11.7\0/home/ada/3.11.7/lib\0of /home/adam\0"
    blank = root.without_host_path(content, b"/home/ada/3.11.7")
    assert blank == b"\0//////////3.11.7\0//////////3.11.7/lib\0of /home/adam\0"
    assert root.without_host_path(content, b"/usr/local") == content


def test_a_fault_comes_with_evidence(zygote: Zygote) -> None:
    raised = fault_of(zygote, b"import os\nplan = 1 / 0")
    assert raised.kind == "start_crashed"
    assert raised.evidence["exit_code"] == 1
    assert raised.evidence["memory"] > 1 << 20
    assert b'File "bot.py", line 2' in raised.stderr
    assert b"plan = 1 / 0" in raised.stderr


def test_a_fault_of_time_says_how_much_there_was(zygote: Zygote) -> None:
    with pytest.raises(Fault) as caught:
        BotProcess(zygote, b"while True: pass", wall_ms=LONG_MS, cpu_ms=50)
    evidence = caught.value.evidence
    assert (caught.value.kind, evidence["cpu_limit_ms"], evidence["at"]) == ("cpu_limit", 50, "start")
    assert evidence["cpu_ms"] >= 50


BUSY = b"""
import time
class Bot:
    def move(self, view, legal):
        until = time.thread_time() + view["seconds"]
        while time.thread_time() < until: pass
        return legal[0]
"""


def compute(process: BotProcess, seconds: float) -> None:
    asked = {"type": "move", "version": 1, "events": [], "observation": {"seconds": seconds}, "legal": ["take"]}
    process.ask(json.dumps(asked | {"clock_ms": 1000}).encode() + b"\n", wall_ms=LONG_MS, cpu_ms=LONG_MS)


def test_a_bots_life_has_an_end_that_is_measured_by_the_processor_time_that_it_really_used(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = sandboxed(zygote, BUSY)
    hello(process)
    monkeypatch.setattr(policy, "CPU_SECONDS", 0.3)
    compute(process, 0.1)
    with pytest.raises(Fault) as caught:
        compute(process, 0.3)
    assert caught.value.kind == "cpu_limit"
    assert caught.value.evidence["cpu_limit_ms"] < 200


def test_a_violation_names_the_signal(zygote: Zygote) -> None:
    raised = fault_of(zygote, b"import ctypes\nctypes.CDLL(None).ptrace(0, 0, 0, 0)")
    assert (raised.kind, raised.evidence["signal"]) == ("violation", "SIGSYS")


@pytest.mark.slow
def test_the_same_hash_seed_gives_the_same_bot(zygote: Zygote) -> None:
    source = b"print(sorted(map(hash, 'abc')))"
    again, other = Zygote(), Zygote(4)
    try:
        assert printed(zygote, source) == printed(again, source) == printed(zygote, source)
        assert printed(other, source) != printed(zygote, source)
    finally:
        for each in (again, other):
            each.close()


def test_every_module_that_is_promised_can_be_imported(zygote: Zygote) -> None:
    tried = "\n".join(f"import {name}" for name in policy.PROMISED)
    used = """
assert hashlib.sha256(b"x").hexdigest() and decimal.Decimal("0.1") + 1 and datetime.datetime.strptime("2026", "%Y")
assert uuid.uuid4() and secrets.token_hex() and "é".encode("idna") and lzma.decompress(lzma.compress(b"x"))
assert uuid.uuid4() and secrets.token_hex() and threading.Lock().acquire() and "é".encode("idna")
assert json.loads(json.dumps([1])) and pickle.loads(pickle.dumps([1])) and csv.reader(["a"]) and statistics.mean([1])
"""
    assert printed(zygote, f"{tried}\n{used}\nprint('all')".encode()) == "all\n"


def test_the_sdk_can_be_imported(zygote: Zygote) -> None:
    source = b"import scorebook_bot\nclass Bot(scorebook_bot.Bot):\n    def move(self, view, legal): return legal[0]\n"
    process = sandboxed(zygote, source)
    hello(process)
    assert json.loads(move(process, 1).line)["move"] == "take"
    process.close()


def test_nothing_of_one_bots_file_is_in_the_memory_of_the_next(zygote: Zygote) -> None:
    plan = b"my-secret-plan-" + b"z" * 40
    sandboxed(zygote, PLAIN + b"# " + plan * 100).close()
    search = b"""
import ctypes, errno, re
libc = ctypes.CDLL(None, use_errno=True)
libc.sbrk.restype = ctypes.c_long
begin = end = libc.sbrk(0) & ~4095
while libc.access(ctypes.c_void_p(begin - 4096), 0) == 0 or ctypes.get_errno() != errno.EFAULT:
    begin -= 4096
heap = ctypes.string_at(begin, end - begin)
print(len(heap) > 1 << 20, len(re.findall(b"plan-z{40}", heap)))
"""
    assert printed(zygote, search) == "True 0\n"


def test_none_of_the_hosts_files_is_in_its_memory(zygote: Zygote) -> None:
    """If several processes map a file, each can measure which of its pages the others have read from the disk."""
    process = sandboxed(zygote, PLAIN)
    maps = Path(f"/proc/{process.pid}/maps")
    if os.geteuid() == 0:
        devices = {line.split()[3] for line in maps.read_text().splitlines()} - {"00:00"}
        assert len(devices) == 1
        assert devices.isdisjoint(device_of(file) for file in (os.__file__, sys.executable, "/etc/passwd"))
    else:
        with pytest.raises(PermissionError):  # others than root may not look into a bot
            maps.read_text()
    process.close()


def test_it_has_no_page_of_the_vdso_which_all_processes_of_the_host_share(zygote: Zygote) -> None:
    """Their lines in the processor's caches would tell a bot in another sandbox what this one has read."""
    process = sandboxed(zygote, b"import time\ntime.time()\ntime.perf_counter()\n" + PLAIN)
    assert status(process.pid)["RssFile"] == "0 kB"
    if os.geteuid() == 0:
        maps = Path(f"/proc/{process.pid}/maps").read_text()
        assert [name for name in ("[vdso]", "[vvar") if name in maps] == []
    process.close()


def test_clocks_go_by_calls_to_the_kernel(zygote: Zygote) -> None:
    asked = b"""
import ctypes, time
libc = ctypes.CDLL(None)
before, now = time.time(), ctypes.c_long()
assert before <= time.time() and time.monotonic() <= time.monotonic() and time.get_clock_info("time").resolution < 1
assert libc.time(ctypes.byref(now)) == now.value >= int(before)
pair = (ctypes.c_long * 2)()
assert libc.gettimeofday(pair, None) == 0 and pair[0] >= int(before)
assert len(__import__("os").urandom(9)) == 9
print(before)
"""
    assert abs(float(printed(zygote, asked)) - time.time()) < 60


def test_a_vdso_without_a_clock_is_not_replaced() -> None:
    with pytest.raises(OSError, match="vDSO cannot be read"):
        vdso.without_clocks(bytes(8192))


def device_of(file: str) -> str:
    """Return the device as the kernel writes it in maps."""
    device = os.stat(file).st_dev
    return f"{os.major(device):02x}:{os.minor(device):02x}"


def test_asking_for_files_that_do_not_exist_leaves_nothing_in_the_kernels_memory(zygote: Zygote) -> None:
    def remembered() -> int:
        return int(Path("/proc/sys/fs/dentry-state").read_text().split()[4])  # names known not to exist, on this host

    before = remembered()
    asked = b"import os\nfor n in range(200_000): os.access(f'{os.__file__}-{n}', 0)\nprint('asked')"
    assert printed(zygote, asked) == "asked\n"
    assert remembered() - before < 100_000  # others on this host may ask, too


def test_reading_leaves_no_trace_that_another_bot_could_see(zygote: Zygote) -> None:
    library = Path(re.__file__)
    before = library.stat().st_atime_ns
    assert printed(zygote, b"import re\nprint(len(open(re.__file__).read()) > 99)") == "True\n"
    assert library.stat().st_atime_ns == before


def test_outside_it_is_nobody_we_know_and_may_nothing(zygote: Zygote) -> None:
    process = sandboxed(zygote, PLAIN)
    known = status(process.pid)
    uids = {int(uid) for uid in known["Uid"].split()}
    assert uids == ({supervisor.BOT_UID} if os.geteuid() == 0 else {os.geteuid()})
    assert (known["Seccomp"], known["NoNewPrivs"]) == ("2", "1")
    assert {known[each] for each in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    process.close()


def test_it_lives_in_namespaces_of_its_own(zygote: Zygote) -> None:
    process = sandboxed(zygote, PLAIN)
    known = status(process.pid)
    assert known["NSpid"].split() == [str(process.pid), "1"]
    assert known["NSsid"].split()[-1] == "1"
    process.close()


def test_two_bots_live_side_by_side_and_one_ends_alone(zygote: Zygote) -> None:
    first, second = sandboxed(zygote, PLAIN), sandboxed(zygote, PLAIN)
    hello(first)
    hello(second)
    first.close()
    assert json.loads(move(second, 2).line)["version"] == 2
    second.close()


def test_bots_of_different_seats_share_no_sandbox(sandbox: self_check.Tier) -> None:
    """If two bots share pages, the caches of the processor reveal which pages the other bot has read."""
    with (
        SandboxedProcess.start(PLAIN, hash_seed=0, seat=0, wall_ms=LONG_MS, cpu_ms=LONG_MS) as first,
        SandboxedProcess.start(PLAIN, hash_seed=0, seat=1, wall_ms=LONG_MS, cpu_ms=LONG_MS) as second,
        SandboxedProcess.start(PLAIN, hash_seed=0, seat=1, wall_ms=LONG_MS, cpu_ms=LONG_MS) as third,
    ):
        assert first._zygote is not second._zygote
        assert second._zygote is third._zygote


# -- when it is not the bot


def test_a_dead_zygote_is_nobodys_fault_and_the_next_bot_gets_a_new_one(sandbox: self_check.Tier) -> None:
    process = SandboxedProcess.start(PLAIN, hash_seed=5, wall_ms=LONG_MS, cpu_ms=LONG_MS)
    process._zygote.process.kill()
    process._zygote.process.wait()
    with pytest.raises(Fault) as caught:
        hello(process)
    assert caught.value.kind == "infrastructure"
    with SandboxedProcess.start(PLAIN, hash_seed=5, wall_ms=LONG_MS, cpu_ms=LONG_MS) as again:
        assert json.loads(hello(again).line)["type"] == "ready"


def test_its_bots_do_not_outlive_a_zygote(sandbox: self_check.Tier) -> None:
    zygote = Zygote()
    process = sandboxed(zygote, PLAIN)
    zygote.close()
    ended, _, _ = select.select([process._pidfd], [], [], 10)
    assert ended == [process._pidfd]
    process.close()


@pytest.mark.slow
def test_a_zygote_that_does_not_answer_is_ended(sandbox: self_check.Tier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "REPLY_SECONDS", 0.1)
    zygote = Zygote()
    zygote.process.send_signal(signal.SIGSTOP)
    assert fault_of(zygote, PLAIN).kind == "infrastructure"
    assert not zygote.alive()


def test_a_bot_that_the_host_kills_is_the_hosts_fault(zygote: Zygote) -> None:
    process = sandboxed(zygote, PLAIN)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(Fault) as caught:
        hello(process)
    assert (caught.value.kind, caught.value.evidence["signal"]) == ("infrastructure", "SIGKILL")
    assert "memory" in caught.value.evidence["reason"]


def test_where_memory_runs_out_bots_end_before_workers(zygote: Zygote) -> None:
    process = sandboxed(zygote, PLAIN)
    assert Path(f"/proc/{process.pid}/oom_score_adj").read_text() == "1000\n"
    assert int(Path("/proc/self/oom_score_adj").read_text()) < 1000
    process.close()


def test_a_worker_without_descriptors_is_nobodys_fault(zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left() -> tuple[int, int]:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "pipe", none_left)
    raised = fault_of(zygote, PLAIN)
    monkeypatch.undo()
    assert (raised.kind, raised.evidence["reason"]) == (
        "infrastructure",
        "The worker can't open a pipe: [Errno 24] Too many open files.",
    )
