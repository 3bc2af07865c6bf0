"""What each page of a season depends on (`tournaments.seasons.page_versions`)."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from django.http import HttpRequest

from games.common import clock
from tournaments.formats import FORMATS
from tournaments.ratings.page_versions import pool_key
from tournaments.season_pages.format_panels import hall_size
from tournaments.season_pages.overview import MATCHES_PER_PAGE
from tournaments.seasons.models import Season
from tournaments.seasons.page_versions import SeasonState, live_games_of_round, live_games_of_season, season_at
from tournaments.seasons.settings import LUCK_SHOWN

PLAYED = (Season.Status.RUNNING, Season.Status.PAUSED)


def base_version(_request: HttpRequest, club: str, league: str, season: str) -> Hashable | None:
    """Return the version of a page that shows only rows of the season and of its club. One query."""
    found = season_at(club, league, season)
    return found and found.key


def rounds_version(request: HttpRequest, club: str, league: str, season: str) -> Hashable | None:
    """Return the version of a page with a round, or with the matches that are being played. At most two queries."""
    return _version_of_matches(request, season_at(club, league, season), lambda _format: MATCHES_PER_PAGE)


def hall_version(request: HttpRequest, club: str, league: str, season: str) -> Hashable | None:
    """Return the version of the hall view. At most two queries."""
    return _version_of_matches(request, season_at(club, league, season), hall_size)


def _version_of_matches(request: HttpRequest, found: SeasonState | None, size: Callable[[str], int]) -> Hashable | None:
    if found is None:
        return None
    if found.status not in PLAYED:
        return found.key, ()
    return found.key, live_games(request, found, size(found.format)), minute_of(found)


def standings_version(_request: HttpRequest, club: str, league: str, season: str) -> Hashable | None:
    """Return the version of a page with standings and ratings. Two queries. Points without luck change when a luck
    ledger is computed, so a season that shows them is not stored."""
    found = season_at(club, league, season, "ratings_strength")
    if found is None or found.luck == LUCK_SHOWN:
        return None
    return found.key, pool_key(found.kind, found.pool)


def minute_of(season: SeasonState) -> Hashable:
    """Return the present minute for a season with challenges: who may challenge whom again changes without an event."""
    return int(clock.now().timestamp()) // 60 if FORMATS[season.format].by_challenge else None


def live_games(request: HttpRequest, season: SeasonState, size: int = MATCHES_PER_PAGE) -> Hashable:
    """Return the state of the games that the page, of `size` matches, shows as being played. One query."""
    if FORMATS[season.format].continuous:
        return live_games_of_season(season.pk)
    division, round, page = (as_number(request.GET.get(name, "")) for name in ("division", "round", "matches"))
    return live_games_of_round(season.pk, division, round, page, size)


def as_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 5 else 0
