"""The rows of standings, as pages show them: the fold of the season's stream, written down."""

from __future__ import annotations

from collections.abc import Iterable

from tournaments.fold import FoldedDivision, SeasonFold
from tournaments.models import Division, Season, Standing
from tournaments.standings import Row, number
from tournaments.stream import folded_season


def rows_of(folded: SeasonFold, division: FoldedDivision) -> list[Row]:
    """The rows that a division has: none before its first round is closed, nor where nothing counts."""
    counts = division.above is None and folded.abandoned != "void"
    return folded.standings(division) if counts and any(past.closed for past in division.rounds) else []


def refresh(season: Season, division: Division) -> None:
    """Bring the standings of a division up to date with the stream of a season that is held."""
    folded = folded_season(season)
    write_standings(division, rows_of(folded, folded.division(division.number)))


def write_standings(division: Division, rows: Iterable[Row]) -> None:
    """Write the rows of a division's standings, all of them, first place first."""
    ids = dict(division.entrants.values_list("number", "pk"))
    Standing.objects.bulk_create(
        [
            Standing(
                entrant_id=ids[row.entrant],
                division=division,
                position=position,
                place=row.place,
                points=number(row.points),
                row=row.plain(),
            )
            for position, row in enumerate(rows, start=1)
        ],
        update_conflicts=True,
        unique_fields=["entrant"],
        update_fields=["division", "position", "place", "points", "row"],
    )
