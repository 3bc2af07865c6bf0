"""The API of replays: a game event by event in a chosen view, exports and verification."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.accounts import people
from games.common.errors import DomainError
from games.common.page_cache import cached_answer
from games.common.service_views import ErrorSerializer
from games.play import continuation
from games.play import services as play
from games.play.turn import own_or_former_seat_or_none
from games.visibility import observe
from replays.export.game_json import export_json, export_text
from replays.export.verification import check_game
from replays.frames.payload import commentary_data, replay_data
from replays.page_versions import frames_version
from replays.result import find_result
from replays.serializers import GameFileSerializer, ReplaySerializer, ResultSerializer

VERSIONS: Final = [
    OpenApiParameter("since", int, description="Only frames after this version."),
    OpenApiParameter("until", int, description="Only frames up to this version. Default: all."),
]


class ReplayView(APIView):
    """The replay of a game."""

    remote_bots = "read"
    visible_in_impersonation = True

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "viewpoint",
                str,
                description='"public", a seat\'s number, or "all". Default: the most that you may see.',
            ),
            *VERSIONS,
        ],
        responses=ReplaySerializer,
    )
    @method_decorator(gzip_page)
    @cached_answer(frames_version)
    def get(self, request: Request, public_id: str) -> Response:
        """Every position of the game with its event in words. `items` describes each plate and rim once.
        Errors: 404 game_not_found, 403 sealed, 403 not_your_viewpoint, 400 bad_viewpoint, 400 bad_version."""
        since, until = asked_versions(request)
        game = play.find_game(public_id, request.user)
        viewpoint = request.query_params.get("viewpoint")
        return Response(replay_data(game, request.user, viewpoint, since=since, until=until))


def asked_versions(request: Request) -> tuple[int, int | None]:
    """Return the parameters `since` and `until` of a request. Raises `DomainError` bad_version (400)."""
    asked = request.query_params
    since, until = asked.get("since", "0"), asked.get("until", "0")
    if not all(each.isascii() and each.isdecimal() and len(each) < 10 for each in (since, until)):
        raise DomainError(400, "bad_version", _("Give the version as a whole number: ?since=0."))
    return int(since), int(until) if "until" in asked else None


class CommentaryView(APIView):
    """A game for its commentators."""

    remote_bots = "nothing"
    secret_parameters = ("secret",)
    visible_in_impersonation = False

    permission_classes = [AllowAny]

    @extend_schema(parameters=VERSIONS, responses=ReplaySerializer)
    @method_decorator(gzip_page)
    def get(self, request: Request, public_id: str, secret: str) -> Response:
        """The game with all hands, as late as spectators see it, for whoever has the secret of its commentators: each
        position with its event in words. Errors: 404 game_not_found, no_commentary; 403 sealed, no_watch_delay,
        your_game; 400 bad_version."""
        since, until = asked_versions(request)
        game = play.find_game(public_id)
        return Response(commentary_data(game, request.user, secret, since=since, until=until))


class ResultView(APIView):
    """The result of a finished game."""

    remote_bots = "read"
    visible_in_impersonation = True

    @extend_schema(responses={200: ResultSerializer, 409: ErrorSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """How a finished game ended: who won and why, by how much, places, ratings before and after, points of the
        match so far, and what mattered most. Errors: 404 game_not_found, 409 not_over_yet."""
        game = play.find_game(public_id, request.user)
        found = find_result(game, own_or_former_seat_or_none(game, request.user))
        return Response(ResultSerializer(found).data)


class GameExportView(APIView):
    """The export of a finished game."""

    remote_bots = "read"

    rate_limit = "export"
    visible_in_impersonation = True

    @extend_schema(
        parameters=[OpenApiParameter("as", str, enum=["json", "text"], description="json (the default) or text.")],
        responses={
            (200, "application/json"): GameFileSerializer,
            (200, "text/plain"): OpenApiTypes.STR,
            409: ErrorSerializer,
        },
    )
    def get(self, request: Request, public_id: str) -> HttpResponse:
        """The game as a file: JSON, which `python -m replays.verify FILE` verifies without this server, or a list of
        its moves as text. Errors: 404 game_not_found, 409 not_open_yet, 400 bad_form."""
        game = play.find_game(public_id, request.user)
        form = request.query_params.get("as", "json")
        if form == "json":
            answer: HttpResponse = JsonResponse(export_json(game), json_dumps_params={"indent": 1})
        elif form == "text":
            answer = HttpResponse(export_text(game), content_type="text/plain; charset=utf-8")
        else:
            raise DomainError(400, "bad_form", _("A game can be exported with as=json or as=text."))
        ending = "json" if form == "json" else "txt"
        answer["Content-Disposition"] = f'attachment; filename="{game.kind}-{game.public_id}.{ending}"'
        return answer


class VerdictSerializer(serializers.Serializer[Any]):
    """The result of verifying a game: the number of replayed events, and the faults, if any."""

    events = serializers.IntegerField()
    faults = serializers.ListField(child=serializers.CharField())


class VerifyView(APIView):
    """The server's verification of a finished game."""

    remote_bots = "read"

    rate_limit = "export"
    visible_in_impersonation = True

    @extend_schema(responses={200: VerdictSerializer, 409: ErrorSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Verify the game now: its hash chain, its seed, every move and card by the rules, and the rows beside the log.
        `python -m replays.verify FILE` does the same with an export. Errors: 404 game_not_found, 409 not_open_yet."""
        game = play.find_game(public_id, request.user)
        if not observe.is_fully_open(game):
            sentence = _("The game can be verified when it and all other games of its deal are over.")
            raise DomainError(409, "not_open_yet", sentence)
        return Response({"events": game.version, "faults": check_game(game.pk)})


class ContinueSerializer(serializers.Serializer[Any]):
    """The event and the seat to continue from, and the built-in bot for the other seats."""

    version = serializers.IntegerField(min_value=1)
    seat = serializers.IntegerField(min_value=0)
    program = serializers.CharField(max_length=40, default="sensible")


class ContinuedSerializer(serializers.Serializer[Any]):
    """The new game and its page; `version` is the event that it continues from."""

    id = serializers.CharField()
    url = serializers.CharField()
    version = serializers.IntegerField()


class ContinueView(APIView):
    """Continue a finished game."""

    write_scope = "play"
    remote_bots = "nothing"

    permission_classes = [AllowAny]

    @extend_schema(
        request=ContinueSerializer, responses={200: ContinuedSerializer, 201: ContinuedSerializer, 409: ErrorSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Open a casual game from an event of a finished one, against built-in bots (201). Without an account you play
        as a guest in your browser session. For the same event and seat, while that game is in progress, the answer
        is the same game (200). Errors: 400 bad_version, bad_seat, bad_program; 404 game_not_found; 409 not_open_yet,
        game_over."""
        wanted = ContinueSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        source = play.find_game(public_id, request.user)
        if not request.user.is_authenticated:
            SessionAuthentication().enforce_csrf(request)
        player, asked = people.player_or_new_guest(request._request), wanted.validated_data
        game, is_new = continuation.continue_from(source, asked["version"], asked["seat"], player, asked["program"])
        url = reverse("replay", args=[game.public_id])
        answer = {"id": game.public_id, "url": url, "version": game.continued_at}
        return Response(answer, status=201 if is_new else 200)
