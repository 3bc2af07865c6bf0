"""Rounds and matches in the API."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import django_filters
from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from games.common.cursor_pagination import NewestFirstPagination
from games.common.filters import MomentFilter
from games.common.page_cache import cached_answer
from games.common.policy import policy
from games.common.sentences import SentenceSerializer
from games.models import Game
from games.play.api import RESULT_VISIBILITY_FIELDS, columns_of
from games.play.turn_serializers import OutcomeField
from games.visibility import observe
from tournaments.clubs.permissions import closed_to, may_organise
from tournaments.seasons.api import EntrantSerializer, SeasonActions, season_answer_version
from tournaments.seasons.models import Bye, ImportedGame, Match, MatchEntrant, MatchGame, Round, Season
from tournaments.seasons.page_versions import season_with
from tournaments.seasons.stream import match_version


class MatchEntrantSerializer(serializers.ModelSerializer[MatchEntrant]):
    """An entrant of the match; `points` are set when its last game is recorded."""

    entrant = EntrantSerializer(read_only=True)

    class Meta:
        model = MatchEntrant
        fields = ["order", "entrant", "points"]


class MatchGameSerializer(serializers.ModelSerializer[MatchGame]):
    """A game of a match; the game itself is at /api/v1/games/<id>/."""

    id = serializers.CharField(source="game.public_id", read_only=True)
    status = serializers.CharField(source="game.status", read_only=True)
    outcome = OutcomeField(source="game.outcome", read_only=True, allow_null=True)

    class Meta:
        model = MatchGame
        fields = ["number", "id", "status", "outcome", "recorded_at"]

    def to_representation(self, match_game: MatchGame) -> dict[str, Any]:
        """Return the fields of a game. A game whose result is not public is shown as being played."""
        game, public = match_game.game, observe.is_result_public(match_game.game)
        at = match_game.recorded_at if public else None
        return {
            "number": match_game.number,
            "id": game.public_id,
            "status": game.status if public else Game.Status.PLAYING.value,
            "outcome": game.outcome if public else None,
            "recorded_at": at and self.fields["recorded_at"].to_representation(at),
        }


class ImportedGameSerializer(serializers.ModelSerializer[ImportedGame]):
    """An imported game: not rated, without log and replay. `seats` are the numbers of entrants, 0 for a built-in bot.
    `ruling` is played or adjudicated; or annulled, replaced or aborted, which do not count."""

    seats = serializers.ListField(source="result.seats", child=serializers.IntegerField(), read_only=True)
    scores = serializers.JSONField(source="result.scores", read_only=True)
    placings = serializers.JSONField(source="result.placings", read_only=True)

    class Meta:
        model = ImportedGame
        fields = ["number", "ruling", "seats", "scores", "placings"]


class MatchSerializer(serializers.ModelSerializer[Match]):
    """A series of games between the same entrants, and the reason for the pairing."""

    season = serializers.IntegerField(source="round.division.season_id", read_only=True)
    round = serializers.IntegerField(source="round.number", read_only=True)
    entrants = MatchEntrantSerializer(many=True, read_only=True)
    games = MatchGameSerializer(many=True, read_only=True)
    imported = ImportedGameSerializer(many=True, read_only=True)
    reason = serializers.CharField(source="reason_text", read_only=True)
    reasons = SentenceSerializer(source="reason", many=True, read_only=True)

    class Meta:
        model = Match
        fields = ["id", "season", "round", "table", "reason", "reasons", "finished_at", "entrants", "games", "imported"]


class MatchDetailSerializer(MatchSerializer):
    """A match, for its organisers with its `version`, which a ruling may send back. It is null for others, and for a
    match whose round was undone."""

    version = serializers.SerializerMethodField()

    class Meta(MatchSerializer.Meta):
        fields = [*MatchSerializer.Meta.fields, "version"]

    def get_version(self, match: Match) -> int | None:
        """Return the version for organisers. It is folded from the season's stream."""
        if not may_organise(self.context["request"].user, match.round.division.season.league.club):
            return None
        return match_version(match) or None


class ByeSerializer(serializers.ModelSerializer[Bye]):
    """An entrant without a match in a round, and the reason."""

    entrant = EntrantSerializer(read_only=True)
    reason = serializers.CharField(source="reason_text", read_only=True)
    reasons = SentenceSerializer(source="reason", many=True, read_only=True)

    class Meta:
        model = Bye
        fields = ["entrant", "reason", "reasons"]


class RoundSerializer(serializers.ModelSerializer[Round]):
    """A round; its matches are at /api/v1/matches/?round=<id>."""

    division = serializers.IntegerField(source="division.number", read_only=True)
    byes = ByeSerializer(many=True, read_only=True)

    class Meta:
        model = Round
        fields = ["id", "division", "number", "status", "opened_at", "closed_at", "byes"]


class RoundActions(SeasonActions):
    """The rounds of a season."""

    @extend_schema(responses=RoundSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=NewestFirstPagination, filterset_class=None)
    @policy(visible_in_impersonation=True)
    @cached_answer(season_answer_version)
    def rounds(self, request: Request, pk: str) -> Response:
        """The rounds, newest first, with their byes."""
        rows = Round.objects.filter(division__season=self.get_object()).select_related("division")
        byes = Bye.objects.select_related("entrant__player__bot_version")
        return self.paged(rows.prefetch_related(Prefetch("byes", byes)), RoundSerializer)


class MatchFilter(django_filters.FilterSet):  # type: ignore[misc]  # untyped
    round = django_filters.NumberFilter(field_name="round", label="The id of its round.")
    season = django_filters.NumberFilter(field_name="round__division__season", label="The id of its season.")
    finished_after = MomentFilter("finished_at", "gte", "Finished at this time or later.")
    finished_before = MomentFilter("finished_at", "lt", "Finished before this time.")

    class Meta:
        model = Match
        fields = ["round", "season"]


def finished_season_version(_viewset: Any, request: Request) -> Hashable:
    """Return the version of the matches of a finished season; None for other lists. One query.

    In other seasons, games end before an event says so.
    """
    asked = request.query_params.get("season", "")
    found = season_with(int(asked)) if asked.isascii() and asked.isdecimal() and len(asked) < 16 else None
    return found.key if found and found.status == Season.Status.FINISHED else None


class MatchReads(viewsets.ReadOnlyModelViewSet[Match]):
    """Matches, newest first."""

    serializer_class = MatchSerializer
    lookup_value_regex = "[0-9]{1,18}"
    pagination_class = NewestFirstPagination
    filterset_class = MatchFilter

    @cached_answer(finished_season_version)
    def list(self, request: Request) -> Response:
        """Matches, newest first."""
        return super().list(request)

    def get_serializer_class(self) -> type[MatchSerializer]:
        return MatchDetailSerializer if self.action == "retrieve" else MatchSerializer

    def get_queryset(self) -> QuerySet[Match]:
        entrants = MatchEntrant.objects.select_related("entrant__player__bot_version")
        entrants = entrants.only("match", "order", "points", "entrant__number", *columns_of("entrant__player"))
        games = MatchGame.objects.select_related("game__deal")
        games = games.only(
            "match", "number", "recorded_at", "game__outcome", *(f"game__{name}" for name in RESULT_VISIBILITY_FIELDS)
        )
        matches = Match.objects.exclude(round__division__season__league__club__in=closed_to(self.request.user))
        matches = matches.select_related("round__division")
        if self.action == "retrieve":
            matches = matches.select_related("round__division__season__league__club")
        return matches.prefetch_related(Prefetch("entrants", entrants), Prefetch("games", games), "imported")
