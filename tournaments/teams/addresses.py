"""Addresses of the pages of teams."""

from __future__ import annotations

from django.urls import reverse

from tournaments.seasons.models import Entrant


def team_url(team: Entrant) -> str:
    """Return the address of a team's page."""
    season = team.season
    path = [season.league.club.slug, season.league.slug, season.slug]
    return reverse("season-team", args=[*path, team.number])
