"""`bin/dev check`: what must hold beside the tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from devkit import database, frontend
from devkit.console import Trouble, step

# (what it is, the command: that of a program installed beside Python, or what follows `python`)
CHECKS: tuple[tuple[str, list[str]], ...] = (
    ("style", ["-m", "ruff", "check", "."]),
    ("format", ["-m", "ruff", "format", "--check", "."]),
    ("types", ["-m", "mypy", "."]),
    ("layers", ["-c", "from importlinter.cli import lint_imports_command as lint; lint()"]),
    ("migrations", ["-m", "devkit.prepare", "check"]),
    ("documents", ["-m", "pytest", "-q", "-p", "no:xdist", "tests/test_docs.py"]),
    ("clauses", ["-m", "tests.clauses"]),
    ("glossary", ["-m", "tests.glossary"]),
    ("templates", ["djangofmt", "--check", "."]),
    ("template lint", ["djangofmt", "check", "."]),
    ("lines", ["-m", "devkit.lines"]),
)
# (what it is, the script of frontend/package.json)
FRONT_END = (
    ("svelte", "check"),
    ("eslint", "lint"),
    ("stylelint", "lint:css"),
    ("prettier", "format:check"),
    ("api types", "types:check"),
)
NAMES = {name for name, _command in (*CHECKS, *FRONT_END)}
SLOWEST = "types"  # runs beside the others, as the front end's checks do; these are reported last


def check(arguments: Sequence[str]) -> int:
    """Runs all, also after one that fails; given names, only those. Exit code 1 if any failed.

    Trouble for a name that no check has.
    """
    if unknown := sorted(set(arguments) - NAMES):
        raise Trouble(f"There is no check {unknown[0]!r}. Choose from: {', '.join(sorted(NAMES))}.")
    with database.brought() as place, ThreadPoolExecutor() as beside:
        environment = {**place.owner_environment(), "SCOREBOOK_DEBUG": "1", "DJANGO_SETTINGS_MODULE": "config.settings"}
        chosen = [(name, command) for name, command in CHECKS if wanted(name, arguments)]
        long = {name: beside.submit(run, command, environment) for name, command in chosen if name == SLOWEST}
        long |= {name: beside.submit(frontend.check, script) for name, script in FRONT_END if wanted(name, arguments)}
        failed = [
            name for name, command in chosen if name not in long and not holds(name, partial(run, command, environment))
        ]
        failed += [name for name, running in long.items() if not holds(name, running.result)]
    if failed:
        print(f"\nFailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def wanted(name: str, arguments: Sequence[str]) -> bool:
    return not arguments or name in arguments


def run(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs one of `CHECKS`, and returns what it prints."""
    python = Path(sys.executable)
    return subprocess.run(
        [python, *command] if command[0].startswith("-") else [python.with_name(command[0]), *command[1:]],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def holds(name: str, result: Callable[[], subprocess.CompletedProcess[str]]) -> bool:
    """Waits for the result of one check; prints what it said only if it failed."""
    with step(name) as done:
        ran = result()
        done("" if ran.returncode == 0 else "FAILED")
    if ran.returncode:
        print(ran.stdout, flush=True)
    return ran.returncode == 0
