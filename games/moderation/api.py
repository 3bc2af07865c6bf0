"""The API of moderation for users: report, read sanctions, and appeal."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.accounts.models import Sanction
from games.common.cursor_pagination import NewestFirstPagination
from games.common.service_views import ErrorSerializer, validated_data
from games.common.signed_in import signed_in_user
from games.moderation import reports, sanctions
from games.moderation.models import Report


class NewReportSerializer(serializers.Serializer[Any]):
    """A report. `target` is person, bot, club, club_news or note; `target_id` is its id (of a person, the player's id).
    `words` describes what happened; it is required for other, cheating and harassment."""

    target = serializers.CharField(max_length=20)
    target_id = serializers.IntegerField()
    cause = serializers.ChoiceField(choices=Report.Cause.choices)
    words = serializers.CharField(required=False, allow_blank=True, default="")


class ReportSerializer(serializers.Serializer[Any]):
    """One of your reports and its outcome. `state` is open, upheld or dismissed; `answer` is the admin's answer."""

    id = serializers.IntegerField()
    target = serializers.CharField()
    target_id = serializers.IntegerField()
    cause = serializers.ChoiceField(choices=Report.Cause.choices)
    words = serializers.CharField()
    created = serializers.DateTimeField()
    state = serializers.ChoiceField(choices=Report.State.choices)
    answer = serializers.CharField()
    answered_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        data: dict[str, Any] = super().to_representation(reports.report_data(instance))
        return data


class MeasureSerializer(serializers.Serializer[Any]):
    """A sanction against you: a warning (`seen_at`: when you confirmed it), a mute or a ban (`until`: its end, null
    if permanent; `ended_at`: when it was ended early)."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=Sanction.Kind.choices)
    reason = serializers.CharField()
    created = serializers.DateTimeField()
    until = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    seen_at = serializers.DateTimeField(allow_null=True)
    objection = serializers.CharField()
    answer = serializers.CharField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        data: dict[str, Any] = super().to_representation(sanctions.sanction_data(instance))
        return data


class ObjectionWordsSerializer(serializers.Serializer[Any]):
    """An appeal: why the decision is wrong."""

    words = serializers.CharField(max_length=sanctions.WORDS_MAX_LENGTH)


class ReportsView(generics.ListAPIView[Report]):
    """My reports."""

    read_scope = "account"
    write_scope = "account"
    remote_bots = "nothing"
    visible_in_impersonation = True

    serializer_class = ReportSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = NewestFirstPagination
    filter_backends = ()

    def get_queryset(self) -> QuerySet[Report]:
        return reports.reports_of(self.request.user)

    @extend_schema(description="Your reports, newest first, with their outcome.")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        request=NewReportSerializer,
        responses={
            201: ReportSerializer,
            **{status: OpenApiResponse(ErrorSerializer) for status in (400, 403, 404, 429)},
        },
    )
    def post(self, request: Request) -> Response:
        """Report a person, a bot, a club, a club's news, or a reason written in a season. Only admins see who reported
        it. You are notified of the outcome. Errors: 400 bad_words; 403 guest, muted, warning_unread, own_report; 404
        target_not_found; 429 too_many_reports."""
        data = validated_data(NewReportSerializer(data=request.data))
        made = reports.file_report(
            by=request.user,
            target=data["target"],
            pk=data["target_id"],
            cause=data["cause"],
            words=data["words"],
        )
        return Response(ReportSerializer(made).data, status=201)


class ConductView(generics.ListAPIView[Sanction]):
    """Sanctions against me."""

    read_scope = "account"
    remote_bots = "nothing"
    visible_in_impersonation = True

    serializer_class = MeasureSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = NewestFirstPagination
    filter_backends = ()

    def get_queryset(self) -> QuerySet[Sanction]:
        return sanctions.sanctions_about(signed_in_user(self.request))

    @extend_schema(description="Your warnings, mutes and bans, newest first, each with its reason.")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class ReadView(APIView):
    read_scope = "account"
    write_scope = "account"
    remote_bots = "nothing"
    permission_classes = [IsAuthenticated]

    @extend_schema(request=None, responses={200: MeasureSerializer, 404: OpenApiResponse(ErrorSerializer)})
    def post(self, request: Request, pk: int) -> Response:
        """Confirm a warning; then you can post again. Errors: 404 measure_not_found."""
        return Response(MeasureSerializer(sanctions.mark_warning_read(user=signed_in_user(request), pk=pk)).data)


class ObjectView(APIView):
    read_scope = "account"
    write_scope = "account"
    remote_bots = "nothing"
    permission_classes = [IsAuthenticated]

    @extend_schema(
        request=ObjectionWordsSerializer,
        responses={200: MeasureSerializer, **{status: OpenApiResponse(ErrorSerializer) for status in (400, 404, 409)}},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Appeal against a sanction, once. Errors: 400 bad_words; 404 measure_not_found; 409 objected_already."""
        sent = validated_data(ObjectionWordsSerializer(data=request.data))
        made = sanctions.object_to(user=signed_in_user(request), pk=pk, words=sent["words"])
        return Response(MeasureSerializer(made).data)
