"""The rows of games, made again from their logs: what `rebuild` compares and writes.

`row_of` makes the row of a game after each change of it; here the same function gets the last change of a whole log. So
there is one projector of games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.db.models import Count

from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.eventlog.store import Stored
from games.models import Game, Seat
from games.play.unit_of_work import GameUnit, awaited_since, go_due, row_of
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold
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


def rows_of_log(game: Game, seats: Sequence[Seat], batches: Sequence[Stored]) -> GameRows:
    """Return the rows of a game that has this log.

    `seats` need `player` and `player.bot_version`. What the first event repeats, and what is in no event, is not among
    the columns (`Game.table_source`). Raises what a damaged log raises, and `UnknownKind`.
    """
    log = eventlog.decoded_log(batches)
    first, *others = log
    fold = Fold(first[0].event)
    past = copy(game)
    past.to_act, past.awaited_since, past.deadline = [], [], None
    past.moved_at = game.opened_at
    programs = {
        seat.seat: seat.player.bot_version.program
        for seat in seats
        if seat.player.bot_version and not seat.player.bot_version.is_remote
    }
    left: dict[int, str] = {}
    for number, batch in enumerate(log):
        events = [entry.event for entry in batch]
        for event in events[1:] if batch is first else events:
            fold.apply(event)
            if event[0] == ev.LEFT and batch is not first:
                left[event[1]] = event[2]
        unit = GameUnit(past, fold, programs, log[:number], events, [entry.ms for entry in batch])
        if number == len(others):
            row = row_of(unit, batches[number].at)
            break
        if not fold.go:
            past.deadline = go_due(unit, batches[number].at)
        past.awaited_since = awaited_since(unit)
        past.to_act = fold.awaited()
    return GameRows(row, _seat_rows(fold, left))


def _seat_rows(fold: Fold, left: dict[int, str]) -> list[Columns]:
    outcome = fold.outcome()
    nothing = [None] * fold.seats
    scores, placings = (outcome.scores, outcome.placings) if outcome else (nothing, nothing)
    return [
        {"score": score, "placing": placing, "left": left.get(seat, "")}
        for seat, (score, placing) in enumerate(zip(scores or nothing, placings or nothing, strict=True))
    ]


def differences(game: Game, seats: Sequence[Seat], rows: GameRows) -> Iterator[Difference]:
    """Yield each column of the game's rows that differs from `rows`."""
    pairs: list[tuple[Game | Seat, Columns]] = [(game, rows.game), *zip(seats, rows.seats, strict=False)]
    for row, columns in pairs:
        for column, should in columns.items():
            if (has := getattr(row, column)) != should:
                yield Difference(row, column, has, should)


def stored_differences(
    *, write: bool, progress: Callable[[str], None], unreadable: Callable[[Game, Exception], str]
) -> Iterator[str]:
    """Yield a sentence for every difference between games' rows and their logs; with `write`, correct the rows.

    A log that cannot be read gives what `unreadable` says of it; one whose kind is not loaded gives nothing. With
    `write`, `GAMES_AT_ONCE` games are a transaction that locks their streams, as each change of a game does; otherwise
    the caller opens the snapshot.
    """
    done = 0
    while batch := list(Game.objects.filter(pk__gt=done).order_by("pk").values_list("pk", "stream")[:GAMES_AT_ONCE]):
        done = batch[-1][0]
        with transaction.atomic():
            if write:
                streams = Stream.objects.select_for_update(no_key=True).filter(pk__in=[stream for _, stream in batch])
                list(streams.order_by("pk").values_list("pk"))
            yield from _batch_differences([pk for pk, _ in batch], write, unreadable)
        progress(f"games up to number {done}")


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


def _batch_differences(ids: Sequence[int], write: bool, unreadable: Callable[[Game, Exception], str]) -> Iterator[str]:
    games = Game.objects.filter(pk__in=ids).order_by("pk").prefetch_related("seats__player__bot_version")
    logs = eventlog.stored_logs([game.stream_id for game in games])
    for game in games:
        seats = list(game.seats.all())
        try:
            found = list(differences(game, seats, rows_of_log(game, seats, logs[game.stream_id])))
        except UnknownKind:  # `unread_games` counts them
            continue
        except Exception as error:  # a damaged log may raise anything
            yield unreadable(game, error)
            continue
        yield from (f"Game {game.public_id}: {each}" for each in found)
        if write:
            _correct(found)


def _correct(found: Sequence[Difference]) -> None:
    """Write the columns that differ."""
    changed: dict[int, tuple[Game | Seat, list[str]]] = {}
    for each in found:
        setattr(each.row, each.column, each.should)
        changed.setdefault(id(each.row), (each.row, []))[1].append(each.column)
    for row, columns in changed.values():
        row.save(update_fields=columns)
