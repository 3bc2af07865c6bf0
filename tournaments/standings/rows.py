"""The rows of standings as they follow from a season's state. Pure."""

from __future__ import annotations

from tournaments.scoring.points import json_number
from tournaments.seasons.fold import SeasonFold, Touched
from tournaments.seasons.pairing import division_standings
from tournaments.seasons.projection import Rows


def standing_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return entrant → row of the standings of its division, first place first."""
    return {
        row.entrant: {
            "entrant": row.entrant,
            "division": number,
            "position": position,
            "place": row.place,
            "points": json_number(row.points),
            "row": row.plain(),
        }
        for number, own in state.divisions.items()
        if part is None or number in part.results or number in part.orders
        for position, row in enumerate(division_standings(state, own), start=1)
    }
