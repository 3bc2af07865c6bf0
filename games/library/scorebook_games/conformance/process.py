"""Runs a check in its own process, so that a kind that raises, exits or never ends does not stop the others.

``python -m scorebook_games.conformance.process FILE '{"kind": …}'`` appends its progress and result to the file, one
JSON value on each line, so that the caller knows how far it came.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from scorebook_games.kind import BrokenKind

LOADS: Final = "the_kind_loads"
LOADING: Final = "The package can be imported and fits the contract. The kind has a rules page and a name of its own."
GRACE_SECONDS: Final = 20  # of processor time after the check's own, for the last game, before the check is ended
WAITING: Final = 30  # how much longer a check may take than its processor time, on a busy machine
IDLE_SECONDS: Final = 60  # after which a check that has not computed at all is ended: it waits for something
MAX_MEMORY: Final = 4 << 30  # bytes of address space


OVER_LIMIT: Final = frozenset(getattr(signal, name).value for name in ("SIGXCPU",) if hasattr(signal, name))


@dataclass
class Broken:
    """A promise that is not kept. `game` is JSON for `--game`, "" if it needs none."""

    promise: str
    sentence: str
    game: str = ""


@dataclass
class Checked:
    """The result of checking one kind."""

    kind: str
    broken: list[Broken] = field(default_factory=list)
    promises: dict[str, str] = field(default_factory=lambda: {LOADS: LOADING})
    """The sentence of each promise, by its name, in their order. If the kind cannot be loaded, that promise alone."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Of the processor, by the name of each promise that was asked."""
    games: int = 0
    moves: int = 0
    cut: bool = False
    wall: float = 0.0
    shown: list[str] = field(default_factory=list)
    """How others are shown events, by type, if no promise is broken."""


def check(
    kind: str, seconds: float, *, games: int | None = None, promise: str = "", game: str = "", seed: int = 0
) -> Checked:
    """Check a kind in its own process, for about this many seconds of processor time and in at most `games` games."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "progress")
        file.touch()
        given = {"kind": kind, "seconds": seconds, "games": games, "promise": promise, "game": game, "seed": seed}
        asked = json.dumps(given)
        command = [sys.executable, "-m", __name__, str(file), asked]
        environment = {**os.environ, "SCOREBOOK_KINDS": kind, "PYTHONHASHSEED": "0"}
        log = Path(folder, "said")
        with log.open("wb") as output:
            process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)  # noqa: S603  itself
            timed_out = not came_to_an_end(process, (seconds + GRACE_SECONDS) * WAITING)
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
        checked = result(kind, lines)
        if not any("done" in line for line in lines):
            timed_out = timed_out or -process.returncode in OVER_LIMIT
            checked.broken.append(ended(lines, process.returncode, timed_out, seconds, last_line(log)))
    checked.wall = time.monotonic() - begun
    return checked


def came_to_an_end(process: subprocess.Popen[bytes], limit: float) -> bool:
    """Wait for a process, and return whether it came to an end by itself.

    It is killed after `limit` seconds, or if it has computed nothing for `IDLE_SECONDS`. On a busy machine a check
    takes many times its processor time, and this is no fault of the kind.
    """
    until, computed = time.monotonic() + limit, -1.0
    while time.monotonic() < until:
        try:
            process.wait(IDLE_SECONDS)
        except subprocess.TimeoutExpired:
            before, computed = computed, processor_seconds(process.pid)
            if 0 < computed == before:
                break
        else:
            return True
    process.kill()
    process.wait()
    return False


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process, to a hundredth (Linux: clock_getcpuclockid(3)); 0 if it is unknown."""
    try:
        return round(time.clock_gettime((~pid << 3) | 2), 2)
    except OSError:
        return 0.0


def last_line(file: Path) -> str:
    """Return the last line of a process, cut if it is long."""
    lines = file.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else ""


def result(kind: str, lines: list[dict[str, Any]]) -> Checked:
    """Return the result that a process wrote of its check."""
    checked = Checked(kind)
    for line in lines:
        if "promises" in line:
            checked.promises = line["promises"]
        elif "broken" in line:
            checked.broken.append(Broken(**line["broken"]))
        elif "done" in line:
            done = line["done"]
            checked.seconds, checked.games, checked.moves = done["seconds"], done["games"], done["moves"]
            checked.cut, checked.shown = done["cut"], done.get("shown", [])
    return checked


def ended(lines: list[dict[str, Any]], code: int, timed_out: bool, seconds: float, last: str) -> Broken:
    """Return the sentence for a process without a result."""
    at = next((line["at"] for line in reversed(lines) if "at" in line), {"promise": LOADS, "game": ""})
    how = (
        f"It did not come to an end within {seconds + GRACE_SECONDS:.0f} s, and its process was ended"
        if timed_out
        else f"Its process ended with the code {code}" + (f": {last}" if last else "")
    )
    return Broken(at["promise"] or "games_can_be_played", f"{how}.", at["game"])


def main(file: Path, asked: Mapping[str, Any]) -> None:
    """Check a kind, and append progress and result to the file."""
    kind = asked["kind"]
    with file.open("a", encoding="utf-8") as output:

        def write(line: Mapping[str, Any]) -> None:
            output.write(json.dumps(line) + "\n")
            output.flush()

        set_limits(int(asked["seconds"]) + GRACE_SECONDS)
        write({"at": {"promise": LOADS, "game": ""}})
        begun = time.process_time()
        try:
            if reason := import_module("scorebook_games.registry").KINDS.broken.get(kind):
                raise BrokenKind(reason)
            suite = import_module("scorebook_games.conformance.suite")
        except BrokenKind as error:
            write({"broken": {"promise": LOADS, "sentence": str(error)}})
            write({"done": {"seconds": {LOADS: time.process_time() - begun}, "games": 0, "moves": 0, "cut": False}})
            return
        loading = time.process_time() - begun
        write({"promises": suite.SENTENCES})
        report = suite.Report(kind)
        if asked["game"]:
            story = suite.Story.decode(kind, asked["game"])
            write({"at": {"promise": asked["promise"], "game": asked["game"]}})
            report.failures = suite.check_story(story, asked["promise"])
            report.tally.games = 1
        else:

            def stands(promise: str, story: Any) -> None:
                write({"at": {"promise": promise, "game": story.encode() if story else ""}})

            report = suite.check_kind(kind, asked["seconds"], stands, asked["promise"], asked["games"], asked["seed"])
        for failure in report.failures:
            game = failure.story.encode() if failure.story else ""
            write({"broken": {"promise": failure.promise, "sentence": failure.sentence, "game": game}})
        spent = {LOADS: loading, **report.tally.seconds}
        done = {"seconds": spent, "games": report.tally.games, "moves": report.tally.moves, "cut": report.cut}
        done["shown"] = report.shown
        write({"done": done})


def set_limits(seconds: int) -> None:
    """Set limits, so that a kind that takes ever more memory or never ends stops this process and not the machine."""
    try:
        resource = import_module("resource")
    except ImportError:  # Windows has none
        return
    for limit, value in ((resource.RLIMIT_AS, MAX_MEMORY), (resource.RLIMIT_CPU, seconds)):
        _, most = resource.getrlimit(limit)
        resource.setrlimit(limit, (value, most))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
