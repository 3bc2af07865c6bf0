"""The rows of exercises and puzzles: what workers have measured, and what people answered."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _

from games.common.table_source import Primary
from games.models import Game, Player
from replays.claims import ClaimedRow
from scorebook_games.presentation.coded_text import Sentence, sentence


@sentence
def exercise_failed(game: str, event: int) -> str:
    return _("The exercise from event {event} of game {game} failed.").format(event=event, game=game)


@sentence
def puzzle_failed(kind: str, date: str) -> str:
    return _("The search for the puzzle of {kind} for {date} failed.").format(kind=kind, date=date)


class Exercise(ClaimedRow):
    """A mistake of a person (docs/explanation/reviews.md), who is asked again until they find the better move.

    A worker measures all moves once. `version` and `event` are those of the review, and `best`, `cost` and `error` what
    it says of the move that was made.
    """

    table_source = Primary("Made from reviews. The answers are stored nowhere else.")

    game = models.ForeignKey(Game, models.CASCADE, related_name="exercises")
    seat = models.PositiveSmallIntegerField()
    version = models.PositiveIntegerField(help_text="How many events had happened.")
    event = models.PositiveIntegerField(help_text="The event of the move that was made.")
    player = models.ForeignKey(Player, models.CASCADE, related_name="exercises")
    made = models.CharField(max_length=200, help_text="The move that was made.")
    best = models.CharField(max_length=200, help_text="The best move.")
    cost = models.FloatField(help_text="What the move that was made cost, as a share of the result.")
    error = models.FloatField(help_text="The standard error of the cost.")
    moves = models.JSONField(default=list, help_text="All moves with their chances and costs, the best first.")

    ask_at = models.DateTimeField(null=True, blank=True, help_text="When it is asked next; empty if no more.")
    answer = models.CharField(max_length=200, blank=True, help_text="The last answer.")
    wrong = models.PositiveSmallIntegerField(default=0, help_text="Wrong answers since the last right one.")
    right = models.PositiveSmallIntegerField(default=0, help_text="Right answers since the last wrong one.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "seat", "event"], name="one_exercise_a_mistake")]
        indexes = [
            models.Index(fields=["id"], condition=Q(state__in=["waiting", "computing"]), name="exercise_due"),
            models.Index(fields=["player", "ask_at"], condition=Q(state="done"), name="exercise_asked"),
        ]

    def __str__(self) -> str:
        return f"exercise from event {self.event} of {self.game}"

    @property
    def failure(self) -> Sentence:
        """What admins are told when all attempts have failed."""
        return exercise_failed(self.game.public_id, self.event)


class Puzzle(ClaimedRow):
    """The puzzle of a kind for a day, or that a worker looks for one, or that there is none.

    `moves` are the values of all moves, the best first.
    """

    table_source = Primary("Chosen once from real games. The answers of players belong to it.")

    kind = models.CharField(max_length=20)
    date = models.DateField(help_text="The day, in UTC.")
    game = models.ForeignKey(Game, models.CASCADE, null=True, blank=True, related_name="puzzles")
    seat = models.PositiveSmallIntegerField(default=0)
    event = models.PositiveIntegerField(default=0, help_text="The event of the move that was made.")
    moves = models.JSONField(default=list, help_text="All moves with their chances and costs, the best first.")
    agreed = models.PositiveSmallIntegerField(default=0, help_text="Of 100 other seeds, how many found the same move.")
    work = models.JSONField(null=True, blank=True, help_text="What is done so far, for the worker that goes on.")
    withdrawn = models.BooleanField(default=False, help_text="An admin has withdrawn it.")

    class Meta:
        ordering = ["-date", "kind"]
        constraints = [
            models.UniqueConstraint(fields=["kind", "date"], name="one_puzzle_a_day"),
            models.UniqueConstraint(fields=["game"], name="one_puzzle_a_game"),
        ]
        indexes = [
            models.Index(fields=["date", "id"], condition=Q(state__in=["waiting", "computing"]), name="puzzle_due"),
            models.Index(fields=["-date", "kind"], condition=Q(state="done", withdrawn=False), name="puzzle_chosen"),
        ]

    def __str__(self) -> str:
        return f"puzzle of {self.kind} for {self.date}"

    @property
    def failure(self) -> Sentence:
        """What admins are told when all attempts have failed."""
        return puzzle_failed(self.kind, self.date.isoformat())


class PuzzleAnswer(models.Model):
    """The first answer of a player to a puzzle."""

    table_source = Primary("What a person answered.")

    puzzle = models.ForeignKey(Puzzle, models.CASCADE, related_name="answers")
    player = models.ForeignKey(Player, models.CASCADE, related_name="puzzle_answers")
    move = models.CharField(max_length=200)
    right = models.BooleanField()
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["puzzle", "player"], name="one_answer_a_puzzle")]

    def __str__(self) -> str:
        return f"answer of {self.player} to {self.puzzle}"
