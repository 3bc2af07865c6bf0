"""The rows of games, made again from their logs: what `rebuild` compares and writes.

`row_of` makes the row of a game after each change of it; here the same function gets the last change of a whole log. So
there is one projector of games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import transaction
from django.db.models import Count

from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.eventlog.store import Stored
from games.models import Game, Seat, seated_programs
from games.play.unit_of_work import GameUnit, awaited_since, go_due, row_of
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import decode_batch
from scorebook_games.gamelog.fold import Fold, fold_game
from scorebook_games.registry import UnknownKind, rules_for

GAMES_AT_ONCE: Final = 200  # whose logs are read in one query, and whose rows are corrected in one transaction
Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class GameRows:
    """What a log says of a game's row, and of the row of each seat."""

    game: Columns
    seats: list[Columns]


@dataclass(frozen=True, slots=True)
class Difference:
    """A column of a row that says something else than the log."""

    row: Game | Seat
    column: str
    has: Any
    should: Any

    def __str__(self) -> str:
        where = f"the row of seat {self.row.seat}" if isinstance(self.row, Seat) else "its row"
        return f"{where} says {self.column} {self.has}, its log {self.should}."


@dataclass(slots=True)
class ReadGame:
    """A game as it was read once, for all who compare something with its log.

    `programs`: which of our own bots sits in which seat. If the log cannot be read, `error` says why, and the `events`
    are missing, or the `fold` alone.
    """

    game: Game
    seats: list[Seat] = field(default_factory=list)
    programs: dict[int, str] = field(default_factory=dict)
    events: list[Event] | None = None
    fold: Fold | None = None
    rows: GameRows | None = None
    error: Exception | None = None

    @property
    def kind_is_missing(self) -> bool:
        """Whether the log cannot be read only because the package of its kind is missing."""
        return isinstance(self.error, UnknownKind)


def read_games(ids: Sequence[int]) -> list[ReadGame]:
    """Return games in the order of their ids, each with its fold and what its log says of its rows. Four queries."""
    games = Game.objects.select_related("stream").filter(pk__in=ids).order_by("pk")
    reads = {game.pk: ReadGame(game) for game in games}
    for seat in Seat.objects.filter(game__in=reads).order_by("game", "seat"):
        reads[seat.game_id].seats.append(seat)
    for game, programs in seated_programs([read.game for read in reads.values()]).items():
        reads[game].programs = programs
    logs = eventlog.stored_logs([read.game.stream_id for read in reads.values()])
    for read in reads.values():
        _read_log(read, logs.pop(read.game.stream_id))
    return list(reads.values())


def _read_log(read: ReadGame, batches: Sequence[Stored]) -> None:
    try:
        decoded = [decode_batch(batch.body) for batch in batches]
        events = [event for batch in decoded for event in batch]
        fold = fold_game(events)
        read.rows = rows_of_log(read, batches, decoded, fold)
    except UnknownKind as error:
        read.events, read.error = events, error
    except Exception as error:  # a damaged log may raise anything
        read.error = error
    else:
        read.events, read.fold = events, fold


def rows_of_log(read: ReadGame, batches: Sequence[Stored], decoded: Sequence[list[Event]], fold: Fold) -> GameRows:
    """Return the rows of a game that has this log, at whose end it is at `fold`.

    What the first event repeats, and what is in no event, is not among the columns (`Game.table_source`). Raises what a
    damaged log raises.
    """
    if fold.outcome():  # how it came there says nothing of the rows
        last = GameUnit(read.game, fold, read.programs, [], decoded[-1], batches[-1].times)
    else:
        last = _last_change(read, batches, decoded)
    left = {event[1]: event[2] for events in decoded[1:] for event in events if event[0] == ev.LEFT}
    return GameRows(row_of(last, batches[-1].at), _seat_rows(fold, left))


def _last_change(read: ReadGame, batches: Sequence[Stored], decoded: Sequence[list[Event]]) -> GameUnit:
    """Return the last change of a game that is on, with the row before it."""
    log = eventlog.decoded_log(batches)
    past = copy(read.game)
    past.to_act, past.awaited_since, past.deadline = [], [], None
    past.moved_at = past.opened_at
    fold = Fold(decoded[0][0])
    for number, (batch, events) in enumerate(zip(batches, decoded, strict=True)):
        for event in events if number else events[1:]:
            fold.apply(event)
        unit = GameUnit(past, fold, read.programs, log[:number], events, batch.times)
        if number + 1 < len(batches):
            if not fold.go:
                past.deadline = go_due(unit, batch.at)
            past.awaited_since = awaited_since(unit)
            past.to_act = fold.awaited()
    return unit


def _seat_rows(fold: Fold, left: dict[int, str]) -> list[Columns]:
    outcome = fold.outcome()
    nothing = [None] * fold.seats
    scores, placings = (outcome.scores, outcome.placings) if outcome else (nothing, nothing)
    return [
        {"score": score, "placing": placing, "left": left.get(seat, "")}
        for seat, (score, placing) in enumerate(zip(scores or nothing, placings or nothing, strict=True))
    ]


def row_differences(read: ReadGame) -> list[Difference]:
    """Return each column of the game's rows that differs from its log; none if the log cannot be read."""
    if read.rows is None:
        return []
    pairs: list[tuple[Game | Seat, Columns]] = [
        (read.game, read.rows.game),
        *zip(read.seats, read.rows.seats, strict=False),
    ]
    return [
        Difference(row, column, has, should)
        for row, columns in pairs
        for column, should in columns.items()
        if (has := getattr(row, column)) != should
    ]


def game_batches() -> Iterator[list[int]]:
    """Yield the ids of all games, in order, as many at a time as are read together."""
    last = 0
    while ids := list(Game.objects.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:GAMES_AT_ONCE]):
        last = ids[-1]
        yield ids


def corrected_games(ids: Sequence[int]) -> Iterator[tuple[ReadGame, list[Difference]]]:
    """Correct the rows of games in one transaction, which locks their streams as each change of a game does. Yield each
    game, and what was different."""
    with transaction.atomic():
        streams = Stream.objects.filter(game__in=ids).order_by("pk")
        list(streams.select_for_update(no_key=True, of=("self",)).values_list("pk"))
        for read in read_games(ids):
            found = row_differences(read)
            _correct(found)
            yield read, found


def unread_games() -> dict[str, int]:
    """Return how many games cannot be read without the package of their kind: for each sentence that says what is
    missing, their number."""
    found: Counter[str] = Counter()
    kinds = Game.objects.values_list("kind", "rules_version").annotate(games=Count("pk")).order_by("kind")
    for kind, rules_version, games in kinds:
        try:
            rules_for(kind, rules_version)
        except UnknownKind as error:
            found[str(error)] += games
    return found


def _correct(found: Sequence[Difference]) -> None:
    """Write the columns that differ."""
    changed: dict[int, tuple[Game | Seat, list[str]]] = {}
    for each in found:
        setattr(each.row, each.column, each.should)
        changed.setdefault(id(each.row), (each.row, []))[1].append(each.column)
    for row, columns in changed.values():
        row.save(update_fields=columns)
