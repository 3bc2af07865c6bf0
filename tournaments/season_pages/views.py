"""The pages of a season: overview, standings, rounds, hall view, activity and settings, each whole or one part of
it."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from games.accounts.context import reader_of
from games.common import labels
from games.common.page_cache import cached_page
from games.common.policy import policy
from scorebook_games.registry import KINDS
from tournaments.activity import audit_log
from tournaments.clubs.permissions import may_organise
from tournaments.entries.permissions import own_entrants
from tournaments.ratings import selectors as rating_selectors
from tournaments.season_pages import format_panels, versions
from tournaments.season_pages import overview as sheet
from tournaments.season_pages.action_views import available_actions
from tournaments.season_pages.availability_views import own_context
from tournaments.seasons import labels as league_labels
from tournaments.seasons.models import Round
from tournaments.standings import what_if_views

# Page → the parts that htmx fetches alone. The part `round` is fetched every few seconds and tells the others when a
# round has ended or begun; `pulse` does the same on pages without a round.
PARTS = {
    "overview": ("round", "now", "bracket", "ladder", "leaders"),
    "standings": ("pulse", "standings", "what-if", "ratings"),
    "rounds": ("round",),
    "hall": ("hall",),
    "activity": ("pulse", "timeline"),
    "settings": (),
}


@policy(visible_in_impersonation=True)
@cached_page(versions.rounds_version)
def overview_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Show what the season is, what is being played and who leads, or who has entered."""
    context, part = _begin(request, club, league, season)
    found_season, division, latest = context["season"], context["division"], context["latest"]
    if part in ("", "round"):
        asked = request.GET
        context["shown"] = latest and sheet.round_page(latest, asked.get("matches", ""), asked.get("why", ""))
    context["reason"] = request.GET.get("reason", "")
    context |= format_panels.format_context(found_season, division, part, request.user)
    if part in ("", "leaders") and sheet.placed_by_points(found_season):
        context["leaders"] = sheet.leading_rows(division)
    if not part:
        own = own_entrants(found_season, request.user)
        context |= {
            "registration": sheet.registration(found_season, division, request.user, request.GET.get("entrants", "")),
            "steps": available_actions(found_season, request.user, own),
            **own_context(found_season, request.user, own),
            "head": sheet.season_head(found_season, division, latest),
            "by_points": sheet.placed_by_points(found_season),
            "lists": format_panels.entrant_lists(found_season),
        }
    return _respond(request, "overview", part, context)


@policy(visible_in_impersonation=True)
@cached_page(versions.standings_version)
def standings_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Show the standings with their arithmetic, the what-if table and the ratings."""
    context, part = _begin(request, club, league, season)
    found_season, division, asked = context["season"], context["division"], request.GET
    if part in ("", "standings"):
        row = asked.get("row", "")
        context["standings"] = sheet.standings_page(found_season, division, asked.get("page", ""), row)
        context["decided"] = audit_log.entrant_rulings(division, row)
        context["lost_places"] = format_panels.lost_place_texts(found_season, division, row)
    if part in ("", "what-if"):
        context["what_if"] = what_if_views.what_if_part(found_season, division, asked, context["me"])
    if part in ("", "ratings"):
        context["ratings"] = rating_selectors.ratings_part(found_season, division)
        context["official"] = rating_selectors.official_table_page(division, asked.get("official", ""))
    return _respond(request, "standings", part, context)


@policy(visible_in_impersonation=True)
@cached_page(versions.rounds_version)
def rounds_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Show a round, by default the latest, and the list of all rounds."""
    context, part = _begin(request, club, league, season)
    division, latest, asked = context["division"], context["latest"], request.GET
    shown = sheet.find_round(division, asked["round"]) if asked.get("round") else latest
    context["shown"] = shown and sheet.round_page(shown, asked.get("matches", ""), asked.get("why", ""))
    if not part:
        context["rounds"] = sheet.rounds_page(division, asked.get("rounds", ""))
    return _respond(request, "rounds", part, context)


@policy(visible_in_impersonation=True)
@cached_page(versions.hall_version)
def hall_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Show the latest round, or the matches in play, in large type and without controls, for a screen in the club. A
    page follows the other."""
    context, part = _begin(request, club, league, season)
    found_season, division, latest = context["season"], context["division"], context["latest"]
    context["hall"] = format_panels.hall_page(found_season, division, latest, request.GET.get("matches", ""))
    context["head"] = sheet.season_head(found_season, division, latest)
    return _respond(request, "hall", part, context)


@policy(visible_in_impersonation=True)
@cached_page(versions.base_version)
def activity_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Show the timeline, the latest event first."""
    context, part = _begin(request, club, league, season)
    if part in ("", "timeline"):
        context["timeline"] = sheet.timeline_page(context["season"], request.GET.get("before", ""))
    return _respond(request, "activity", part, context)


@policy(visible_in_impersonation=True)
@cached_page(versions.base_version)
def settings_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Show the season's settings, and to organisers what they can do."""
    context, part = _begin(request, club, league, season)
    found_season = context["season"]
    if not part:
        context |= {
            "steps": available_actions(found_season, request.user),
            "format_options": league_labels.format_option_rows(
                found_season.format, found_season.settings["format_options"]
            ),
            "policies": league_labels.policy_rows(found_season.settings, found_season.table_size),
            "options": labels.option_rows(found_season.kind, found_season.options),
            "terms": league_labels.game_term_rows(found_season.terms, found_season.table_size),
            "points": league_labels.points_system_text(found_season.points),
            "places": league_labels.places_by(found_season.format),
            "tie_breaks": league_labels.tie_breaks_text(found_season.tie_breaks)
            if found_season.competition.uses_tie_breaks
            else "",
        }
    return _respond(request, "settings", part, context)


def _begin(request: HttpRequest, club: str, league: str, season: str) -> tuple[dict[str, Any], str]:
    """Return the context that every page of a season needs, and the part that is asked for ("" for the whole page).
    Raises Http404."""
    found_season = sheet.find_season(club, league, season)
    division, divisions = sheet.find_division(found_season, request.GET.get("division", ""))
    latest = sheet.find_round(division, "")
    context = {
        "nav": "clubs",
        "season": found_season,
        "spec": KINDS[found_season.kind].spec,
        "format": league_labels.format_label(found_season.format),
        "unplayable": league_labels.why_unplayable(found_season.settings),
        "division": division,
        "divisions": divisions,
        "latest": latest,
        "known_round": known_round(latest),
        "me": viewer_player_id(request),
        "organises": may_organise(request.user, found_season.league.club),
    }
    return context, request.GET.get("part", "")


def _respond(request: HttpRequest, page: str, part: str, context: dict[str, Any]) -> HttpResponse:
    """Render a page or one part of it."""
    if not part:
        return render(request, f"season_pages/{page}.html", {**context, "page": page})
    if part not in PARTS[page]:
        raise Http404(_("The page has no such part."))
    response = render(request, f"season_pages/parts/{part.replace('-', '_')}.html", context)
    if part in ("round", "pulse") and request.GET.get("known", "") != context["known_round"]:
        response["HX-Trigger"] = "round-changed"
    return response


def known_round(latest: Round | None) -> str:
    """Return the state of the latest round, as `3-open`, for detecting changes."""
    return f"{latest.number}-{latest.status}" if latest else ""


def viewer_player_id(request: HttpRequest) -> int | None:
    """Return the id of the viewer's player; None if there is none."""
    reader = reader_of(request)
    return reader.pk if reader else None
