"""Compares rows of a dataset with the logs: draws some at random and derives them again."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from games.accounts import dataset_consent
from games.models import Game
from replays.dataset.export import sources_of
from replays.dataset.table import rows_of

READ_GAMES: Final = 50

Row = dict[str, Any]


def rows_that_differ(path: Path, *, count: int, chance: random.Random) -> tuple[int, list[Row]]:
    """Draw up to `count` rows of the file at random and derive them again from their games' logs. Return how many were
    drawn, and those that the logs do not give."""
    drawn: dict[str, list[Row]] = defaultdict(list)
    for row in _draw(pq.ParquetFile(path), count, chance):
        drawn[row["game"]].append(row)
    differ: list[Row] = []
    names = sorted(drawn)
    for first in range(0, len(names), READ_GAMES):
        known = _derived(names[first : first + READ_GAMES])
        for name in names[first : first + READ_GAMES]:
            differ += [row for row in drawn[name] if row not in known.get((name, row["version"]), [])]
    return sum(map(len, drawn.values())), differ


def _draw(file: pq.ParquetFile, count: int, chance: random.Random) -> list[Row]:
    """Return random rows, reading one row group at a time."""
    total = file.metadata.num_rows
    places = sorted(chance.sample(range(total), min(count, total)))
    rows: list[Row] = []
    first = 0
    for group in range(file.num_row_groups):
        after = first + file.metadata.row_group(group).num_rows
        here = [place - first for place in places if first <= place < after]
        if here:
            rows += file.read_row_group(group).take(pa.array(here)).to_pylist()
        first = after
    return rows


def _derived(names: list[str]) -> dict[tuple[str, int], list[Row]]:
    """Return (game, version) → the rows that the logs give. Two decisions of a beat may have the same version."""
    games = Game.objects.filter(public_id__in=names)
    found: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for source in sources_of(games, dataset_consent.consenting_users(), set()).values():
        made = rows_of([source])
        for row in pa.ipc.open_stream(made.stream).read_all().to_pylist():
            found[row["game"], row["version"]].append(row)
    return found
