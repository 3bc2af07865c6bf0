"""What comes next by itself in the seasons that somebody organises: when rounds are paired and end, check-in opens,
matches begin, people are reminded. Each time is that of the function which does it; nothing is reckoned here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.common import clock
from tournaments.calendar import reminders
from tournaments.director import director, open_rounds
from tournaments.entries import services as entries
from tournaments.formats import FORMATS
from tournaments.models import PLAYING, Club, Division, Entrant, Match, Round, Season
from tournaments.seasons import locking

SHOWN: Final = 10
MOST: Final = 500  # of one sort that are looked at


@dataclass(frozen=True, slots=True)
class Coming:
    """Something that will happen `at` a time, of the sort `what`; None for as soon as what is on is over. `said` in a
    sentence."""

    what: str
    at: datetime | None
    season: Season
    said: str


def coming(clubs: Sequence[Club]) -> list[Coming]:
    """All that will happen by itself in the clubs' seasons, the next first, what has no time last. Eight queries."""
    now = clock.now()
    seasons = Season.objects.filter(league__club__in=clubs, status=Season.Status.RUNNING).select_related("league__club")
    by_id = {season.pk: season for season in seasons[:MOST]}
    found = [
        *_starts(clubs),
        *_rounds(by_id),
        *_ends(by_id),
        *_matches(by_id),
        *_reminders(by_id),
        *_seasons(by_id),
    ]
    ahead = [each for each in found if each.at is None or each.at > now]
    return sorted(ahead, key=lambda each: (each.at is None, each.at or now, each.season.pk, each.what))


def _starts(clubs: Sequence[Club]) -> Iterator[Coming]:
    """Seasons that start by themselves, and the check-in before."""
    rows = director.starting_by_themselves().filter(league__club__in=clubs).select_related("league__club")
    for season in rows[:MOST]:
        yield Coming("check_in", entries.check_in_from(season), season, _("check-in opens"))
        yield Coming("start", season.starts_at, season, _("check-in closes and it starts, if enough have come"))


def _rounds(seasons: dict[int, Season]) -> Iterator[Coming]:
    """The next round of each division that will have one, and challenges that run out."""
    # Two counts over one join would go through every round of every entrant.
    busy = Exists(Round.objects.filter(division=OuterRef("pk"), status=Round.Status.OPEN))
    playing = Entrant.objects.filter(division=OuterRef("pk"), status__in=PLAYING).order_by().values("division")
    there = Coalesce(Subquery(playing.annotate(n=Count("pk")).values("n")), 0)
    rows = Division.objects.filter(season__in=seasons, finished_at=None, on_hold=False, is_playoff=False)
    several: dict[int, int] = defaultdict(int)
    found = list(rows.annotate(busy=busy, there=there).order_by("season", "number")[:MOST])
    for division in found:
        several[division.season_id] += 1
    for division in found:
        division.season = season = seasons[division.season_id]
        of = f", {division.name}" if several[season.pk] > 1 else ""
        if FORMATS[season.format].continuous:
            if division.wakes_at is not None:
                yield Coming("challenge", division.wakes_at, season, _("a challenge runs out") + of)
            if not division.rounds_opened:
                yield Coming("round", open_rounds.due_at(division), season, _("matches are paired from then on") + of)
            continue
        number, last = division.rounds_opened + 1, _last(season, division.there)
        if last is not None and number > last:
            continue
        said = _("round {n} is paired").format(n=number) + of
        due = open_rounds.due_at(division)
        if not division.busy:
            yield Coming("round", due, season, said)
        elif due > clock.now():
            before = _("if round {n} is over by then").format(n=number - 1)
            yield Coming("round", due, season, f"{said}, {before}")
        else:
            yield Coming("round", None, season, said + ", " + _("as soon as round {n} is over").format(n=number - 1))


def _last(season: Season, entrants: int) -> int | None:
    """Which round is the last with so many entrants, where the format knows it."""
    if entrants < season.table_size:
        return None
    return FORMATS[season.format].rounds(entrants, season.table_size, season.settings["format_options"])


def _ends(seasons: dict[int, Season]) -> Iterator[Coming]:
    """When the time of open rounds is up, and what becomes then of what is not played."""
    rows = Round.objects.filter(division__season__in=seasons, status=Round.Status.OPEN, closes_at__gt=clock.now())
    for round in rows.select_related("division").order_by("closes_at", "pk")[:MOST]:
        season = seasons[round.division.season_id]
        rule = {
            "wait": _("what is not played then goes on"),
            "forfeit": _("who does not come loses what is not played"),
            "adjudicate": _("what is not played comes onto the desk"),
        }[season.settings["unplayed"]]
        said = _("the time of round {n} is up; {rule}").format(n=round.number, rule=rule)
        yield Coming("end", round.closes_at, season, said)


def _matches(seasons: dict[int, Season]) -> Iterator[Coming]:
    """Matches that are opened at a time of their own."""
    rows = Match.objects.filter(round__division__season__in=seasons, opens_at__gt=clock.now())
    times = rows.order_by("opens_at").values_list("opens_at", "round__division__season").annotate(n=Count("pk"))
    for at, season, number in times[:MOST]:
        said = ngettext("a match is opened", "{n} matches are opened", number).format(n=number)
        yield Coming("match", at, seasons[season], said)


def _reminders(seasons: dict[int, Season]) -> Iterator[Coming]:
    """When people are reminded of what they have to play, each as they wish."""
    for (season, at), users in reminders.coming(list(seasons)).items():
        said = ngettext("one person is reminded", "{n} people are reminded", len(users)).format(n=len(users))
        yield Coming("reminder", at, seasons[season], said)


def _seasons(seasons: dict[int, Season]) -> Iterator[Coming]:
    """When seasons without a last round end."""
    for season in seasons.values():
        if FORMATS[season.format].continuous and (ends := locking.over_at(season)) is not None:
            yield Coming("over", ends, season, _("its time is up: the last matches are played out"))


def coming_data(line: Coming) -> dict[str, Any]:
    """`Coming` as JSON data."""
    season = line.season
    return {
        "what": line.what,
        "at": line.at,
        "season": season.pk,
        "name": str(season),
        "club": season.league.club.slug,
        "said": line.said,
    }
