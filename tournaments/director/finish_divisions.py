"""Writes what follows from final results: standings, the official table, and the end of a division or season."""

from __future__ import annotations

from collections.abc import Iterable

from tournaments.formats.base import Finished
from tournaments.lifecycle import divisions
from tournaments.lifecycle.results import write_results
from tournaments.ratings import pools
from tournaments.ratings.rated_events import RatingCalls
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.lifecycle import EntrantsMoved, SeasonFinished
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import Division, Season
from tournaments.seasons.pairing import next_round
from tournaments.seasons.stream import is_past_end
from tournaments.standings.store import refresh_standings

FINISHED = Season.Status.FINISHED


def recompute_standings(season: SeasonAggregate, numbers: Iterable[int], calls: RatingCalls) -> None:
    """Update ratings, standings and places after results of closed rounds changed, in the divisions with these
    `numbers`. `calls` has followed the season."""
    folded = season.state
    if season.row.terms["rated"]:
        pools.append_rating_events(pools.lock_pool(season.row.kind, season.row.pool), calls.after(season.version))
    for division in season.row.divisions.filter(number__in=numbers):
        folded_division = folded.division(division.number)
        write_results(division, folded, folded_division)
        if (
            folded_division.places is None
            and not folded_division.on_hold
            and folded_division.rounds
            and all(past.closed for past in folded_division.rounds)
        ):
            finish_if_over(season, division)


def finish_if_over(season: SeasonAggregate, division: Division) -> None:
    """Finish a division if its format has nothing left to play."""
    answer = next_round(season.state, season.state.division(division.number), over=is_past_end(season.row))
    if isinstance(answer, Finished):
        finish_division(season, division, answer)


def finish_division(season: SeasonAggregate, division: Division, answer: Finished) -> None:
    """Finish a division with its final places; after the last one, finish the season or open its play-offs."""
    season.record(SeasonFinished.of(division.number, answer.places))
    refresh_standings(season.state, division)
    if season.state.status() == FINISHED and not divisions.open_playoffs(season):
        season.record(*_moved_event(season.state))


def _moved_event(folded: SeasonFold) -> list[SeasonEvent]:
    """Return the event of promotions and relegations; none if nobody moves."""
    to = divisions.next_divisions(folded)
    return [EntrantsMoved.of(to)] if to else []
