"""The API of standings, present and hypothetical."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from games.common.cursor_pagination import NewestFirstPagination
from games.common.page_cache import cached_answer
from games.common.policy import policy
from games.common.sentences import SentenceSerializer, sentences_data
from games.common.service_views import ErrorSerializer
from games.play.api import columns_of
from tournaments.scoring.explanations import NEIGHBOUR
from tournaments.seasons.api import EntrantSerializer, SeasonActions, season_answer_version
from tournaments.seasons.models import Season
from tournaments.standings.luck import points_without_luck, shows_luck
from tournaments.standings.models import Standing
from tournaments.standings.what_if_views import what_if_data


class PositionPagination(NewestFirstPagination):
    """Pages of the standings in their own order. They are not by place, because a cursor counts rows with the same
    value, and a thousand may share a place after the first round."""

    ordering = ("position", "id")


class TieBreakSerializer(serializers.Serializer[Any]):
    """A tie-break of the season, in order; null if it does not apply to this row."""

    name = serializers.CharField()
    value = serializers.FloatField(allow_null=True)


class StandingLineSerializer(serializers.Serializer[Any]):
    """One round of one entrant, and its part of each sum."""

    round = serializers.IntegerField()
    opponents = serializers.ListField(
        child=serializers.IntegerField(), help_text="Numbers of entrants; empty where there was no match."
    )
    result = serializers.CharField(
        help_text="W, D or L, or the place at a larger table; – bye, + walkover, 0 absent, F no-show."
    )
    games = serializers.FloatField(help_text="Points of the games.")
    games_against = serializers.FloatField()
    points = serializers.FloatField(help_text="For the standings.")
    buchholz = serializers.FloatField()
    sonneborn_berger = serializers.FloatField()
    cards = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        required=False,
        help_text="For duplicate deals: your score, and the mean of the others with the same cards, for each game.",
    )
    wins = serializers.IntegerField(help_text="Games won outright.")
    difference = serializers.FloatField(help_text="By how much your scores were better than the mean of the others.")


class StandingRowSerializer(serializers.Serializer[Any]):
    """The calculation of a place."""

    entrant = serializers.IntegerField(help_text="The number of the entrant.")
    place = serializers.IntegerField(help_text="By the format: points, the stage reached, or the rung of a ladder.")
    points = serializers.FloatField()
    played = serializers.IntegerField(help_text="Matches played.")
    games = serializers.FloatField()
    games_against = serializers.FloatField()
    tie_breaks = TieBreakSerializer(many=True, help_text="Empty where points do not decide the place.")
    lines = StandingLineSerializer(many=True)
    neighbour = serializers.IntegerField(allow_null=True, help_text="The entrant that `why` compares with.")
    why = serializers.CharField()
    reasons = SentenceSerializer(many=True, help_text="The sentences of `why` as codes.")
    carried = serializers.FloatField(help_text="The points carried over from the season before.")
    still_in = serializers.BooleanField(required=False, help_text="In a cup or its groups: not yet eliminated.")


class WithoutLuckSerializer(serializers.Serializer[Any]):
    """Points without luck, which decide nothing."""

    points = serializers.FloatField()
    half = serializers.FloatField(
        allow_null=True, help_text="Half of a 95 % interval; null for few or equal rounds, or with missing games."
    )
    games = serializers.IntegerField(help_text="Games whose luck was taken out.")
    missing = serializers.IntegerField(help_text="Games without a ledger, which count as they were played.")


class StandingSerializer(serializers.ModelSerializer[Standing]):
    """An entrant's row after the last closed round. `row` has the calculation; `why` explains the difference to the
    entrant with the number `neighbour`."""

    without_luck = serializers.SerializerMethodField(help_text="Null unless the season's settings show it.")

    entrant = EntrantSerializer(read_only=True)
    division = serializers.IntegerField(source="division.number", read_only=True)
    row = serializers.SerializerMethodField()

    @extend_schema_field(StandingRowSerializer)
    def get_row(self, standing: Standing) -> dict[str, Any]:
        """Return the row with the neighbour's name in its sentence."""
        row: dict[str, Any] = standing.row
        neighbour = self.context["names"].get(row["neighbour"], "")
        reasons = [{**each, "text": each["text"].replace(NEIGHBOUR, neighbour)} for each in sentences_data(row["why"])]
        return {**row, "why": " ".join(reason["text"] for reason in reasons), "reasons": reasons}

    @extend_schema_field(WithoutLuckSerializer(allow_null=True))
    def get_without_luck(self, standing: Standing) -> dict[str, Any] | None:
        """Return the entrant's points without luck."""
        found = self.context["without_luck"].get(standing.entrant.number)
        return found.plain() if found else None

    class Meta:
        model = Standing
        fields = ["place", "points", "without_luck", "division", "entrant", "row"]


class OpenGameSerializer(serializers.Serializer[Any]):
    """A game without a result. `game` is its name in the parameter `end`; `entrants` are its entrants by seat."""

    game = serializers.CharField()
    round = serializers.IntegerField()
    table = serializers.IntegerField()
    entrants = serializers.ListField(child=serializers.IntegerField())


class WhatIfRowSerializer(serializers.Serializer[Any]):
    """A hypothetical row. `may_be`: the best and worst possible place by points."""

    entrant = serializers.IntegerField()
    place = serializers.IntegerField()
    place_now = serializers.IntegerField(allow_null=True)
    points = serializers.FloatField()
    points_now = serializers.FloatField()
    may_be = serializers.ListField(child=serializers.IntegerField(), allow_null=True)


class WhatIfSerializer(serializers.Serializer[Any]):
    """The open games of a division, and its standings with assumed results."""

    games = OpenGameSerializer(many=True)
    counted = serializers.IntegerField(help_text="Finished games of the open round that are included.")
    standings = WhatIfRowSerializer(many=True)


class StandingActions(SeasonActions):
    """The standings of a season."""

    @extend_schema(responses=StandingSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=PositionPagination, filterset_class=None)
    @policy(visible_in_impersonation=True)
    @cached_answer(season_answer_version)
    def standings(self, request: Request, pk: str) -> Response:
        """The table after the last closed round, each row with its calculation."""
        season: Season = self.get_object()  # joined with its divisions, whose index has the table in its order
        rows = Standing.objects.filter(division__in=[division.pk for division in season.divisions.all()])
        rows = rows.select_related("entrant__player__bot_version", "division")
        read = ("place", "points", "row", "position", "division__number", "entrant__number")
        shown: Any = rows.only(*read, *columns_of("entrant__player"))
        page: Any = self.paginate_queryset(shown)
        neighbours = season.entries.filter(number__in={each.row["neighbour"] for each in page} - {None})
        context = {
            **self.get_serializer_context(),
            "names": dict(neighbours.values_list("number", "player__name")),
            "without_luck": points_without_luck(season, page) if shows_luck(season) else {},
        }
        return self.get_paginated_response(StandingSerializer(page, many=True, context=context).data)

    @extend_schema(
        responses={200: WhatIfSerializer, 409: ErrorSerializer},
        filters=False,
        parameters=[
            OpenApiParameter("division", int, description="The division's number. Default: the first."),
            OpenApiParameter(
                "end", str, many=True, description="5-1:1.2 assumes that game 1 of match 5 ends with seat 0 first."
            ),
        ],
    )
    @action(detail=True, url_path="what-if", pagination_class=None, filterset_class=None)
    @policy(visible_in_impersonation=True)
    def what_if(self, request: Request, pk: str) -> Response:
        """The standings as if the round closed now with the given results of open games; `end=5-1:1.2` assumes that
        seat 0 finishes first in game 1 of match 5. Fails with 400 bad_supposition, 409 not_running or
        too_many_entrants."""
        asked = request.query_params
        return Response(what_if_data(self.get_object(), asked.get("division", ""), asked.getlist("end")))
