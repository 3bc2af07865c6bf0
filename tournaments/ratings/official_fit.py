"""The official table of a season of bots: one fit over all its games, as rows of its projection. Pure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Any

from scorebook_games.analysis.plackett_luce import Fit, GamePlacings
from tournaments.ratings.rated_events import is_rated
from tournaments.seasons.fold import DivisionState, SeasonFold, Touched
from tournaments.seasons.projection import Columns, Rows

MAX_BOTS = 200  # a fit of more would take too long for one step of the director
MAX_MATRIX_BOTS = 24  # up to this number, the chances of every pair are stored
DIGITS = 6
TOLERANCE = 1e-4  # within which two fits of the same games agree


def strength_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return entrant → row of the official table. A play-off has none, nor has a division with people or too many
    bots."""
    return {
        entrant: {"entrant": entrant, **columns}
        for number, own in state.divisions.items()
        if own.above is None and (part is None or number in part.results)
        for entrant, columns in fit_strengths(state, own).items()
    }


def nearly_equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal, apart from figures that were computed by approximation."""
    if isinstance(one, float) or isinstance(other, float):
        return math.isclose(one, other, rel_tol=0, abs_tol=TOLERANCE)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(nearly_equal, one, other))
    return bool(one == other)


def fit_strengths(folded: SeasonFold, division: DivisionState) -> dict[int, Columns]:
    """Return entrant → columns, the best first, of those who have played."""
    games = list(rated_games_of(division)) if folded.pool == "bots" else []
    seen = sorted({entrant for seats, _ in games for entrant in seats})
    if len(seen) > MAX_BOTS:
        return {}
    fit = Fit(seen, games, deals_of(division))
    order = [strength.player for strength in fit.strengths] if len(seen) <= MAX_MATRIX_BOTS else []
    return {
        strength.player: {
            "rating": strength.rating,
            "half": strength.half,
            "place": strength.place,
            "low": strength.low,
            "high": strength.high,
            "games": strength.games,
            "won": strength.won,
            "lost": strength.lost,
            "connected": fit.connected,
            "chances": [_chance_data(fit, strength.player, other) for other in order if other != strength.player],
        }
        for strength in fit.strengths
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
