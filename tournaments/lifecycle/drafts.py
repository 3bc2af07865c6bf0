"""What the plan of a new season may begin from: a preset of a format, or a former season."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError
from games.play.roster import builtin_bots_for
from tournaments.formats import FORMATS
from tournaments.formats.preset import Preset
from tournaments.lifecycle.services import entrants_who_stayed, kept_settings
from tournaments.seasons.models import Season
from tournaments.seasons.schedule import RULE_WEEKDAYS, CalendarRule, SeasonCalendar, parse_calendar


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatPreset(Preset):
    """A preset with the key of the `format` that it belongs to."""

    format: str


def season_presets() -> dict[str, FormatPreset]:
    """Return key → preset of all formats."""
    return {
        preset.key: FormatPreset(
            format=format.key, **{field.name: getattr(preset, field.name) for field in fields(preset)}
        )
        for format in FORMATS.values()
        for preset in format.presets
    }


def draft_of_preset(key: str, kind: str, zone: str) -> dict[str, Any]:
    """Return what a preset says of the plan of a season of `kind`, in a club of that time zone. Raises `DomainError`
    unknown_preset (400)."""
    presets = season_presets()
    if key not in presets:
        sentence = _("The preset must be one of {choices}, not {key!r}.").format(choices=", ".join(presets), key=key)
        raise DomainError(400, "unknown_preset", sentence, "preset")
    preset = presets[key]
    bots = dict.fromkeys(builtin_bots_for(kind), 1) if preset.with_bots else {}
    terms = {"zone": zone, **preset.settings.get("terms", {})}
    asked: dict[str, Any] = {"kind": kind, "format": preset.format, "repeats": preset.repeats, "bots": bots}
    calendar = parse_calendar(preset.settings.get("calendar", {}))
    if calendar.rule == RULE_WEEKDAYS:
        asked["starts_at"] = SeasonCalendar(calendar, clock.now(), zone).opens_at(1)
    return {**asked, **preset.settings, "terms": terms}


def draft_like(season: Season) -> dict[str, Any]:
    """Return the plan of a season like a former one, without its name: the same league, settings and entrants who
    stayed.

    It begins on the same day of the week and at the same local time, the first after today and after the former one's
    last round. Dates of rounds move by as many weeks; days off stay if they are not over.
    """
    zone = ZoneInfo(season.league.club.zone)
    began = season.starts_at.astimezone(zone)
    after = max(clock.now(), season.finished_at or clock.now()).astimezone(zone).date()
    later = timedelta(weeks=(after - began.date()).days // 7 + 1)
    starts_at = datetime.combine(began.date() + later, began.time(), zone)
    calendar = moved_calendar(parse_calendar(season.settings["calendar"]), later, starts_at.date())
    return {
        **kept_settings(season),
        "league": season.league.slug,
        "starts_at": starts_at,
        "calendar": calendar.plain(),
        "repeats": season.repeats,
        "players": [player.pk for player in entrants_who_stayed(season)],
    }


def moved_calendar(calendar: CalendarRule, later: timedelta, first: date) -> CalendarRule:
    """Return the calendar with its listed dates moved, and without days off that are over before the day `first`."""
    return replace(
        calendar,
        dates=tuple(each + later for each in calendar.dates),
        off=tuple(span for span in calendar.off if span[1] >= first),
    )
