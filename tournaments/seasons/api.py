"""Seasons, divisions and entrants in the API."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from games.common.service_views import ServiceViewSet
from games.play.api import PlayerSerializer
from games.play.players import player_data
from tournaments.seasons.models import Division, Entrant, Season
from tournaments.seasons.page_versions import season_with
from tournaments.seasons.settings import LUCK_SHOWN


class DivisionSerializer(serializers.ModelSerializer[Division]):
    class Meta:
        model = Division
        fields = ["id", "number", "name"]


class SeasonSerializer(serializers.ModelSerializer[Season]):
    """A season of a league: what is played, how, and when."""

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
    """An entrant of a season."""

    player = PlayerSerializer(read_only=True)

    class Meta:
        model = Entrant
        fields = ["id", "number", "player"]

    def to_representation(self, entrant: Entrant) -> dict[str, Any]:
        """Return the fields of an entrant. Asking each serializer field for each row would take longer than everything
        else."""
        return {"id": entrant.pk, "number": entrant.number, "player": player_data(entrant.player)}


def season_answer_version(viewset: Any, request: Request, pk: str) -> Hashable:
    """Return the version of an answer about a season that this user may see (`games.common.page_cache`)."""
    if not viewset.get_queryset().filter(pk=pk).exists():
        return None
    found = season_with(int(pk), "ratings_strength")
    return None if found is None or found.luck == LUCK_SHOWN else found.key


class SeasonActions(ServiceViewSet):
    """Part of `tournaments.api.SeasonViewSet`: each package adds its operations as a mixin."""

    def season_shown(self, season: Season, status: int = 200) -> Response:
        """Respond with the season's present state."""
        return self.show(self.get_queryset().get(pk=season.pk), SeasonSerializer, status)
