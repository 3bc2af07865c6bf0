"""The receivers of practice: what other apps do and ask."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from games.models import Player
from replays.practice import exercises
from replays.practice.models import Exercise, PuzzleAnswer
from replays.review.models import GameReview

EXERCISE_FIELDS = ("game__public_id", "event", "made", "best", "answer", "wrong", "right", "ask_at")
ANSWER_FIELDS = ("puzzle__kind", "puzzle__date", "move", "right", "at")


def make_exercises(sender: type[GameReview], review: GameReview, **_signal: Any) -> None:  # noqa: ARG001
    """Make exercises of a finished review."""
    exercises.add_exercises(review)


def forget(sender: type[Player], player: Player, **_signal: Any) -> None:  # noqa: ARG001
    """Delete the exercises and answers of a player who has stopped playing."""
    Exercise.objects.filter(player=player).delete()
    PuzzleAnswer.objects.filter(player=player).delete()


def data_of(sender: type[User], player: Player | None, **_signal: Any) -> dict[str, Any]:  # noqa: ARG001
    """Return the exercises and answers of a player, for a data export."""
    if player is None:
        return {"exercises": [], "puzzle_answers": []}
    return {
        "exercises": list(Exercise.objects.filter(player=player).order_by("pk").values(*EXERCISE_FIELDS)),
        "puzzle_answers": list(PuzzleAnswer.objects.filter(player=player).order_by("pk").values(*ANSWER_FIELDS)),
    }
