"""The puzzles of the days: which can be seen, and what people answer. `replays.practice.choosing` chooses them."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError
from games.models import Player
from replays import claims
from replays.dataset.source_games import dataset_games
from replays.practice.choosing import without_consent
from replays.practice.exercises import RIGHT_ERRORS, answer_data, check_move, values_of
from replays.practice.models import Puzzle, PuzzleAnswer
from replays.practice.positions import Moment, moment_of
from scorebook_games.registry import KINDS, rules_for


def shown_puzzles() -> QuerySet[Puzzle]:
    """Return the puzzles of installed kinds up to today, the newest first, each with how many people solved it
    (`solved`).

    One whose people do not all consent any more, or whose game is no longer open to everybody, is not shown.
    """
    solved = Count("answers", filter=Q(answers__right=True))
    return _chosen_puzzles().filter(kind__in=KINDS).annotate(solved=solved).order_by("-date", "kind")


def _chosen_puzzles() -> QuerySet[Puzzle]:
    return Puzzle.objects.select_related("game__deal").filter(
        Exists(dataset_games(clock.now()).filter(pk=OuterRef("game"))),
        ~Exists(without_consent(OuterRef("game"))),
        state=Puzzle.State.DONE,
        withdrawn=False,
        date__lte=today(),
    )


def today() -> date:
    """Return the present day, in UTC."""
    return clock.now().date()


def kinds_being_chosen() -> set[str]:
    """Return the kinds whose puzzle of today a worker still looks for."""
    return set(Puzzle.objects.filter(date=today(), state__in=claims.PENDING).values_list("kind", flat=True))


def find_puzzle(kind: str, day: str) -> Puzzle:
    """Return the puzzle of a kind for a day, as an address names it. Raises `DomainError` puzzle_not_found (404), and
    `UnknownKind` if its rules are not installed."""
    try:
        found = _chosen_puzzles().filter(kind=kind, date=date.fromisoformat(day)).first()
    except ValueError:
        found = None
    if found is None:
        raise DomainError(404, "puzzle_not_found", _("There is no puzzle of this kind for this day."))
    assert found.game is not None  # a puzzle that is shown has one
    rules_for(kind, found.game.rules_version)
    return found


def answer_of(puzzle: Puzzle, player: Player | None) -> str:
    """Return what a player has answered; "" for nothing."""
    if player is None:
        return ""
    moves = PuzzleAnswer.objects.filter(puzzle=puzzle, player=player).values_list("move", flat=True)
    return moves.first() or ""


def answer_puzzle(*, puzzle: Puzzle, player: Player | None, move: str) -> None:
    """Answer a puzzle. The answer is stored if a `player` gives it; then it is the only one.

    Raises `DomainError`: illegal_move, already_answered (409).
    """
    value = check_move(values_of(puzzle.moves), move)
    if player is None:
        return
    right = value.is_right(RIGHT_ERRORS)
    try:
        with transaction.atomic():
            PuzzleAnswer.objects.create(puzzle=puzzle, player=player, move=move, right=right, at=clock.now())
    except IntegrityError as error:
        raise DomainError(409, "already_answered", _("You have already answered this puzzle.")) from error


def withdraw_puzzle(puzzle: Puzzle) -> None:
    """Withdraw a puzzle. It is not shown any more, and its day has none.

    Raises `DomainError` nothing_to_withdraw (409).
    """
    if not Puzzle.objects.filter(pk=puzzle.pk, withdrawn=False, state=Puzzle.State.DONE).update(withdrawn=True):
        raise DomainError(409, "nothing_to_withdraw", _("This puzzle is not shown."))


def puzzle_moment(puzzle: Puzzle) -> Moment:
    """Return the position of a puzzle. It names no players."""
    assert puzzle.game
    names = [_("Player {number}").format(number=seat + 1) for seat in range(puzzle.game.seats.count())]
    return moment_of(puzzle.game, puzzle.seat, puzzle.event, names)


def puzzle_data(puzzle: Puzzle, moment: Moment, move: str) -> dict[str, Any]:
    """Return a puzzle for the API, with what `move` was worth unless that is "". Only then it names its game."""
    values = values_of(puzzle.moves)
    shown = moment.data([value.move for value in values])
    return {
        **shown,
        "game": shown["game"] if move else None,
        "date": puzzle.date,
        "solved": PuzzleAnswer.objects.filter(puzzle=puzzle, right=True).count(),
        "answer": answer_data(values, move, moment, all_moves=True) if move else None,
    }
