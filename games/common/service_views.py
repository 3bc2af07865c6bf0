"""What API views share: check the request, call a service, return the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema_field
from rest_framework import serializers, viewsets
from rest_framework.response import Response


@extend_schema_field(
    {"oneOf": [{"type": "object", "additionalProperties": {}}, {"type": "array", "items": {"type": "string"}}]}
)
class ErrorFields(serializers.Field):  # type: ignore[type-arg]  # no class to subscript as the program runs
    """Sentences by field, or the names of fields."""


class ErrorDetailSerializer(serializers.Serializer[Any]):
    """What was refused, and what you can do; some codes have more fields (docs/reference/api-errors.md)."""

    status = serializers.IntegerField()
    code = serializers.CharField()
    sentence = serializers.CharField()
    fields = ErrorFields(  # type: ignore[assignment]  # REST framework takes it out of the class
        required=False,
        help_text="With `invalid`: sentences by the name of a field. With `unknown_field`: the fields that are read.",
    )


class ErrorSerializer(serializers.Serializer[Any]):
    """The form of every error; docs/reference/api-errors.md lists the codes."""

    error = ErrorDetailSerializer()


ERROR_RESPONSE = OpenApiResponse(ErrorSerializer)

SerializerClass = type[serializers.Serializer[Any]]


def error_responses(*statuses: int) -> dict[int, Any]:
    """Return the errors of an operation, for its description."""
    return dict.fromkeys(statuses, ERROR_RESPONSE)


def validated_data(sent: serializers.BaseSerializer[Any]) -> dict[str, Any]:
    """Return the validated data. Raises the framework's ValidationError."""
    sent.is_valid(raise_exception=True)
    return dict(sent.validated_data)


class ServiceViewSet(viewsets.GenericViewSet[Any]):
    """A view set whose operations each call one service."""

    def sent(self, serializer: SerializerClass, **options: Any) -> dict[str, Any]:
        """Return the validated data of the request."""
        return validated_data(serializer(data=self.request.data, **options))

    def show(self, row: Any, serializer: SerializerClass, status: int = 200) -> Response:
        """Return the response for one row."""
        return Response(serializer(row, context=self.get_serializer_context()).data, status=status)

    def answered(
        self,
        shown: SerializerClass | None,
        service: Callable[..., object],
        sent: SerializerClass | None = None,
        status: int = 200,
        **fixed: Any,
    ) -> Response:
        """Call `service` with `fixed` and what was `sent`, and return its result; 204 if `shown` is None."""
        made = service(**fixed, **(self.sent(sent) if sent else {}))
        return Response(status=204) if shown is None else self.show(made, shown, status)

    def paged(self, rows: QuerySet[Any], serializer: SerializerClass) -> Response:
        """Return one page of `rows`."""
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(serializer(page, many=True, context=self.get_serializer_context()).data)
