"""What the things on a kind's table are and do, for cards that explain them (`Presentation.explanations`)."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.common.errors import DomainError
from games.common.service_views import ErrorSerializer
from scorebook_games import registry
from scorebook_games.frames.serialize import explanations_of


class ExplanationLineSerializer(serializers.Serializer[Any]):
    """A sentence about a thing, with the clause of the rules that says so."""

    words = serializers.CharField()
    clause = serializers.CharField()


class ExplanationSerializer(serializers.Serializer[Any]):
    """What a sort of thing is and does."""

    name = serializers.CharField(help_text="Empty if the board names it.")
    lines = ExplanationLineSerializer(many=True)


class ExplanationsSerializer(serializers.Serializer[Any]):
    """The explanations of a kind, by their keys."""

    explanations = serializers.DictField(child=ExplanationSerializer())


class ExplanationsView(APIView):
    """The explanations of a kind."""

    remote_bots = "read"
    visible_in_impersonation = True

    @extend_schema(responses={200: ExplanationsSerializer, 400: ErrorSerializer})
    def get(self, request: Request, kind: str) -> Response:  # noqa: ARG002
        """What the things on the table of a kind are and do, by their keys: cards (`card:7`), places (`place:hand`) and
        what else its board names. They are the same in all games. Errors: 400 unknown_kind."""
        if kind not in registry.KINDS:
            raise DomainError(400, "unknown_kind", registry.missing(kind))
        return Response(ExplanationsSerializer({"explanations": explanations_of(kind)}).data)
