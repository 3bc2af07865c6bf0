"""The rows of standings and the points of matches, as pages show them: the fold of the season's stream, written
down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from tournaments.formats.bracket import StageReached
from tournaments.scoring.points import PointsSystem, json_number, score_match
from tournaments.scoring.standings import EntrantStanding
from tournaments.seasons.fold import DivisionState, MatchState, SeasonFold
from tournaments.seasons.models import Division, MatchEntrant, Season
from tournaments.seasons.pairing import stages_of
from tournaments.seasons.stream import fold_season
from tournaments.standings.models import Standing


def division_standings(folded: SeasonFold, division: DivisionState) -> list[EntrantStanding]:
    """The rows that a division has: none before its first round is closed, nor where nothing counts."""
    counts = division.above is None and folded.abandoned != "void"
    rows = folded.standings(division) if counts and any(past.closed for past in division.rounds) else []
    return order_by_stage(rows, stages_of(folded, division))


def order_by_stage(rows: Sequence[EntrantStanding], stages: Mapping[int, StageReached]) -> list[EntrantStanding]:
    """The rows of a cup: by the stage that each has reached, and no tie-break decides. Other rows stay as they are."""
    if not stages:
        return list(rows)
    placed = [
        replace(row, place=one.place, tie_breaks=(), neighbour=None, why=stage_label(one), still_in=one.still_in)
        for row in rows
        for one in [stages[row.entrant]]
    ]
    return sorted(placed, key=lambda row: (row.place, row.entrant))


def stage_label(one: StageReached) -> str:
    """Still in: Semi-final. Out: Quarter-final."""
    if not one.stage:
        return "Was not in the draw."
    if one.still_in:
        return f"Still in: {one.stage}."
    return f"Won: {one.stage}." if one.place == 1 else f"Out: {one.stage}."


def refresh_standings(season: Season, division: Division) -> None:
    """Bring the standings of a division up to date with the stream of a season that is held."""
    folded = fold_season(season)
    write_standings(division, division_standings(folded, folded.division(division.number)))


def write_standings(division: Division, rows: Iterable[EntrantStanding]) -> None:
    """Write the rows of a division's standings, all of them, first place first."""
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


def match_points(points: PointsSystem, match: MatchState | None) -> Mapping[int, Fraction]:
    """Entrant → the points of a match; {} before it is over, and where no game of it counts."""
    if match is None or not match.over or not match.records:
        return {}
    return score_match(points, match.result()).points


def write_match_points(worth: Mapping[int, Mapping[int, Fraction]]) -> None:
    """Write what matches (id → entrant → points) are worth; {} is a match that has no points."""
    rows = list(MatchEntrant.objects.filter(match__in=worth).select_related("entrant"))
    for row in rows:
        points = worth[row.match_id]
        row.points = json_number(points[row.entrant.number]) if points else None
    MatchEntrant.objects.bulk_update(rows, ["points"], batch_size=1000)
