"""The API of introductions: a step, and what the rules say about a move in it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.common.service_views import ErrorSerializer
from games.play.api import whole_number
from games.play.turn_serializers import TurnSerializer
from replays.introductions.lessons import find_lesson, lesson_data, try_move
from replays.serializers import FrameSerializer


class TriedMoveSerializer(serializers.Serializer[Any]):
    """A move that the reader tried."""

    move = serializers.CharField()
    legal = serializers.BooleanField(help_text="Whether the rules allow it.")
    wanted = serializers.BooleanField(help_text="Whether the step asks for it. Then it was played.")
    clause = serializers.CharField(help_text="The rule that forbids it, or empty.")
    sentence = serializers.CharField(help_text="Why the rules refuse it, or empty.")


class IntroductionSerializer(serializers.Serializer[Any]):
    """A step of an introduction, with the game as its reader sees it."""

    step = serializers.IntegerField(help_text="From 0.")
    steps = serializers.IntegerField(help_text="How many there are.")
    made = serializers.ListField(
        child=serializers.CharField(), help_text="The moves of the step that have been played."
    )
    text = serializers.CharField()
    mistake = serializers.CharField(help_text="What a reader needs to hear who tries something else.")
    todo = serializers.ListField(
        child=serializers.CharField(), help_text="The moves that the step asks for, in words; empty for a step to read."
    )
    since = serializers.IntegerField()
    version = serializers.IntegerField()
    frames = FrameSerializer(many=True, help_text="Those after `since`.")
    scores = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    asks = serializers.CharField(help_text="What the seats that are to act are asked for.")
    items = serializers.DictField()
    turn = TurnSerializer()
    tried = TriedMoveSerializer(allow_null=True, help_text="With `move`: what became of it.")


class IntroductionView(APIView):
    """The introduction of a kind."""

    remote_bots = "read"
    visible_in_impersonation = True

    @extend_schema(
        parameters=[
            OpenApiParameter("step", int, description="From 0, which is the default."),
            OpenApiParameter("made", str, many=True, description="The moves of the step that you have played."),
            OpenApiParameter("move", str, description="A move that you try."),
            OpenApiParameter("since", int, description="Only frames after this version."),
        ],
        responses={200: IntroductionSerializer, 400: ErrorSerializer, 404: ErrorSerializer},
    )
    def get(self, request: Request, kind: str) -> Response:
        """A step of the introduction to a kind of game, and with `move` what the rules say about it. A move that the
        step asks for leads on. Nothing is stored. Errors: 404 no_introduction, 400 unknown_kind, bad_step,
        bad_parameter."""
        asked = request.query_params
        step, since = (whole_number(asked.get(name, "0"), name) for name in ("step", "since"))
        made, move = asked.getlist("made"), asked.get("move")
        lesson = find_lesson(kind, step, made)
        tried = None if move is None else try_move(lesson, move)
        return Response(IntroductionSerializer({**lesson_data(lesson, since), "tried": tried}).data)
