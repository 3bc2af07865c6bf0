"""The API of reviews: the luck ledger of a game."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.play import services as play
from games.play.service_views import ErrorSerializer
from replays.review.luck import luck_data


class ValueFunctionSerializer(serializers.Serializer[Any]):
    """A value function by which the game has a ledger."""

    version = serializers.IntegerField()
    hash = serializers.CharField()


class SeatLuckSerializer(serializers.Serializer[Any]):
    """A seat's account, in shares of 1: result = start + luck + own + others + departures."""

    seat = serializers.IntegerField()
    result = serializers.FloatField(help_text="The share of the opponents that it finished ahead of.")
    start = serializers.FloatField(help_text="What the game was worth before the first card.")
    luck = serializers.FloatField(help_text="What all draws were worth.")
    own = serializers.FloatField(help_text="What its own decisions were worth.")
    others = serializers.FloatField(help_text="What the decisions of the others were worth to it.")
    departures = serializers.FloatField(help_text="What departures, and an end by the table, were worth.")
    luck_error = serializers.FloatField(help_text="The standard error of `luck`; 0 if all means are exact.")
    adjusted = serializers.FloatField(help_text="result − luck: has the same mean as the result, and varies less.")


class LedgerEntrySerializer(serializers.Serializer[Any]):
    """What the draws or the decision at one event were worth to each seat, rounded to a millionth."""

    version = serializers.IntegerField(help_text="The event.")
    sort = serializers.CharField(help_text="chance, decision or table.")
    seat = serializers.IntegerField(allow_null=True, help_text="Who decided; null for chance and table.")
    gains = serializers.ListField(child=serializers.FloatField())


class LuckSerializer(serializers.Serializer[Any]):
    """A game's luck ledger. `seats` and `entries` are empty unless `state` is done."""

    game = serializers.CharField()
    kind = serializers.CharField()
    state = serializers.CharField(help_text="done, waiting, none or failed.")
    reason = serializers.CharField(
        help_text="With none: no_value_function, other_rules, no_kind or not_dealt. Otherwise empty."
    )
    value_version = serializers.IntegerField(allow_null=True)
    value_hash = serializers.CharField(allow_null=True, help_text="Identifies weights and program.")
    value_functions = ValueFunctionSerializer(many=True, help_text="All by which the game has a ledger, newest first.")
    seats = SeatLuckSerializer(many=True)
    entries = LedgerEntrySerializer(many=True)


class LuckView(APIView):
    """The luck ledger of a finished game."""

    remote_bots = "read"
    visible_in_impersonation = True

    @extend_schema(
        parameters=[
            OpenApiParameter("value", str, description="The hash of a value function. Default: the newest ledger.")
        ],
        responses={200: LuckSerializer, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """What luck and what play were worth to each seat of a finished game, and each draw and decision by itself.
        Errors: 404 game_not_found, no_such_ledger; 409 not_open_yet."""
        game = play.find_game(public_id, request.user)
        return Response(luck_data(game, request.query_params.get("value")))
