"""The page of a season, whole or one part of it."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from games.common import labels
from games.common.policy import policy
from games.kinds import KINDS
from games.models import Player
from tournaments.activity import audit_log
from tournaments.clubs.permissions import may_organise
from tournaments.ratings import selectors as rating_selectors
from tournaments.season_pages import format_panels
from tournaments.season_pages import overview as sheet
from tournaments.season_pages.step_views import available_actions
from tournaments.seasons import labels as league_labels
from tournaments.seasons.models import (
    Round,
    Season,
)
from tournaments.standings import what_if_views

SEASON_PARTS = {
    "round": "season_pages/parts/round.html",
    "now": "season_pages/parts/now.html",
    "bracket": "season_pages/parts/bracket.html",
    "ladder": "season_pages/parts/ladder.html",
    "standings": "season_pages/parts/standings.html",
    "what-if": "season_pages/parts/what_if.html",
    "ratings": "season_pages/parts/ratings.html",
    "happened": "season_pages/parts/timeline.html",
}


@policy(visible_in_impersonation=True)
def season_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """A season: its head, a round, the standings with their arithmetic, ratings, what happened, the terms."""
    asked = request.GET
    found = sheet.find_season(club, league, season)
    division, divisions = sheet.find_division(found, asked.get("division", ""))
    latest = sheet.find_round(division, "")
    part = asked.get("part", "")
    context: dict[str, Any] = {"nav": "clubs", "season": found, "division": division, "latest": latest}
    context |= {"known_round": known_round(latest), "me": viewer_player_id(request)}
    if part in ("", "round"):
        shown = sheet.find_round(division, asked["round"]) if asked.get("round") else latest
        context["shown"] = shown and sheet.round_page(shown, asked.get("matches", ""), asked.get("why", ""))
    context |= format_panels.format_context(found, division, part, request.user)
    if part in ("", "standings"):
        context["standings"] = sheet.standings_page(found, division, asked.get("page", ""), asked.get("row", ""))
        context["decided"] = audit_log.entrant_rulings(division, asked.get("row", ""))
        context["lost_places"] = format_panels.lost_place_texts(found, division, asked.get("row", ""))
    if part in ("", "what-if"):
        context["what_if"] = what_if_views.what_if_part(found, division, asked, context["me"])
    if part in ("", "ratings"):
        context["ratings"] = rating_selectors.ratings_part(found, division)
        context["official"] = rating_selectors.official_table_page(division, asked.get("official", ""))
    if part in ("", "happened"):
        context["happened"] = sheet.timeline_page(found, asked.get("before", ""))
    if part:
        return season_part(request, part, context, latest)
    context |= {
        "divisions": divisions,
        "organises": found.status != Season.Status.OPEN and may_organise(request.user, found.league.club),
        "registration": sheet.registration(found, division, request.user, asked.get("entrants", "")),
        "steps": available_actions(found, request.user),
        "head": sheet.season_head(found, division, latest),
        "rounds": sheet.rounds_page(division, asked.get("rounds", "")),
        "spec": KINDS[found.kind].spec,
        "lists": format_panels.entrant_lists(found),
        "format": league_labels.FORMAT_LABELS[found.format],
        "format_options": league_labels.format_option_rows(found.settings["format_options"]),
        "policies": league_labels.policy_rows(found.settings, found.table_size),
        "options": labels.option_rows(found.options),
        "terms": league_labels.game_term_rows(found.terms, found.table_size),
        "points": league_labels.points_system_text(found.points),
        "tie_breaks": league_labels.tie_breaks_text(found.tie_breaks),
    }
    return render(request, "season_pages/season.html", context)


def season_part(request: HttpRequest, part: str, context: dict[str, Any], latest: Round | None) -> HttpResponse:
    """One part of the season's page. With the round comes a word to the other parts when a round has ended or begun."""
    if part not in SEASON_PARTS:
        raise Http404("The page has no such part.")
    response = render(request, SEASON_PARTS[part], context)
    if part == "round" and request.GET.get("known", "") != known_round(latest):
        response["HX-Trigger"] = "round-changed"
    return response


def known_round(latest: Round | None) -> str:
    """What a page that shows a season's latest round knows of it: `3-open`."""
    return f"{latest.number}-{latest.status}" if latest else ""


def viewer_player_id(request: HttpRequest) -> int | None:
    """The id of the player that the viewer is, if they are one."""
    if not request.user.is_authenticated:
        return None
    return Player.objects.filter(user=request.user).values_list("pk", flat=True).first()
