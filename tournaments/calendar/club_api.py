"""The calendar of a club through the API."""

from __future__ import annotations

from datetime import date
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from games.common.policy import policy
from games.common.service_views import ServiceViewSet
from tournaments.calendar import club_calendar


class ClubCalendarSerializer(serializers.Serializer[Any]):
    """The rounds of a league on one day, `first` to `last`, of one or several seasons."""

    day = serializers.DateField()
    at = serializers.DateTimeField()
    league = serializers.CharField()
    season = serializers.IntegerField(help_text="The last round, if there are several.")
    seasons = serializers.IntegerField()
    first = serializers.IntegerField()
    last = serializers.IntegerField()
    rounds = serializers.IntegerField()
    planned = serializers.BooleanField()


class ClubCalendarActions(ServiceViewSet):
    """The calendar of a club."""

    @extend_schema(
        responses=ClubCalendarSerializer(many=True),
        parameters=[OpenApiParameter("month", str, description="A month such as 2026-11. Default: the present month.")],
        filters=False,
    )
    @action(detail=True, pagination_class=None)
    @policy(visible_in_impersonation=True)
    def calendar(self, request: Request, slug: str) -> Response:
        """The rounds of a month by day and league, past and planned, in the club's time zone."""
        club = self.get_object()
        month = club_calendar.month_of(
            club, club_calendar.parse_month(request.query_params.get("month", ""), club.zone)
        )
        lines = [calendar_item_data(day.date, line) for day in month.days for line in day.lines if day.date]
        return Response(ClubCalendarSerializer(lines, many=True).data)


def calendar_item_data(day: date, line: club_calendar.CalendarItem) -> dict[str, Any]:
    """What `ClubCalendarSerializer` describes."""
    names = ("at", "first", "last", "rounds", "seasons", "planned")
    data = {name: getattr(line, name) for name in names}
    return {"day": day, "league": line.league.slug, "season": line.season.pk, **data}
