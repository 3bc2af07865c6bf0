"""Seasons, divisions and entrants in the API."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from games.play.api import PlayerSerializer
from games.play.players import player_data
from games.play.service_views import ServiceViewSet
from tournaments.seasons.models import Division, Entrant, Season


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


class SeasonActions(ServiceViewSet):
    """Part of `tournaments.api.SeasonViewSet`: each package adds its operations as a mixin."""

    def season_shown(self, season: Season, status: int = 200) -> Response:
        """Respond with the season's present state."""
        return self.show(self.get_queryset().get(pk=season.pk), SeasonSerializer, status)
