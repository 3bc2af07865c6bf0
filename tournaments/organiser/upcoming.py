"""What will happen automatically in the seasons of clubs: rounds are paired and end, check-in opens, matches begin,
people are reminded. The times come from the functions that do it; nothing is computed here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.common import clock
from games.common.prepared import prepared
from tournaments.calendar import reminders
from tournaments.clubs.models import Club
from tournaments.director import director, open_rounds
from tournaments.entries import services as entries
from tournaments.formats import FORMATS
from tournaments.seasons.models import PLAYING, Division, Entrant, Match, Round, Season
from tournaments.seasons.stream import ends_at

EVENTS_SHOWN: Final = 10
MAX_ROWS_PER_TYPE: Final = 500  # rows of one type that are looked at


@dataclass(frozen=True, slots=True)
class UpcomingEvent:
    """An event of the type `what` that will happen automatically `at` a time; None means as soon as the open round is
    over. `text` describes it."""

    what: str
    at: datetime | None
    season: Season
    text: str


def upcoming_events(clubs: Sequence[Club]) -> list[UpcomingEvent]:
    """Return all automatic events in the clubs' seasons, the next one first and those without a time last. Eight
    queries."""
    now = clock.now()
    by_id = {season.pk: season for season in _running(MAX_ROWS_PER_TYPE, clubs=[club.pk for club in clubs])}
    events = [
        *_season_starts(clubs),
        *_next_rounds(by_id),
        *_round_ends(by_id),
        *_match_openings(by_id),
        *_reminder_events(by_id),
        *_season_ends(by_id),
    ]
    ahead = [event for event in events if event.at is None or event.at > now]
    return sorted(ahead, key=lambda each: (each.at is None, each.at or now, each.season.pk, each.what))


@prepared
def _running(count: int, *, clubs: list[int]) -> QuerySet[Season]:
    seasons = Season.objects.filter(league__club__in=clubs, status=Season.Status.RUNNING)
    return seasons.select_related("league__club")[:count]


def _season_starts(clubs: Sequence[Club]) -> Iterator[UpcomingEvent]:
    """Yield the start of each season that starts automatically, and the opening of its check-in."""
    for season in _starting(MAX_ROWS_PER_TYPE, clubs=[club.pk for club in clubs]):
        yield UpcomingEvent("check_in", entries.check_in_opens_at(season), season, _("check-in opens"))
        yield UpcomingEvent(
            "start", season.starts_at, season, _("check-in closes, and the season starts if there are enough players")
        )


@prepared
def _starting(count: int, *, clubs: list[int]) -> QuerySet[Season]:
    rows = director.seasons_starting_automatically().filter(league__club__in=clubs)
    return rows.select_related("league__club")[:count]


def _next_rounds(seasons: dict[int, Season]) -> Iterator[UpcomingEvent]:
    """Yield the next round of each division that will have one, and each time at which a challenge expires."""
    several: dict[int, int] = defaultdict(int)
    rounds: list[Any] = list(_going_on(MAX_ROWS_PER_TYPE, seasons=list(seasons)))
    for division in rounds:
        several[division.season_id] += 1
    for division in rounds:
        division.season = season = seasons[division.season_id]
        of = f", {division.name}" if several[season.pk] > 1 else ""
        if FORMATS[season.format].continuous:
            if division.wakes_at is not None:
                yield UpcomingEvent("challenge", division.wakes_at, season, _("a challenge expires") + of)
            if not division.rounds_opened:
                yield UpcomingEvent("round", open_rounds.due_at(division), season, _("pairing begins") + of)
            continue
        number, last = division.rounds_opened + 1, _last_round(season, division.there)
        if last is not None and number > last:
            continue
        text = _("round {n} is paired").format(n=number) + of
        due = open_rounds.due_at(division)
        if not division.busy:
            yield UpcomingEvent("round", due, season, text)
        elif due > clock.now():
            before = _("if round {n} has finished").format(n=number - 1)
            yield UpcomingEvent("round", due, season, f"{text}, {before}")
        else:
            yield UpcomingEvent(
                "round", None, season, text + ", " + _("as soon as round {n} has finished").format(n=number - 1)
            )


@prepared
def _going_on(count: int, *, seasons: list[int]) -> QuerySet[Division]:
    # Two counts over one join would read every round of every entrant.
    busy = Exists(Round.objects.filter(division=OuterRef("pk"), status=Round.Status.OPEN))
    playing = Entrant.objects.filter(division=OuterRef("pk"), status__in=PLAYING).order_by().values("division")
    there = Coalesce(Subquery(playing.annotate(n=Count("pk")).values("n")), 0)
    rows = Division.objects.filter(season__in=seasons, finished_at=None, on_hold=False, is_playoff=False)
    return rows.annotate(busy=busy, there=there).order_by("season", "number")[:count]


def _last_round(season: Season, entrants: int) -> int | None:
    """Return the number of rounds with so many entrants, if the format knows it; else None."""
    if entrants < season.table_size:
        return None
    return FORMATS[season.format].rounds(entrants, season.table_size, season.settings["format_options"])


def _round_ends(seasons: dict[int, Season]) -> Iterator[UpcomingEvent]:
    """Yield the end of each open round, and what then happens to unplayed games."""
    for round in _closing(MAX_ROWS_PER_TYPE, seasons=list(seasons)):
        season = seasons[round.division.season_id]
        rule = {
            "wait": _("unplayed games continue"),
            "forfeit": _("players who do not show up lose the unplayed games"),
            "adjudicate": _("unplayed games come to your inbox"),
        }[season.settings["on_round_deadline"]]
        text = _("round {n} ends; {rule}").format(n=round.number, rule=rule)
        yield UpcomingEvent("end", round.closes_at, season, text)


@prepared
def _closing(count: int, *, seasons: list[int]) -> QuerySet[Round]:
    rows = Round.objects.filter(division__season__in=seasons, status=Round.Status.OPEN, closes_at__gt=clock.now())
    return rows.select_related("division").order_by("closes_at", "pk")[:count]


def _match_openings(seasons: dict[int, Season]) -> Iterator[UpcomingEvent]:
    """Yield the times at which matches open."""
    for at, season, number in _opening(MAX_ROWS_PER_TYPE, seasons=list(seasons)):
        text = ngettext("one match begins", "{n} matches begin", number).format(n=number)
        yield UpcomingEvent("match", at, seasons[season], text)


@prepared
def _opening(count: int, *, seasons: list[int]) -> QuerySet[Match, tuple[datetime, int, int]]:
    rows = Match.objects.filter(round__division__season__in=seasons, opens_at__gt=clock.now())
    times = rows.order_by("opens_at").values_list("opens_at", "round__division__season")
    return times.annotate(n=Count("pk"))[:count]


def _reminder_events(seasons: dict[int, Season]) -> Iterator[UpcomingEvent]:
    """Yield the times at which people are reminded of their games."""
    for (season, at), users in reminders.next_reminders(list(seasons)).items():
        text = ngettext("one person is reminded", "{n} people are reminded", len(users)).format(n=len(users))
        yield UpcomingEvent("reminder", at, seasons[season], text)


def _season_ends(seasons: dict[int, Season]) -> Iterator[UpcomingEvent]:
    """Yield the ends of seasons that have no last round."""
    for season in seasons.values():
        if FORMATS[season.format].continuous and (ends := ends_at(season)) is not None:
            yield UpcomingEvent("over", ends, season, _("the season’s time ends; running matches are finished"))
