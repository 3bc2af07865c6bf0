"""Ends divisions and seasons in which nothing is left to play."""

from __future__ import annotations

from collections.abc import Iterable

from tournaments.formats.base import Finished
from tournaments.lifecycle import divisions
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.lifecycle import EntrantsMoved, SeasonFinished
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import Division, Season
from tournaments.seasons.pairing import next_round
from tournaments.seasons.stream import is_past_end

FINISHED = Season.Status.FINISHED


def finish_again(season: SeasonAggregate, numbers: Iterable[int]) -> None:
    """Finish the divisions with these `numbers` after results of closed rounds changed, if they are over."""
    for division in season.row.divisions.filter(number__in=numbers):
        division_state = season.state.division(division.number)
        closed = division_state.rounds and all(past.closed for past in division_state.rounds)
        if division_state.places is None and not division_state.on_hold and closed:
            finish_if_over(season, division)


def finish_if_over(season: SeasonAggregate, division: Division) -> None:
    """Finish a division if its format has nothing left to play."""
    answer = next_round(season.state, season.state.division(division.number), over=is_past_end(season.row))
    if isinstance(answer, Finished):
        finish_division(season, division, answer)


def finish_division(season: SeasonAggregate, division: Division, answer: Finished) -> None:
    """Finish a division with its final places; after the last one, finish the season or open its play-offs."""
    season.record(SeasonFinished.of(division.number, answer.places))
    if season.state.status() == FINISHED and not divisions.open_playoffs(season):
        season.record(*_moved_event(season.state))


def _moved_event(folded: SeasonFold) -> list[SeasonEvent]:
    """Return the event of promotions and relegations; none if nobody moves."""
    to = divisions.next_divisions(folded)
    return [EntrantsMoved.of(to)] if to else []
