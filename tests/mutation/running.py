"""Runs, for each mutant of the sample, the tests that cover its lines, and records the mutants that survive."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import pytest

from devkit import database
from devkit.paths import LOCAL, ROOT
from tests.mutation.mutants import Gone, Mutant, read_sample

FOLDER = LOCAL / "mutation"
EARLIER, RESULTS = "SCOREBOOK_MUTATION_EARLIER", "SCOREBOOK_MUTATION_RESULTS"  # files of a run of `again`
COVERAGE, DURATIONS = FOLDER / "coverage", FOLDER / "durations.json"
FIRST, THEN = 30, 600  # how many tests run first, and how many more if none of them notices the mutant
FIRST_SECONDS, THEN_SECONDS = 12.0, 45.0
MAX_SECONDS = 1500
START = 25  # seconds of processor time that pytest may use besides its tests


@dataclass(frozen=True)
class Outcome:
    """`verdict`: killed, survived, untested (no test runs its lines) or gone (its lines are no longer there)."""

    mutant: Mutant
    verdict: str
    tests: int
    by: str = ""
    seconds: float = 0.0


def measure(arguments: Sequence[str]) -> int:
    """Run the default suite without the browser, with branch coverage by test, and store how long each test took."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with database.brought() as place:
        environment = {
            **place.owner_environment(),
            "SCOREBOOK_DEBUG": "1",
            "SCOREBOOK_ENGINE_BUILD": "plain",
            "SCOREBOOK_DURATIONS": str(DURATIONS),
            "COVERAGE_FILE": str(COVERAGE),
        }
        products = [f"--cov={name}" for name in ("games", "tournaments", "replays", "config")]
        command = [sys.executable, "-m", "pytest", "-p", "tests.mutation.durations", "-n", "2"]
        command += ["-m", "not slow and not browser"]
        command += [*products, "--cov-branch", "--cov-context=test", "--cov-report=", *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def again(earlier: Path, results: Path) -> None:
    """Ask whether the faults that an earlier run noticed are still noticed (`tests.mutation.again`). What its forks
    cannot answer is asked in a copy of the tree, of the test that noticed the fault then."""
    by = {(row["name"], row["nth"]): row["by"] for row in map(json.loads, earlier.read_text().splitlines())}
    with database.brought() as place:
        environment = {
            **place.owner_environment(),
            "SCOREBOOK_TEST_RUN": "mutant_",
            "SCOREBOOK_DEBUG": "1",
            "SCOREBOOK_ENGINE_BUILD": "plain",
            EARLIER: str(earlier),
            RESULTS: str(results),
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutation.again"]
        subprocess.run([*command, "-m", "not slow and not browser"], cwd=ROOT, env=environment, check=True)
        rows = [json.loads(line) for line in results.read_text().splitlines()]
        room: Room | None = None
        for row in rows:
            known = by.get((row["name"], row["nth"]), "")
            if row["verdict"] not in ("killed", "gone") and known:
                room = room or Room(0, place.owner_environment())
                mutant = next(each for each in read_sample() if (each.name, each.nth) == (row["name"], row["nth"]))
                # without a test's name, nothing could be imported then, or the processor's time was up
                row |= room.asked_of(mutant, known if known.startswith("tests/") else "tests/test_mutation.py")
                print(f"{row['verdict']:9} {row['name']}", flush=True)
        results.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))


def run(mutants: Iterable[Mutant], results: Path, earlier: Path | None, processes: int) -> None:
    """Append one line of JSON for each mutant to `results`; skip the mutants that are there already.

    If a test noticed the mutant in an `earlier` run, it runs first.
    """
    mutants = list(mutants)
    rows = map(json.loads, earlier.read_text().splitlines()) if earlier else ()
    known = {(row["name"], row["nth"]): row["by"] for row in rows}
    lines = results.read_text().splitlines() if results.exists() else []
    done = {(row["name"], row["nth"]) for row in map(json.loads, lines)}
    todo = [mutant for mutant in mutants if (mutant.name, mutant.nth) not in done]
    covering = Covering()
    with database.brought() as place, ThreadPoolExecutor(processes) as threads:
        rooms: SimpleQueue[Room] = SimpleQueue()
        for number in range(processes):
            rooms.put(Room(number, place.owner_environment()))

        def put_to_the_tests(mutant: Mutant) -> Outcome:
            room = rooms.get()
            try:
                return room.outcome(mutant, covering.tests(mutant), known.get((mutant.name, mutant.nth), ""))
            except Gone:
                return Outcome(mutant, "gone", 0)
            finally:
                rooms.put(room)

        for at, outcome in enumerate(threads.map(put_to_the_tests, todo), 1):
            row = {
                "name": outcome.mutant.name,
                "area": outcome.mutant.area,
                "nth": outcome.mutant.nth,
                "verdict": outcome.verdict,
                "tests": outcome.tests,
                "by": outcome.by,
                "seconds": round(outcome.seconds, 1),
            }
            with results.open("a") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            print(f"{at}/{len(todo)} {outcome.verdict:9} {outcome.seconds:5.0f} s  {outcome.mutant.name}", flush=True)


class Covering:
    """Find the tests that run a line, from the coverage that `measure` stored; the quickest test first."""

    def __init__(self) -> None:
        # One connection is enough for all threads: everything is read at the start.
        self.seconds: Mapping[str, float] = json.loads(DURATIONS.read_text())
        self.database = sqlite3.connect(f"file:{COVERAGE}?mode=ro", uri=True, check_same_thread=False)
        self.contexts = dict(self.database.execute("SELECT id, context FROM context"))
        self.files = {Path(path): number for number, path in self.database.execute("SELECT id, path FROM file")}

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the lines of the mutant.

        If the lines run only at import, it returns the tests that run any line of the file.
        """
        file = next((number for path, number in self.files.items() if str(path).endswith("/" + mutant.path)), None)
        lines = set(mutant.lines((ROOT / mutant.path).read_text()))
        arcs = list(self.database.execute("SELECT context_id, fromno, tono FROM arc WHERE file_id = ?", (file,)))
        here = {self.contexts[context] for context, *ends in arcs if lines.intersection(ends)}
        contexts = here if any(here) else {self.contexts[context] for context, *_ in arcs}
        found = {context.rpartition("|")[0] for context in contexts}
        return sorted(found.intersection(self.seconds), key=lambda test: self.seconds[test])


class Room:
    """A copy of the tree with its own test database. One mutant after the other is applied to it."""

    def __init__(self, number: int, environment: Mapping[str, str]) -> None:
        self.root = FOLDER / f"room{number}"
        shutil.rmtree(self.root, ignore_errors=True)
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in filter(None, tracked.stdout.split("\0")):
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
        for built in ("frontend/dist", "frontend/node_modules", ".git"):
            if (ROOT / built).exists():
                (self.root / built).symlink_to(ROOT / built)
        self.environment = {
            **{name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"},
            "SCOREBOOK_TEST_RUN": f"mutant{number}_",
            "SCOREBOOK_DEBUG": "1",
            "SCOREBOOK_ENGINE_BUILD": "plain",
        }
        self.changes = 0

    def outcome(self, mutant: Mutant, tests: Sequence[str], known: str) -> Outcome:
        """`known` is the test that noticed the mutant in an earlier run, or empty. It runs first."""
        if not tests:
            return Outcome(mutant, "untested", 0)
        path, began = self.root / mutant.path, time.monotonic()
        source = path.read_text()
        self.write(path, mutant.made(source))
        try:
            by = self.first_to_fail(mutant, tests, known)
        finally:
            self.write(path, source)
        return Outcome(mutant, "killed" if by else "survived", len(tests), by, time.monotonic() - began)

    def asked_of(self, mutant: Mutant, test: str) -> dict[str, str]:
        """Return the verdict of one test on a fault."""
        path = self.root / mutant.path
        source = path.read_text()
        self.write(path, mutant.made(source))
        try:
            ran = self.pytest(["-x", test], 4 * START)
        finally:
            self.write(path, source)
        return {"verdict": "killed", "by": test} if noticed(ran) else {"verdict": "survived", "by": ""}

    def first_to_fail(self, mutant: Mutant, tests: Sequence[str], known: str) -> str:
        if known in tests and (by := self.killer([known])):
            return by
        first = chosen(mutant, tests)
        return self.killer(first) or self.killer(rest(tests, first))

    def write(self, path: Path, source: str) -> None:
        """Set a new time on each write: Python compares time and length to see whether its bytecode is up to date."""
        self.changes += 1
        path.write_text(source)
        os.utime(path, times=(time.time(), time.time() - 1_000_000 + 2 * self.changes))

    def killer(self, tests: Sequence[str]) -> str:
        """Return the first test that fails, or the empty string; `time` if the run did not end in time."""
        if not tests:
            return ""
        try:
            ran = self.pytest(["-x", *tests], START + int(2 * sum(map(seconds().__getitem__, tests))))
        except subprocess.TimeoutExpired:
            return "time"
        if ran.returncode == 0:
            return ""
        if ran.returncode == pytest.ExitCode.USAGE_ERROR and "ImportError" not in ran.stdout:
            raise SystemExit(ran.stdout)
        return failed(ran.stdout)[0] if failed(ran.stdout) else f"pytest ended with {ran.returncode}"

    def pytest(self, arguments: Sequence[str], limit: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no"]
        command += ["-p", "no:tests.budget"]  # a slow test has noticed nothing
        return subprocess.run(
            [*command, "--timeout", str(MAX_SECONDS), *arguments],
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=MAX_SECONDS,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY)),
        )


def noticed(ran: subprocess.CompletedProcess[str]) -> bool:
    """Return whether a run failed. A test that is no longer there has noticed nothing."""
    if ran.returncode in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
        return "ImportError" in ran.stdout
    return ran.returncode != 0


def failed(output: str) -> list[str]:
    """Return the names of the tests that pytest reports as failed."""
    lines = [line for line in output.splitlines() if line.startswith(("FAILED tests/", "ERROR tests/"))]
    return [line.partition(" ")[2].partition(" - ")[0] for line in lines]


def control(results: Path) -> int:
    """Run every test that noticed a mutant on the unchanged product; print those that fail. Return 1 if any do."""
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    tests = sorted({row["by"] for row in rows if row["by"].startswith("tests/")})
    with database.brought() as place:
        ran = Room(0, place.owner_environment()).pytest(tests, MAX_SECONDS)
    wrong = failed(ran.stdout)
    print(f"{len(tests)} tests noticed mutants; without any, {len(wrong)} of them fail.", *wrong, sep="\n")
    return ran.returncode


SECONDS_KEPT: dict[str, float] = {}


def seconds() -> Mapping[str, float]:
    if not SECONDS_KEPT:
        SECONDS_KEPT.update(json.loads(DURATIONS.read_text()))
    return SECONDS_KEPT


def chosen(mutant: Mutant, tests: Sequence[str]) -> list[str]:
    """Return the tests most likely to notice: first those of a test file named like the module, then the quickest.

    Of the quickest it takes at most four from one file.
    """
    stem = (
        Path(mutant.path).stem if Path(mutant.path).stem not in ("rules", "state", "apply", "decide", "views") else ""
    )
    stem = stem or Path(mutant.path).parent.name
    near = [test for test in tests if f"test_{stem}." in test][: FIRST // 2]
    files: dict[str, int] = {}
    far = []
    for test in tests:
        file = test.partition("::")[0]
        files[file] = files.get(file, 0) + 1
        if files[file] <= 4 and test not in near:
            far.append(test)
    return within([*near, *far], FIRST, FIRST_SECONDS)


def rest(tests: Sequence[str], first: Sequence[str]) -> list[str]:
    return within([test for test in tests if test not in set(first)], THEN, THEN_SECONDS)


def within(tests: Sequence[str], most: int, limit: float) -> list[str]:
    """Return as many tests from the front as both limits allow, and at least one."""
    found: list[str] = []
    spent = 0.0
    for test in tests[:most]:
        spent += seconds()[test]
        if found and spent > limit:
            break
        found.append(test)
    return found
