"""Compares the rows of a season with what its log says (`tournaments.seasons.projection`), and writes them.

`SeasonAggregate` writes the part that its new events changed; `rebuild` all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import eq
from typing import Any, Final, cast

from django.db import connection, models

from tournaments.seasons import projection
from tournaments.seasons.fold import SeasonFold, Touched
from tournaments.seasons.models import (
    BoardPlayer,
    Bye,
    Division,
    EmptyBoard,
    Entrant,
    ImportedGame,
    Match,
    MatchEntrant,
    MatchGame,
    Round,
    Season,
    TeamMember,
)
from tournaments.seasons.projection import Columns, Key, Rows, Unknown
from tournaments.seasons.settings import SeasonSettings

BATCH_SIZE: Final = 1000
LONGEST_SHOWN: Final = 80  # characters of a value that a difference names

IDS: Final = {"id__in", "match__in"}  # lookups that need no season beside them

Part = Mapping[str, Collection[Any]]  # lookups of the rows of a part of a season
Beyond = Mapping[type[models.Model], Mapping[Key, Columns]]


@dataclass(frozen=True, slots=True)
class ProjectedTable:
    """A table whose rows follow from seasons.

    `rows` gives them; `season` is the lookup of a row's season; `part` gives lookups of the rows of a part, apart from
    those that are new;
    `key`: the columns that name a row within the season; `links`: the columns that point to rows of another table.
    With `repeated`, rows of the same key are counted. `whole`: rows are computed together and nearly all change, so
    those of a part are written without a look at what is there; `same` compares two values.
    """

    model: type[models.Model]
    rows: Callable[[SeasonFold, Touched | None], Rows]
    season: str
    key: tuple[str, ...]
    part: Callable[[Touched], Part]
    links: Mapping[str, type[models.Model]] = field(default_factory=dict)
    repeated: bool = False
    whole: bool = False
    same: Callable[[Any, Any], bool] = eq

    def column(self, name: str) -> str:
        """Return the name under which a row has a column's value."""
        return f"{name}_id" if name in self.links else name


def _of_rounds(lookup: str) -> Callable[[Touched], Part]:
    """Return the lookups of what belongs to rounds. They also find other rounds of the same number."""

    def part_of(part: Touched) -> Part:
        rounds = part.rounds.keys() - part.new_rounds
        return {
            f"{lookup}division__number__in": {division for division, _number, _attempt in rounds},
            f"{lookup}number__in": {number for _division, number, _attempt in rounds},
        }

    return part_of


def _of_matches(part: Touched) -> Part:
    return {"match__in": part.matches_with_rows()}


# In this order, tables come after those to which they point. `project` adds those of higher packages.
SEASON_TABLES: Final = [
    ProjectedTable(
        Division, projection.division_rows, "season", ("number",), lambda part: {"number__in": part.divisions}
    ),
    ProjectedTable(
        Entrant,
        projection.entrant_rows,
        "season",
        ("number",),
        lambda part: {"number__in": part.entrants - part.new_entrants},
        {"division": Division},
    ),
    ProjectedTable(
        TeamMember,
        projection.team_member_rows,
        "entrant__season",
        ("entrant", "player_id"),
        lambda part: {"entrant__number__in": part.entrants - part.new_entrants},
        {"entrant": Entrant},
    ),
    ProjectedTable(
        Round,
        projection.round_rows,
        "division__season",
        ("division", "number"),
        _of_rounds(""),
        {"division": Division},
        repeated=True,
    ),
    ProjectedTable(
        Match,
        projection.match_rows,
        "round__division__season",
        ("id",),
        lambda part: {"id__in": part.matches_with_rows()},
        {"round": Round},
    ),
    ProjectedTable(
        MatchEntrant,
        projection.match_entrant_rows,
        "match__round__division__season",
        ("match_id", "entrant"),
        _of_matches,
        {"entrant": Entrant},
    ),
    ProjectedTable(
        BoardPlayer,
        projection.board_player_rows,
        "match__round__division__season",
        ("match_id", "entrant", "board"),
        _of_matches,
        {"entrant": Entrant},
    ),
    ProjectedTable(
        EmptyBoard,
        projection.empty_board_rows,
        "match__round__division__season",
        ("match_id", "number"),
        _of_matches,
    ),
    ProjectedTable(
        Bye,
        projection.bye_rows,
        "round__division__season",
        ("round", "entrant"),
        _of_rounds("round__"),
        {"round": Round, "entrant": Entrant, "missing": Entrant},
    ),
    ProjectedTable(MatchGame, projection.match_game_rows, "match__round__division__season", ("game_id",), _of_matches),
    ProjectedTable(
        ImportedGame,
        projection.imported_game_rows,
        "match__round__division__season",
        ("match_id", "number", "replay"),
        _of_matches,
    ),
]


def project(table: ProjectedTable) -> None:
    """Add a table of a higher package. Its `models` module calls this."""
    SEASON_TABLES.append(table)


def new_match_ids(count: int) -> list[int]:
    """Return ids for new matches: an event names its matches before their rows are written."""
    with connection.cursor() as cursor:
        ids = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        cursor.execute(ids, [Match._meta.db_table, count])
        return [pk for (pk,) in cursor.fetchall()]


def write_part(season: Season, state: SeasonFold, part: Touched, beyond: Beyond) -> None:
    """Write the rows of a part of a season that differ from its state. `beyond` has columns that no event says: model →
    key → columns. The caller has locked the season; its own row is updated in memory too."""
    deque(SeasonRows(season, state, part, beyond).differences(write=True), maxlen=0)


class SeasonRows:
    """The rows of one season, or of a `part` of it, beside what its state says."""

    def __init__(
        self, season: Season, state: SeasonFold, part: Touched | None = None, beyond: Beyond | None = None
    ) -> None:
        self.season, self.state, self.part, self.beyond = season, state, part, beyond or {}
        self.ids: dict[type[models.Model], dict[Key, int]] = {}
        self.keys: dict[type[models.Model], dict[int, Key]] = {}
        self.indexed: set[type[models.Model]] = set()

    def differences(self, *, write: bool) -> Iterator[str]:
        """Yield a sentence for each row that differs; `write` corrects it."""
        yield from self._season(write=write)
        for table in SEASON_TABLES:
            if table.whole and self.part is not None:
                self._write_whole(table)
            else:
                yield from self._table(table, write=write)

    def _season(self, *, write: bool) -> Iterator[str]:
        wanted = projection.season_columns(self.state, self.part)
        logged = wanted.pop("settings", None)
        wanted |= self.beyond.get(Season, {}).get(self.season.pk, {})
        different = _wrong(wanted, vars(self.season))
        read = SeasonSettings.read
        if logged is not None and read(self.season.settings).logged() != read(logged).logged():
            different["settings"] = self._named(logged)
        yield from (
            f"{self.season}: {_difference(name, getattr(self.season, name), should)}"
            for name, should in different.items()
        )
        if write and different:
            Season.objects.filter(pk=self.season.pk).update(**different)
            for name, value in different.items():
                setattr(self.season, name, value)

    def _named(self, logged: Columns) -> Columns:
        """Return the settings of the log, with the names of divisions that the row has."""
        names = [tier.get("name", "") for tier in self.season.settings["divisions"]] + [""] * len(logged["divisions"])
        tiers = [{**tier, "name": name} for tier, name in zip(logged["divisions"], names, strict=False)]
        return {**logged, "divisions": tiers}

    def _table(self, table: ProjectedTable, *, write: bool) -> Iterator[str]:
        wanted = table.rows(self.state, self.part)
        may_lose_rows = self.part is None or self.part.settings
        if not (wanted or may_lose_rows):
            return
        beyond = self.beyond.get(table.model, {})
        stored = self._stored(table)
        name = table.model._meta.verbose_name
        where = f"{self.season}, {name}"
        gone = stored.keys() - wanted.keys() if may_lose_rows else ()
        for key in gone:
            yield f"{where} {_key(key)}: the row is in no log."
        different, missing = {}, {}
        for key, columns in wanted.items():
            should = self._resolved(table, columns | beyond.get(key, {}))
            if (row := stored.get(key)) is None:
                missing[key] = should
                yield f"{where} {_key(key)}: the row is missing."
            elif differs := _wrong(should, row, table.same):
                different[row["id"]] = differs
                for column, value in differs.items():
                    yield f"{where} {_key(key)}: {_difference(column, row[column], value)}"
        if write:
            if gone:
                table.model._base_manager.filter(pk__in=[stored[key]["id"] for key in gone]).delete()
            _update(table.model, different)
            made = table.model._base_manager.bulk_create(
                [self._new(table, columns) for columns in missing.values()], BATCH_SIZE
            )
            self._remember(table.model, zip(missing, [row.pk for row in made], strict=True))

    def _write_whole(self, table: ProjectedTable) -> None:
        """Write the rows of a part as they are to be; rows that are there and do not belong are deleted."""
        assert self.part is not None, "All rows are compared."
        lookups = table.part(self.part)
        if not any(lookups.values()):
            return
        rows = [
            self._new(table, self._resolved(table, columns)) for columns in table.rows(self.state, self.part).values()
        ]
        key = [table.column(name) for name in table.key]
        [first] = key
        there = table.model._base_manager.filter(**{table.season: self.season}, **lookups)
        there.exclude(**{f"{first}__in": [getattr(row, first) for row in rows]}).delete()
        others = [field.attname for field in table.model._meta.concrete_fields if field.attname not in ("id", *key)]
        table.model._base_manager.bulk_create(
            rows, BATCH_SIZE, update_conflicts=True, unique_fields=key, update_fields=others
        )

    def _stored(self, table: ProjectedTable) -> dict[Key, Columns]:
        """Return key → row of a table, of the part or all. All are remembered with their ids."""
        rows = table.model._base_manager.order_by("pk")
        if self.part is not None:
            if not all((lookups := table.part(self.part)).values()):
                return {}
            season = {} if IDS.intersection(lookups) else {table.season: self.season}
            return self._by_key(table, rows.filter(**season, **lookups).values())
        found = self._by_key(table, rows.filter(**{table.season: self.season}).values())
        self._remember(table.model, ((key, row["id"]) for key, row in found.items()))
        return found

    def _by_key(self, table: ProjectedTable, rows: Iterable[Columns]) -> dict[Key, Columns]:
        found: dict[Key, Columns] = {}
        seen: dict[Key, int] = {}
        for row in rows:
            parts = [self._key_part(table, name, row) for name in table.key]
            key: Key = parts[0] if len(parts) == 1 else tuple(parts)
            if table.repeated:
                seen[key] = before = seen.get(key, -1) + 1
                key = (*parts, before)
            found[key] = row
        return found

    def _key_part(self, table: ProjectedTable, name: str, row: Columns) -> Key:
        value = row[table.column(name)]
        if name not in table.links:
            return cast(Key, value)
        self._index(table.links[name])
        return self.keys[table.links[name]].get(value)

    def _index(self, model: type[models.Model]) -> None:
        """Remember the ids of the rows of a table to which others point, if they are not known yet. Those that were
        just written are known."""
        if model in self.indexed or self.part is None:
            return
        self.indexed.add(model)
        table = next(table for table in SEASON_TABLES if table.model is model)
        rows = model._base_manager.filter(**{table.season: self.season}).order_by("pk")
        if model is Round:
            pasts = (*self.part.rounds.values(), *self.part.matches.values())
            rows = rows.filter(number__in={past.number for past in pasts if past.key not in self.part.new_rounds})
        if model is Entrant and not self.part.settings:
            rows = rows.filter(number__in=projection.entrants_of(self.state, self.part))
        columns = ["id", *map(table.column, table.key)]
        found = self._by_key(table, rows.values(*columns))
        self._remember(model, ((key, row["id"]) for key, row in found.items()))

    def _remember(self, model: type[models.Model], ids: Iterable[tuple[Key, int]]) -> None:
        known, keys = self.ids.setdefault(model, {}), self.keys.setdefault(model, {})
        for key, pk in ids:
            known[key], keys[pk] = pk, key

    def _resolved(self, table: ProjectedTable, columns: Columns) -> Columns:
        """Return the columns as the row has them: ids instead of keys."""
        for name in table.links:
            self._index(table.links[name])
        return {
            table.column(name): self.ids[table.links[name]].get(value) if name in table.links else value
            for name, value in columns.items()
        }

    def _new(self, table: ProjectedTable, columns: Columns) -> models.Model:
        """Return the unsaved row."""
        known = {name: value.fallback if isinstance(value, Unknown) else value for name, value in columns.items()}
        if table.season == "season":
            known["season_id"] = self.season.pk
        if table.model is Division and "name" not in known:
            known["name"] = str(self.season if self.season.divisions.count() == 0 else columns["number"])[:60]
        return table.model(**known)


def _wrong(should: Columns, row: Mapping[str, Any], same: Callable[[Any, Any], bool] = eq) -> Columns:
    """Return the columns that differ, as they should be."""
    return {name: value for name, value in should.items() if not (isinstance(value, Unknown) or same(row[name], value))}


def _update(model: type[models.Model], different: Mapping[int, Columns]) -> None:
    """Write columns of rows: id → column → value. One value for all rows needs no row by row."""
    for names in {tuple(columns) for columns in different.values()}:
        rows = {pk: columns for pk, columns in different.items() if tuple(columns) == names}
        first, *others = rows.values()
        if all(columns == first for columns in others):
            model._base_manager.filter(pk__in=rows).update(**first)
        else:
            made = [model(pk=pk, **columns) for pk, columns in rows.items()]
            model._base_manager.bulk_update(made, names, BATCH_SIZE)


def _difference(column: str, has: Any, should: Any) -> str:
    if isinstance(has, Mapping) and isinstance(should, Mapping):  # such as settings: what is alike is left out
        apart = {name for name in has.keys() | should.keys() if has.get(name) != should.get(name)}
        has, should = ({name: data[name] for name in sorted(apart & data.keys())} for data in (has, should))
    if len(_value(has) + _value(should)) > 2 * LONGEST_SHOWN:
        return f"{column} differs from the log."
    return f"{column} is {_value(has)} in the row, {_value(should)} by the log."


def _value(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else repr(value)


def _key(key: Key) -> str:
    parts: Sequence[Any] = key if isinstance(key, tuple) else (key,)
    return ", ".join(map(_key_part, parts))


def _key_part(part: Any) -> str:
    return f"({_key(part)})" if isinstance(part, tuple) else str(part)
