"""When the rounds of a season open and close and its matches begin, from its settings and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, repeat

from django.db.models import Count, Q

from games.common import clock
from games.models import Player
from tournaments.formats import FORMATS
from tournaments.seasons.models import PLAYING, Division, Match, Round, Season
from tournaments.seasons.schedule import BOTS_AT_ONCE, MEET_AGREED, SeasonCalendar, parse_calendar
from tournaments.seasons.settings import WAIT_FOR_UNPLAYED

BOTS_POOL = "bots"  # matches of a season in this rating pool have only bots


@dataclass(frozen=True, slots=True)
class MatchTime:
    """When a match begins. `how` is a `Match.Timing`; no time means with its round, or as soon as its players come."""

    begins_at: datetime | None
    how: str


OPENS_WITH_ROUND = MatchTime(None, Match.Timing.OPEN.value)


def season_calendar(season: Season) -> SeasonCalendar:
    """Return the calendar of a season in its club's time zone, with its pauses added."""
    calendar = parse_calendar(season.settings["calendar"])
    return SeasonCalendar(calendar, season.starts_at, season.league.club.zone, season.delay_seconds)


def planned_at(season: Season, number: int) -> datetime:
    """Return when the games of round `number` are planned to begin. It is the season's start if the format pairs at any
    time, or if only bots play and they play at once."""
    return next(_planned_times(season, number))


def _planned_times(season: Season, number: int) -> Iterator[datetime]:
    """Yield `planned_at` of round `number` and of each round after it."""
    dates = season_calendar(season)
    if FORMATS[season.format].continuous or (season.pool == BOTS_POOL and dates.calendar.bots == BOTS_AT_ONCE):
        return repeat(season.starts_at)
    return dates.openings(number)


def closes_at(season: Season, number: int) -> datetime | None:
    """Return the deadline of round `number` if it opens now; None if the round waits for its games.

    A round that opens with less than half of its time left gets its whole length, or the time until a later date of the
    calendar. Players who agree on no time therefore still play before its end.
    """
    dates = season_calendar(season)
    windowed = dates.calendar.window or dates.calendar.match_time == MEET_AGREED
    if season.settings["on_round_deadline"] == WAIT_FOR_UNPLAYED and not windowed:
        return None
    if FORMATS[season.format].continuous:
        return dates.window_ends(clock.now()) if dates.calendar.window else None
    opens, closings, now = dates.opens_at(number), dates.closings(number), clock.now()
    closes = next(closings)
    half = (closes - opens) / 2
    if closes - now < half and dates.calendar.window:
        return dates.window_ends(now)
    return next(each for each in chain([closes], closings) if each - now >= half)


def rounds_to_come(season: Season) -> dict[int, datetime]:
    """Return round number → planned time for the coming rounds of a season, as all pages and calendars show them.

    It holds as many rounds as the format can know from the entrants; before the start, at least the first. One query.
    """
    playing = Count("entrants", filter=Q(entrants__status__in=PLAYING))
    found: dict[int, datetime] = {}
    for division in season.divisions.annotate(playing=playing):
        division.season = season
        found |= dict(planned_rounds(division, division.playing))
    return dict(sorted(found.items()))


def planned_rounds(division: Division, entrants: int) -> list[tuple[int, datetime]]:
    """Yield the number and time of each coming round of a division with that many entrants."""
    season, first = division.season, division.rounds_opened + 1
    if not is_planned(division) or (division.is_playoff and not entrants):
        return []
    options, last = season.settings["format_options"], 0
    if entrants >= season.table_size:
        last = FORMATS[season.format].rounds(entrants, season.table_size, options) or 0
    if season.status == Season.Status.OPEN:
        last = max(last, 1)
    return list(zip(range(first, last + 1), _planned_times(season, first), strict=False))


def is_planned(division: Division) -> bool:
    """Return whether the division's coming rounds have times. They have none if the season is paused or over, if a
    round was undone and not released for pairing, or if every match is a round of its own."""
    season = division.season
    going_on = season.status in (Season.Status.OPEN, Season.Status.RUNNING)
    return going_on and not (division.on_hold or division.finished_at or FORMATS[season.format].continuous)


def check_in_time(season: Season) -> timedelta | None:
    """Return how long before a game people check in; None if they need not, or if only bots play."""
    minutes = season.terms.get("check_in_minutes") or 0
    return timedelta(minutes=minutes) if minutes and season.pool != BOTS_POOL else None


def is_by_agreement(season: Season) -> bool:
    """Return whether players agree on the times of their matches. Only live matches need this."""
    return season_calendar(season).calendar.match_time == MEET_AGREED and check_in_time(season) is not None


def pairing_lead_time(season: Season) -> timedelta:
    """Return how long before its time a round is paired: for check-in, and for the line-ups of teams."""
    if is_by_agreement(season):
        return timedelta()
    return (check_in_time(season) or timedelta()) + season.competition.preparation(season.settings["format_options"])


def timing_of(season: Season, round: Round, players: Sequence[Player]) -> MatchTime:
    """Return when a match of these players begins, in a round that opens now."""
    dates = season_calendar(season)
    if all(player.is_bot for player in players):
        at = dates.for_bots(round.opened_at)
        return MatchTime(at, Match.Timing.NIGHT.value) if at > round.opened_at else OPENS_WITH_ROUND
    time = check_in_time(season)
    if time is None:
        return OPENS_WITH_ROUND
    if is_by_agreement(season) and round.closes_at is not None:
        fallback = dates.fallback_time(round.opened_at, round.closes_at)
        return MatchTime(max(fallback, round.opened_at + time), Match.Timing.FALLBACK.value)
    return MatchTime(games_begin_at(season, planned_at(season, round.number)), Match.Timing.FIXED.value)


def opens_match_at(season: Season, timing: MatchTime) -> datetime | None:
    """Return when the games of a match with that timing open; None means with its round."""
    if timing.begins_at is None or timing.how == Match.Timing.FIXED:
        return None
    lead = timedelta() if timing.how == Match.Timing.NIGHT else check_in_time(season) or timedelta()
    return timing.begins_at - lead


def games_begin_at(season: Season, planned: datetime) -> datetime | None:
    """Return when games begin that open now: as planned, or after the check-in time if less of that is left; None means
    at once."""
    time = check_in_time(season)
    if time is None:
        return None
    return planned if planned - clock.now() >= time / 2 else clock.now() + time
