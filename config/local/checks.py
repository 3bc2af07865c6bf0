"""`bin/dev check`: what must hold beside the tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence

from config.local import database, frontend
from config.local.say import step

# (what it is, the command after `python`)
CHECKS: tuple[tuple[str, list[str]], ...] = (
    ("style", ["-m", "ruff", "check", "."]),
    ("format", ["-m", "ruff", "format", "--check", "."]),
    ("types", ["-m", "mypy", "."]),
    ("layers", ["-c", "from importlinter.cli import lint_imports_command as lint; lint()"]),
    ("migrations", ["-m", "django", "makemigrations", "--check", "--dry-run"]),
    ("documents", ["-m", "pytest", "-q", "-p", "no:xdist", "tests/test_docs.py"]),
    ("clauses", ["-m", "tests.clauses"]),
)


def check(arguments: Sequence[str]) -> int:
    """Runs all, also after one that fails; given names, only those. Exit code 1 if any failed."""
    with database.brought() as place:
        environment = {**place.owner_environment(), "SCOREBOOK_DEBUG": "1", "DJANGO_SETTINGS_MODULE": "config.settings"}
        chosen = [(name, command) for name, command in CHECKS if wanted(name, arguments)]
        failed = [name for name, command in chosen if not holds(name, command, environment)]
    if wanted("front end", arguments):
        with step("front end"):
            node = frontend.find()
            frontend.install(node)
        if frontend.call("run", "check"):
            failed.append("front end")
    if failed:
        print(f"\nnot in order: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def wanted(name: str, arguments: Sequence[str]) -> bool:
    return not arguments or name in arguments


def holds(name: str, command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Runs one check; prints what it says only if it fails."""
    with step(name) as done:
        ran = subprocess.run(
            [sys.executable, *command],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        done("" if ran.returncode == 0 else "NOT in order")
    if ran.returncode:
        print(ran.stdout, flush=True)
    return ran.returncode == 0
