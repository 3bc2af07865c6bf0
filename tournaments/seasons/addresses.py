"""Where the pages of a season are."""

from __future__ import annotations

from django.urls import reverse
from django.utils.http import urlencode

from tournaments.seasons.models import Division, Season


def season_url(season: Season, page: str = "", division: Division | None = None, **query: str | int) -> str:
    """The address of a season's page: its overview or `page`, one of standings, rounds, activity and settings; with the
    `division` if it is not the first one."""
    name = f"season-{page}" if page else "season"
    address = reverse(name, args=[season.league.club.slug, season.league.slug, season.slug])
    if division is not None and division.number > 1:
        query["division"] = division.number
    return f"{address}?{urlencode(query)}" if query else address
