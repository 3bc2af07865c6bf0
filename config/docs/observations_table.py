"""Generates docs/reference/observations.md from what each kind says of its observations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from django.conf import settings

from scorebook_games.cli import fields
from scorebook_games.cli.fields import Row
from scorebook_games.registry import KINDS

FILE: Final[Path] = settings.BASE_DIR / "docs" / "reference" / "observations.md"
HEAD: Final = """\
# Observations

What a bot finds in `view`, for each kind of game. `view["observation"]` has the same fields. `scorebook-bot fields
KIND` prints these tables, and `bin/dev manage write_documents` writes this page from the code.

Cards, ranks and seats are written as in the [common rules](common-rules.md). `??` is a card that you may not see. A
path such as `seats[].hand` stands for the field `hand` of each object in the list `seats`; `{}` stands for each value
of an object. The examples are from a game for two, as seat 0 saw it; long ones are cut.
"""


def text() -> str:
    """Return the whole page."""
    return HEAD + "".join(sections())


def sections() -> Iterator[str]:
    """Return the fields of every kind, then those of each."""
    seen = {kind: fields.observations(kind) for kind in KINDS}
    yield "\n## Every kind\n\n"
    yield from table(fields.with_examples(fields.common_fields(), [view for each in seen.values() for view in each]))
    for kind, rules in KINDS.items():
        yield f"\n## {rules.spec.title}\n\n"
        yield from table(fields.with_examples(fields.kind_fields(kind), seen[kind]))


def table(rows: Iterable[Row]) -> Iterator[str]:
    yield "| field | type | meaning | example |\n|---|---|---|---|\n"
    for row in rows:
        example = f"`{row.example}`" if row.example else ""
        cells = (f"`{row.field.path}`", row.field.type, row.field.meaning, example)
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"
