"""Writes what follows from the results of a season: its standings and official table, also when it ends early."""

from __future__ import annotations

from games.models import Game
from tournaments.matches.game_results import result_events
from tournaments.ratings import official_fit, pools
from tournaments.ratings.rated_events import RatingCalls
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.rounds import RoundClosed
from tournaments.seasons.events.rulings import GameAnnulled
from tournaments.seasons.fold import DivisionState, SeasonFold
from tournaments.seasons.models import Division, MatchGame
from tournaments.seasons.pairing import division_standings
from tournaments.standings.models import Standing
from tournaments.standings.store import write_standings

NO_REASON = {"by": None, "note": None}


def write_results(division: Division, folded: SeasonFold, own: DivisionState) -> None:
    """Write the standings of a division and its official table. A play-off has neither."""
    if own.above is not None:
        return
    official_fit.write_strengths(division, folded)
    if not (rows := division_standings(folded, own)):
        Standing.objects.filter(division=division).delete()
    write_standings(division, rows)


def close_open_rounds(changed: SeasonAggregate, calls: RatingCalls) -> None:
    """Close the rounds of a season that ends early: games that are over count, all others are annulled. `calls` follows
    the season."""
    season, folded = changed.row, changed.state
    unrecorded = MatchGame.objects.filter(match__in=folded.matches, recorded_at=None, game__status=Game.Status.FINISHED)
    finished = unrecorded.select_related("game__stream").order_by("match__round__number", "match__table", "number")
    changed.record(*result_events(season, list(finished)))
    for match in list(folded.matches.values()):
        unplayed = set(range(1, match.size + 1)) - match.records.keys() - match.annulled
        changed.record(*[GameAnnulled(match.id, number, NO_REASON) for number in sorted(unplayed)])
    for division in folded.divisions.values():
        for past in division.rounds:
            if not past.closed:
                changed.record(RoundClosed(division.number, past.number))
    if season.terms["rated"]:
        pools.append_rating_events(pools.lock_pool(season.kind, season.pool), calls.after(changed.version))
    for row in season.divisions.all():
        write_results(row, folded, folded.division(row.number))
