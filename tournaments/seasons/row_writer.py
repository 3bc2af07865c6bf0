"""Compares the rows of a season with what its log says (`tournaments.seasons.projection`), and writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import models

from tournaments.seasons import projection
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import (
    Bye,
    Division,
    Entrant,
    ImportedGame,
    Match,
    MatchEntrant,
    MatchGame,
    Round,
    Season,
)
from tournaments.seasons.projection import Columns, Key, Rows, Unknown
from tournaments.seasons.settings import SeasonSettings

BATCH_SIZE: Final = 1000


@dataclass(frozen=True, slots=True)
class ProjectedTable:
    """A table whose rows follow from seasons.

    `rows` gives them; `season` is the lookup of a row's season; `key`: the columns that name a row within it; `links`:
    the columns that point to rows of another table. With `repeated`, rows of the same key are counted.
    """

    model: type[models.Model]
    rows: Callable[[SeasonFold], Rows]
    season: str
    key: tuple[str, ...]
    links: Mapping[str, type[models.Model]] = field(default_factory=dict)
    repeated: bool = False

    def column(self, name: str) -> str:
        """Return the name under which a row has a column's value."""
        return f"{name}_id" if name in self.links else name


SEASON_TABLES: Final = (
    ProjectedTable(Division, projection.division_rows, "season", ("number",)),
    ProjectedTable(Entrant, projection.entrant_rows, "season", ("number",), {"division": Division}),
    ProjectedTable(
        Round,
        projection.round_rows,
        "division__season",
        ("division", "number"),
        {"division": Division},
        repeated=True,
    ),
    ProjectedTable(Match, projection.match_rows, "round__division__season", ("id",), {"round": Round}),
    ProjectedTable(
        MatchEntrant,
        projection.match_entrant_rows,
        "match__round__division__season",
        ("match_id", "entrant"),
        {"entrant": Entrant},
    ),
    ProjectedTable(
        Bye,
        projection.bye_rows,
        "round__division__season",
        ("round", "entrant"),
        {"round": Round, "entrant": Entrant, "missing": Entrant},
    ),
    ProjectedTable(MatchGame, projection.match_game_rows, "match__round__division__season", ("game_id",)),
    ProjectedTable(
        ImportedGame,
        projection.imported_game_rows,
        "match__round__division__season",
        ("match_id", "number", "replay"),
    ),
)


class SeasonRows:
    """The rows of one season, beside what its state says. Tables come after those to which they point."""

    def __init__(self, season: Season, state: SeasonFold) -> None:
        self.season, self.state = season, state
        self.ids: dict[type[models.Model], dict[Key, int]] = {}
        self.keys: dict[type[models.Model], dict[int, Key]] = {}

    def differences(self, tables: Iterable[ProjectedTable], *, write: bool) -> Iterator[str]:
        """Yield a sentence for each row that differs; `write` corrects it."""
        yield from self._season(write=write)
        for table in tables:
            yield from self._table(table, write=write)

    def _season(self, *, write: bool) -> Iterator[str]:
        wanted = projection.season_columns(self.state)
        logged = wanted.pop("settings")
        wrong = _wrong(wanted, vars(self.season))
        if SeasonSettings.read(self.season.settings).logged() != logged:
            wrong["settings"] = self._named(logged)
        yield from (
            f"{self.season}: {_difference(name, getattr(self.season, name), should)}" for name, should in wrong.items()
        )
        if write and wrong:
            Season.objects.filter(pk=self.season.pk).update(**wrong)

    def _named(self, logged: Columns) -> Columns:
        """Return the settings of the log, with the names of divisions that the row has."""
        names = [tier.get("name", "") for tier in self.season.settings["divisions"]] + [""] * len(logged["divisions"])
        tiers = [{**tier, "name": name} for tier, name in zip(logged["divisions"], names, strict=False)]
        return {**logged, "divisions": tiers}

    def _table(self, table: ProjectedTable, *, write: bool) -> Iterator[str]:
        wanted, stored = table.rows(self.state), self._stored(table)
        name = table.model._meta.verbose_name
        where = f"{self.season}, {name}"
        for key in stored.keys() - wanted.keys():
            yield f"{where} {_key(key)}: the row is in no log."
        wrong = {}
        for key, columns in wanted.items():
            should = self._resolved(table, columns)
            if (row := stored.get(key)) is None:
                yield f"{where} {_key(key)}: the row is missing."
            elif differs := _wrong(should, row):
                wrong[row["id"]] = differs
                for column, value in differs.items():
                    yield f"{where} {_key(key)}: {_difference(column, row[column], value)}"
        if write:
            gone = [row["id"] for key, row in stored.items() if key not in wanted]
            table.model._base_manager.filter(pk__in=gone).delete()
            _update(table.model, wrong)
            missing = [columns for key, columns in wanted.items() if key not in stored]
            table.model._base_manager.bulk_create([self._new(table, columns) for columns in missing], BATCH_SIZE)
            if missing:
                self._stored(table)

    def _stored(self, table: ProjectedTable) -> dict[Key, Columns]:
        """Return key → row of a table, and remember the ids of its rows."""
        found: dict[Key, Columns] = {}
        seen: dict[Key, int] = {}
        for row in table.model._base_manager.filter(**{table.season: self.season}).order_by("pk").values():
            parts = [self._part(table, name, row) for name in table.key]
            key: Key = parts[0] if len(parts) == 1 else tuple(parts)
            if table.repeated:
                seen[key] = before = seen.get(key, -1) + 1
                key = (*parts, before)
            found[key] = row
        self.ids[table.model] = {key: row["id"] for key, row in found.items()}
        self.keys[table.model] = {pk: key for key, pk in self.ids[table.model].items()}
        return found

    def _part(self, table: ProjectedTable, name: str, row: Columns) -> Key:
        value = row[table.column(name)]
        key: Key = self.keys[table.links[name]].get(value) if name in table.links else value
        return key

    def _resolved(self, table: ProjectedTable, columns: Columns) -> Columns:
        """Return the columns as the row has them: ids instead of keys."""
        if not table.links:
            return columns
        return {
            table.column(name): self.ids[table.links[name]].get(value) if name in table.links else value
            for name, value in columns.items()
        }

    def _new(self, table: ProjectedTable, columns: Columns) -> models.Model:
        """Return the unsaved row."""
        resolved = self._resolved(table, columns).items()
        known = {name: value.otherwise if isinstance(value, Unknown) else value for name, value in resolved}
        if table.season == "season":
            known["season_id"] = self.season.pk
        if table.model is Division:
            known["name"] = str(self.season if self.season.divisions.count() == 0 else columns["number"])[:60]
        return table.model(**known)


def _wrong(should: Columns, row: Mapping[str, Any]) -> Columns:
    """Return the columns that differ, as they should be."""
    return {name: value for name, value in should.items() if not isinstance(value, Unknown) and row[name] != value}


def _update(model: type[models.Model], wrong: Mapping[int, Columns]) -> None:
    """Write columns of rows: id → column → value."""
    for names in {tuple(columns) for columns in wrong.values()}:
        rows = [model(pk=pk, **columns) for pk, columns in wrong.items() if tuple(columns) == names]
        model._base_manager.bulk_update(rows, names, BATCH_SIZE)


def _difference(column: str, has: Any, should: Any) -> str:
    return f"{column} is {_value(has)} in the row, {_value(should)} by the log."


def _value(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else repr(value)


def _key(key: Key) -> str:
    parts: Sequence[Any] = key if isinstance(key, tuple) else (key,)
    return ", ".join(map(_key_part, parts))


def _key_part(part: Any) -> str:
    return f"({_key(part)})" if isinstance(part, tuple) else str(part)
