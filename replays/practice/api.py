"""The API of exercises. It calls the same services as the pages."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.accounts.people import player_of_user
from games.play.service_views import error_responses, validated_data
from replays.practice import exercises
from replays.practice.models import Exercise
from replays.practice.positions import moment_of


class ChoiceSerializer(serializers.Serializer[Any]):
    """A move that can be chosen."""

    move = serializers.CharField()
    words = serializers.CharField()


class MoveValueSerializer(serializers.Serializer[Any]):
    """What a move is worth, in shares of the result, with standard errors."""

    move = serializers.CharField()
    words = serializers.CharField()
    chance = serializers.FloatField(help_text="The expected share of the result after it.")
    error = serializers.FloatField(help_text="The standard error of the chance.")
    cost = serializers.FloatField(help_text="What it costs beside the best move.")
    cost_error = serializers.FloatField(help_text="The standard error of the cost.")
    worlds = serializers.IntegerField(help_text="In how many worlds it was tried.")


class AnswerSerializer(serializers.Serializer[Any]):
    """What an answer was worth."""

    move = serializers.CharField()
    words = serializers.CharField()
    right = serializers.BooleanField(help_text="It costs no more than two standard errors.")
    cost = serializers.FloatField(help_text="What it costs beside the best move, as a share of the result.")
    error = serializers.FloatField(help_text="The standard error of the cost.")
    solution = MoveValueSerializer(many=True, allow_null=True, help_text="All moves, the best first.")


class PositionSerializer(serializers.Serializer[Any]):
    """A decision as the seat saw it then."""

    game = serializers.CharField()
    kind = serializers.CharField()
    seat = serializers.IntegerField()
    version = serializers.IntegerField(help_text="How many events had happened.")
    observation = serializers.DictField(help_text="What the seat knew: docs/reference/observations.md.")
    moves = ChoiceSerializer(many=True)


class ExerciseSerializer(PositionSerializer):
    """A mistake of yours, and when it is asked. `answer` is the last one; it has a `solution` only if it was right."""

    id = serializers.IntegerField()
    ask_at = serializers.DateTimeField(allow_null=True, help_text="When it is asked next; null if no more.")
    answer = AnswerSerializer(allow_null=True)


class MyMistakesSerializer(serializers.Serializer[Any]):
    """How many exercises are due, asked later, and done; and the one that is asked now."""

    due = serializers.IntegerField()
    later = serializers.IntegerField()
    done = serializers.IntegerField()
    next_at = serializers.DateTimeField(allow_null=True, help_text="When one that is asked later is due.")
    exercise = ExerciseSerializer(allow_null=True)


class MoveSerializer(serializers.Serializer[Any]):
    """The move that you choose."""

    move = serializers.CharField()


EXERCISE = OpenApiParameter("exercise", int, OpenApiParameter.PATH, description="The exercise.")


class MyMistakesView(APIView):
    """My mistakes."""

    remote_bots = "nothing"
    visible_in_impersonation = True
    permission_classes = [IsAuthenticated]

    @extend_schema(responses=MyMistakesSerializer)
    def get(self, request: Request) -> Response:
        """The exercise from your own mistakes that has been due longest, and how many there are."""
        player = player_of_user(request.user)
        progress, row = exercises.progress_of(player), exercises.next_exercise(player)
        shown = {
            "due": progress.due,
            "later": progress.later,
            "done": progress.done,
            "next_at": progress.next_at,
            "exercise": exercise_data(row) if row else None,
        }
        return Response(MyMistakesSerializer(shown).data)


class MyMistakeView(APIView):
    """One of my mistakes."""

    remote_bots = "nothing"
    visible_in_impersonation = True
    permission_classes = [IsAuthenticated]

    @extend_schema(parameters=[EXERCISE], responses={200: ExerciseSerializer, **error_responses(404)})
    def get(self, request: Request, exercise: int) -> Response:
        """One exercise, with its last answer. Errors: 404 exercise_not_found."""
        row = exercises.find_exercise(player_of_user(request.user), exercise)
        return Response(ExerciseSerializer(exercise_data(row)).data)


class AnswerMistakeView(APIView):
    """The answer to one of my mistakes."""

    write_scope = "play"
    remote_bots = "nothing"
    permission_classes = [IsAuthenticated]

    @extend_schema(
        parameters=[EXERCISE], request=MoveSerializer, responses={200: ExerciseSerializer, **error_responses(404, 409)}
    )
    def post(self, request: Request, exercise: int) -> Response:
        """Answer an exercise that is due. Errors: 404 exercise_not_found; 409 illegal_move, not_due."""
        move = validated_data(MoveSerializer(data=request.data))["move"]
        player = player_of_user(request.user)
        row = exercises.find_exercise(player, exercise)
        if player:
            row = exercises.answer_exercise(player=player, exercise=row.pk, move=move)
        return Response(ExerciseSerializer(exercise_data(row)).data)


def exercise_data(row: Exercise) -> dict[str, Any]:
    """Return an exercise for its player."""
    moment, values = moment_of(row.game, row.seat, row.event), exercises.values_of(row.moves)
    answer = exercises.answer_data(values, row.answer, moment, all_moves=row.right > 0) if row.answer else None
    return {
        "id": row.pk,
        **moment.data([value.move for value in values]),
        "ask_at": row.ask_at,
        "answer": answer,
    }
