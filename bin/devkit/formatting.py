"""`bin/dev fmt` formats all source files as `bin/dev check` wants them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from devkit import frontend
from devkit.checks import holds, run
from devkit.console import Trouble

# (name, command for `devkit.checks.run`); `--select I` sorts imports and removes none
FORMATTERS = (
    ("imports", ["ruff", "check", "--select", "I", "--fix", "--quiet", "."]),
    ("Python", ["ruff", "format", "--quiet", "."]),
    ("templates", ["djangofmt", "--quiet", "."]),
    ("template lint", ["djangofmt", "check", "--fix", "--quiet", "."]),
)
SCRIPTS = (("style sheets", "format:css"), ("front end", "format"))  # scripts in frontend/package.json


def fmt(arguments: Sequence[str]) -> int:
    """Run all formatters, also after one has failed. Return 1 if any failed, else 0."""
    if arguments:
        raise Trouble("bin/dev fmt takes no arguments.")
    runs = [(title, partial(run, command, os.environ)) for title, command in FORMATTERS]
    runs += [(title, partial(frontend.npm, "run", "--silent", script)) for title, script in SCRIPTS]
    formatted = [holds(title, format_files) for title, format_files in runs]
    return 0 if all(formatted) else 1
