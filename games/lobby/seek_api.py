"""The API of games now. It calls the same services as the page."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.accounts import people
from games.common.policy import policy
from games.common.service_views import error_responses, validated_data
from games.lobby import seekers
from games.lobby.models import Seeker
from games.models import Game, Player


class WishSerializer(serializers.Serializer[Any]):
    """What to play now: a kind for two players, and a pace."""

    kind = serializers.CharField(max_length=40)
    pace = serializers.CharField(max_length=10, help_text=f"One of {', '.join(seekers.PACES)}.")
    rated = serializers.BooleanField(
        default=False, help_text="Whether the game shall be rated. It is if the other player asks for that, too."
    )


class SeekSerializer(serializers.Serializer[Any]):
    """The id of the game that has begun, or what you wait for. `bot` is the built-in bot that is offered after a
    minute."""

    game = serializers.CharField(allow_null=True)
    kind = serializers.CharField(allow_null=True)
    pace = serializers.CharField(allow_null=True)
    rated = serializers.BooleanField(allow_null=True, help_text="Whether you asked for a rated game.")
    since = serializers.DateTimeField(allow_null=True)
    bot = serializers.CharField(allow_null=True)


class SeekView(APIView):
    """A game now."""

    write_scope = "play"
    remote_bots = "people only"
    visible_in_impersonation = True
    permission_classes = [IsAuthenticated]

    @extend_schema(responses=SeekSerializer)
    def get(self, request: Request) -> Response:
        """What you wait for."""
        return Response(seek_data(seekers.seeker_of(people.player_of_user(request.user))))

    @extend_schema(request=WishSerializer, responses={200: SeekSerializer, **error_responses(400, 403, 409)})
    def post(self, request: Request) -> Response:
        """Play with somebody of about your rating who waits, or wait for them. Ask again at least every 20 seconds:
        that shows that you still wait, widens the search, and brings the `game` that has begun. A game is `rated` if
        both ask for that, in the pool `casual` of its kind. Errors: 400 bad_option; 403 guest_not_rated; 409
        too_many_tables, too_many_games."""
        sent = validated_data(WishSerializer(data=request.data))
        player = player_of(request)
        game = seekers.seek(player=player, **sent)
        return Response(seek_data(seekers.seeker_of(player), game))

    @extend_schema(request=None, responses={204: None})
    @policy(remote_bots="people only")
    def delete(self, request: Request) -> Response:
        """Wait no longer."""
        seekers.cancel(player=player_of(request))
        return Response(status=204)


class SeekBotView(APIView):
    """A built-in bot in place of a person."""

    write_scope = "play"
    remote_bots = "people only"
    permission_classes = [IsAuthenticated]

    @extend_schema(request=None, responses={200: SeekSerializer, **error_responses(409)})
    def post(self, request: Request) -> Response:
        """Play the built-in bot of about your strength instead of waiting longer than a minute. The game is
        not rated. Errors: 409 not_seeking, too_early, too_many_games."""
        return Response(seek_data(None, seekers.play_bot(player=player_of(request))))


def player_of(request: Request) -> Player:
    """Return the player of the signed-in user."""
    return people.player_or_new_guest(request._request)


def seek_data(waiting: Seeker | None, game: Game | None = None) -> dict[str, Any]:
    """Return what somebody waits for, or the game that has begun, as JSON data."""
    begun = game or (waiting and waiting.game)
    return {
        "game": begun.public_id if begun else None,
        "kind": waiting.kind if waiting else None,
        "pace": waiting.pace if waiting else None,
        "rated": waiting.rated if waiting else None,
        "since": waiting.created if waiting else None,
        "bot": seekers.offered_bot(waiting) if waiting else None,
    }
