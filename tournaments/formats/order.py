"""The order of a division: the one answer to who stands where and who has won, in every format and at any time. Pure.

Standings, pages, API, exports and notices ask it through `tournaments.seasons.pairing.division_standings`. The end of a
division records the same places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scorebook_games.contract import Dealer
from tournaments.core.results import RoundResult
from tournaments.formats import FORMATS
from tournaments.formats.base import FormatOptions
from tournaments.formats.bracket import last_stages
from tournaments.formats.field import standings_by_points
from tournaments.scoring import explanations
from tournaments.scoring.standings import EntrantStanding


def standings_in_order(
    name: str, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
) -> list[EntrantStanding]:
    """Return the rows of everybody in the format `name` after the closed rounds, first place first. Where points do not
    decide, a row says what does."""
    rows = standings_by_points(entrants, history, options)
    format = FORMATS[name]
    if format.by_points:
        return rows
    places = format.places(entrants, history, options, chance)
    closed = [past for past in history if past.closed]
    stages = last_stages(format.columns(entrants, closed, options, chance))
    in_group = format.group_rows(entrants, closed, options, chance)
    placed = []
    for row in rows:
        place, (section, stage, won) = places[row.entrant], stages.get(row.entrant, ("", None, False))
        reason = format.why_placed(place, stage, won=won)
        row_in_group = (
            in_group[row.entrant] if section == "groups" else replace(row, tie_breaks=(), neighbour=None, why=())
        )
        same = replace(
            row, tie_breaks=row_in_group.tie_breaks, neighbour=row_in_group.neighbour, why=(reason, *row_in_group.why)
        )
        placed.append(replace(same, place=place.place, still_in=place.still_in))
    return sorted(placed, key=lambda row: (row.place, row.entrant))


def order_as_recorded(rows: Sequence[EntrantStanding], places: Mapping[int, int]) -> list[EntrantStanding]:
    """Return the rows of a finished division with the `places` that were recorded at its end. They are never computed
    again; a row whose reason speaks of another order says so."""
    moved = {row.entrant for row in rows if row.still_in or places.get(row.entrant, row.place) != row.place}
    placed = [replace(row, place=places.get(row.entrant, row.place), still_in=False) for row in rows]
    changed = [
        replace(row, neighbour=None, why=(explanations.recorded_place(),))
        if {row.entrant, row.neighbour} & moved
        else row
        for row in placed
    ]
    return sorted(changed, key=lambda row: row.place)
