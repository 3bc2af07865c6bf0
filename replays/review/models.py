"""The rows of what is computed about finished games: luck ledgers, and reviews for each seat."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common.table_source import Primary, Projection
from games.models import Game, Player
from replays.claims import ClaimedRow
from scorebook_games.presentation.coded_text import Sentence, sentence

MILLIONTHS = 1_000_000  # gains of entries are stored in millionths of a share


@sentence
def ledger_failed(game: str, times: int) -> str:
    return _("The luck ledger of game {game} failed {times} times.").format(game=game, times=times)


@sentence
def review_failed(game: str, seat: int) -> str:
    return _("The review of seat {seat} in game {game} failed.").format(game=game, seat=seat + 1)


class LuckLedger(ClaimedRow):
    """The luck ledger of a finished game (docs/explanation/luck.md), or that it waits to be computed, or why there is
    none.

    Another value function makes another row for the same game. Lists are by seat, in shares of 1; errors are standard
    errors. In rows without a policy, own and others are 0, and all play is unexplained.
    """

    table_source = Projection(
        "the game's stream, with the kind's value function",
        {"state, due_at, attempts": "whether a worker has computed it, and when the next may try"},
        command="luck_ledgers",
    )

    class Reason(models.TextChoices):
        NO_KIND = "no_kind", gettext_lazy("the kind is not installed")
        NO_VALUE_FUNCTION = "no_value_function", gettext_lazy("the kind has no value function")
        OTHER_RULES = "other_rules", gettext_lazy("the value function is for other rules")
        NOT_DEALT = "not_dealt", gettext_lazy("nothing was drawn or decided")
        CONTINUED = "continued", gettext_lazy("the game continues another one with its cards")

    game = models.ForeignKey(Game, models.CASCADE, related_name="luck_ledgers")
    kind = models.CharField(max_length=20)
    finished_at = models.DateTimeField(db_index=True, help_text="When the game ended.")
    people = models.BooleanField(help_text="A person had a seat. These ledgers are computed first.")

    reason = models.CharField(max_length=20, choices=Reason, blank=True, help_text="Why there is no ledger.")

    value_version = models.PositiveSmallIntegerField(default=0)
    value_hash = models.CharField(
        max_length=16, blank=True, help_text="Identifies the value function, once it is used."
    )
    policy = models.CharField(
        max_length=20,
        blank=True,
        help_text="The built-in bot with whose moves decisions are compared; empty: none are.",
    )
    result = ArrayField(models.FloatField(), default=list)
    start = ArrayField(models.FloatField(), default=list)
    luck = ArrayField(models.FloatField(), default=list)
    own = ArrayField(models.FloatField(), default=list)
    others = ArrayField(models.FloatField(), default=list)
    unexplained = ArrayField(models.FloatField(), default=list)
    departures = ArrayField(models.FloatField(), default=list)
    start_error = ArrayField(models.FloatField(), default=list)
    luck_error = ArrayField(models.FloatField(), default=list)
    own_error = ArrayField(models.FloatField(), default=list)
    others_error = ArrayField(models.FloatField(), default=list)
    unexplained_error = ArrayField(models.FloatField(), default=list)
    entries = models.JSONField(default=list, help_text="For each its version, sort, seat, and gains in millionths.")
    usual = models.JSONField(
        default=list,
        help_text="For each decision among the entries, in their order, the usual moves it was compared with.",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "value_hash"], name="one_ledger_a_value_function")]
        indexes = [
            models.Index(fields=["-people", "id"], condition=Q(state__in=["waiting", "computing"]), name="ledger_due"),
            models.Index(fields=["-finished_at"], condition=Q(state="failed"), name="ledger_failed"),
        ]

    def __str__(self) -> str:
        return f"luck ledger of {self.game}"

    @property
    def failure(self) -> Sentence:
        return ledger_failed(self.game.public_id, self.attempts)


class DecisionCost(models.Model):
    """What the decisions of one sort of an uploaded or remote bot were worth in one game, beside the usual ones.

    It is made with the game's newest luck ledger, so that a bot's page need not read logs. Gains are in millionths of a
    share of 1.
    """

    table_source = Projection("the game's stream, with the kind's value function", command="luck_ledgers")

    game = models.ForeignKey(Game, models.CASCADE, related_name="decision_costs")
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20)
    sort = models.CharField(
        max_length=20, blank=True, help_text="The first word of the moves’ notation; empty for turns without a move."
    )
    decisions = models.PositiveIntegerField(help_text="Those that were compared with usual moves.")
    gain = models.IntegerField(help_text="Of all these decisions.")
    worst_gain = models.IntegerField()
    worst_version = models.PositiveIntegerField(help_text="The event of the decision with the smallest gain.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "seat", "sort"], name="one_cost_a_sort")]
        indexes = [models.Index(fields=["player", "-game"], name="cost_by_player")]

    def __str__(self) -> str:
        return f"{self.sort} of seat {self.seat} in {self.game}"


class GameReview(ClaimedRow):
    """The review of a finished game for one seat (docs/explanation/reviews.md), or that it waits to be made.

    A worker stores its `work` every few seconds. Another method makes another row for the same seat.
    """

    table_source = Primary(
        "A review that somebody asked for. It can be made again from the game's log, to the byte, by the same method."
    )

    game = models.ForeignKey(Game, models.CASCADE, related_name="reviews")
    seat = models.PositiveSmallIntegerField()
    method = models.CharField(max_length=24, help_text="The version of the method, and a hash of its program.")
    asked_by = models.ForeignKey(
        Player, models.SET_NULL, null=True, blank=True, help_text="Who asked; empty for rated games."
    )

    progress = models.PositiveSmallIntegerField(default=0, help_text="In percent.")
    work = models.JSONField(null=True, blank=True, help_text="What is done so far, for the worker that goes on.")
    review = models.JSONField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "seat", "method"], name="one_review_a_method")]
        indexes = [
            models.Index(fields=["id"], condition=Q(state__in=["waiting", "computing"]), name="review_due"),
            models.Index(fields=["asked_by"], condition=Q(state__in=["waiting", "computing"]), name="review_asked"),
        ]

    def __str__(self) -> str:
        return f"review of seat {self.seat} in {self.game}"

    @property
    def failure(self) -> Sentence:
        return review_failed(self.game.public_id, self.seat)
