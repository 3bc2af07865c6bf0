"""Pictures of links to clubs, seasons, teams, matches, players and bots (`games.common.link_picture`). They show names
and what never was a secret: no results."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.bots import uploads
from games.common.for_everybody import for_everybody
from games.common.link_picture import LinkPicture, SeatLine, picture_response
from games.common.policy import policy
from games.models import Player
from scorebook_games.registry import KINDS
from tournaments.club_pages.views import find_club
from tournaments.formats import FORMATS
from tournaments.ratings.models import Rating
from tournaments.season_pages.overview import find_season
from tournaments.season_pages.team_views import find_shown_team
from tournaments.seasons.labels import format_label, pool_label
from tournaments.seasons.models import Entrant, Match

MAX_LINES: Final = 5


@require_safe
@for_everybody
@policy(visible_in_impersonation=True)
def club_picture(request: HttpRequest, club: str) -> HttpResponse:  # noqa: ARG001
    """Return the picture of a club: its name, how it describes itself, and its leagues."""
    shown = find_club(club)
    leagues = [SeatLine(league.name) for league in shown.leagues.order_by("name")[:MAX_LINES]]
    note = _("Members: {n}").format(n=shown.memberships.count())
    return picture_response(LinkPicture(shown.name, shown.about, leagues, note=note))


@require_safe
@for_everybody
@policy(visible_in_impersonation=True)
def season_picture(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:  # noqa: ARG001
    """Return the picture of a season: its league, club, game and format, and how many play, or which teams."""
    shown = find_season(club, league, season)
    kind = KINDS[shown.kind].spec.title if shown.kind in KINDS else shown.kind
    entrants = shown.entries.filter(status=Entrant.Status.IN).select_related("player").order_by("number")
    lines = [SeatLine(_("Entrants: {n}").format(n=entrants.count()))]
    line = f"{shown.name} · {kind}"
    if shown.format in FORMATS:
        line = f"{line}, {format_label(shown.format)}"
        if shown.competition.by_teams:  # few, with names that mean something to others
            lines = [SeatLine(entrant.player.name) for entrant in entrants[:MAX_LINES]]
    return picture_response(LinkPicture(shown.league.name, line, lines, note=shown.league.club.name))


@require_safe
@policy(visible_in_impersonation=True)
def team_picture(request: HttpRequest, club: str, league: str, season: str, number: int) -> HttpResponse:
    """Return the picture of a team: its season, and its players in their order. It is hidden as its page is."""
    found, team = find_shown_team(request, club, league, season, number)
    members = team.members.filter(order__isnull=False).select_related("player").order_by("order")
    lines = [SeatLine(member.player.name) for member in members[:MAX_LINES]]
    line = f"{found.league.name}, {found.name}"
    return picture_response(LinkPicture(team.player.name, line, lines, note=found.league.club.name))


@require_safe
@for_everybody
@policy(visible_in_impersonation=True)
def match_picture(request: HttpRequest, match_id: int) -> HttpResponse:  # noqa: ARG001
    """Return the picture of a match: its league, season and round, and who meets."""
    match = get_object_or_404(Match.objects.select_related("round__division__season__league__club"), pk=match_id)
    season = match.round.division.season
    lines = [SeatLine(each.entrant.player.name) for each in match.entrants.select_related("entrant__player")]
    line = "{} · {}".format(season.name, _("Round {n}").format(n=match.round.number))
    return picture_response(LinkPicture(season.league.name, line, lines, note=season.league.club.name))


@require_safe
@for_everybody
@policy(visible_in_impersonation=True)
def player_picture(request: HttpRequest, player_id: int) -> HttpResponse:  # noqa: ARG001
    """Return the picture of a player: the name, and the ratings with most games."""
    player = get_object_or_404(Player, pk=player_id)
    return picture_response(LinkPicture(player.name, _("Ratings, seasons and games"), rating_lines(player)))


def rating_lines(player: Player) -> list[SeatLine]:
    """Return the ratings of a player, those with most games first."""
    rated = Rating.objects.filter(player=player, pool__kind__in=KINDS).select_related("pool").order_by("-games", "pk")
    return [
        SeatLine(f"{KINDS[each.pool.kind].spec.title}, {pool_label(each.pool.pool)}", f"{each.rating:.0f}")
        for each in rated[:MAX_LINES]
    ]


@require_safe
@for_everybody
@policy(visible_in_impersonation=True)
def bot_picture(request: HttpRequest, name: str) -> HttpResponse:  # noqa: ARG001
    """Return the picture of a bot that everybody may see: its name, what its author says of it, and the ratings of the
    version that plays, or what it plays."""
    bot = uploads.find_visible_bot(name, AnonymousUser())
    player = Player.objects.filter(bot_version=bot.plays_id).first() if bot.plays else None
    lines = rating_lines(player) if player else []
    if bot.plays and not lines:
        lines = [SeatLine(KINDS[kind].spec.title) for kind in bot.plays.kinds if kind in KINDS][:MAX_LINES]
    note = _("A bot") if bot.plays else _("A bot that has not played yet")
    return picture_response(LinkPicture(bot.name, bot.description, lines, note=note))
