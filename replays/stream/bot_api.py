"""The API for bots that poll instead of streaming: their games, and the request that waits for an answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.bots.remote import requests as remote_requests
from games.common.service_views import ErrorSerializer
from games.eventlog import store as eventlog
from games.play import services as play
from games.play.turn import own_or_former_seat
from replays.stream import player_feed
from replays.stream.game_tail import NDJSON
from replays.stream.stream_access import wanted_parts
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import MAX_BUNDLE_MOVES

WANT_PARAMETER = OpenApiParameter(
    "want", str, description="Parts of a request, separated by commas: observation, events. Default: both."
)


class AskedSerializer(serializers.Serializer[Any]):
    """`hello` as in the stream's first line, and the current request; null if there is none, or `over`."""

    hello = serializers.DictField()
    ask = serializers.DictField(allow_null=True)


class AsksView(APIView):
    remote_bots = "read"
    rate_limit = "play"
    visible_in_impersonation = False
    permission_classes = [IsAuthenticated]

    @extend_schema(
        parameters=[
            WANT_PARAMETER,
            OpenApiParameter("after", str, many=True, description="In beats: the moves of the bundle so far."),
        ],
        responses={
            (200, "application/json"): AskedSerializer,
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            (200, "text/event-stream"): OpenApiTypes.STR,
            403: ErrorSerializer,
            404: ErrorSerializer,
            409: ErrorSerializer,
        },
    )
    def get(self, request: Request, public_id: str) -> Response:
        """The current request to your seat, as lines of the bot protocol. With `Accept: application/x-ndjson` or
        `text/event-stream`: hello, every request as it comes, and over. Errors: 403 not_your_seat, 409 illegal_move."""
        game = play.find_game(public_id, request.user)
        seat = own_or_former_seat(game, request.user)
        want = wanted_parts(request.query_params.get("want", ""))
        after = request.query_params.getlist("after")[:MAX_BUNDLE_MOVES]
        log = eventlog.read_log(game.stream_id)
        hello = remote_requests.hello_to_seat(game, Fold(log[0][0].event), seat)
        return Response({"hello": hello, "ask": remote_requests.ask_for_seat(game, log, seat, want=want, after=after)})


class MineSerializer(serializers.Serializer[Any]):
    """The lines at the start of the stream."""

    lines = serializers.ListField(child=serializers.DictField())


class MineView(APIView):
    remote_bots = "read"
    rate_limit = "play"
    visible_in_impersonation = False
    permission_classes = [IsAuthenticated]

    @extend_schema(
        parameters=[OpenApiParameter("since", str, description="Id of the last line that you have read.")],
        responses={
            (200, "application/json"): MineSerializer,
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            (200, "text/event-stream"): OpenApiTypes.STR,
            400: ErrorSerializer,
        },
    )
    def get(self, request: Request) -> Response:
        """Your games in progress, and those in which it is your turn. With `Accept: application/x-ndjson` or
        `text/event-stream`: the same, then a line for each game that begins, needs your move or ends. SSE resumes
        from `Last-Event-ID`."""
        watcher = player_feed.admit_player(request.user, NDJSON, request.query_params.get("since", ""))
        return Response({"lines": [*player_feed.opening_lines(watcher), *player_feed.changed_lines(watcher)]})
