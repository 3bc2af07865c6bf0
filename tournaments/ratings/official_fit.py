"""The official table of a season of bots: one fit over all its games, written when a round closes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from scorebook_games.analysis.plackett_luce import Fit, GamePlacings
from tournaments.ratings.models import Strength
from tournaments.ratings.rated_events import is_rated
from tournaments.seasons.fold import DivisionState, SeasonFold
from tournaments.seasons.models import Division

MAX_BOTS = 200  # a fit of more would take too long for one step of the director
MAX_MATRIX_BOTS = 24  # up to this number, the chances of every pair are stored
DIGITS = 6
STRENGTH_COLUMNS = [field.name for field in Strength._meta.concrete_fields if field.name not in ("id", "entrant")]


def write_strengths(division: Division, folded: SeasonFold) -> None:
    """Write the division's official table. A division with people or too many bots has none."""
    ids = dict(division.entrants.values_list("number", "pk"))
    rows = fit_strengths(folded, folded.division(division.number))
    for number, row in rows.items():
        row.entrant_id = ids[number]
    Strength.objects.filter(entrant__division=division).exclude(entrant__in=[ids[number] for number in rows]).delete()
    Strength.objects.bulk_create(
        rows.values(), update_conflicts=True, unique_fields=["entrant"], update_fields=STRENGTH_COLUMNS
    )


def fit_strengths(folded: SeasonFold, division: DivisionState) -> dict[int, Strength]:
    """Return entrant → unsaved row, the best first, of those who have played."""
    games = list(rated_games_of(division)) if folded.pool == "bots" else []
    seen = sorted({entrant for seats, _ in games for entrant in seats})
    if len(seen) > MAX_BOTS:
        return {}
    fit = Fit(seen, games, deals_of(division))
    order = [strength.player for strength in fit.strengths] if len(seen) <= MAX_MATRIX_BOTS else []
    return {
        each.player: Strength(
            rating=each.rating,
            half=each.half,
            place=each.place,
            low=each.low,
            high=each.high,
            games=each.games,
            won=each.won,
            lost=each.lost,
            connected=fit.connected,
            chances=[_chance_data(fit, each.player, other) for other in order if other != each.player],
        )
        for each in fit.strengths
    }


def rated_games_of(division: DivisionState) -> Iterable[GamePlacings]:
    """Yield the games of closed rounds that count for ratings."""
    for record in rated_records(division):
        yield record["seats"], record["placings"]


def deals_of(division: DivisionState) -> list[Hashable]:
    """Return the deal of each of these games. A game without one shares its cards with no other."""
    return [record.get("deal") or ("alone", number) for number, record in enumerate(rated_records(division))]


def rated_records(division: DivisionState) -> Iterable[dict[str, Any]]:
    """Yield the results of these games, as they were recorded."""
    for past in division.rounds:
        for match in past.matches if past.closed else ():
            for record in match.records.values():
                if is_rated(record):
                    yield record


def _chance_data(fit: Fit, one: int, other: int) -> list[float]:
    chance = fit.chance(one, other)
    return [other, *(round(value, DIGITS) for value in (chance.chance, chance.low, chance.high))]
