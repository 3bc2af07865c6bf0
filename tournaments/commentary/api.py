"""The API of commentators' addresses. It calls the same services as the pages."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.accounts.people import shown_name
from games.common.policy import policy
from games.common.service_views import error_responses
from games.models import Game
from tournaments.clubs.locking import check_organiser
from tournaments.commentary import services
from tournaments.seasons.api import SeasonActions
from tournaments.seasons.models import Season


class CommentaryAddressSerializer(serializers.Serializer[Any]):
    """Whether a season has an address for commentators, since when, and who created it. `address` is there once, in
    the answer to its creation."""

    created = serializers.DateTimeField(allow_null=True)
    by = serializers.CharField(allow_null=True)
    address = serializers.CharField(required=False)


class CommentaryGameSerializer(serializers.Serializer[Any]):
    """A game in progress, its players by seat, and the address at which commentators see it."""

    id = serializers.CharField()
    players = serializers.ListField(child=serializers.CharField())
    address = serializers.CharField()


class CommentaryGamesSerializer(serializers.Serializer[Any]):
    """A season and its games in progress."""

    season = serializers.IntegerField()
    name = serializers.CharField()
    games = CommentaryGameSerializer(many=True)


class CommentaryActions(SeasonActions):
    """The address of a season's commentators, for its organisers."""

    @extend_schema(responses={200: CommentaryAddressSerializer, **error_responses(403)})
    @action(detail=True, methods=["get"], permission_classes=[IsAuthenticated])
    @policy(read_scope="organise", remote_bots="nothing", visible_in_impersonation=False)
    def commentary(self, request: Request, pk: str) -> Response:
        """Whether there is a secret address for commentators, who see all hands as late as spectators see the game
        (organisers). Errors: 403 not_organiser."""
        season = self.get_object()
        check_organiser(request.user, season.league.club)
        return Response(address_data(season))

    @extend_schema(request=None, responses={201: CommentaryAddressSerializer, **error_responses(403, 409)})
    @commentary.mapping.post
    @policy(remote_bots="nothing", secret_answer=True)
    def create_commentary(self, request: Request, pk: str) -> Response:
        """Create the secret address. An older address stops working. Errors: 403 not_organiser; 409
        no_watch_delay."""
        season = self.get_object()
        secret = services.create_address(season=season, user=request.user)
        return Response({**address_data(season), "address": games_address(secret)}, status=201)

    @extend_schema(request=None, responses={204: None, **error_responses(403)})
    @commentary.mapping.delete
    @policy(remote_bots="nothing")
    def withdraw_commentary(self, request: Request, pk: str) -> Response:
        """Withdraw the address: it stops working at once. Errors: 403 not_organiser."""
        services.withdraw_address(season=self.get_object(), user=request.user)
        return Response(status=204)


class CommentaryGamesView(APIView):
    """The games in progress for commentators."""

    remote_bots = "nothing"
    secret_parameters = ("secret",)
    visible_in_impersonation = False

    permission_classes = [AllowAny]

    @extend_schema(responses={200: CommentaryGamesSerializer, **error_responses(404)})
    def get(self, request: Request, secret: str) -> Response:
        """The season of a commentators' address and its games in progress. `games/{public_id}/commentary/{secret}/`
        has the positions of each. Errors: 404 no_commentary."""
        season = services.season_of(secret)
        return Response({"season": season.pk, "name": str(season), "games": game_rows(season, secret)})


def address_data(season: Season) -> dict[str, Any]:
    """Return what is known of a season's address; its secret is not."""
    found = services.find_address(season)
    by = found and found.by
    return {"created": found.created if found else None, "by": shown_name(by) if by else None}


def games_address(secret: str) -> str:
    """Return the whole address of the page of a season's commentators."""
    return settings.SCOREBOOK_BASE_URL + reverse("commentary-games", args=[secret])


def game_rows(season: Season, secret: str) -> list[dict[str, Any]]:
    """Return the season's games in progress, each with the address at which its commentators see it."""
    return [game_row(game, secret) for game in services.running_games(season)]


def game_row(game: Game, secret: str) -> dict[str, Any]:
    """Return a game with its players and its address."""
    players = [seat.player.name for seat in sorted(game.seats.all(), key=lambda seat: seat.seat)]
    return {"id": game.public_id, "players": players, "address": reverse("commentary", args=[game.public_id, secret])}
