"""The points of matches: by the season's log, and beside those who play them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from tournaments.scoring.points import json_number, score_match
from tournaments.seasons.fold import MatchState, SeasonFold
from tournaments.seasons.models import MatchEntrant


def match_points(folded: SeasonFold, match: MatchState | None) -> Mapping[int, Fraction]:
    """Entrant → the points of a match; {} before it is over, and where no game of it counts."""
    if match is None or not match.over or not match.records:
        return {}
    return score_match(folded.points(), match.result()).points


def write_match_points(worth: Mapping[int, Mapping[int, Fraction]]) -> None:
    """Write what matches (id → entrant → points) are worth; {} is a match that has no points."""
    rows = list(MatchEntrant.objects.filter(match__in=worth).select_related("entrant"))
    for row in rows:
        points = worth[row.match_id]
        row.points = json_number(points[row.entrant.number]) if points else None
    MatchEntrant.objects.bulk_update(rows, ["points"], batch_size=1000)
