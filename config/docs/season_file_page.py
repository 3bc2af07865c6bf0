"""Generates docs/reference/season-file.md: the parts of a season's file, from the dataclasses that declare them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from django.conf import settings

from games.common.dataclass_serializer import sent_fields
from tournaments.importexport import season_file

FILE: Final[Path] = settings.BASE_DIR / "docs" / "reference" / "season-file.md"
HEAD: Final = """\
# The file of a season

The JSON file that [an export](../how-to/import-and-export-a-season.md) writes and an import of a whole season reads
back. An import computes `points` and `standings` again, and reports other places. It refuses a wrong value with its
place in the file. A type in brackets is a list. `bin/dev manage write_documents` writes this page from the code.
"""
SHAPES: Final = (
    season_file.SeasonFile,
    season_file.FileDivision,
    season_file.FileRefusal,
    season_file.FileEntrant,
    season_file.FileWithdrawal,
    season_file.FileRound,
    season_file.FileBye,
    season_file.FileMatch,
    season_file.FileGame,
    season_file.FileResult,
    season_file.FileStanding,
)
TYPES: Final = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
    datetime: "time",
    type(None): "null",
}


def text() -> str:
    """Return the whole page."""
    return HEAD + "".join(line for shape in SHAPES for line in section(shape))


def section(shape: Any) -> Iterator[str]:
    """Return a part's heading, its description and a table of its fields."""
    about = fill((inspect.getdoc(shape) or "").partition("\n\n")[0], 120)
    yield f"\n## `{shape.__name__}`\n\n{about}\n\n| field | type | meaning |\n|---|---|---|\n"
    hints = get_type_hints(shape, include_extras=True)
    for name in sent_fields(shape):
        meaning = next((each for each in get_args(hints[name]) if isinstance(each, str)), "")
        yield f"| `{name}` | {type_words(hints[name])} | {meaning} |\n"


def type_words(hint: Any) -> str:
    """Return a type in words; a part by its name."""
    of, arguments = get_origin(hint), get_args(hint)
    if of is Annotated:
        return type_words(arguments[0])
    if of is list:
        return f"[{type_words(arguments[0])}]"
    if arguments and of is not dict:
        return " or ".join(type_words(argument) for argument in arguments)
    return TYPES.get(of or hint) or f"`{hint.__name__}`"
