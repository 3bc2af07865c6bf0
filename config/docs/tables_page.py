"""Generates docs/reference/tables.md: for every table of the database, whether it is a log, a projection or primary
data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.apps import apps
from django.conf import settings
from django.db.models import Model

from games.common.table_source import Log, Primary, Projection, TableSource

FILE: Final[Path] = settings.BASE_DIR / "docs" / "reference" / "tables.md"
HEAD: Final = """\
# Tables

`bin/dev manage write_documents` writes this page from the models: each names the source of its rows in `table_source`.

A **log** is the truth itself. A **projection** is made from events, in the transaction that adds them. **Primary data**
is in no log; [a backup](../how-to/back-up-and-restore.md) is its only copy.
"""
IMPORTED: Final = "the file says it, and the log only that it was imported"
# The tables of other packages: the beginning of their names, or a schema.
FOREIGN: Final = {
    "account_": Primary("Email addresses (django-allauth)."),
    "auth_": Primary("Users, and the permissions of admins (Django)."),
    "cache": Primary("Counters of requests. They may be deleted (Django)."),
    "django_": Primary("Migrations, content types, and the log of the admin site (Django)."),
    "mfa_": Primary("Second factors (django-allauth)."),
    "pgmq.": Primary("The queue. Its messages only say that there may be work, so they may be deleted."),
}


def text() -> str:
    """Return the whole page."""
    foreign: dict[str, TableSource] = {f"{prefix}…": source for prefix, source in FOREIGN.items()}
    return HEAD + "".join(_sections(sources() | foreign))


def sources() -> dict[str, TableSource]:
    """Return table → source of its rows, for all models of ours, sorted. Raises LookupError for a model that names no
    source, or columns that it does not have."""
    models = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    return {table: _source_of(models[table]) for table in sorted(models) if not is_foreign(table)}


def is_foreign(table: str) -> bool:
    """Return whether a table belongs to another package."""
    return table.startswith(tuple(FOREIGN))


def _source_of(model: type[Model]) -> TableSource:
    source: TableSource | None = getattr(model, "table_source", None)
    if source is None:
        raise LookupError(f"The model {model.__name__} says nowhere what its rows are. Give it a `table_source`.")
    named = source.primary_columns() | set(source.imported) if isinstance(source, Projection) else set()
    if unknown := named - {field.name for field in model._meta.concrete_fields}:
        raise LookupError(f"The model {model.__name__} has no column {', '.join(sorted(unknown))}.")
    return source


def _sections(tables: dict[str, TableSource]) -> Iterator[str]:
    yield "\n## Logs\n\n| table | what it holds |\n|---|---|\n"
    yield from (f"| `{table}` | {source.why} |\n" for table, source in tables.items() if isinstance(source, Log))
    yield "\n## Projections\n\n| table | made from | compared by | columns that are in no event, and why |\n"
    yield "|---|---|---|---|\n"
    for table, source in tables.items():
        if isinstance(source, Projection):
            columns = [f"{_code(names)}: {why}" for names, why in source.primary.items()]
            if source.imported:
                columns.append(f"{_code(', '.join(source.imported))}, where imported: {IMPORTED}")
            yield f"| `{table}` | {source.of} | `{source.command}` | {'; '.join(columns)} |\n"
    yield "\n## Primary data\n\n| table | what it holds |\n|---|---|\n"
    yield from (f"| `{table}` | {source.why} |\n" for table, source in tables.items() if isinstance(source, Primary))


def _code(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split(", "))
