"""Generates docs/reference/options.md: options of games and formats, terms of games, tie-breaks, rules of seasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils.translation import override

from scorebook_games.contract import Option
from scorebook_games.gamelog.terms import TERMS_SCHEMA, ZONES
from scorebook_games.registry import KINDS
from tournaments.formats import FORMATS
from tournaments.scoring.tie_breaks import TIE_BREAKS
from tournaments.seasons.setting import declared
from tournaments.seasons.settings import EntryPolicy, SeasonPolicies

FILE: Final[Path] = settings.BASE_DIR / "docs" / "reference" / "options.md"
FOLDER_OF_KINDS: Final = "../../games/library/scorebook_games/kinds"  # as the page links it
HEAD: Final = """\
# Options of games, terms, formats, tie-breaks and rules of seasons

What can be chosen for a game or a season, with its range and its default. `GET /api/v1/kinds/` has the same as JSON.
`bin/dev manage write_documents` writes this page from the code.
"""
TIE_BREAKS_HEAD: Final = """
## Tie-breaks

[Points and tie-breaks](points-and-tie-breaks.md) explains how they apply, and their default order.

| tie-break | name | what it is |
|---|---|---|
"""


def text() -> str:
    """Return the whole page."""
    return HEAD + "".join(sections())


def sections() -> Iterator[str]:
    """Return the terms of a game, the options of each kind and of each format, and the tie-breaks."""
    yield "\n## Terms of a game\n\nThe terms belong to a game of any kind, or to all games of a season.\n\n"
    yield from table(TERMS_SCHEMA)
    for kind, rules in KINDS.items():
        yield f"\n## {rules.spec.title}\n\n[The rules]({FOLDER_OF_KINDS}/{kind}/rules.md) explain each.\n\n"
        yield from table(rules.spec.options)
    for name, format in FORMATS.items():
        if format.options:
            yield f"\n## Format `{name}`\n\n"
            yield from table(format.options)
    yield TIE_BREAKS_HEAD
    for one in TIE_BREAKS.values():
        yield f"| `{one.key}` | {one.name} | {one.meaning} |\n"
    for title, of in (("Rules of a season", SeasonPolicies), ("Entry to a season (`entry`)", EntryPolicy)):
        yield f"\n## {title}\n\n| setting | values | default | meaning |\n|---|---|---|---|\n"
        yield from settings_rows(of)


def settings_rows(of: type) -> Iterator[str]:
    """Return a row for each declared setting of a dataclass."""
    defaults = {field.name: field.default for field in fields(of)}
    with override("en"):
        for name, value in declared(of).items():
            meaning = str(value.help).replace("|", "\\|")
            yield f"| `{name}` | {value.range} | {shown(defaults[name])} | {meaning} |\n"


def table(options: Iterable[Option]) -> Iterator[str]:
    yield "| option | values | default | meaning |\n|---|---|---|---|\n"
    for option in options:
        meaning = option.help.replace("|", "\\|")
        yield f"| `{option.name}` | {values(option)} | {default(option)} | {meaning} |\n"


def values(option: Option) -> str:
    """Return the option's possible values in words."""
    if option.type == "bool":
        return "`true`, `false`"
    if option.choices == ZONES:
        return "a time zone, such as `Europe/Dublin`"
    if option.type == "choice":
        return ", ".join(f"`{choice}`" for choice in option.choices)
    return f"{option.minimum} to {option.maximum}"


def default(option: Option) -> str:
    """Return the default; – if there is none or it depends on the number of seats."""
    return shown(option.default)


def shown(default: object) -> str:
    """Return a default as JSON has it; – for none."""
    if default is None:
        return "–"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
