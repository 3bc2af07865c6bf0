"""Measures what a bot in a sandbox costs.

    python -m tests.bench.bots

Round trips are measured with the same bot's file, SDK and questions in three ways, in turn within one run: in a sandbox
(held between questions, with its wall and CPU clocks read), in a sandbox whose bot is stopped by signals, as on kernels
that cannot hold it, and over two plain pipes. The CPU time is that of the worker and the bot together. It uses no
database.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from time import clock_gettime, perf_counter, process_time
from typing import NamedTuple

from games.sandbox import SandboxedProcess, self_check, supervisor, tier
from tests.bench.where import where

SOURCE = b"""
class Bot:
    def move(self, view, legal):
        return legal[0]
"""
HELLO = {
    "type": "hello", "kind": "palace", "seat": 0, "seats": 3, "options": {}, "rules_version": 1, "clock": {}, "seed": 7,
    "protocol": 1,
}  # fmt: skip
OBSERVATION = {"hand": ["8h", "9c", "2s"], "pile": ["7d"] * 12, "counts": [3, 4, 5], "plates": [["5c", "6d"]] * 9}
EVENTS = [{"type": "played", "seat": 1, "cards": ["7d"]}, {"type": "drew", "seat": 1, "count": 1}] * 3
ROUNDS, ASKS = 30, 200
STARTS, ALIVE = 100, 100
TIME = {"wall_ms": 5000, "cpu_ms": 5000}


def line(message: dict[str, object]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def ask(version: int) -> bytes:
    given = {"type": "move", "version": version, "events": EVENTS, "observation": OBSERVATION, "clock_ms": 4200}
    return line({**given, "legal": ["play 8", "play 9", "take"]})


def started() -> SandboxedProcess:
    process = SandboxedProcess.start(SOURCE, hash_seed=0, **TIME)
    process.ask(line(HELLO), **TIME)
    return process


@contextmanager
def bare() -> Iterator[tuple[Callable[[bytes], bytes], int]]:
    """Run the bot in a plain process, within the block. Yield a function that sends a line and returns the answer, and
    the bot's pid."""
    with tempfile.NamedTemporaryFile(suffix=".py") as file:
        file.write(SOURCE)
        file.flush()
        command = [sys.executable, str(supervisor.sdk_file()), file.name]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
            assert process.stdin
            assert process.stdout
            asks, answers = process.stdin.fileno(), process.stdout.fileno()

            def exchange(message: bytes) -> bytes:
                os.write(asks, message)
                answer = b""
                while not answer.endswith(b"\n"):
                    answer += os.read(answers, 1 << 16)
                return answer

            exchange(line(HELLO))
            yield exchange, process.pid
            process.kill()


def times(exchange: Callable[[bytes], object], asks: int = ASKS) -> list[float]:
    """Return the microseconds of each round trip."""
    taken = []
    for version in range(asks):
        message = ask(version)
        began = perf_counter()
        exchange(message)
        taken.append(1e6 * (perf_counter() - began))
    return taken


def p99(values: list[float]) -> float:
    return sorted(values)[len(values) * 99 // 100]


def stopped_by_signals(stack: ExitStack) -> SandboxedProcess:
    zygote = supervisor.Zygote(holds_reads=False)
    stack.callback(zygote.close)
    process = stack.enter_context(SandboxedProcess(zygote, SOURCE, **TIME))
    process.ask(line(HELLO), **TIME)
    return process


class Way(NamedTuple):
    """A way to ask the bot in process `pid`."""

    name: str
    exchange: Callable[[bytes], object]
    pid: int


class Round(NamedTuple):
    """The µs of each round trip, and the mean µs of CPU time of a round trip, of worker and bot together."""

    taken: list[float]
    used: float


def a_round(way: Way) -> Round:
    before = processor_seconds(way.pid)
    taken = times(way.exchange)
    return Round(taken, 1e6 * (processor_seconds(way.pid) - before) / ASKS)


def processor_seconds(pid: int) -> float:
    """Return the CPU seconds of this process and of `pid`. clock_getcpuclockid(3) describes the clock's id."""
    return process_time() + clock_gettime((~pid << 3) | 2)


def round_trips() -> None:
    with ExitStack() as stack:
        held, stopped = stack.enter_context(started()), stopped_by_signals(stack)
        exchange, pid = stack.enter_context(bare())
        ways = [
            Way("at a bare pipe", exchange, pid),
            Way("sandboxed, held", lambda message: held.ask(message, **TIME), held.pid),
            Way("sandboxed, stopped by signals", lambda message: stopped.ask(message, **TIME), stopped.pid),
        ]
        rounds = [[a_round(way) for way in ways] for _ in range(ROUNDS)]
    print(f"round trips of {len(ask(0))} bytes, {ROUNDS} rounds of {ASKS}, ratios to the bare pipe's by round")
    for number, way in enumerate(ways):
        own = [each[number] for each in rounds]
        taken = [each for one in own for each in one.taken]
        ratio = median(median(each[number].taken) / median(each[0].taken) for each in rounds)
        cpu = median(each[number].used / each[0].used for each in rounds)
        print(
            f"  {way.name:26} median {median(taken):6.1f} µs  p99 {p99(taken):8.1f} µs  ratio {ratio:.2f}"
            f"   CPU {median(each.used for each in own):5.1f} µs  ratio {cpu:.2f}"
        )


def starts() -> None:
    """Print the ms from a file's bytes to a bot that is ready for its first question, and to its end."""
    taken = []
    for _ in range(STARTS):
        began = perf_counter()
        started().close()
        taken.append(1000 * (perf_counter() - began))
    print(f"start, ready and end              median {median(taken):6.1f} ms   p99 {p99(taken):8.1f} ms")


def own_memory(pid: int) -> float:
    """Return the MiB that this process shares with no other. Memory of the zygote is shared."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(each.split()[1]) for each in lines if each.startswith("Private_")) / 1024


def a_hundred_alive() -> None:
    with ExitStack() as stack:
        began = perf_counter()
        processes = [stack.enter_context(started()) for _ in range(ALIVE)]
        print(f"{ALIVE} bots alive after               {perf_counter() - began:13.2f} s")
        taken = []
        for version in range(20):
            message = ask(version)
            for process in processes:
                began = perf_counter()
                process.ask(message, **TIME)
                taken.append(1e6 * (perf_counter() - began))
        print(f"round trip among {ALIVE}              median {median(taken):6.1f} µs   p99 {p99(taken):8.1f} µs")
        if os.geteuid() == 0:  # other users may not read the bot's process
            each = [own_memory(process.pid) for process in processes]
            print(f"private memory of an idle bot     median {median(each):6.1f} MiB  all {sum(each):8.1f} MiB")


def main() -> None:
    os.environ.setdefault(self_check.SHARED_ALLOWED, "1")
    began = perf_counter()
    found = tier()
    if found.name != "A":
        sys.exit(found.reason)
    print(where())
    print(f"tier {found.name}, detected in              {perf_counter() - began:13.2f} s")
    starts()
    round_trips()
    a_hundred_alive()


if __name__ == "__main__":
    main()
