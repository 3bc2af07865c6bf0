"""What the pages of a bot show of its results, ratings and play, in the API."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.bots import uploads
from games.common.dataclass_serializer import serializer_of
from games.common.errors import DomainError
from games.common.numbered_pagination import PAGE_PARAMETERS, NumberedPagination
from games.common.service_views import error_responses
from games.models import Bot, BotVersion
from games.play.api import PlayerSerializer
from games.play.play_account import DecisionSort, Form
from scorebook_games.registry import KINDS
from tournaments.bot_pages import analysis, rating_curve, results
from tournaments.bot_pages.results import ResultCounts, SeatCounts
from tournaments.bot_pages.versions import VERSIONS_SHOWN, chosen_version, version_not_found

VERSION_PARAMETER: Final = OpenApiParameter("version", int, description="Default: the version that plays, or the last.")
KIND_PARAMETER: Final = OpenApiParameter("kind", str, description="Only games of this kind.")


class OpponentResultsSerializer(serializers.Serializer[Any]):
    """The results of a version against one opponent, in one kind at tables of one size: in all seats, and in each seat
    from 0, null if it never sat there. `won` counts games in which it finished ahead of this opponent."""

    opponent = PlayerSerializer(source="player")
    kind = serializers.CharField(source="counts.kind")
    seats = serializers.IntegerField(source="counts.seats", help_text="The size of the table.")
    results = serializer_of(ResultCounts)(source="counts.results")
    by_seat = serializer_of(SeatCounts)(source="counts.by_seat", many=True)


class BotRatingSerializer(serializers.Serializer[Any]):
    """The rating of one version in one pool, and its latest changes, the last one last."""

    version = serializers.IntegerField()
    kind = serializers.CharField()
    pool = serializers.CharField()
    rating = serializers.FloatField()
    games = serializers.IntegerField()
    steps = serializers.ListField(child=serializers.FloatField(), help_text="The ratings after its latest games.")


class BotAnalysisSerializer(serializers.Serializer[Any]):
    """How a version plays, in its latest games that are open to all; `games` is their number."""

    version = serializers.IntegerField()
    games = serializers.IntegerField()
    form = serializer_of(Form)(source="account.form", many=True)
    costs = serializer_of(DecisionSort)(source="account.costs", many=True)
    slowest = serializer_of(analysis.SlowAnswer)(many=True)
    faults = serializer_of(analysis.FaultTable)()


class BotView(APIView):
    """A view of a bot that the user may see."""

    remote_bots = "read"
    visible_in_impersonation = True

    def bot_and_version(self, request: Request, name: str) -> tuple[Bot, BotVersion]:
        """Return the bot and the version that is asked for. Raises `DomainError` bot_not_found, version_not_found
        (404)."""
        bot = uploads.find_visible_bot(name, request.user)
        version = chosen_version(bot, request.query_params.get("version", ""))
        if version is None:
            raise version_not_found(bot)
        return bot, version


class BotResultsView(BotView):
    """The results of a version by opponent, kind and seat."""

    pagination_class = NumberedPagination  # the list parameters in the OpenAPI document

    @extend_schema(
        parameters=[VERSION_PARAMETER, KIND_PARAMETER, *PAGE_PARAMETERS],
        responses={200: OpponentResultsSerializer(many=True), **error_responses(400, 404)},
    )
    def get(self, request: Request, name: str) -> Response:
        """The results of a version in its latest 1,000 finished games whose results are public, by opponent, kind and
        seat, most frequent opponents first. Errors: 400 bad_parameter; 404 bot_not_found, version_not_found."""
        _bot, version = self.bot_and_version(request, name)
        kind = request.query_params.get("kind", "")
        if kind and kind not in KINDS:
            raise DomainError(400, "bad_parameter", results.unknown_kind_sentence(kind), "kind")
        pages = NumberedPagination()
        rows = results.opponent_counts(version.player.pk, request.user, kind)
        found: Any = pages.paginate_queryset(rows, request, view=self)
        return pages.get_paginated_response(
            OpponentResultsSerializer(list(map(results.named(found), found)), many=True).data
        )


class BotRatingsView(BotView):
    """The ratings of a bot's versions."""

    @extend_schema(responses={200: BotRatingSerializer(many=True), **error_responses(404)})
    def get(self, request: Request, name: str) -> Response:
        """The ratings of a bot's latest 20 versions in each pool, with their latest changes. Error: 404
        bot_not_found."""
        bot = uploads.find_visible_bot(name, request.user)
        versions = list(bot.versions.select_related("player").order_by("-number")[:VERSIONS_SHOWN])
        return Response(BotRatingSerializer(rating_curve.ratings_data(versions), many=True).data)


class BotAnalysisView(BotView):
    """How a version plays."""

    @extend_schema(parameters=[VERSION_PARAMETER], responses={200: BotAnalysisSerializer, **error_responses(404)})
    def get(self, request: Request, name: str) -> Response:
        """Results without luck, what it loses most on, its slowest answers, and the faults of all versions by week.
        Errors: 404 bot_not_found, version_not_found."""
        bot, version = self.bot_and_version(request, name)
        return Response(BotAnalysisSerializer(analysis.analysis(bot, version, request.user)).data)
