"""`bin/dev test`: the front end's tests and Python's, browser included."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from config.local import browser, database, frontend
from config.local.places import LOCAL
from config.local.say import Trouble, loudly, step

PROCESSES = "2"


def test(arguments: Sequence[str]) -> int:
    """All tests; given arguments, only pytest with them. The exit code is that of the first that failed."""
    with alone(), database.brought() as place:
        with step("front end") as done:
            done(frontend.build())
        with step("browser") as done:
            chromium = browser.bring()
            done(chromium or "none")
        selected = [] if chromium else without_browser()
        code = 0 if arguments else frontend.call("test")
        environment = {**place.owner_environment(), "SCOREBOOK_DEBUG": "1", "SCOREBOOK_CHROMIUM": chromium or ""}
        command = [sys.executable, "-m", "pytest", "-n", PROCESSES, *selected, *arguments]
        code = subprocess.run(command, env=environment, check=False).returncode or code
    if not chromium:
        loudly("The browser tests did NOT run: there is no Chromium here.")
    return code


def without_browser() -> list[str]:
    """pytest's words for leaving the browser tests out; Trouble where nothing may be left out."""
    if os.environ.get("CI", "").lower() in ("1", "true"):
        raise Trouble(
            "There is no Chromium, and with CI=true no test may be skipped. Install one (Debian: apt install chromium)."
        )
    loudly("No Chromium: the browser tests will NOT run. Install one, or name it: SCOREBOOK_CHROMIUM=/path/to/chromium")
    return ["-m", "not browser"]


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
