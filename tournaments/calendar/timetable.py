"""When the rounds of a season open and close and when its matches begin, as rows and the calendar have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q

from games.common import clock
from games.models import Player
from tournaments.formats import FORMATS
from tournaments.seasons.models import PLAYING, Division, Match, Round, Season
from tournaments.seasons.schedule import BOTS_AT_ONCE, MEET_AGREED, SeasonCalendar, parse_calendar
from tournaments.seasons.settings import WAIT_FOR_UNPLAYED

BOTS_POOL = "bots"  # the pool of a season in which nobody else plays


@dataclass(frozen=True, slots=True)
class MatchTime:
    """When a match begins: `how` is a `Match.Timing`. None for at once, or whenever its people come."""

    begins_at: datetime | None
    how: str


OPENS_WITH_ROUND = MatchTime(None, Match.Timing.OPEN.value)


def season_calendar(season: Season) -> SeasonCalendar:
    """The calendar of a season, in its club's zone, later by its pauses."""
    calendar = parse_calendar(season.settings["calendar"])
    return SeasonCalendar(calendar, season.starts_at, season.league.club.zone, season.delay_seconds)


def planned_at(season: Season, number: int) -> datetime:
    """When the games of round `number` are to begin. Where the format pairs whenever it can, or nobody but bots plays
    and they play at once, that is any time after the start."""
    dates = season_calendar(season)
    if FORMATS[season.format].continuous or (season.pool == BOTS_POOL and dates.calendar.bots == BOTS_AT_ONCE):
        return season.starts_at
    return dates.opens_at(number)


def closes_at(season: Season, number: int) -> datetime | None:
    """When the games of round `number`, opened now, are to be over; None where it waits for them.

    Where it opens so late that less than half of its time is left it has the whole of its window, or else until a later
    time of the calendar: so the time of those who agree on none still lies before its end.
    """
    dates = season_calendar(season)
    windowed = dates.calendar.window or dates.calendar.match_time == MEET_AGREED
    if season.settings["on_round_deadline"] == WAIT_FOR_UNPLAYED and not windowed:
        return None
    if FORMATS[season.format].continuous:
        hours = dates.calendar.window
        return clock.now() + timedelta(hours=hours) if hours else None
    opens, closes, now = dates.opens_at(number), dates.closes_at(number), clock.now()
    half = (closes - opens) / 2
    if closes - now < half and dates.calendar.window:
        return now + (closes - opens)
    while closes - now < half:
        number += 1
        closes = dates.closes_at(number)
    return closes


def rounds_to_come(season: Season) -> dict[int, datetime]:
    """The rounds of a season that are planned and when, by number: what every page and every calendar says. As many as
    the formats can tell by who has entered; before the start the first at least. One query."""
    playing = Count("entrants", filter=Q(entrants__status__in=PLAYING))
    found: dict[int, datetime] = {}
    for division in season.divisions.annotate(playing=playing):
        division.season = season
        found |= dict(planned_rounds(division, division.playing))
    return dict(sorted(found.items()))


def planned_rounds(division: Division, entrants: int) -> list[tuple[int, datetime]]:
    """The number and time of each round to come of a division with so many entrants."""
    season, first = division.season, division.rounds_opened + 1
    if not is_planned(division) or (division.is_playoff and not entrants):
        return []
    options, last = season.settings["format_options"], 0
    if entrants >= season.table_size:
        last = FORMATS[season.format].rounds(entrants, season.table_size, options) or 0
    if season.status == Season.Status.OPEN:
        last = max(last, 1)
    return [(number, planned_at(season, number)) for number in range(first, last + 1)]


def is_planned(division: Division) -> bool:
    """Whether the rounds to come of a division have times: not where the season is paused or over, where a round was
    undone and nobody has let it be paired anew, nor where every match is a round of its own."""
    season = division.season
    going_on = season.status in (Season.Status.OPEN, Season.Status.RUNNING)
    return going_on and not (division.on_hold or division.finished_at or FORMATS[season.format].continuous)


def check_in_time(season: Season) -> timedelta | None:
    """How long before a game begins its people check in; None where they do not, or nobody but bots plays."""
    minutes = season.terms.get("check_in_minutes") or 0
    return timedelta(minutes=minutes) if minutes and season.pool != BOTS_POOL else None


def is_by_agreement(season: Season) -> bool:
    """Whether people agree on the times of their matches: live ones, since others are played whenever one likes."""
    return season_calendar(season).calendar.match_time == MEET_AGREED and check_in_time(season) is not None


def pairing_lead_time(season: Season) -> timedelta:
    """How long before its time a round is paired."""
    return timedelta() if is_by_agreement(season) else check_in_time(season) or timedelta()


def timing_of(season: Season, round: Round, players: Sequence[Player]) -> MatchTime:
    """When a match of these players begins in a round that opens now."""
    dates = season_calendar(season)
    if all(player.is_bot for player in players):
        at = dates.for_bots(round.opened_at)
        return MatchTime(at, Match.Timing.NIGHT.value) if at > round.opened_at else OPENS_WITH_ROUND
    time = check_in_time(season)
    if time is None:
        return OPENS_WITH_ROUND
    if is_by_agreement(season) and round.closes_at is not None:
        otherwise = dates.fallback_time(round.opened_at, round.closes_at)
        return MatchTime(max(otherwise, round.opened_at + time), Match.Timing.FALLBACK.value)
    return MatchTime(games_begin_at(season, planned_at(season, round.number)), Match.Timing.FIXED.value)


def opens_match_at(season: Season, timing: MatchTime) -> datetime | None:
    """When the games of a match of that timing are opened; None for with its round."""
    if timing.begins_at is None or timing.how == Match.Timing.FIXED:
        return None
    lead = timedelta() if timing.how == Match.Timing.NIGHT else check_in_time(season) or timedelta()
    return timing.begins_at - lead


def games_begin_at(season: Season, planned: datetime) -> datetime | None:
    """When games begin that are opened now: as planned or, where hardly any time to check in is left, that time from
    now. None for at once."""
    time = check_in_time(season)
    if time is None:
        return None
    return planned if planned - clock.now() >= time / 2 else clock.now() + time
