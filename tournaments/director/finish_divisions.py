"""Writes what follows from final results: standings, the official table, and the end of a division or season."""

from __future__ import annotations

from collections.abc import Iterable

from games.common import clock
from tournaments.formats.base import Finished
from tournaments.lifecycle import divisions
from tournaments.ratings import official_fit, pools
from tournaments.ratings.rated_events import rating_events_of
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.lifecycle import EntrantsMoved, SeasonFinished
from tournaments.seasons.fold import DivisionState, SeasonFold
from tournaments.seasons.models import GOING_ON, Division, Season
from tournaments.seasons.pairing import next_round
from tournaments.seasons.stream import append_events, is_past_end, season_log
from tournaments.standings.models import Standing
from tournaments.standings.store import division_standings, write_standings


def recompute_standings(season: Season, numbers: Iterable[int], called: int) -> None:
    """Update ratings, standings and places after results of closed rounds changed, in the divisions with these
    `numbers`.

    The caller has locked the season. `called` is how many rating events the season had asked for before the change.
    """
    events = season_log(season)
    folded = SeasonFold(events)
    if season.terms["rated"]:
        pools.append_rating_events(pools.lock_pool(season.kind, season.pool), rating_events_of(events)[called:])
    for division in season.divisions.filter(number__in=numbers):
        folded_division = folded.division(division.number)
        write_results(division, folded, folded_division)
        if (
            folded_division.places is None
            and not folded_division.on_hold
            and folded_division.rounds
            and all(past.closed for past in folded_division.rounds)
        ):
            finish_if_over(season, folded, division)


def write_results(division: Division, folded: SeasonFold, own: DivisionState) -> None:
    """Write the standings of a division and its official table. A play-off has neither."""
    if own.above is not None:
        return
    official_fit.write_strengths(division, folded)
    if not (rows := division_standings(folded, own)):
        Standing.objects.filter(division=division).delete()
    write_standings(division, rows)


def finish_if_over(season: Season, folded: SeasonFold, division: Division) -> None:
    """Finish a division if its format has nothing left to play."""
    answer = next_round(folded, folded.division(division.number), over=is_past_end(season))
    if isinstance(answer, Finished):
        finish_division(season, folded, division, answer)


def finish_division(season: Season, folded: SeasonFold, division: Division, answer: Finished) -> None:
    """Finish a division; after the last one, finish the season or open its play-offs."""
    now = clock.now()
    event = SeasonFinished.of(division.number, answer.places)
    folded.apply(event)
    append_events(season.stream, [event], now)
    Division.objects.filter(pk=division.pk).update(finished_at=now)
    if folded.status() != Season.Status.FINISHED:
        return
    events = divisions.open_playoffs(season, folded) or _moved_event(folded)
    for event in events:
        folded.apply(event)
    if events:
        append_events(season.stream, events, now)
    if folded.status() == Season.Status.FINISHED:
        Season.objects.filter(pk=season.pk, status__in=GOING_ON).update(status=Season.Status.FINISHED, finished_at=now)


def _moved_event(folded: SeasonFold) -> list[SeasonEvent]:
    """Return the event of promotions and relegations; none if nobody moves."""
    to = divisions.next_divisions(folded)
    return [EntrantsMoved.of(to)] if to else []
