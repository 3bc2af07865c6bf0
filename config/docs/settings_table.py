"""Generates docs/reference/settings.md from `config.env.registry`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from django.conf import settings

from config.env.registry import VARIABLES, Variable

FILE: Final[Path] = settings.BASE_DIR / "docs" / "reference" / "settings.md"
HEAD: Final = """\
# Settings

Scorebook is configured by environment variables. A switch is `1` or `0`. A secret can be given as a file instead:
`NAME_FILE` holds its path. [Configure](../how-to/configure.md) explains what needs a decision.

`bin/dev manage write_documents` writes this page from `config/env/registry.py`.
"""


def text() -> str:
    """Return the whole page."""
    return HEAD + "".join(sections())


def sections() -> Iterator[str]:
    """Return a heading and a table for each group."""
    for group, variables in groupby(VARIABLES, key=lambda each: each.group):
        yield f"\n## {group}\n\n| variable | meaning | if unset |\n|---|---|---|\n"
        yield from map(row, variables)


def row(variable: Variable) -> str:
    """Return a row of the table."""
    secret = " (secret)" if variable.is_secret else ""
    is_code = variable.default and not set(" `") & set(variable.default)
    default = f"`{variable.default}`" if is_code else variable.default or "–"
    return f"| `{variable.name}`{secret} | {variable.meaning} | {default} |\n"
