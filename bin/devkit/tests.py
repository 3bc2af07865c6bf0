"""`bin/dev test` runs the tests of front end and Python, including browser tests, and the engines' tests on the
compiled build too.

Tests marked `slow` run only with `--all`: nightly and before a release.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

from devkit import bench, browser, collecting, compiled, compiler, costs, database, frontend, reach
from devkit.console import Trouble, loudly, step
from devkit.paths import LOCAL, LOGS, ROOT, private_folder, write_private

# One more than there are cores, because a test often waits: for PostgreSQL, for a server, for a worker.
PROCESSES = min(len(os.sched_getaffinity(0)), 7) + 1
BESIDE = 2  # runs at once beside Python's tests
# Browser tests take the longest and wait for one process after the other, so they come first: Python's tests give way.
GIVES_WAY = 5
ENGINES = (
    "tests/scorebook_games/kinds",
    *(f"tests/scorebook_games/test_{name}.py" for name in ("build", "cards", "chance", "spec")),
)
BROWSER = "tests/browser"
FRONT_END = "frontend/"
DOCUMENTS = "tests/test_docs.py"  # `bin/dev check` runs these tests too; the run of all default tests leaves them to it
DEFAULT = "not slow"
OURS = ("--all", "--profile", "--changed")  # arguments that pytest does not get
NIGHTLY = ("-p", "randomly", "--timeout", "1200", "--hypothesis-profile", "all")  # with `--all`
SEED = "SCOREBOOK_TEST_SEED"  # the seed of random choices in tests (tests/fixtures/seeded_draws.py)
CLOSING_LINES = "SCOREBOOK_TEST_CLOSING_LINES"  # the file for what failed or was left out (tests/closing_lines.py)
# Whitenoise lists `STATIC_ROOT` for each of Django's test clients. `bin/dev up` collects some 600 files there, which
# takes a tenth of a second. Tests in their own process serve no static files; the browser tests set another folder.
NO_STATIC_FILES = LOCAL / "no-static-files"
WORLDS = "SCOREBOOK_TEST_WORLDS"  # the folder through which processes share worlds (tests/fixtures/shared_rows.py)
NOT_COMPILED = "The engines' tests on the compiled build did NOT run: this machine has no C compiler."
TITLES = {
    "plain": "Python's tests",
    "browser": "The browser's tests",
    "compiled": "The engines' tests on the compiled build",
    "island": "The front end's tests",
}


@dataclass(frozen=True)
class Run:
    """A run of pytest. `name` distinguishes its databases from those of other runs at the same time."""

    name: str
    paths: Sequence[str]
    environment: Mapping[str, str]
    marked: str = ""
    processes: int = PROCESSES
    options: Sequence[str] = ()
    gives_way: int = 0  # as nice(1) takes it

    def command(self) -> list[str]:
        marked = ["-m", self.marked] if self.marked else []
        spread = ["--processes", str(self.processes)]
        nice = ["nice", "-n", str(self.gives_way)] if self.gives_way else []
        return [*nice, sys.executable, "-m", "pytest", *spread, *marked, *self.options, *self.paths]

    def start(self, output: TextIO | None = None) -> subprocess.Popen[str]:
        environment = {**self.environment, "SCOREBOOK_TEST_RUN": self.name}
        return subprocess.Popen(
            self.command(), env=environment, stdout=output, stderr=subprocess.STDOUT if output else None, text=True
        )


def test(arguments: Sequence[str]) -> int:
    """Run the default tests, or all with `--all`, or those named by arguments of pytest. With `--profile`, print where
    their units go. With `--changed`, run those that a change can reach. Return the first exit code that is not 0."""
    every, profile, changed = (name in arguments for name in OURS)
    arguments = [argument for argument in arguments if argument not in OURS]
    files = reach.changed_files() if changed else []
    if changed:
        reached = reach.Reach().tests_of(files)
        print(f"The change can reach {', '.join(reached) or 'no test'}.", flush=True)
        if not reached:
            return 0
        if reached != [reach.ALL]:
            arguments += reached
    with alone(), database.brought() as place:
        with step("front end") as done:
            done("not built again" if needs_no_build(arguments) else frontend.build())
        with step("static files") as done:
            done(collecting.collect(place.owner_environment(), collecting.FOLDER_OF_TESTS))
        with step("browser") as done:
            chromium = browser.bring()
            done(chromium or "none")
        if not chromium:
            leave_out("the browser tests", "Chromium", "apt install chromium", "SCOREBOOK_CHROMIUM=/path/to/chromium")
        (closing := log("closing-lines")).unlink(missing_ok=True)
        (spent := log("costs")).unlink(missing_ok=True)
        variables = {
            "SCOREBOOK_DEBUG": "1",
            "SCOREBOOK_CHROMIUM": chromium or "",
            "SCOREBOOK_STATIC_ROOT": os.fspath(NO_STATIC_FILES),
            CLOSING_LINES: str(closing),
            WORLDS: str(emptied(LOCAL / "worlds-of-tests")),
            costs.COSTS: str(spent),
            **({costs.PROFILE: "1"} if profile else {}),
        }
        environment = {**place.owner_environment(), **variables}
        if every:
            environment.setdefault(SEED, secrets.token_hex(4))
        marks = [mark for mark, wanted in ((DEFAULT, not every), ("not browser", not chromium)) if wanted]
        if arguments:
            processes = 0 if names_files(arguments) else PROCESSES
            options = NIGHTLY if every else ()
            code = Run("", arguments, environment, " and ".join(marks), processes, options).start().wait()
            if any(file.startswith(FRONT_END) for file in files):
                failed, output = island(every)
                print(output, flush=True)
                code = code or failed
        else:
            meter = costs.Meter(place.owner)
            code = everything(environment, every, bool(chromium))
            code = code or within_budget(costs.in_units(costs.read_rows(spent), meter.seconds()), every)
            if every:
                code = bench.bench([]) or code
    if closing.exists():
        loudly("\n".join(dict.fromkeys(closing.read_text().splitlines())))
    if not chromium:
        loudly("The browser tests did NOT run: this machine has no Chromium.")
    return code


def within_budget(spent: Mapping[str, float], every: bool) -> int:
    """Print what the run cost; return 1 if the default tests cost more than their budget."""
    write_private(costs.LAST, json.dumps(spent, indent=1))
    words, over = costs.verdict(spent, json.loads(costs.BUDGET.read_text()))
    if every or not over:
        print(words, flush=True)
        return 0
    loudly("\n".join(over))
    return 1


def needs_no_build(arguments: Sequence[str]) -> bool:
    """Return whether all arguments are files without browser tests, for which an older front end is sufficient."""
    browser_named = any(BROWSER in argument for argument in arguments)
    return names_files(arguments) and frontend.BUILT.exists() and not browser_named


def names_files(arguments: Sequence[str]) -> bool:
    """Return whether the arguments are files, or tests of files, apart from options such as `-x`."""
    paths = [argument for argument in arguments if not argument.startswith("-")]
    return bool(paths) and all((ROOT / path.partition("::")[0]).is_file() for path in paths)


def everything(environment: Mapping[str, str], every: bool, in_browser: bool) -> int:
    """Run Python's tests on the plain engines. Beside them run the browser tests, the front end's tests, and the
    engines' tests on the compiled build, which is made meanwhile; they are printed at the end. Return the first exit
    code that is not 0."""
    cc = compiled.compiler_brought()
    if not cc:
        leave_out("the engines' tests on the compiled build", "C compiler", compiler.INSTALL, "CC=/path/to/gcc")
    plain = {**environment, compiled.ENGINES: "plain"}
    options = NIGHTLY if every else ()
    marked = "" if every else DEFAULT
    parts: dict[str, Callable[[], tuple[int, str]]] = {}
    if in_browser:
        parts["browser"] = partial(logged, "browser", Run("browser_", [BROWSER], plain, marked, 0, options))
    parts["island"] = partial(island, every)
    if cc:
        made = compiled.WHOLE if every else compiled.RULES
        natively = {**environment, compiled.ENGINES: made}
        compiled_run = Run("compiled_", ENGINES, natively, "" if every else "compiled and not slow", 0, options)
        parts["compiled"] = partial(on_the_compiled_build, cc, made, compiled_run)
    elsewhere = [BROWSER] if every else [BROWSER, DOCUMENTS]
    ignored = [f"--ignore={path}" for path in elsewhere]
    with ThreadPoolExecutor(BESIDE) as beside:
        started = {name: beside.submit(part) for name, part in parts.items()}
        try:
            run = Run("", ignored, plain, marked, options=options, gives_way=GIVES_WAY)
            codes = {"plain": run.start().wait()}
            for name, part in started.items():
                codes[name], output = part.result()
                print(f"\n{TITLES[name]}\n{output}", flush=True)
        except BaseException:
            beside.shutdown(wait=False, cancel_futures=True)
            raise
    if not cc:
        loudly(NOT_COMPILED)
    for name, code in codes.items():
        if code:
            loudly(f"{TITLES[name]} FAILED (exit code {code}).")
    return next(filter(None, codes.values()), 0)


def logged(name: str, run: Run) -> tuple[int, str]:
    """Run it with its output in a log; return its exit code and the log."""
    with log(name).open("w+") as file:
        code = run.start(file).wait()
        file.seek(0)
        return code, file.read()


def island(every: bool) -> tuple[int, str]:
    ran = frontend.run_tests(every=every)
    return ran.returncode, ran.stdout


def on_the_compiled_build(cc: str, made: str, run: Run) -> tuple[int, str]:
    """Compile the engines, or their rules, with the compiler `cc` if they have changed, and run their tests."""
    try:
        words = compiled.build(cc, made)
    except Trouble as trouble:
        return 1, str(trouble)
    code, output = logged("compiled", run)
    return code, f"{words}\n{output}"


def log(name: str) -> Path:
    """Return the log of a run that is printed at the end."""
    return private_folder(LOGS) / f"{name}-tests.log"


def emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    return private_folder(folder)


def leave_out(tests: str, lacking: str, install: str, name: str) -> None:
    """Print that `tests` will not run. Raises `Trouble` if nothing may be left out."""
    if nothing_may_be_left_out():
        raise Trouble(
            f"There is no {lacking}, and with CI=true no test may be skipped. Install one (Debian: {install})."
        )
    loudly(f"No {lacking}: {tests} will NOT run. Install one (Debian: {install}), or name it: {name}")


def nothing_may_be_left_out() -> bool:
    """Return whether this is continuous integration, where a test that cannot run is a failure."""
    return os.environ.get("CI", "").lower() in ("1", "true")


@contextmanager
def alone() -> Iterator[None]:
    """Let a second test run of this folder wait, because both would use the same databases."""
    with (LOCAL / "test.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("  Another `bin/dev test` of this folder is running. Waiting for it …", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
