"""`bin/dev fmt`: writes every source file in the format that `bin/dev check` asks for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from devkit import frontend
from devkit.checks import holds, run
from devkit.console import Trouble

# (what it formats, the command as `devkit.checks.run` takes it); `--select I` sorts imports and removes none
FORMATTERS = (
    ("imports", ["ruff", "check", "--select", "I", "--fix", "--quiet", "."]),
    ("Python", ["ruff", "format", "--quiet", "."]),
    ("templates", ["djangofmt", "--quiet", "."]),
    ("template lint", ["djangofmt", "check", "--fix", "--quiet", "."]),
)
SCRIPTS = (("style sheets", "format:css"), ("front end", "format"))  # of frontend/package.json


def fmt(arguments: Sequence[str]) -> int:
    """Runs all formatters, also after one that fails. The exit code is 1 if any could not format its files."""
    if arguments:
        raise Trouble("bin/dev fmt takes no arguments.")
    runs = [(title, partial(run, command, os.environ)) for title, command in FORMATTERS]
    runs += [(title, partial(frontend.npm, "run", "--silent", script)) for title, script in SCRIPTS]
    formatted = [holds(title, format_files) for title, format_files in runs]
    return 0 if all(formatted) else 1
