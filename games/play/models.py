"""Rows beside a game's log that are written while it is played."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy

from games.common.table_source import Primary
from games.models import BotVersion, Game
from games.play import fault_sentences as fault_sentences  # so that every reader of a fault knows its sentences
from scorebook_games.presentation.coded_text import text


class Fault(models.Model):
    """A fault of a bot, or of the platform under it, when the game stood at `position`.

    The log's `@fault` has only seat and kind. `evidence` holds what the author needs to see why: the legal moves, the
    answer, times and limits.
    """

    table_source = Primary("Evidence for an author, such as standard error. The log has only seat and kind.")

    class Kind(models.TextChoices):
        START_TIMEOUT = "start_timeout", gettext_lazy("started too slowly")
        START_CRASHED = "start_crashed", gettext_lazy("did not start")
        CRASHED = "crashed", gettext_lazy("crashed")
        TIMEOUT = "timeout", gettext_lazy("took too long")
        CPU_LIMIT = "cpu_limit", gettext_lazy("used too much processor time")
        VIOLATION = "violation", gettext_lazy("tried something that the sandbox forbids")
        BAD_REPLY = "bad_reply", gettext_lazy("bad reply")
        RESTART_LIMIT = "restart_limit", gettext_lazy("process ended too often")
        ILLEGAL_MOVE = "illegal_move", gettext_lazy("illegal move")
        INFRASTRUCTURE = "infrastructure", gettext_lazy("platform failure")

    class Cost(models.TextChoices):
        NONE = "none", gettext_lazy("none")
        RANDOM_MOVE = "random_move", gettext_lazy("a random legal move was played")
        FORFEIT = "forfeit", gettext_lazy("the game was forfeited")
        REFUSED = "refused", gettext_lazy("the version was not admitted")

    at = models.DateTimeField()
    bot_version = models.ForeignKey(BotVersion, models.CASCADE, related_name="faults")
    game = models.ForeignKey("games.Game", models.CASCADE, null=True, blank=True, related_name="faults")
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    position = models.PositiveIntegerField(
        null=True, blank=True, help_text="The version of the game at which the bot was asked."
    )
    kind = models.CharField(max_length=16, choices=Kind)
    cost = models.CharField(max_length=12, choices=Cost)
    sentences = models.JSONField(default=list, help_text="What happened, for the author: codes and their parameters.")
    evidence = models.JSONField(default=dict)
    stderr = models.TextField(blank=True, help_text="The end of the bot's standard error; only for its author.")

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["bot_version", "-at"], name="fault_by_version"),
            models.Index(fields=["-at"], name="fault_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.bot_version}: {self.get_kind_display()}"

    @property
    def sentence(self) -> str:
        """What happened, in the reader's language."""
        return text(self.sentences)


class RematchWish(models.Model):
    """Whether a player of a finished game wants another one like it."""

    table_source = Primary("What players want after a game. It changes no game, so it is no event.")

    game = models.ForeignKey(Game, models.CASCADE, related_name="rematch_wishes")
    seat = models.PositiveSmallIntegerField()
    wanted = models.BooleanField()
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "rematch offers"
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="one_rematch_wish_a_seat")]

    def __str__(self) -> str:
        return f"rematch of {self.game}, seat {self.seat}"
