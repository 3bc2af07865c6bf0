"""The house's own games held against their logs: what `replays.verify` does for a file, and the rows besides.

A game that is still on is checked too: its deal isn't revealed yet, but the server knows the seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from games import log
from games.engines.base import ABORTED
from games.fold import Fold
from games.models import Game, Seat, Stream
from replays.verify import Record, chain_faults, plain_outcome, verify


@contextmanager
def one_moment() -> Iterator[None]:
    """Read the log and the rows beside it as they were at one moment, whatever is written meanwhile."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def game_ids() -> Iterator[tuple[int, str]]:
    """(key, public id) of every game, the oldest first."""
    return Game.objects.order_by("pk").values_list("pk", "public_id").iterator()


def other_stream_ids() -> list[tuple[int, str]]:
    """(key, subject) of every stream that is no game's."""
    return list(Stream.objects.filter(game=None).order_by("pk").values_list("pk", "subject"))


def check_stream(pk: int) -> list[str]:
    """What is wrong with the chain of a season's or rating pool's stream."""
    with one_moment():
        stream = Stream.objects.get(pk=pk)
        batches = log.batches(pk)
    faults = map(str, chain_faults(batches, stream.version, bytes(stream.head), in_order=False))
    orphan = ["it is a game's, but no game has it."] if stream.subject == Stream.Subject.GAME else []
    return [*faults, *orphan]


def check_game(pk: int) -> list[str]:
    """What is wrong with a game: its log, and the rows that say the same as the log."""
    with one_moment():
        game = Game.objects.select_related("stream", "deal").get(pk=pk)
        seats = list(game.seats.order_by("seat"))
        record = _record(game, seats, log.batches(game.stream_id))
    faults, fold = verify(record)
    rows = [*_game_faults(game, fold), *_seat_faults(seats, fold)] if fold else []
    return [*map(str, faults), *rows]


def _record(game: Game, seats: Sequence[Seat], batches: Sequence[log.Stored]) -> Record:
    return Record(
        batches=batches,
        version=game.stream.version,
        head=bytes(game.stream.head),
        seed=bytes(game.deal.seed),
        salt=bytes(game.salt),
        facts={
            "kind": game.kind,
            "rules_version": game.rules_version,
            "options": game.options,
            "seats": len(seats),
            "terms": game.terms,
        },
        outcome=game.outcome,
    )


def _game_faults(game: Game, fold: Fold) -> Iterator[str]:
    """Where the game's row says something else than its log."""
    outcome = fold.outcome()
    status = Game.Status.PLAYING
    if outcome:
        status = Game.Status.ABORTED if outcome.termination == ABORTED else Game.Status.FINISHED
    yield from _differences(
        "its row",
        {"version": game.version, "status": game.status, "to_act": game.to_act},
        {"version": fold.version, "status": status.value, "to_act": [] if outcome else fold.awaited()},
    )
    if (game.finished_at is not None) != (outcome is not None):
        yield f"its row says finished_at {game.finished_at}, and its status is {game.status}."


def _seat_faults(seats: Sequence[Seat], fold: Fold) -> Iterator[str]:
    """Where the seats' rows say something else than the log."""
    outcome = fold.outcome()
    data = plain_outcome(outcome) if outcome else {"scores": [], "placings": []}
    nothing = [None] * len(seats)
    results = zip(seats, data["scores"] or nothing, data["placings"] or nothing, strict=True)
    for seat, score, placing in results:
        yield from _differences(
            f"the row of seat {seat.seat}",
            {"score": seat.score, "placing": seat.placing, "left": bool(seat.left)},
            {"score": score, "placing": placing, "left": seat.seat in fold.left},
        )


def _differences(where: str, said: dict[str, Any], folded: dict[str, Any]) -> Iterator[str]:
    for name, value in said.items():
        if value != folded[name]:
            yield f"{where} says {name} {value}, its log {folded[name]}."
