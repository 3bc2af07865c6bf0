"""The API of a club's or a person's webhooks. It calls the same services as the pages."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from games.common.cursor_pagination import NewestFirstPagination
from games.common.errors import DomainError
from games.common.outbox import SendState
from games.common.policy import policy
from games.common.service_views import ServiceViewSet, error_responses
from tournaments.clubs.models import Club
from tournaments.clubs.permissions import visible_to
from tournaments.seasons.models import Season
from tournaments.webhooks import discovery as webhooks_discovery
from tournaments.webhooks import services as webhooks
from tournaments.webhooks.channels import ChannelKind
from tournaments.webhooks.models import Delivery, Webhook

ERROR_RESPONSES = error_responses(400, 403, 404, 409, 429)
CLUB_PARAMETER = OpenApiParameter("club", str, OpenApiParameter.PATH, description="The club's slug.")


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """A webhook without its secret; `url` is shortened for a room (`channel`), whose address is one. `off` says why it
    is switched off, if it is; `failing_since` and `retry_at` are set while deliveries fail."""

    url = serializers.CharField(source="shown_url")

    class Meta:
        model = Webhook
        fields = [
            "id",
            "url",
            "channel",
            "events",
            "season",
            "off",
            "created",
            "taken_at",
            "failures",
            "failing_since",
            "retry_at",
        ]


class NewWebhookSerializer(serializers.Serializer[Any]):
    """The address and the events of a new webhook. `channel` is recognised by the address; only a room of Matrix needs
    it. `season`: the id of a season of the club, to limit it to that
    season."""

    url = serializers.CharField(max_length=1000)
    events = serializers.ListField(child=serializers.ChoiceField(choices=webhooks_discovery.CLUB_EVENTS), min_length=1)
    channel = serializers.ChoiceField(choices=ChannelKind.choices, required=False)
    season = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=2**62)


class ChangedWebhookSerializer(serializers.Serializer[Any]):
    """Changes to a webhook; `on` switches it off or on."""

    url = serializers.CharField(max_length=1000, required=False)
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=webhooks_discovery.CLUB_EVENTS), min_length=1, required=False
    )
    on = serializers.BooleanField(required=False)


class MadeWebhookSerializer(WebhookSerializer):
    """A webhook with its secret, which is shown only once; "" for a room."""

    secret = serializers.CharField()

    class Meta(WebhookSerializer.Meta):
        fields = [*WebhookSerializer.Meta.fields, "secret"]


class WebhookSecretSerializer(serializers.Serializer[Any]):
    """The new secret, shown only once."""

    secret = serializers.CharField()


class DeliveryAttemptSerializer(serializers.Serializer[Any]):
    """One attempt: its duration, the `status` of the answer (0 for none), and the result in `words`."""

    at = serializers.DateTimeField()
    ms = serializers.IntegerField()
    status = serializers.IntegerField()
    words = serializers.CharField()


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    """A message: its exact `body`, and the result of each attempt, latest last."""

    state = serializers.ChoiceField(choices=SendState.choices, source="send_state", read_only=True)
    due_at = serializers.DateTimeField(source="send_at", read_only=True)
    log = DeliveryAttemptSerializer(source="attempts", many=True, read_only=True)

    class Meta:
        model = Delivery
        fields = ["message_id", "type", "state", "created", "due_at", "tries", "body", "log"]


class WebhookViewSet(ServiceViewSet):
    """Operations that are the same for a club's and a person's webhooks."""

    remote_bots = "nothing"

    rate_limit = "webhooks"
    visible_in_impersonation = False

    queryset = Webhook.objects.none()
    serializer_class = WebhookSerializer
    pagination_class = NewestFirstPagination
    permission_classes = [IsAuthenticated]
    filter_backends = ()
    lookup_value_regex = "[0-9]{1,15}"

    def club(self) -> Club | None:
        """Return the club that owns the webhooks; None for the user's own."""
        slug = self.kwargs.get("club")
        return None if slug is None else get_object_or_404(visible_to(self.request.user), slug=slug)

    def get_queryset(self) -> QuerySet[Webhook]:
        return webhooks.webhooks_of(self.request.user, self.club())

    def hook(self, pk: str) -> Webhook:
        return get_object_or_404(self.get_queryset(), pk=int(pk))

    @extend_schema(responses={200: WebhookSerializer(many=True), **ERROR_RESPONSES})
    def list(self, request: Request, **_where: str) -> Response:
        """The webhooks, newest first. Errors: 403 not_organiser, guest."""
        return self.paged(self.get_queryset(), WebhookSerializer)

    @extend_schema(responses={200: WebhookSerializer, **ERROR_RESPONSES})
    def retrieve(self, request: Request, pk: str, **_where: str) -> Response:
        """One webhook. Errors: 403 not_organiser, guest; 404."""
        return self.show(self.hook(pk), WebhookSerializer)

    @extend_schema(request=NewWebhookSerializer, responses={201: MadeWebhookSerializer, **ERROR_RESPONSES})
    @policy(secret_answer=True)
    def create(self, request: Request, **_where: str) -> Response:
        """Create a webhook for an address; the `secret` is only in this answer. Earlier events are not sent. Errors:
        400 bad_url, bad_events, bad_season; 403 not_organiser, guest; 409 too_many_webhooks, same_url."""
        asked = self.sent(NewWebhookSerializer)
        season = asked.pop("season", None)
        club_season = Season.objects.select_related("league").filter(pk=season).first() if season else None
        if season and club_season is None:
            raise DomainError(400, "bad_season", _("The club has no such season."), "season")
        hook, secret = webhooks.create_webhook(user=self.request.user, club=self.club(), season=club_season, **asked)
        return Response({**WebhookSerializer(hook).data, "secret": secret}, status=201)

    @extend_schema(request=ChangedWebhookSerializer, responses={200: WebhookSerializer, **ERROR_RESPONSES})
    def partial_update(self, request: Request, pk: str, **_where: str) -> Response:
        """Change the address or the events; `on` false switches the webhook off, true on. Events that happen while it
        is off are not sent. Errors: 400 bad_url, bad_events; 404; 409 same_url."""
        return self.show(
            webhooks.update_webhook(self.hook(pk), **self.sent(ChangedWebhookSerializer)), WebhookSerializer
        )

    @extend_schema(responses={204: None, **ERROR_RESPONSES})
    def destroy(self, request: Request, pk: str, **_where: str) -> Response:
        """Delete the webhook and its log."""
        webhooks.delete_webhook(self.hook(pk))
        return Response(status=204)

    @extend_schema(request=None, responses={200: WebhookSecretSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    @policy(secret_answer=True)
    def rotate(self, request: Request, pk: str, **_where: str) -> Response:
        """Create a new secret, shown only in this answer. For a day messages are also signed by the old secret, and no
        other secret can be made; within a minute the answer is the same. Errors: 409 rotated_lately, not_signed."""
        return Response({"secret": webhooks.rotate(self.hook(pk))})

    @extend_schema(request=None, responses={201: DeliverySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def ping(self, request: Request, pk: str, **_where: str) -> Response:
        """Send a test message of the type `ping`. Errors: 409 webhook_off, ping_waits."""
        return self.show(webhooks.send_ping(self.hook(pk)), DeliverySerializer, 201)

    @extend_schema(responses={200: DeliverySerializer(many=True), **ERROR_RESPONSES})
    @action(detail=True, methods=["get"])
    @policy(visible_in_impersonation=False)
    def deliveries(self, request: Request, pk: str, **_where: str) -> Response:
        """The messages of the last thirty days, newest first, with their results."""
        return self.paged(self.hook(pk).deliveries.all(), DeliverySerializer)

    @extend_schema(request=None, responses={200: DeliverySerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path=r"deliveries/(?P<message>msg_[0-9a-f]{1,36})/resend")
    def resend(self, request: Request, pk: str, message: str, **_where: str) -> Response:
        """Send a message again, with the same id. Errors: 404; 409 webhook_off, still_due."""
        delivery = get_object_or_404(self.hook(pk).deliveries.select_related("webhook"), message_id=message)
        return self.show(webhooks.resend_message(delivery), DeliverySerializer)


class MyWebhookViewSet(WebhookViewSet):
    """Webhooks for your own games."""

    read_scope = "account"
    write_scope = "account"


@extend_schema_view(
    **{
        name: extend_schema(parameters=[CLUB_PARAMETER])
        for name in (
            "list",
            "retrieve",
            "create",
            "partial_update",
            "destroy",
            "rotate",
            "ping",
            "deliveries",
            "resend",
        )
    }
)
class ClubWebhookViewSet(WebhookViewSet):
    """Webhooks of a club, for its organisers."""

    read_scope = "organise"
    write_scope = "organise"
