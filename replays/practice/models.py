"""The rows of exercises: what a worker has measured, and when its player is asked."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _

from games.common.table_source import Primary
from games.models import Game, Player
from replays.review.models import ClaimedRow
from scorebook_games.presentation.coded_text import Sentence, sentence


@sentence
def exercise_failed(game: str, event: int) -> str:
    return _("The exercise from event {event} of game {game} failed.").format(event=event, game=game)


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
