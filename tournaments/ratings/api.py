"""Ratings and official tables in the API."""

from __future__ import annotations

import django_filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from games.common.cursor_pagination import NewestFirstPagination
from games.common.filters import StrictChoiceFilter, of_kind
from games.common.page_cache import cached_answer
from games.common.policy import policy
from games.play.api import PlayerSerializer
from tournaments.ratings import elo
from tournaments.ratings.casual import CASUAL_POOL
from tournaments.ratings.models import Rating, RatingPool, Strength
from tournaments.ratings.page_versions import pools_key
from tournaments.seasons.api import EntrantSerializer, SeasonActions, season_answer_version

POOL_CHOICES = ("people", "bots", "mixed", CASUAL_POOL)


class PlacePagination(NewestFirstPagination):
    """Pages of a table in its own order."""

    ordering = ("place", "id")


class RatingPagination(NewestFirstPagination):
    """Pages with the highest rating first."""

    ordering = ("-rating", "id")


class StrengthSerializer(serializers.ModelSerializer[Strength]):
    """A bot's official strength in a season of bots after the last closed round; `half` is half the width of its 95 %
    interval, and `low` to `high` are its possible places. `chances`: [entrant, probability to finish ahead of it,
    its lower and its upper bound]."""

    entrant = EntrantSerializer(read_only=True)
    division = serializers.IntegerField(source="entrant.division.number", read_only=True)
    decided = serializers.SerializerMethodField()

    class Meta:
        model = Strength
        fields = [
            "place",
            "low",
            "high",
            "decided",
            "rating",
            "half",
            "games",
            "won",
            "lost",
            "connected",
            "division",
            "entrant",
            "chances",
        ]

    def get_decided(self, row: Strength) -> bool:
        return row.low == row.high


class RatingPoolSerializer(serializers.ModelSerializer[RatingPool]):
    """The ratings of one kind of game: in seasons of people, of bots or of both, or in casual games."""

    class Meta:
        model = RatingPool
        fields = ["id", "kind", "pool"]


class RatingSerializer(serializers.ModelSerializer[Rating]):
    """A player's Elo rating and number of rated games; provisional while these are few."""

    player = PlayerSerializer(read_only=True)
    kind = serializers.CharField(source="pool.kind", read_only=True)
    pool = serializers.CharField(source="pool.pool", read_only=True)
    provisional = serializers.SerializerMethodField()

    class Meta:
        model = Rating
        fields = ["id", "kind", "pool", "player", "rating", "games", "provisional"]

    def get_provisional(self, row: Rating) -> bool:
        return elo.is_provisional(row.games)


class RatingPoolFilter(django_filters.FilterSet):  # type: ignore[misc]
    kind = of_kind()
    pool = StrictChoiceFilter(POOL_CHOICES, label="The pool: people, bots or mixed in seasons; casual.")

    class Meta:
        model = RatingPool
        fields = ["kind", "pool"]


class RatingFilter(django_filters.FilterSet):  # type: ignore[misc]
    kind = of_kind("pool__kind")
    pool = StrictChoiceFilter(
        POOL_CHOICES, field_name="pool__pool", label="The pool: people, bots or mixed in seasons; casual."
    )
    player = django_filters.NumberFilter(label="The id of a player.")
    name = django_filters.CharFilter(field_name="player__name", lookup_expr="icontains", label="A part of the name.")

    class Meta:
        model = Rating
        fields = ["kind", "pool", "player", "name"]


class StrengthActions(SeasonActions):
    """The official table of a season of bots."""

    @extend_schema(responses=StrengthSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=PlacePagination, filterset_class=None)
    @policy(visible_in_impersonation=True)
    @cached_answer(season_answer_version)
    def strengths(self, request: Request, pk: str) -> Response:
        """The official table of a season of bots after the last closed round, with intervals and probabilities; empty
        for seasons with people."""
        rows = Strength.objects.filter(entrant__division__season=self.get_object())
        rows = rows.select_related("entrant__player__bot_version", "entrant__division")
        return self.paged(rows, StrengthSerializer)


class RatingPoolViewSet(viewsets.ReadOnlyModelViewSet[RatingPool]):
    """The rating pools."""

    remote_bots = "read"
    visible_in_impersonation = True

    queryset = RatingPool.objects.all()
    serializer_class = RatingPoolSerializer
    lookup_value_regex = "[0-9]{1,18}"
    pagination_class = NewestFirstPagination
    filterset_class = RatingPoolFilter


class RatingViewSet(viewsets.ReadOnlyModelViewSet[Rating]):
    """Ratings, best first."""

    remote_bots = "read"
    visible_in_impersonation = True

    queryset = Rating.objects.select_related("pool", "player__bot_version")
    serializer_class = RatingSerializer
    lookup_value_regex = "[0-9]{1,18}"
    pagination_class = RatingPagination
    filterset_class = RatingFilter

    @cached_answer(lambda _viewset, _request: pools_key())
    def list(self, request: Request) -> Response:
        """Ratings, best first."""
        return super().list(request)
