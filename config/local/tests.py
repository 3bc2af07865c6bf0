"""`bin/dev test`: the front end's tests and Python's, browser included; the engines' also on the compiled build."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from config.local import browser, collecting, compiled, compiler, database, frontend
from config.local.places import LOCAL, ROOT
from config.local.say import Trouble, loudly, step

PROCESSES = "3"  # on two cores too: tests of browsers and killed workers mostly wait; four take no less time
ENGINES = "tests/games/engines"
FAILED = ROOT / ".pytest_cache/v/cache/lastfailed"
FEW = 3


def test(arguments: Sequence[str]) -> int:
    """All tests, the engines' on both builds; given arguments, only pytest with them. The exit code is a failure's."""
    with alone(), database.brought() as place:
        with step("front end") as done:
            done(frontend.build())
        with step("static files") as done:
            done(collecting.collect(place.owner_environment(), collecting.FOLDER_OF_TESTS))
        with step("browser") as done:
            chromium = browser.bring()
            done(chromium or "none")
        if not chromium:
            leave_out("the browser tests", "Chromium", "apt install chromium", "SCOREBOOK_CHROMIUM=/path/to/chromium")
        environment = {**place.owner_environment(), "SCOREBOOK_DEBUG": "1", "SCOREBOOK_CHROMIUM": chromium or ""}
        selected = [] if chromium else ["-m", "not browser"]
        code = pytest(environment, *selected, *arguments) if arguments else everything(environment, selected)
    if not chromium:
        loudly("The browser tests did NOT run: there is no Chromium here.")
    return code


def everything(environment: Mapping[str, str], selected: Sequence[str]) -> int:
    """The front end's tests, all of Python's on the plain engines, and the engines' own on the compiled ones."""
    cc = compiled.compiler_brought()
    with ThreadPoolExecutor() as beside:  # a compiler, and what runs pytest, keep one core busy each
        island = beside.submit(frontend.tell, "test")
        read = beside.submit(collect, environment)
        if cc:
            compiled.bring(cc)
        else:
            leave_out("the engines' tests on the compiled build", "C compiler", compiler.INSTALL, "CC=/path/to/gcc")
    print(island.result().stdout, read.result(), sep="", flush=True)
    code = island.result().returncode
    code = pytest_and_again({**environment, compiled.ENGINES: "plain"}, *selected) or code
    if cc:
        print("\nThe engines' tests again, on the compiled build", flush=True)
        code = pytest({**environment, compiled.ENGINES: "compiled"}, ENGINES) or code
    else:
        loudly("The compiled engines were NOT tested: there is no C compiler with Python's headers here.")
    return code


def collect(environment: Mapping[str, str]) -> str:
    """Reads all tests, so that pytest keeps what it makes of each `assert`: else all its processes begin with that,
    each for itself. What it says of tests that it can't read."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:xdist", "-p", "no:cacheprovider"]
    plain = {**environment, compiled.ENGINES: "plain"}
    ran = subprocess.run(command, env=plain, stdout=subprocess.PIPE, text=True, check=False)
    return ran.stdout if ran.returncode else ""


def pytest(environment: Mapping[str, str], *arguments: str) -> int:
    command = [sys.executable, "-m", "pytest", "-n", PROCESSES, *arguments]
    return subprocess.run(command, env=environment, check=False).returncode


def pytest_and_again(environment: Mapping[str, str], *arguments: str) -> int:
    """All tests; a few that failed get a second try, alone, for a machine that was busy elsewhere must not look like a
    fault. It is said loudly, for each such test is one that wants mending."""
    code = pytest(environment, *arguments)
    failed = list(json.loads(FAILED.read_text())) if code == 1 and FAILED.exists() else []
    if not 0 < len(failed) <= FEW:
        return code
    print("\nAgain, alone: the tests that failed", flush=True)
    code = pytest(environment, "-n", "0", *failed)
    if not code:
        loudly(f"UNSTEADY, mend them (they failed above and passed alone): {', '.join(failed)}")
    return code


def leave_out(tests: str, lacking: str, install: str, name: str) -> None:
    """Say loudly that `tests` will not run; Trouble where nothing may be left out."""
    if os.environ.get("CI", "").lower() in ("1", "true"):
        raise Trouble(
            f"There is no {lacking}, and with CI=true no test may be skipped. Install one (Debian: {install})."
        )
    loudly(f"No {lacking}: {tests} will NOT run. Install one (Debian: {install}), or name it: {name}")


@contextmanager
def alone() -> Iterator[None]:
    """Two test runs of one folder would share their databases: the second waits."""
    with (LOCAL / "test.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("  another `bin/dev test` of this folder is running; waiting for it …", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
