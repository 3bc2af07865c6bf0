"""Exercises: people's own mistakes, asked again until they find the better move.

A finished review makes them. A worker measures all moves of each once, and then it is due. After a wrong answer it is
asked again in ten minutes, after further ones each time a day later. After a right answer it is asked once more after a
week; a second right answer in a row is the last one.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from games.common import clock, log_context
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Player
from replays import claims
from replays.practice.models import Exercise
from replays.practice.positions import Moment
from replays.review.models import GameReview
from scorebook_games.practice import MoveValue, choices_at, decision_at, measure
from scorebook_games.registry import KINDS, rules_for
from scorebook_games.review import NoReview
from scorebook_games.review.lines import Setting
from scorebook_games.review.sight import sight_of
from scorebook_games.step_limit import step_limit

SOON: Final = timedelta(minutes=10)
TOMORROW: Final = timedelta(days=1)
LATER: Final = timedelta(days=7)
RIGHT_ANSWERS: Final = 2  # in a row, after which an exercise is not asked any more
RIGHT_ERRORS: Final = 2.0  # standard errors; a move that costs no more is as good as the best
POSITIONS: Final = 60_000  # for all moves: about a second
MEASURE_SECONDS: Final = 60.0  # of the processor
LEASE: Final = timedelta(minutes=2)


# -- making


def add_exercises(review: GameReview) -> int:
    """Add an exercise for each mistake of a finished review, if a person had the seat; return how many.

    A seat that has exercises gets no more: another review measures the same decisions again. There are none of a game
    that continues another one: who knows its cards makes moves that only look like mistakes.
    """
    if review.game.continued_from_id is not None:
        return 0
    player = Player.objects.filter(seats__game=review.game_id, seats__seat=review.seat, user__isnull=False).first()
    mistakes = review.review["mistakes"] if review.review else []
    if player is None or Exercise.objects.filter(game=review.game_id, seat=review.seat).exists():
        return 0
    rows = [
        Exercise(
            game_id=review.game_id,
            seat=review.seat,
            version=mistake["version"],
            event=mistake["event"],
            player=player,
            made=mistake["move"],
            best=mistake["best"],
            cost=mistake["cost"],
            error=mistake["error"],
            due_at=Now(),
        )
        for mistake in mistakes
    ]
    Exercise.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def measure_due() -> bool:
    """Measure the moves of one exercise that waits; return whether there was one."""
    rows = claims.claim(claims.due(Exercise).order_by("pk"), 1, LEASE)
    for row in rows:
        with log_context.bound_log_context(game=row.game.public_id), claims.attempt(row):
            try:
                moves = [asdict(value) for value in _measured(row)]
                claims.held(row).update(state=Exercise.State.DONE, moves=moves, ask_at=clock.now())
            except NoReview:
                claims.held(row).update(state=Exercise.State.NONE)
    return bool(rows)


def _measured(row: Exercise) -> list[MoveValue]:
    """Return the values of all moves beside the best one. What the review says of the move that was made stays."""
    sight = sight_of((entry.event for entry in eventlog.read_events(row.game.stream_id)), row.seat)
    at, setting = decision_at(sight, row.event), Setting(sight)
    with step_limit(MEASURE_SECONDS):
        moves = choices_at(setting, at, best=row.best)
        values = measure(setting, at, moves, seed="exercise", positions=POSITIONS, best=row.best)
    made = {"move": row.made, "cost": row.cost, "cost_error": row.error}
    return [MoveValue(**{**asdict(value), **made}) if value.move == row.made else value for value in values]


# -- asking


@dataclass(frozen=True, slots=True)
class Progress:
    """How many exercises of a player are due, are asked later, and are done; and when the next one is asked."""

    due: int
    later: int
    done: int
    next_at: datetime | None


def exercises_of(player: Player | None) -> QuerySet[Exercise]:
    """Return a player's exercises that are measured, of installed kinds."""
    return _measured_exercises(player).filter(game__kind__in=KINDS)


def _measured_exercises(player: Player | None) -> QuerySet[Exercise]:
    return Exercise.objects.filter(player=player, state=Exercise.State.DONE).select_related("game__deal")


def next_exercise(player: Player | None) -> Exercise | None:
    """Return the exercise that has been due longest."""
    return exercises_of(player).filter(ask_at__lte=clock.now()).order_by("ask_at", "pk").first()


def progress_of(player: Player | None) -> Progress:
    """Return how far a player is."""
    now = clock.now()
    times = list(exercises_of(player).values_list("ask_at", flat=True))
    later = [at for at in times if at and at > now]
    due = sum(at is not None and at <= now for at in times)
    return Progress(due, len(later), times.count(None), min(later, default=None))


def find_exercise(player: Player | None, pk: int) -> Exercise:
    """Return a player's exercise. Raises `DomainError` exercise_not_found (404), and `UnknownKind` if its rules are not
    installed."""
    row = _measured_exercises(player).filter(pk=pk).first()
    if row is None:
        raise DomainError(404, "exercise_not_found", _("You have no such exercise."))
    rules_for(row.game.kind, row.game.rules_version)
    return row


@transaction.atomic
def answer_exercise(*, player: Player, exercise: int, move: str) -> Exercise:
    """Answer an exercise that is due, and return it.

    Raises `DomainError`: exercise_not_found (404); illegal_move, not_due (409).
    """
    find_exercise(player, exercise)
    row = Exercise.objects.select_for_update(of=("self",)).select_related("game__deal").get(pk=exercise)
    now = clock.now()
    value = check_move(values_of(row.moves), move)
    if not is_due(row):
        raise DomainError(409, "not_due", _("This exercise is not asked now."), ask_at=row.ask_at)
    row.answer = move
    if value.is_right(RIGHT_ERRORS):
        row.wrong, row.right = 0, row.right + 1
        row.ask_at = None if row.right >= RIGHT_ANSWERS else now + LATER
    else:
        row.wrong, row.right = row.wrong + 1, 0
        row.ask_at = now + (SOON if row.wrong == 1 else TOMORROW)
    row.save(update_fields=["answer", "wrong", "right", "ask_at"])
    return row


def is_due(row: Exercise) -> bool:
    """Return whether an exercise is asked now."""
    return row.ask_at is not None and row.ask_at <= clock.now()


def values_of(moves: list[dict[str, Any]]) -> list[MoveValue]:
    """Return stored values of moves."""
    return [MoveValue(**move) for move in moves]


def check_move(values: list[MoveValue], move: str) -> MoveValue:
    """Return the value of a move. Raises `DomainError` illegal_move (409) for one that cannot be chosen."""
    for value in values:
        if value.move == move:
            return value
    sentence = _("This move cannot be chosen here. Choose one of the moves that are listed.")
    raise DomainError(409, "illegal_move", sentence)


# -- showing


def answer_data(values: list[MoveValue], move: str, moment: Moment, *, all_moves: bool) -> dict[str, Any]:
    """Return what an answer was worth; with `all_moves` also the best one and the values of all."""
    value = check_move(values, move)
    return {
        "move": move,
        "words": moment.words(move),
        "right": value.is_right(RIGHT_ERRORS),
        "cost": value.cost,
        "error": value.cost_error,
        "solution": [{**asdict(value), "words": moment.words(value.move)} for value in values] if all_moves else None,
    }
