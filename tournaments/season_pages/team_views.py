"""Pages of teams: registering one, its players and results, the line-up of a match, and a substitute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from games.accounts.templatetags.players import full_name
from games.common.confirmation import Question, ask_unless_confirmed
from games.common.errors import DomainError
from games.common.policy import policy
from games.common.refusals import Refusals, as_message
from games.models import Player
from tournaments.entries import permissions as entry_permissions
from tournaments.lifecycle.setup import player_of_user
from tournaments.matches.rows import build_match_rows, matches_for_rows
from tournaments.season_pages import overview
from tournaments.seasons.models import Entrant, Match, Season
from tournaments.seasons.stream import fold_season
from tournaments.teams import lineups, selectors
from tournaments.teams import services as teams
from tournaments.teams.addresses import team_url
from tournaments.teams.subjects import too_few_players

EXTRA_ROWS = 4  # rows for substitutes in the form of a team


class TeamForm(forms.Form):
    """A team: its name, a choice of a player for each place of its order, and which of them is the captain."""

    name = forms.CharField(max_length=40)
    captain = forms.IntegerField(min_value=1, max_value=teams.MAX_MEMBERS, required=False)

    def __init__(self, data: Any, offered: Sequence[Player], boards: int, team: Mapping[str, Any]) -> None:
        super().__init__(data, initial={"name": team.get("name", "")})
        self.offered = {player.pk: player for player in [*team.get("members", []), *offered]}
        self.members: list[int] = [player.pk for player in team.get("members", [])]
        self.led_by = team.get("captain")
        self.boards = boards
        self.rows_shown = min(teams.MAX_MEMBERS, max(boards + EXTRA_ROWS, len(self.members) + 2))
        self.refused = ""
        if data is not None:
            sent = [data.get(f"member-{place}", "") for place in range(1, teams.MAX_MEMBERS + 1)]
            self.sent = [int(each) if each.isdecimal() and len(each) < 10 else 0 for each in sent]
            self.members = [pk for pk in self.sent if pk]

    def rows(self) -> list[dict[str, Any]]:
        """Return the places of the order, each with the choices of players."""
        chosen = self.sent if self.is_bound else self.members
        rows = []
        for place in range(1, self.rows_shown + 1):
            pk = chosen[place - 1] if place <= len(chosen) else 0
            label = _("Board {n}") if place <= self.boards else _("Substitute {n}")
            number = place if place <= self.boards else place - self.boards
            leads = self.data.get("captain") == str(place) if self.is_bound else pk == self.led_by and bool(pk)
            rows.append({"place": place, "label": label.format(n=number), "chosen": pk, "leads": leads})
        return rows

    def choices(self) -> list[tuple[int, str]]:
        return [(pk, full_name(player)) for pk, player in self.offered.items()]

    def asked(self) -> dict[str, Any]:
        """Return name, members and captain. Raises `DomainError` bad_team (400)."""
        if any(pk and pk not in self.offered for pk in self.sent):
            raise DomainError(400, "bad_team", _("Choose the players from the lists."), "members")
        place = self.cleaned_data["captain"] or 1
        captain = self.sent[place - 1] or next(iter(self.members), 0)
        if not captain:
            raise DomainError(400, "bad_team", _("Choose at least one player."), "members")
        members = [self.offered[pk] for pk in self.members]
        return {"name": self.cleaned_data["name"], "members": members, "captain": self.offered[captain]}

    def refuse(self, error: DomainError) -> None:
        """Show a refusal above the form."""
        self.refused = error.sentence


def _find_team_season(club: str, league: str, season: str) -> Season:
    found = overview.find_season(club, league, season)
    found.competition.check_installed()
    if not found.competition.by_teams:
        raise Http404(_("There are no teams in this season."))
    return found


def _find_team(season: Season, number: int) -> Entrant:
    team = entry_permissions.find_entrant(season, number)
    team.season = season
    if team.status == Entrant.Status.OUT:
        raise Http404(_("There is no such team."))
    return team


def find_shown_team(request: HttpRequest, club: str, league: str, season: str, number: int) -> tuple[Season, Entrant]:
    """Return a team and its season. Raises Http404 if its entry is not accepted yet, except for its captain and the
    organisers."""
    found = _find_team_season(club, league, season)
    team = _find_team(found, number)
    organises = entry_permissions.may_run(found, request.user)
    waits = team.status in (Entrant.Status.ASKED, Entrant.Status.INVITED)
    if waits and not organises and selectors.own_team(found, request.user) != team:
        raise Http404(_("There is no such team."))
    return found, team


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def register_team_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Register a team in a season, with its players in their order."""
    found = _find_team_season(club, league, season)
    organises = entry_permissions.may_run(found, request.user)
    offered = selectors.addable_players(found, request.user)
    own = next((player for player in offered if player.user_id == request.user.pk), None)
    first = {"members": [own], "captain": own.pk} if own is not None and not organises else {}
    form = TeamForm(request.POST or None, offered, teams.board_count(found), first)
    status = 200
    if request.method == "POST" and form.is_valid():
        with Refusals(form.refuse, passing=[403]) as refusals:
            if not organises and player_of_user(request.user).pk not in form.members:
                raise DomainError(400, "bad_team", _("You must play in the team that you register."), "members")
            team = teams.register_team(season=found, by=request.user, by_organiser=organises, **form.asked())
            messages.success(request, _("{team} is registered.").format(team=team))
            return redirect(team_url(team))
        status = refusals.status
    return render(
        request,
        "season_pages/team_form.html",
        {"nav": "clubs", "season": found, "form": form, "may_order": True, "tried": request.method == "POST"},
        status=status,
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def change_team_page(request: HttpRequest, club: str, league: str, season: str, number: int) -> HttpResponse:
    """Change the name, the players, their order and the captain of a team."""
    found = _find_team_season(club, league, season)
    team, organises = _find_team(found, number), entry_permissions.may_run(found, request.user)
    if not organises and selectors.own_team(found, request.user) != team:
        raise PermissionDenied(_("Only the captain of a team and the organisers can change it."))
    rows = list(team.members.filter(order__isnull=False).select_related("player__bot_version").order_by("order"))
    present = {
        "name": team.player.name,
        "members": [row.player for row in rows],
        "captain": next((row.player_id for row in rows if row.is_captain), None),
    }
    offered = selectors.addable_players(found, request.user)
    form = TeamForm(request.POST or None, offered, teams.board_count(found), present)
    status = 200
    if request.method == "POST" and form.is_valid():
        with Refusals(form.refuse, passing=[403]) as refusals:
            teams.change_team(entrant=team, by=request.user, by_organiser=organises, **form.asked())
            messages.success(request, _("The team has been changed."))
            return redirect(team_url(team))
        status = refusals.status
    context = {"nav": "clubs", "season": found, "team": team, "form": form}
    context |= {"may_order": organises or found.status == Season.Status.OPEN, "tried": request.method == "POST"}
    return render(request, "season_pages/team_form.html", context, status=status)


@policy(visible_in_impersonation=True)
def team_page(request: HttpRequest, club: str, league: str, season: str, number: int) -> HttpResponse:
    """Show a team: its players in their order with their results, and its matches."""
    found, team = find_shown_team(request, club, league, season, number)
    organises = entry_permissions.may_run(found, request.user)
    leads = selectors.own_team(found, request.user) == team
    matches = matches_for_rows().filter(entrants__entrant=team).exclude(round__status="undone")
    rows = build_match_rows(list(matches.order_by("-round__number")[: overview.MATCHES_PER_PAGE]))
    members = selectors.member_rows(fold_season(found), team)
    context = {
        "nav": "clubs",
        "season": found,
        "team": team,
        "members": members,
        "boards": teams.board_count(found),
        "matches": [(line, _own_score(line, team)) for line in rows],
        "may_change": (organises or leads) and found.status not in ("finished", "abandoned"),
        "may_leave": _is_member(team, request) and found.status not in ("finished", "abandoned"),
    }
    return render(request, "season_pages/team.html", context)


def _own_score(line: Any, team: Entrant) -> dict[str, Any]:
    """Return the other team of a match, and the board points of both, the own ones first."""
    own = next(place for place, side in enumerate(line.entrants) if side.entrant_id == team.pk)
    return {"other": line.entrants[1 - own].entrant, "own": line.scores[own], "theirs": line.scores[1 - own]}


def _is_member(team: Entrant, request: HttpRequest) -> bool:
    return team.members.filter(order__isnull=False, player__user=request.user.pk or 0).exists()


@login_required
@require_POST
def leave_team_page(request: HttpRequest, club: str, league: str, season: str, number: int) -> HttpResponse:
    """Leave a team."""
    team = _find_team(_find_team_season(club, league, season), number)
    question = Question(
        "leave_team",
        title=_("Leave {team}?").format(team=team),
        follows=_("Your unfinished games for the team are forfeited. Its captain can add you again."),
        button=_("Leave team"),
        back=team_url(team),
    )
    if _is_member(team, request) and (page := ask_unless_confirmed(request, question)) is not None:
        return page
    with as_message(request, passing=[403]):
        teams.leave_team(entrant=team, player=player_of_user(request.user), by=request.user)
        messages.success(request, _("You have left {team}.").format(team=team))
    return redirect(reverse("season", args=[club, league, season]))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def lineup_page(request: HttpRequest, match_id: int) -> HttpResponse:
    """Name the line-up of a team for a match: its captain, or an organiser for the team `?team=`."""
    match = get_object_or_404(matches_for_rows(), pk=match_id)
    season = match.round.division.season
    team = _team_of_lineup(request, match, season)
    state = fold_season(season).entrants[team.number]
    boards = teams.board_count(season)
    named = selectors.visible_lineup(match, team, request.user) or selectors.standing_lineup(state, boards)
    refused, status = "", 200
    if request.method == "POST":
        sent = [request.POST.get(f"board-{board}", "") for board in range(1, boards + 1)]
        named = [int(each) if each.isdecimal() and 0 < len(each) < 10 else None for each in sent]
        with Refusals(passing=[403]) as refusals:
            lineups.hand_in(match=match, entrant=team, players=named, by=request.user)
            messages.success(request, _("The line-up of {team} is handed in.").format(team=team))
            return redirect(reverse("match", args=[match.pk]))
        status, refused = refusals.status, refusals.error.sentence if refusals.error else ""
    rows = team.members.filter(order__isnull=False).select_related("player__bot_version").order_by("order")
    context = {
        "nav": "clubs",
        "match": match,
        "season": season,
        "team": team,
        "other": match.entrants.exclude(entrant=team).select_related("entrant__player").get().entrant,
        "members": [(row.player_id, f"{row.order}. {full_name(row.player)}") for row in rows],
        "boards": list(enumerate(named, start=1)),
        "in_order": season.settings["format_options"].get("lineup_order") == "in_order",
        "is_in": team.pk in selectors.handed_in(match),
        "refused": refused,
        "too_few": too_few_players(str(team), len(rows), boards, str(season)) if len(rows) < boards else "",
    }
    return render(request, "season_pages/lineup.html", context, status=status)


def _team_of_lineup(request: HttpRequest, match: Match, season: Season) -> Entrant:
    """Return the team whose line-up the viewer may name. Raises PermissionDenied, Http404."""
    asked = request.GET.get("team", "")
    if asked.isdecimal() and len(asked) < 6 and entry_permissions.may_run(season, request.user):
        team = get_object_or_404(Entrant, season=season, number=int(asked), matches__match=match, player__is_team=True)
    else:
        led = selectors.led_team(match, request.user)
        if led is None:
            raise PermissionDenied(_("Only the captain of a team names its line-up."))
        team = led
    team.season = season
    return team
