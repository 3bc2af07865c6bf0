"""The API of a season's timeline and of the organisers' audit log."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.common.cursor_pagination import cursor_of_request, url_with_cursor
from games.common.policy import policy
from games.models import Player
from games.play.api import PlayerSerializer
from tournaments.activity import audit_log, timeline
from tournaments.activity.describe import TimelineEntry
from tournaments.seasons.models import Season


class TimelineEntrySerializer(serializers.Serializer[TimelineEntry]):
    """An entry of the timeline: the `type` of its event (docs/reference/events.md), a title in `what`, and the sentence
    with its `players`. `game` is the id of a game that you may see and `head` the head of its log; `round` is the
    number of the round."""

    at = serializers.DateTimeField()
    type = serializers.CharField()
    what = serializers.CharField()
    text = serializers.SerializerMethodField()
    players = serializers.SerializerMethodField()
    game = serializers.CharField(source="game.game.public_id", allow_null=True, default=None)
    head = serializers.CharField(allow_blank=True)
    round = serializers.IntegerField(allow_null=True)

    def get_text(self, line: TimelineEntry) -> str:
        return "".join(part.name if isinstance(part, Player) else part for part in line.text)

    @extend_schema_field(PlayerSerializer(many=True))
    def get_players(self, line: TimelineEntry) -> Any:
        named = dict.fromkeys(part for part in line.text if isinstance(part, Player))
        return PlayerSerializer(list(named), many=True).data


class AuditLineSerializer(serializers.Serializer[Any]):
    """An action of an organiser in a season: `what` as a code, `title` and `text` in words, the `reason` (empty if
    there was none or it was removed), and the user name in `by`. `who` and `by` are null for deleted accounts;
    `match` is null if the action is about no match."""

    id = serializers.IntegerField(source="act.pk")
    at = serializers.DateTimeField()
    who = PlayerSerializer(allow_null=True)
    by = serializers.CharField(source="act.by.username", allow_null=True, default=None)
    season = serializers.IntegerField(source="season.pk")
    match = serializers.IntegerField(source="act.match_id", allow_null=True)
    what = serializers.ChoiceField(source="act.what", choices=sorted(audit_log.ACTION_LABELS))
    title = serializers.CharField(source="what")
    text = serializers.SerializerMethodField()
    reason = serializers.CharField()

    def get_text(self, line: audit_log.AuditLine) -> str:
        return "".join(part.name if isinstance(part, Player) else part for part in line.text)


class StreamPagination(CursorPagination):
    """Pages of a season's stream, latest first. A cursor is the version at which the next page ends."""

    page_size_query_param = None

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> Any:
        """The lines of `queryset`, which is a season."""
        lines, before = timeline.timeline_entries(queryset, cursor_of_request(request))
        self.earlier = url_with_cursor(request, before) if before else None
        return lines

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"next": self.earlier, "previous": None, "results": data})


class TimelineActions(viewsets.GenericViewSet[Season]):
    """Timelines of seasons."""

    @extend_schema(responses=TimelineEntrySerializer(many=True), filters=False)
    @action(detail=True, pagination_class=StreamPagination, filterset_class=None)
    @policy(visible_in_impersonation=True)
    def timeline(self, request: Request, pk: str) -> Response:
        """The timeline of the season, latest first, as on its page. Entries are never changed; a correction is a new
        entry. A page covers twenty-four events, some of which have no entry, so it may be short; follow `next`."""
        lines: Any = self.paginate_queryset(self.get_object())  # type: ignore[arg-type]  # a season, as `StreamPagination` reads
        return self.get_paginated_response(TimelineEntrySerializer(lines, many=True).data)
