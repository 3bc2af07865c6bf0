"""Addresses of a season's pages."""

from __future__ import annotations

from django.urls import reverse
from django.utils.http import urlencode

from tournaments.seasons.models import Division, Season


def season_url(season: Season, page: str = "", division: Division | None = None, **query: str | int) -> str:
    """Return the address of a season's overview or of `page`: standings, rounds, activity or settings. The `division`
    is added unless it is the first."""
    name = f"season-{page}" if page else "season"
    address = reverse(name, args=[season.league.club.slug, season.league.slug, season.slug])
    if division is not None and division.number > 1:
        query["division"] = division.number
    return f"{address}?{urlencode(query)}" if query else address
