"""The API of clubs, seasons, standings, matches and ratings."""

from __future__ import annotations

from typing import Any

import django_filters
from django.db.models import Prefetch, QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from games.accounts.mygames import player_data
from games.common.cursor_pagination import Newest
from games.common.filters import OneOf, of_kind
from games.models import Game
from games.play.api import TOLD, ErrorSerializer, PlayerSerializer, columns_of
from games.visibility import observe
from tournaments.activity.api import HappenedViews
from tournaments.clubs.permissions import closed_to, listed_for, visible_to
from tournaments.models import (
    Bye,
    Division,
    Entrant,
    ImportedGame,
    Match,
    MatchEntrant,
    MatchGame,
    Rating,
    RatingPool,
    Round,
    Season,
    Standing,
    Strength,
)
from tournaments.ratings import elo
from tournaments.standings.standings import NEIGHBOUR
from tournaments.standings.what_if_views import supposition

POOLS = ("people", "bots", "mixed")


class ByPlace(Newest):
    """A table in its own order."""

    ordering = ("place", "id")


class ByPosition(Newest):
    """The standings in their own order. Not by place: a cursor counts those at one value, and a thousand may share
    a place after a first round."""

    ordering = ("position", "id")


class ByRating(Newest):
    """The best first."""

    ordering = ("-rating", "id")


class DivisionSerializer(serializers.ModelSerializer[Division]):
    class Meta:
        model = Division
        fields = ["id", "number", "name"]


class SeasonSerializer(serializers.ModelSerializer[Season]):
    """One running of a league: what is played, how, and when."""

    club = serializers.CharField(source="league.club.slug", read_only=True)
    league = serializers.CharField(source="league.slug", read_only=True)
    calendar = serializers.JSONField(source="settings.calendar", read_only=True)
    divisions = DivisionSerializer(many=True, read_only=True)

    class Meta:
        model = Season
        fields = [
            "id",
            "club",
            "league",
            "name",
            "slug",
            "kind",
            "options",
            "terms",
            "format",
            "table_size",
            "games_a_match",
            "points",
            "tie_breaks",
            "pool",
            "status",
            "starts_at",
            "calendar",
            "settings",
            "finished_at",
            "imported_at",
            "divisions",
        ]


class EntrantSerializer(serializers.ModelSerializer[Entrant]):
    """A player in a season."""

    player = PlayerSerializer(read_only=True)

    class Meta:
        model = Entrant
        fields = ["id", "number", "player"]

    def to_representation(self, entrant: Entrant) -> dict[str, Any]:
        """What `fields` say; asking each of them for each row takes longer than all the rest."""
        return {"id": entrant.pk, "number": entrant.number, "player": player_data(entrant.player)}


class StandingSerializer(serializers.ModelSerializer[Standing]):
    """An entrant's row after the last closed round; `row` holds the arithmetic behind it; its `why` tells the
    place apart from that of the entrant with the number `neighbour`."""

    entrant = EntrantSerializer(read_only=True)
    division = serializers.IntegerField(source="division.number", read_only=True)
    row = serializers.SerializerMethodField()

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_row(self, standing: Standing) -> dict[str, Any]:
        """The row, with the neighbour's name in its sentence."""
        row: dict[str, Any] = standing.row
        return {**row, "why": row["why"].replace(NEIGHBOUR, self.context["names"].get(row["neighbour"], ""))}

    class Meta:
        model = Standing
        fields = ["place", "points", "division", "entrant", "row"]


class MatchEntrantSerializer(serializers.ModelSerializer[MatchEntrant]):
    """Who plays the match; `points` once its last game is recorded."""

    entrant = EntrantSerializer(read_only=True)

    class Meta:
        model = MatchEntrant
        fields = ["order", "entrant", "points"]


class MatchGameSerializer(serializers.ModelSerializer[MatchGame]):
    """A game of a match; the game itself is at /api/v1/games/<id>/."""

    id = serializers.CharField(source="game.public_id", read_only=True)
    status = serializers.CharField(source="game.status", read_only=True)
    outcome = serializers.JSONField(source="game.outcome", read_only=True)

    class Meta:
        model = MatchGame
        fields = ["number", "id", "status", "outcome", "recorded_at"]

    def to_representation(self, match_game: MatchGame) -> dict[str, Any]:
        """What `fields` say, as for entrants; while its result is not for everybody to know, it is one being played."""
        game, told = match_game.game, observe.is_told(match_game.game)
        at = match_game.recorded_at if told else None
        return {
            "number": match_game.number,
            "id": game.public_id,
            "status": game.status if told else Game.Status.PLAYING.value,
            "outcome": game.outcome if told else None,
            "recorded_at": at and self.fields["recorded_at"].to_representation(at),
        }


class ImportedGameSerializer(serializers.ModelSerializer[ImportedGame]):
    """A game that came in a file: never rated, without a log or a replay. `seats` are the numbers of entrants, 0 for a
    house bot; `ruling` is played or adjudicated, or annulled, replaced or aborted, which count for nobody."""

    seats = serializers.ListField(source="result.seats", child=serializers.IntegerField(), read_only=True)
    scores = serializers.JSONField(source="result.scores", read_only=True)
    placings = serializers.JSONField(source="result.placings", read_only=True)

    class Meta:
        model = ImportedGame
        fields = ["number", "ruling", "seats", "scores", "placings"]


class MatchSerializer(serializers.ModelSerializer[Match]):
    """A series of games between the same entrants, and why they meet."""

    season = serializers.IntegerField(source="round.division.season_id", read_only=True)
    round = serializers.IntegerField(source="round.number", read_only=True)
    entrants = MatchEntrantSerializer(many=True, read_only=True)
    games = MatchGameSerializer(many=True, read_only=True)
    imported = ImportedGameSerializer(many=True, read_only=True)

    class Meta:
        model = Match
        fields = ["id", "season", "round", "table", "reason", "finished_at", "entrants", "games", "imported"]


class ByeSerializer(serializers.ModelSerializer[Bye]):
    """An entrant without a match in a round, and why."""

    entrant = EntrantSerializer(read_only=True)

    class Meta:
        model = Bye
        fields = ["entrant", "reason"]


class RoundSerializer(serializers.ModelSerializer[Round]):
    """A round; its matches are at /api/v1/matches/?round=<id>."""

    division = serializers.IntegerField(source="division.number", read_only=True)
    byes = ByeSerializer(many=True, read_only=True)

    class Meta:
        model = Round
        fields = ["id", "division", "number", "status", "opened_at", "closed_at", "byes"]


class RatingPoolSerializer(serializers.ModelSerializer[RatingPool]):
    """The ratings of one kind of game among people, bots or both."""

    class Meta:
        model = RatingPool
        fields = ["id", "kind", "pool"]


class StrengthSerializer(serializers.ModelSerializer[Strength]):
    """A bot's official figure in a season of bots after the last closed round, `half` the width of its 95 % interval,
    and the places from `low` to `high` that it may have. `chances`: [entrant, chance to come in before it, the lowest
    and the highest that this may be]."""

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


class OpenGameSerializer(serializers.Serializer[Any]):
    """A game without a result; `game` is how `end` names it, `entrants` are those by seat."""

    game = serializers.CharField()
    round = serializers.IntegerField()
    table = serializers.IntegerField()
    entrants = serializers.ListField(child=serializers.IntegerField())


class SupposedSerializer(serializers.Serializer[Any]):
    """A row as it would be. `may_be`: the best and the worst place by points, however the other open games end."""

    entrant = serializers.IntegerField()
    place = serializers.IntegerField()
    place_now = serializers.IntegerField(allow_null=True)
    points = serializers.FloatField()
    points_now = serializers.FloatField()
    may_be = serializers.ListField(child=serializers.IntegerField(), allow_null=True)


class WhatIfSerializer(serializers.Serializer[Any]):
    """The open games of a division, and its standings if some of them ended as supposed."""

    games = OpenGameSerializer(many=True)
    counted = serializers.IntegerField(help_text="Games of the open round that are over, and taken in.")
    standings = SupposedSerializer(many=True)


class RatingSerializer(serializers.ModelSerializer[Rating]):
    """A player's Elo now, and over how many games; provisional while these are few."""

    player = PlayerSerializer(read_only=True)
    kind = serializers.CharField(source="pool.kind", read_only=True)
    pool = serializers.CharField(source="pool.pool", read_only=True)
    provisional = serializers.SerializerMethodField()

    class Meta:
        model = Rating
        fields = ["id", "kind", "pool", "player", "rating", "games", "provisional"]

    def get_provisional(self, row: Rating) -> bool:
        return elo.provisional(row.games)


class SeasonFilter(django_filters.FilterSet):  # type: ignore[misc]  # untyped
    status = OneOf(Season.Status.values)
    kind = of_kind()

    class Meta:
        model = Season
        fields = ["status", "kind", "league__club__slug"]


class RatingPoolFilter(django_filters.FilterSet):  # type: ignore[misc]
    kind = of_kind()
    pool = OneOf(POOLS)

    class Meta:
        model = RatingPool
        fields = ["kind", "pool"]


class RatingFilter(django_filters.FilterSet):  # type: ignore[misc]
    pool__kind = of_kind("pool__kind")
    pool__pool = OneOf(POOLS, field_name="pool__pool")
    player__name__icontains = django_filters.CharFilter(field_name="player__name", lookup_expr="icontains")

    class Meta:
        model = Rating
        fields = ["pool__kind", "pool__pool", "player", "player__name__icontains"]


class SeasonViewSet(HappenedViews, viewsets.ReadOnlyModelViewSet[Season]):
    """Seasons, newest first."""

    queryset = Season.objects.none()
    serializer_class = SeasonSerializer
    lookup_value_regex = "[0-9]{1,18}"
    pagination_class = Newest
    filterset_class = SeasonFilter

    def get_queryset(self) -> QuerySet[Season]:
        """Those of clubs that are for who asks to see; archived clubs' are found by their ids alone."""
        clubs = listed_for(self.request.user) if self.action == "list" else visible_to(self.request.user)
        seasons = Season.objects.filter(league__club__in=clubs)
        return seasons.select_related("league__club").prefetch_related("divisions")

    @extend_schema(responses=StandingSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=ByPosition, filterset_class=None)
    def standings(self, request: Request, pk: str) -> Response:
        """The table after the last closed round, each row with its arithmetic."""
        season: Season = self.get_object()  # with its divisions: the one's index has its table in order
        rows = Standing.objects.filter(division__in=[each.pk for each in season.divisions.all()])
        rows = rows.select_related("entrant__player__bot_version", "division")
        read = ("place", "points", "row", "position", "division__number", "entrant__number")
        shown: Any = rows.only(*read, *columns_of("entrant__player"))
        page: Any = self.paginate_queryset(shown)
        neighbours = season.entries.filter(number__in={each.row["neighbour"] for each in page} - {None})
        context = {**self.get_serializer_context(), "names": dict(neighbours.values_list("number", "player__name"))}
        return self.get_paginated_response(StandingSerializer(page, many=True, context=context).data)

    @extend_schema(responses=StrengthSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=ByPlace, filterset_class=None)
    def strengths(self, request: Request, pk: str) -> Response:
        """The official table of a season of bots after the last closed round; empty where people play."""
        rows = Strength.objects.filter(entrant__division__season=self.get_object())
        rows = rows.select_related("entrant__player__bot_version", "entrant__division")
        return self.paged(rows, StrengthSerializer)

    @extend_schema(
        responses={200: WhatIfSerializer, 409: ErrorSerializer},
        filters=False,
        parameters=[
            OpenApiParameter("division", int, description="Its number; the first one if left out."),
            OpenApiParameter(
                "end", str, many=True, description="5-1:1.2 supposes that game 1 of match 5 ends with seat 0 first."
            ),
        ],
    )
    @action(detail=True, url_path="what-if", pagination_class=None, filterset_class=None)
    def what_if(self, request: Request, pk: str) -> Response:
        """The standings if open games ended so, as if the round closed now. Fails with 400 bad_supposition, 409
        not_running or too_many_entrants."""
        asked = request.query_params
        return Response(supposition(self.get_object(), asked.get("division", ""), asked.getlist("end")))

    @extend_schema(responses=RoundSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=Newest, filterset_class=None)
    def rounds(self, request: Request, pk: str) -> Response:
        """The rounds, newest first, with their byes."""
        rows = Round.objects.filter(division__season=self.get_object()).select_related("division")
        byes = Bye.objects.select_related("entrant__player__bot_version")
        return self.paged(rows.prefetch_related(Prefetch("byes", byes)), RoundSerializer)

    def paged(self, rows: QuerySet[Any], serializer: type[serializers.ModelSerializer[Any]]) -> Response:
        """One page of `rows`."""
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(serializer(page, many=True, context=self.get_serializer_context()).data)


class MatchViewSet(viewsets.ReadOnlyModelViewSet[Match]):
    """Matches, newest first."""

    serializer_class = MatchSerializer
    lookup_value_regex = "[0-9]{1,18}"
    pagination_class = Newest
    filterset_fields = {"round": ["exact"], "round__division__season": ["exact"]}

    def get_queryset(self) -> QuerySet[Match]:
        entrants = MatchEntrant.objects.select_related("entrant__player__bot_version")
        entrants = entrants.only("match", "order", "points", "entrant__number", *columns_of("entrant__player"))
        games = MatchGame.objects.select_related("game__deal")
        games = games.only("match", "number", "recorded_at", "game__outcome", *(f"game__{name}" for name in TOLD))
        matches = Match.objects.exclude(round__division__season__league__club__in=closed_to(self.request.user))
        matches = matches.select_related("round__division")
        return matches.prefetch_related(Prefetch("entrants", entrants), Prefetch("games", games), "imported")


class RatingPoolViewSet(viewsets.ReadOnlyModelViewSet[RatingPool]):
    """The pools in which ratings are kept."""

    queryset = RatingPool.objects.all()
    serializer_class = RatingPoolSerializer
    lookup_value_regex = "[0-9]{1,18}"
    pagination_class = Newest
    filterset_class = RatingPoolFilter


class RatingViewSet(viewsets.ReadOnlyModelViewSet[Rating]):
    """Ratings, the best first; narrow them with `?pool__kind=` and `?pool__pool=`, and by name with
    `?player__name__icontains=`."""

    queryset = Rating.objects.select_related("pool", "player__bot_version")
    serializer_class = RatingSerializer
    lookup_value_regex = "[0-9]{1,18}"
    pagination_class = ByRating
    filterset_class = RatingFilter
