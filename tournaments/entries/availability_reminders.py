"""Reminders before a round is paired: people who have not said whether they can play are asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Q

from games.accounts import reminders
from games.accounts.reminders import MAX_OFFSET, Moment
from games.common import clock
from tournaments.calendar.timetable import is_planned, pairing_lead_time, planned_at
from tournaments.entries.services import IN
from tournaments.entries.subjects import ROUND_AHEAD, round_ahead
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import PLAYING, Division, Entrant, Round, Season

MAX_LEAD_TIME: Final = timedelta(minutes=MAX_OFFSET)


def notify_due() -> int:
    """Ask everybody whose reminder is due; return how many that were."""
    return reminders.notify_due_reminders(_moments())


def _moments() -> Iterator[Moment]:
    """Yield the next round of each division for each person in it who has not answered and can still be asked."""
    now = clock.now()
    going = Q(season__status=Season.Status.RUNNING) | Q(season__status=Season.Status.OPEN, number=1)
    rows = Division.objects.filter(going, finished_at=None, is_playoff=False, on_hold=False)
    rows = rows.annotate(playing=Count("entrants", filter=Q(entrants__status__in=PLAYING)))
    for division in rows.select_related("season__league__club", "season__stream"):
        number = division.rounds_opened + 1
        if not is_planned(division) or _is_last(division, number):
            continue
        at = planned_at(division.season, number) - pairing_lead_time(division.season)
        if now < at <= now + MAX_LEAD_TIME:
            yield from _moments_of(division, number, at)


def _is_last(division: Division, number: int) -> bool:
    """Return whether the format knows that round `number` is none of its rounds any more."""
    season, count = division.season, division.playing  # type: ignore[attr-defined]  # annotated
    if count < season.table_size:
        return season.status != Season.Status.OPEN
    last = season.competition.rounds(count, season.table_size, season.settings["format_options"])
    return last is not None and number > last


def _moments_of(division: Division, number: int, at: datetime) -> Iterator[Moment]:
    season, opened = division.season, Round.objects.filter(division=division, number=number - 1).first()
    silent = Entrant.objects.filter(division=division, status=IN, player__user__isnull=False)
    silent = silent.exclude(away__contains=[number]).exclude(promised__contains=[number])
    for entrant in silent.select_related("player"):
        assert entrant.player.user_id is not None
        yield Moment(
            entrant.player.user_id,
            ROUND_AHEAD,
            key=f"ahead:{entrant.pk}:{number}:{int(at.timestamp())}",
            at=at,
            known_at=max(entrant.joined_at, opened.opened_at) if opened else entrant.joined_at,
            sentences=(round_ahead(str(season), number, entrant.pk),),
            url=f"{season_url(season)}#availability",
        )
