"""Teams and line-ups in the API: short calls of the services in `tournaments.teams`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from games.common.errors import DomainError
from games.common.policy import policy
from games.common.service_views import ServiceViewSet, error_responses
from games.models import Player
from games.play.api import PlayerSerializer
from games.play.players import player_data
from tournaments.entries import permissions as entry_permissions
from tournaments.matches.boards import BoardLine, team_boards
from tournaments.seasons.api import SeasonActions
from tournaments.seasons.models import PLAYING, Entrant, Match
from tournaments.teams import lineups, selectors
from tournaments.teams import services as teams

ERROR_RESPONSES = error_responses(400, 403, 404, 409)
SHOWN = (*PLAYING, Entrant.Status.WAITING, Entrant.Status.ALTERNATE)


class TeamSerializer(serializers.Serializer[Any]):
    """A team of a season: its number as an entrant, its name, and its players in their order. `captain` is one of
    them."""

    entrant = serializers.IntegerField()
    team = PlayerSerializer()
    status = serializers.CharField()
    captain = serializers.IntegerField(allow_null=True)
    members = PlayerSerializer(many=True)


class SquadSerializer(serializers.Serializer[Any]):
    """The players of a team by id, in their order, and which of them is the captain."""

    members = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**31), min_length=1, max_length=teams.MAX_MEMBERS
    )
    captain = serializers.IntegerField(min_value=1, max_value=2**31)


class NewTeamSerializer(SquadSerializer):
    """A new team."""

    name = serializers.CharField(max_length=40)


class ChangedTeamSerializer(SquadSerializer):
    """The players of a team from now on. Without a name it keeps the present one."""

    entrant = serializers.IntegerField(min_value=1, max_value=32767)
    name = serializers.CharField(max_length=40, required=False, default="")


class TeamNumberSerializer(serializers.Serializer[Any]):
    """The number of a team as an entrant."""

    entrant = serializers.IntegerField(min_value=1, max_value=32767)


class BoardSerializer(serializers.Serializer[Any]):
    """A game of a match of teams. `boards`, `players` and `points` are in the order of the match; a player is null if
    nobody sits there, and `points` are null until the result is public. `moves_first`: the place in that order."""

    number = serializers.IntegerField()
    boards = serializers.ListField(child=serializers.IntegerField())
    players = PlayerSerializer(many=True)
    points = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    moves_first = serializers.IntegerField()
    game = serializers.CharField(allow_null=True)


class TeamMatchSerializer(serializers.Serializer[Any]):
    """The boards of a match of teams, [] until both line-ups are known; until when captains name them, and the numbers
    of the teams that have."""

    lineups_due = serializers.DateTimeField(allow_null=True)
    handed_in = serializers.ListField(child=serializers.IntegerField())
    boards = BoardSerializer(many=True)


class LineupSerializer(serializers.Serializer[Any]):
    """The players at the boards, by id, with null at the last ones if there are too few. `entrant`: the number of the
    team, for organisers; by default the one that you lead."""

    players = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**31, allow_null=True), min_length=1, max_length=8
    )
    entrant = serializers.IntegerField(required=False, min_value=1, max_value=32767)


class TeamActions(SeasonActions):
    """Teams of a season."""

    @extend_schema(responses=TeamSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None)
    @policy(visible_in_impersonation=True)
    def teams(self, request: Request, pk: str) -> Response:
        """The teams with their players, in the order of entry; empty in seasons without teams."""
        season = self.get_object()
        rows = season.entries.filter(player__is_team=True, status__in=SHOWN)
        return Response([team_data(team) for team in rows.select_related("player").order_by("number")])

    @extend_schema(request=NewTeamSerializer, responses={201: TeamSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="register-team")
    @policy(write_scope="play")
    def register_team(self, request: Request, pk: str) -> Response:
        """Register a team that you play in, or any team as an organiser. Its players are of the club. Errors: 400
        bad_name, bad_team; 409 not_by_teams, name_taken, in_other_team, not_member, season_started, and as for
        joining."""
        asked, season = self.sent(NewTeamSerializer), self.get_object()
        organises = entry_permissions.may_run(season, request.user)
        members = _players(asked["members"])
        if not organises and all(member.user_id != request.user.pk for member in members):
            raise DomainError(400, "bad_team", _("You must play in the team that you register."), "members")
        team = teams.register_team(
            season=season,
            name=asked["name"],
            members=members,
            captain=_captain(members, asked["captain"]),
            by=request.user,
            by_organiser=organises,
        )
        return Response(team_data(team), status=201)

    @extend_schema(request=ChangedTeamSerializer, responses={200: TeamSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="change-team")
    @policy(write_scope="play")
    def change_team(self, request: Request, pk: str) -> Response:
        """Change the players of a team, their order and the captain (its captain, or organisers). In a running season
        new players come last. Errors: 400 bad_name, bad_team; 403 not_captain; 404; 409 name_taken, in_other_team,
        not_member, order_fixed, plays_now, not_in, season_over."""
        asked, season = self.sent(ChangedTeamSerializer), self.get_object()
        team = entry_permissions.find_entrant(season, asked["entrant"])
        team.season = season
        organises = entry_permissions.may_run(season, request.user)
        if not organises and selectors.own_team(season, request.user) != team:
            raise DomainError(403, "not_captain", _("Only the captain of a team and the organisers can change it."))
        members = _players(asked["members"])
        changed = teams.change_team(
            entrant=team,
            name=asked["name"],
            members=members,
            captain=_captain(members, asked["captain"]),
            by=request.user,
            by_organiser=organises,
        )
        return Response(team_data(changed))

    @extend_schema(request=TeamNumberSerializer, responses={200: TeamSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="leave-team")
    @policy(write_scope="play")
    def leave_team(self, request: Request, pk: str) -> Response:
        """Leave a team. Your unfinished games for it are forfeited, and the next in order is captain if you were. A
        team without players leaves the season. Errors: 404; 409 not_in, season_over."""
        asked, season = self.sent(TeamNumberSerializer), self.get_object()
        team = entry_permissions.find_entrant(season, asked["entrant"])
        team.season = season
        player = Player.objects.filter(user=request.user.pk).first()
        if player is None:
            raise DomainError(409, "not_in", _("You are not in {team}.").format(team=team))
        return Response(team_data(teams.leave_team(entrant=team, player=player, by=request.user)))


class LineupActions(ServiceViewSet):
    """Line-ups and boards of matches of teams."""

    @extend_schema(responses=TeamMatchSerializer, filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None)
    @policy(visible_in_impersonation=True)
    def boards(self, request: Request, pk: str) -> Response:
        """The boards of a match of teams, with players and results. Line-ups are hidden until both are in or their time
        is over."""
        return Response(team_match_data(self._team_match()))

    @extend_schema(request=LineupSerializer, responses={200: TeamMatchSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    @policy(write_scope="play")
    def lineup(self, request: Request, pk: str) -> Response:
        """Hand in the line-up of the team that you lead, or another one while nobody has seen it (organisers: of any
        team). Errors: 400 bad_lineup; 403 not_captain; 404; 409 no_lineup, lineups_known, team_gone."""
        asked, match = self.sent(LineupSerializer), self._team_match()
        season = match.round.division.season
        team = selectors.led_team(match, request.user)
        if "entrant" in asked and entry_permissions.may_run(season, request.user):
            team = get_object_or_404(Entrant, season=season, number=asked["entrant"], matches__match=match)
        if team is None or asked.get("entrant", team.number) != team.number:
            raise DomainError(403, "not_captain", _("Only the captain of a team names its line-up."))
        lineups.hand_in(match=match, entrant=team, players=asked["players"], by=request.user)
        match.refresh_from_db()
        return Response(team_match_data(match))

    def _team_match(self) -> Match:
        found: Match = get_object_or_404(
            self.get_queryset().select_related("round__division__season__league__club"), pk=self.kwargs["pk"]
        )
        return found


def team_data(team: Entrant) -> dict[str, Any]:
    """Return a team as data. One query."""
    rows = list(team.members.filter(order__isnull=False).select_related("player__bot_version").order_by("order"))
    return {
        "entrant": team.number,
        "team": player_data(team.player),
        "status": team.status,
        "captain": next((row.player_id for row in rows if row.is_captain), None),
        "members": [player_data(row.player) for row in rows],
    }


def team_match_data(match: Match) -> dict[str, Any]:
    """Return the boards of a match as data."""
    sheet = team_boards(match.round.division.season, [match.pk]).get(match.pk)
    numbers = dict(match.entrants.values_list("entrant", "entrant__number"))
    return {
        "lineups_due": match.lineups_due,
        "handed_in": sorted(numbers[team] for team in selectors.handed_in(match) if team in numbers),
        "boards": [_board_data(line) for line in sheet.lines] if sheet else [],
    }


def _board_data(line: BoardLine) -> dict[str, Any]:
    return {
        "number": line.number,
        "boards": list(line.boards),
        "players": [player_data(player) if player else None for player in line.players],
        "points": None if line.points is None else [float(worth) for worth in line.points],
        "moves_first": line.first,
        "game": line.game.public_id if line.game else None,
    }


def _players(ids: Sequence[int]) -> list[Player]:
    """Return players in the order of their ids. Raises `DomainError` bad_team (400)."""
    found = Player.objects.select_related("bot_version__bot").in_bulk(ids)
    if missing := next((pk for pk in ids if pk not in found), None):
        raise DomainError(400, "bad_team", _("There is no player with the id {pk}.").format(pk=missing), "members")
    return [found[pk] for pk in ids]


def _captain(members: Sequence[Player], captain: int) -> Player:
    """Return the captain. Raises `DomainError` bad_team (400)."""
    found = next((member for member in members if member.pk == captain), None)
    if found is None:
        raise DomainError(400, "bad_team", _("The captain must be a player of the team."), "captain")
    return found
