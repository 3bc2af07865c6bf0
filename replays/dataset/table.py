"""The dataset's columns, and games as rows. Pure. Only `table`, `writer`, `check` and the command import pyarrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson
import pyarrow as pa

from replays.dataset.decisions import SCHEMA_VERSION, Measured, UnreadableGame, clock_of, replay_game
from scorebook_games import __version__
from scorebook_games.gamelog.events import RecordedEvent, decode_batch, recorded


def _column(name: str, kind: pa.DataType, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable)


SCHEMA: Final = pa.schema(
    [
        _column("game", pa.string()),
        _column("version", pa.int32()),
        _column("kind", pa.string()),
        _column("rules_version", pa.int16()),
        _column("options", pa.string()),
        _column("pace", pa.string()),
        _column("seats", pa.int16()),
        _column("seat", pa.int16()),
        _column("played_by", pa.string()),
        _column("observation", pa.string()),
        _column("legal_moves", pa.list_(pa.field("element", pa.string(), nullable=False))),
        _column("choice", pa.string()),
        _column("taken", pa.bool_()),
        _column("waited_ms", pa.int64(), nullable=True),
        _column("move_limit_ms", pa.int64(), nullable=True),
        _column("bank_limit_ms", pa.int64(), nullable=True),
        _column("termination", pa.string()),
        _column("score", pa.int32()),
        _column("place", pa.int16()),
        _column("gain", pa.float64(), nullable=True),
        _column("value_function", pa.string(), nullable=True),
        _column("cost", pa.float64(), nullable=True),
        _column("cost_error", pa.float64(), nullable=True),
    ],
    metadata={"scorebook.dataset": str(SCHEMA_VERSION), "scorebook.version": __version__},
)


class GameSource(NamedTuple):
    """What a game's rows are made from: its public id, its deal's seed, seat → who played it (only seats that may be
    shown), the (times, body) of its stored batches, and what was measured of its decisions."""

    game: str
    seed: bytes
    players: Mapping[int, str]
    batches: Sequence[tuple[Sequence[int], bytes]]
    measured: Measured


class Rows(NamedTuple):
    """The rows of some games as an Arrow stream, and a sentence for each game that is left out of them."""

    stream: bytes
    games: int
    rows: int
    faults: list[str]


def rows_of(sources: Sequence[GameSource]) -> Rows:
    """Return the rows of some games, in order."""
    columns: list[list[Any]] = [[] for _ in SCHEMA]
    faults: list[str] = []
    for source in sources:
        try:
            of_game = game_columns(source)
        except UnreadableGame as error:
            faults.append(f"Game {source.game} is left out: {error}.")
            continue
        for column, values in zip(columns, of_game, strict=True):
            column += values
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SCHEMA) as stream:
        stream.write_batch(pa.record_batch(arrays, schema=SCHEMA))
    return Rows(sink.getvalue().to_pybytes(), len(sources) - len(faults), len(columns[0]), faults)


def game_columns(source: GameSource) -> list[Sequence[Any]]:
    """Return the rows of a game as columns, in the order of `SCHEMA`. Raises `UnreadableGame`."""
    try:
        entries = _entries(source.batches)
    except ValueError as error:
        raise UnreadableGame(f"its log can't be read: {error}") from error
    made, fold, outcome = replay_game(entries, source.seed, source.players)
    if not made:
        return [()] * len(SCHEMA)
    versions, seats, *choosing = zip(*made, strict=True)
    options = orjson.dumps(fold.opened["options"], option=orjson.OPT_SORT_KEYS)
    of_game = (fold.opened["kind"], fold.opened["rules_version"], options, fold.pace, fold.seats)
    of_table = (*clock_of(fold.opened["terms"]), outcome.termination)
    value_function, gains, costs = source.measured
    measured = [costs.get((each.seat, each.version + 1), (None, None)) if each.taken else (None, None) for each in made]
    return [
        [source.game] * len(made),
        versions,
        *([value] * len(made) for value in of_game),
        seats,
        *choosing,
        *([value] * len(made) for value in of_table),
        [outcome.scores[seat] for seat in seats],
        [outcome.placings[seat] for seat in seats],
        [gains.get((each.seat, each.version + 1), 0.0) if value_function and each.taken else None for each in made],
        [value_function or None] * len(made),
        *zip(*measured, strict=True),
    ]


def _entries(batches: Sequence[tuple[Sequence[int], bytes]]) -> list[RecordedEvent]:
    entries: list[RecordedEvent] = []
    for times, body in batches:
        events = decode_batch(body)
        if len(times) != len(events):
            raise ValueError(f"a batch has {len(events)} events and {len(times)} times")
        entries += recorded(len(entries), times, events)
    return entries
