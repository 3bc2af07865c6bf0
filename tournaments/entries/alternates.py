"""Calls alternates to play a round in the place of entrants who miss it."""

from __future__ import annotations

from tournaments.activity import notifications as season_notifications
from tournaments.activity import subjects
from tournaments.entries.services import ALTERNATE, IN
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.entries import AlternateCalled
from tournaments.seasons.fold import DivisionState, EntrantState
from tournaments.seasons.pairing import format_of


def call_alternates(season: SeasonAggregate, division: DivisionState) -> int:
    """Call an alternate for each entrant who misses the next round, if the season wants this; return how many.

    Those who have said to play come first, then those who have waited longest. Alternates who were called before this
    round was undone play it now.
    """
    entry = season.row.rules().entry
    if not entry.stand_ins or not format_of(season.state).stand_ins or division.above is not None:
        return 0
    number, entrants = len(division.rounds) + 1, season.state.entrants
    again = sum(number in one.called for one in entrants.values() if one.division == division.number)
    absent = [one for one in sorted(division.entrants) if _misses(entrants[one], number)][again:]
    free = [one for one in entrants.values() if _can_be_called(one, division, number)]
    free.sort(key=lambda one: (number not in one.promised, one.number))
    called = list(zip(free, absent, strict=False))
    if not called:
        return 0
    season.record(*(AlternateCalled(division.number, number, one.number, missing) for one, missing in called))
    season.write_rows()
    sentence = subjects.called_for_round(str(season.row), number)
    for row in season.row.entries.filter(number__in=[one.number for one, _missing in called]).select_related("player"):
        row.season = season.row
        season_notifications.notify_entrants([row], f"called:{number}", sentence)
    return len(called)


def _misses(entrant: EntrantState, number: int) -> bool:
    """Return whether somebody can be called for this entrant."""
    return entrant.status == IN and not entrant.called and number in entrant.away


def _can_be_called(entrant: EntrantState, division: DivisionState, number: int) -> bool:
    stands_in = entrant.status == IN and bool(entrant.called) and entrant.division == division.number
    return (entrant.status == ALTERNATE or stands_in) and number not in (*entrant.away, *entrant.called)
