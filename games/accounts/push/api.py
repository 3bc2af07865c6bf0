"""The API of the devices on which a person is notified. A page's script calls it, as a program may."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from games.accounts.models import PushDevice
from games.accounts.push import services
from games.common.service_views import ServiceViewSet, error_responses, validated_data
from games.common.signed_in import signed_in_user


class PushDeviceSerializer(serializers.ModelSerializer[PushDevice]):
    """A device on which you are notified. `failing_since` is set while its push service does not answer."""

    class Meta:
        model = PushDevice
        fields = ["id", "name", "created", "failing_since"]


class NewPushDeviceSerializer(serializers.Serializer[Any]):
    """A browser's subscription, as its Push API gives it for the platform's key, and a name for people."""

    endpoint = serializers.CharField(max_length=1000)
    p256dh = serializers.CharField(max_length=100)
    auth = serializers.CharField(max_length=30)
    name = serializers.CharField(max_length=60, required=False, allow_blank=True)


class PushDeviceViewSet(ServiceViewSet):
    """Devices on which you are notified by Web Push."""

    read_scope = "account"
    write_scope = "account"
    remote_bots = "nothing"
    visible_in_impersonation = False

    queryset = PushDevice.objects.none()
    serializer_class = PushDeviceSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = None
    filter_backends = ()
    lookup_value_regex = "[0-9]{1,18}"

    def get_queryset(self) -> QuerySet[PushDevice]:
        return PushDevice.objects.filter(user=self.request.user.pk)

    @extend_schema(responses=PushDeviceSerializer(many=True))
    def list(self, request: Request) -> Response:
        """Your devices, the first one first."""
        return Response(PushDeviceSerializer(self.get_queryset(), many=True).data)

    @extend_schema(
        request=NewPushDeviceSerializer, responses={201: PushDeviceSerializer, **error_responses(400, 403, 409)}
    )
    def create(self, request: Request) -> Response:
        """Notify you on a device. Errors: 400 bad_url, bad_subscription; 409 too_many_devices."""
        sent = validated_data(NewPushDeviceSerializer(data=request.data))
        device = services.add_device(user=signed_in_user(request), **sent)
        if request.auth is None:
            request._request.session[services.SESSION_KEY] = device.pk
        return self.show(device, PushDeviceSerializer, 201)

    @extend_schema(responses={204: None, **error_responses(404)})
    def destroy(self, request: Request, pk: str) -> Response:
        """Remove a device. Nothing is sent to it any more."""
        services.remove_device(get_object_or_404(self.get_queryset(), pk=int(pk)))
        return Response(status=204)
