"""Writes the rows of standings from the fold of a season's stream."""

from __future__ import annotations

from collections.abc import Iterable

from tournaments.scoring.points import json_number
from tournaments.scoring.standings import EntrantStanding
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import Division
from tournaments.seasons.pairing import division_standings
from tournaments.standings.models import Standing


def refresh_standings(folded: SeasonFold, division: Division) -> None:
    """Update the standings of a division of a season in its present state."""
    write_standings(division, division_standings(folded, folded.division(division.number)))


def write_standings(division: Division, rows: Iterable[EntrantStanding]) -> None:
    """Write all rows of a division's standings, first place first."""
    ids = dict(division.entrants.values_list("number", "pk"))
    Standing.objects.bulk_create(
        [
            Standing(
                entrant_id=ids[row.entrant],
                division=division,
                position=position,
                place=row.place,
                points=json_number(row.points),
                row=row.plain(),
            )
            for position, row in enumerate(rows, start=1)
        ],
        update_conflicts=True,
        unique_fields=["entrant"],
        update_fields=["division", "position", "place", "points", "row"],
    )
