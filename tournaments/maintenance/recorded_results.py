"""Compares the results in a season's log with the games' own logs, and the players of each seat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from games.play.game_rows import ReadGame
from scorebook_games.contract import Event
from scorebook_games.gamelog.fold import Fold
from tournaments.core.no_shows import no_show_seats
from tournaments.seasons.fold import MatchState, SeasonFold
from tournaments.seasons.models import Season

NAMES: Final = ("head", "termination", "scores", "placings", "left", "absent", "deal")


class RecordedResult(NamedTuple):
    """A result in a season's log: of which `game` (its id), and in words `where` it stands. `players`: who sat in each
    seat, None for a bot that filled it."""

    where: str
    game: int
    record: Mapping[str, Any]
    players: list[int | None]


def recorded_results(season: Season, folded: SeasonFold, matches: Sequence[MatchState]) -> list[RecordedResult]:
    """Return all results that were ever recorded of these matches."""
    return [
        RecordedResult(
            f"{season}, match {match.id}, game {number}",
            record["game"],
            record,
            folded.players_of(match, number, record["seats"]),
        )
        for match in matches
        for number, record in match.logged
    ]


def result_differences(result: RecordedResult, read: ReadGame | None) -> Iterator[str]:
    """Compare a result with its game, which is None if there is none."""
    if read is None:
        yield f"{result.where}: the season's log names game {result.game}, and there is none."
        return
    where = f"{result.where} ({read.game.public_id})"
    if read.events is None:
        yield f"{where}: its own log can't be read ({type(read.error).__name__}: {read.error})."
        return
    found = {
        "head": bytes(read.game.stream.head).hex()
    }  # all that can be compared if the package of its kind is missing
    if read.fold is not None:
        found = _result_of(read, read.events, read.fold)
    for name in NAMES:
        if name in result.record and name in found and result.record[name] != found[name]:
            yield f"{where}: the season's log has the {name} {result.record[name]}, the game's own {found[name]}."
    seated = [seat.player_id for seat in read.seats]
    logged = read.events[0][1].get("players") or seated  # older logs name no players
    for source, has in (("the game's own log", logged), ("the rows", seated)):
        if [player and one for player, one in zip(result.players, has, strict=False)] != result.players:
            yield f"{where}: by the season's log the players {result.players} sat in its seats, by {source} {has}."


def _result_of(read: ReadGame, events: Sequence[Event], fold: Fold) -> dict[str, Any]:
    """Return a game's result according to its own log."""
    outcome = fold.outcome()
    return {
        "head": bytes(read.game.stream.head).hex(),
        "termination": outcome.termination if outcome else None,
        "scores": list(outcome.scores) if outcome else None,
        "placings": list(outcome.placings) if outcome else None,
        "left": sorted(fold.left),
        "absent": no_show_seats(events) if fold.left else [],
        "deal": read.game.deal_id,
    }
