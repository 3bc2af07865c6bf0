"""Verifies the platform's own games: the log as `replays.verify` does for a file, and the rows beside it.

Unfinished games are checked too: their deals are not revealed yet, but the server knows the seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import QuerySet

from games.common.prepared import prepared
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.models import Deal, Game, Seat
from replays.verify import GameRecord, VerificationFault, chain_faults, faults_without_rules, verify
from scorebook_games.contract import ABORTED
from scorebook_games.gamelog.events import decode_batch
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.visibility import outcome_data
from scorebook_games.registry import UnknownKind, rules_for


class GameCheck(NamedTuple):
    """The faults of a game. `named`: its log says who sat where; very old logs do not. `unread`: why it could not be
    replayed and only its chain and opening were verified, because the package of its kind is missing."""

    faults: list[str]
    named: bool
    unread: str = ""


class DealtGame(NamedTuple):
    """A game of a deal."""

    public_id: str
    status: str
    finished_at: datetime | None


@contextmanager
def one_moment() -> Iterator[None]:
    """Read the log and its rows from one snapshot of the database, whatever is written meanwhile."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def other_stream_ids() -> list[tuple[int, str]]:
    """Return (primary key, subject) of every stream that belongs to no game."""
    return list(Stream.objects.filter(game=None).order_by("pk").values_list("pk", "subject"))


def check_stream(pk: int) -> list[str]:
    """Return the faults of a season's or rating pool's stream: its chain, and the recorded heads of games."""
    with one_moment():
        stream = Stream.objects.get(pk=pk)
        batches = eventlog.stored_batches(pk)
        heads = list(_head_faults(batches))
    faults = map(str, chain_faults(batches, stream.version, bytes(stream.head), in_order=False))
    orphan = ["it is a game's, but no game has it."] if stream.subject == Stream.Subject.GAME else []
    return [*faults, *heads, *orphan]


def _head_faults(batches: Sequence[eventlog.Stored]) -> Iterator[str]:
    """Return the events that recorded a head other than the one in the game's log."""
    recorded: list[tuple[int, int, str]] = []
    for batch in batches:
        try:
            events = decode_batch(batch.body)
        except ValueError as error:
            yield str(VerificationFault(batch.seq + 1, f"The batch that begins here can't be read: {error}"))
            continue
        for version, event in enumerate(events, batch.seq + 1):
            match event:
                case [*_, {"game": int(game), "head": str(head)}]:
                    recorded.append((version, game, head))
    rows = Game.objects.filter(pk__in={game for _, game, _ in recorded}).values_list("pk", "public_id", "stream__head")
    heads = {pk: (public_id, bytes(stored_head).hex()) for pk, public_id, stored_head in rows}
    for version, pk, head in recorded:
        name, has = heads.get(pk, (f"number {pk}", "none, for there is no such game"))
        if has != head:
            yield str(
                VerificationFault(
                    version, f"It recorded game {name} with the head {head}, and the game's log has {has}."
                )
            )


def check_game(pk: int) -> list[str]:
    """Return the faults of a game: in its log, and in the rows that repeat the log.

    Raises `UnknownKind` if there are none in its chain, and it cannot be replayed without its package.
    """
    checked = check_game_and_seats(pk)
    if checked.unread and not checked.faults:
        raise UnknownKind(checked.unread)
    return checked.faults


def check_game_and_seats(pk: int) -> GameCheck:
    """Return the result of `check_game`, whether the log says who sat where, and whether it could be replayed."""
    if checked := check_games([pk]):
        return checked[0][1]
    raise Game.DoesNotExist(f"There is no game {pk}.")


def check_games(pks: Sequence[int]) -> list[tuple[str, GameCheck]]:
    """Return (public id, result) of several games, by their ids, all from one moment. Five queries."""
    with one_moment():
        games = list(_games(games=list(pks)))
        seats: dict[int, list[Seat]] = {game.pk: [] for game in games}
        for seat in _seats(games=list(seats)):
            seats[seat.game_id].append(seat)
        logs = eventlog.stored_logs([game.stream_id for game in games])
        of_deals: dict[int, list[DealtGame]] = {game.deal_id: [] for game in games}
        for deal, name, status, finished in _dealt(deals=list(of_deals)):
            of_deals[deal].append(DealtGame(name, status, finished))
    return [
        (game.public_id, _checked(game, seats[game.pk], logs[game.stream_id], of_deals[game.deal_id])) for game in games
    ]


@prepared
def _games(*, games: list[int]) -> QuerySet[Game]:
    return Game.objects.select_related("stream", "deal").filter(pk__in=games).order_by("pk")


@prepared
def _seats(*, games: list[int]) -> QuerySet[Seat]:
    return Seat.objects.filter(game__in=games).order_by("game", "seat")


@prepared
def _dealt(*, deals: list[int]) -> QuerySet[Game, tuple[int, str, str, datetime | None]]:
    dealt = Game.objects.filter(deal__in=deals).order_by("pk")
    return dealt.values_list("deal", "public_id", "status", "finished_at")


def _checked(
    game: Game, seats: Sequence[Seat], batches: Sequence[eventlog.Stored], of_deal: Sequence[DealtGame]
) -> GameCheck:
    record = _record(game, seats, batches)
    if missing := _missing_package(game, batches):
        return GameCheck([*map(str, faults_without_rules(record))], named=True, unread=missing)
    faults, fold = verify(record)
    if fold is None:
        return GameCheck([*map(str, faults)], named=True)
    rows = [*_game_faults(game, fold, batches), *_seat_faults(seats, fold), *_deal_faults(game.deal, of_deal)]
    return GameCheck([*map(str, faults), *rows], named="players" in fold.opened)


def _missing_package(game: Game, batches: Sequence[eventlog.Stored]) -> str:
    """Return what is missing if a game's log and row agree on rules that are not installed; else ""."""
    try:
        [opened, *_] = decode_batch(batches[0].body)
        if (opened[1]["kind"], opened[1]["rules_version"]) == (game.kind, game.rules_version):
            rules_for(game.kind, game.rules_version)
    except UnknownKind as error:
        return str(error)
    except (ValueError, LookupError, TypeError):  # it cannot be read at all, which `verify` explains
        return ""
    return ""


def _record(game: Game, seats: Sequence[Seat], batches: Sequence[eventlog.Stored]) -> GameRecord:
    return GameRecord(
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


def _game_faults(game: Game, fold: Fold, batches: Sequence[eventlog.Stored]) -> Iterator[str]:
    """Return where the game's row differs from its log; the first batch opened the game and the last one ended it."""
    outcome = fold.outcome()
    status = Game.Status.PLAYING
    if outcome:
        status = Game.Status.ABORTED if outcome.termination == ABORTED else Game.Status.FINISHED
    yield from _differences(
        "its row",
        {
            "version": game.version,
            "status": game.status,
            "to_act": game.to_act,
            "public_id": game.public_id,
            "opened_at": game.opened_at,
            "finished_at": game.finished_at,
        },
        {
            "version": fold.version,
            "status": status.value,
            "to_act": [] if outcome else fold.awaited(),
            "public_id": fold.opened.get("game", game.public_id),
            "opened_at": batches[0].at,
            "finished_at": batches[-1].at if outcome else None,
        },
    )


def _deal_faults(deal: Deal, games: Sequence[DealtGame]) -> Iterator[str]:
    """Return whether the deal was revealed when the last of its games ended, and not before.

    Two games that end at the same moment wait for one another's lock, so either may be the last.
    """
    on = [game.public_id for game in games if game.status == Game.Status.PLAYING]
    ends: list[datetime | None] = [None] if on else [game.finished_at for game in games]
    if deal.revealed_at not in ends:
        state = f"game {on[0]} of it is on" if on else f"its games ended at {', '.join(map(str, ends))}"
        yield f"its deal says revealed_at {deal.revealed_at}, and {state}."


def _seat_faults(seats: Sequence[Seat], fold: Fold) -> Iterator[str]:
    """Return where the seats' rows differ from the log."""
    outcome = fold.outcome()
    data = outcome_data(outcome) if outcome else {"scores": [], "placings": []}
    nothing = [None] * len(seats)
    players = fold.opened.get("players")
    for seat, player in zip(seats, players or [seat.player_id for seat in seats], strict=False):
        yield from _differences(f"the row of seat {seat.seat}", {"player": seat.player_id}, {"player": player})
    results = zip(seats, data["scores"] or nothing, data["placings"] or nothing, strict=True)
    for seat, score, placing in results:
        yield from _differences(
            f"the row of seat {seat.seat}",
            {"score": seat.score, "placing": seat.placing, "left": bool(seat.left)},
            {"score": score, "placing": placing, "left": seat.seat in fold.left},
        )


def _differences(where: str, row: dict[str, Any], folded: dict[str, Any]) -> Iterator[str]:
    for name, value in row.items():
        if value != folded[name]:
            yield f"{where} says {name} {value}, its log {folded[name]}."
