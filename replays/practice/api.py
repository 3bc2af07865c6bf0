"""The API of exercises and puzzles. It calls the same services as the pages."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.accounts.people import player_of_user
from games.common.cursor_pagination import SealedCursorPagination
from games.common.service_views import error_responses, validated_data
from replays.practice import exercises, puzzles
from replays.practice.models import Exercise, Puzzle
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


class ChosenMoveSerializer(serializers.Serializer[Any]):
    """The move that you choose."""

    move = serializers.CharField()


EXERCISE = OpenApiParameter("exercise", int, OpenApiParameter.PATH, description="The exercise.")


class MyMistakesView(APIView):
    """My mistakes."""

    remote_bots = "nothing"
    visible_in_impersonation = True
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="my_mistakes", responses=MyMistakesSerializer)
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
        parameters=[EXERCISE],
        request=ChosenMoveSerializer,
        responses={200: ExerciseSerializer, **error_responses(404, 409)},
    )
    def post(self, request: Request, exercise: int) -> Response:
        """Answer an exercise that is due. Errors: 404 exercise_not_found; 409 illegal_move, not_due."""
        move = validated_data(ChosenMoveSerializer(data=request.data))["move"]
        player = player_of_user(request.user)
        row = exercises.find_exercise(player, exercise)
        if player:
            row = exercises.answer_exercise(player=player, exercise=row.pk, move=move)
        return Response(ExerciseSerializer(exercise_data(row)).data)


class PuzzleRowSerializer(serializers.Serializer[Any]):
    """A puzzle in a list."""

    kind = serializers.CharField()
    date = serializers.DateField(help_text="Its day, in UTC.")
    solved = serializers.IntegerField(help_text="How many people solved it.")


class PuzzleSerializer(PositionSerializer):
    """A puzzle. `answer` is yours, with the solution; `game` is null before."""

    game = serializers.CharField(allow_null=True)
    date = serializers.DateField(help_text="Its day, in UTC.")
    solved = serializers.IntegerField(help_text="How many people solved it.")
    answer = AnswerSerializer(allow_null=True)


class NewestPuzzles(SealedCursorPagination):
    """Newest first."""

    page_size = 50
    ordering = ("-date", "kind")


KIND_AND_DATE: Final = [
    OpenApiParameter("kind", str, OpenApiParameter.PATH, description="The kind of game."),
    OpenApiParameter("date", str, OpenApiParameter.PATH, description="The day, such as 2026-11-28."),
]


class PuzzlesView(generics.ListAPIView[Puzzle]):
    """The puzzles of the days."""

    remote_bots = "nothing"
    visible_in_impersonation = True
    serializer_class = PuzzleRowSerializer
    pagination_class = NewestPuzzles
    filter_backends = ()

    def get_queryset(self) -> QuerySet[Puzzle]:
        return puzzles.shown_puzzles()

    @extend_schema(description="A puzzle a day for each kind, the newest first. A day may have none.")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class PuzzleView(APIView):
    """One puzzle."""

    write_scope = "play"
    remote_bots = "nothing"
    visible_in_impersonation = True

    @extend_schema(parameters=KIND_AND_DATE, responses={200: PuzzleSerializer, **error_responses(404)})
    def get(self, request: Request, kind: str, date: str) -> Response:
        """The puzzle of a kind for a day, with your answer and the solution if you have answered. Errors: 404
        puzzle_not_found."""
        puzzle = puzzles.find_puzzle(kind, date)
        return self.shown(puzzle, puzzles.answer_of(puzzle, player_of_user(request.user)))

    @extend_schema(
        parameters=KIND_AND_DATE,
        request=ChosenMoveSerializer,
        responses={200: PuzzleSerializer, **error_responses(404, 409)},
    )
    def post(self, request: Request, kind: str, date: str) -> Response:
        """Answer a puzzle, and see the solution. Without an account nothing is stored; else you answer once. Errors:
        404 puzzle_not_found; 409 illegal_move, already_answered."""
        puzzle = puzzles.find_puzzle(kind, date)
        move = validated_data(ChosenMoveSerializer(data=request.data))["move"]
        puzzles.answer_puzzle(puzzle=puzzle, player=player_of_user(request.user), move=move)
        return self.shown(puzzle, move)

    def shown(self, puzzle: Puzzle, move: str) -> Response:
        """Return the puzzle, and what `move` was worth unless that is ""."""
        data = puzzles.puzzle_data(puzzle, puzzles.puzzle_moment(puzzle), move)
        return Response(PuzzleSerializer(data).data)


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
