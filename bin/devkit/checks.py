"""`bin/dev check` runs all checks other than tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from devkit import database, frontend
from devkit.console import Trouble, step

# (name, command: the name of a program installed beside Python with its arguments, or the arguments of `python`)
CHECKS: tuple[tuple[str, list[str]], ...] = (
    ("style", ["-m", "ruff", "check", "."]),
    ("format", ["-m", "ruff", "format", "--check", "."]),
    ("types", ["-m", "mypy", "."]),
    ("layers", ["-c", "from importlinter.cli import lint_imports_command as lint; lint()"]),
    ("migrations", ["-m", "devkit.prepare", "check"]),
    ("documents", ["-m", "pytest", "-q", "-p", "no:xdist", "tests/test_docs.py"]),
    ("clauses", ["-m", "tests.clauses"]),
    ("glossary", ["-m", "tests.glossary"]),
    ("kinds", ["-m", "tests.named_kinds"]),
    ("templates", ["djangofmt", "--check", "."]),
    ("template lint", ["djangofmt", "check", "."]),
    ("lines", ["-m", "devkit.lines"]),
    ("messages", ["-m", "devkit.messages"]),
)
# (name, script in frontend/package.json)
FRONT_END = (
    ("svelte", "check"),
    ("eslint", "lint"),
    ("stylelint", "lint:css"),
    ("prettier", "format:check"),
    ("api types", "types:check"),
)
NAMES = {name for name, _command in (*CHECKS, *FRONT_END)}
# It runs in parallel with the others, as the front end's checks do, and these are reported last. The others give way to
# it: it needs one core from the beginning to the end of the checks.
SLOWEST = "types"


def check(arguments: Sequence[str]) -> int:
    """Run all checks, or those named, also after one has failed. Return 1 if any failed, else 0. Raises `Trouble` for
    an unknown name."""
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
    """Run one of `CHECKS`; return the process with its output."""
    python = Path(sys.executable)
    starts = [python, *command] if command[0].startswith("-") else [python.with_name(command[0]), *command[1:]]
    program = list(map(str, starts))
    return subprocess.run(
        program if command == dict(CHECKS)[SLOWEST] else [*frontend.GIVING_WAY, *program],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def holds(name: str, result: Callable[[], subprocess.CompletedProcess[str]]) -> bool:
    """Wait for the result of a check, and print its output only if it failed; return whether it passed."""
    with step(name) as done:
        ran = result()
        done("" if ran.returncode == 0 else "FAILED")
    if ran.returncode:
        print(ran.stdout, flush=True)
    return ran.returncode == 0
