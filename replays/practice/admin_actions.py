"""The admin action for puzzles; see `games.admin_actions.registry`."""

from __future__ import annotations

from datetime import date

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from games.admin_actions.registry import Facts, admin_action, admin_target
from replays.practice import puzzles
from replays.practice.models import Puzzle


def _find(text: str) -> Puzzle:
    kind, _colon, day = text.partition(":")
    return Puzzle.objects.get(kind=kind, date=date.fromisoformat(day))


def _name(puzzle: Puzzle) -> str:
    return f"{puzzle.kind}:{puzzle.date}"


admin_target("puzzle", Puzzle, find=_find, name=_name)


@admin_action(
    "withdraw_puzzle",
    title=gettext_lazy("Withdraw puzzle"),
    target=Puzzle,
    help=gettext_lazy("The puzzle is not shown any more, and its day has none."),
    fits=lambda puzzle: puzzle.state == Puzzle.State.DONE and not puzzle.withdrawn,
    done=gettext_lazy("The puzzle {puzzle} was withdrawn."),
    stop=True,
)
def withdraw_puzzle(puzzle: Puzzle, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `puzzles.withdraw_puzzle` does."""
    puzzles.withdraw_puzzle(puzzle)
    return {"puzzle": _name(puzzle)}
