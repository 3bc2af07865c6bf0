"""What API views share: check what was sent, call a service, show what it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers, viewsets
from rest_framework.response import Response

from games.play.idempotency_field import run_once


class ErrorDetailSerializer(serializers.Serializer[Any]):
    """What was refused, and what to do; some codes have more fields (docs/reference/api-errors.md)."""

    status = serializers.IntegerField()
    code = serializers.CharField()
    sentence = serializers.CharField()
    fields = serializers.DictField(  # type: ignore[assignment]  # REST framework takes it out of the class
        required=False, help_text="With `invalid`: sentences by the name of a field."
    )


class ErrorSerializer(serializers.Serializer[Any]):
    """The one shape of an error; see docs/reference/api-errors.md for the codes."""

    error = ErrorDetailSerializer()


ERROR_RESPONSE = OpenApiResponse(ErrorSerializer)

SerializerClass = type[serializers.Serializer[Any]]


def error_responses(*statuses: int) -> dict[int, Any]:
    """The errors of an operation, for its description."""
    return dict.fromkeys(statuses, ERROR_RESPONSE)


def validated_data(sent: serializers.BaseSerializer[Any]) -> dict[str, Any]:
    """The validated data. Raises the framework's ValidationError."""
    sent.is_valid(raise_exception=True)
    return dict(sent.validated_data)


class ServiceViewSet(viewsets.GenericViewSet[Any]):
    """A view set whose operations each call one service."""

    def sent(self, serializer: SerializerClass, **options: Any) -> dict[str, Any]:
        """The validated data of the request, without its idempotency key."""
        asked = validated_data(serializer(data=self.request.data, **options))
        asked.pop("idempotency_key", None)
        return asked

    def show(self, row: Any, serializer: SerializerClass, status: int = 200) -> Response:
        """One row."""
        return Response(serializer(row, context=self.get_serializer_context()).data, status=status)

    def answered(
        self,
        shown: SerializerClass | None,
        service: Callable[..., object],
        sent: SerializerClass | None = None,
        status: int = 200,
        **fixed: Any,
    ) -> Response:
        """Call `service` with `fixed` and what was `sent`, and show what it returns; 204 where nothing is `shown`."""
        made = service(**fixed, **(self.sent(sent) if sent else {}))
        return Response(status=204) if shown is None else self.show(made, shown, status)

    def answered_once(
        self,
        shown: SerializerClass | None,
        service: Callable[..., object],
        sent: SerializerClass | None = None,
        status: int = 200,
        **fixed: Any,
    ) -> Response:
        """As `answered`, or what was answered when the same request came with the same idempotency key before.

        As everywhere, what was sent is checked before its key.
        """
        asked = fixed | (self.sent(sent) if sent else {})
        return run_once(self.request, lambda: self.answered(shown, service, status=status, **asked))

    def paged(self, rows: QuerySet[Any], serializer: SerializerClass) -> Response:
        """One page of `rows`."""
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(serializer(page, many=True, context=self.get_serializer_context()).data)
