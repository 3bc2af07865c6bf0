"""Workers, and how long bots took to answer."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from games.common.table_source import Primary
from games.models import BotVersion


class Worker(models.Model):
    """A process that plays games, and when it last reported."""

    table_source = Primary("Which processes run. Workers write it again when they report.")

    name = models.CharField(max_length=80, unique=True)
    started_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField(db_index=True)
    games_played = models.PositiveIntegerField(default=0)
    stopped_at = models.DateTimeField(null=True, blank=True)
    queues = ArrayField(
        models.CharField(max_length=40), default=list, blank=True, help_text="The queues that it takes work from."
    )
    tier = models.CharField(
        max_length=4, blank=True, help_text="Tier of its sandbox: A, none, or empty if it has no sandbox."
    )
    tier_reason = models.TextField(blank=True)
    policy_hash = models.CharField(max_length=64, blank=True)
    attacks = models.PositiveSmallIntegerField(default=0, help_text="Checks of its sandbox, made at start.")
    attacks_held = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class BotResponseTimes(models.Model):
    """How many answers a version gave in one game with one worker, and the wall time of each in ms."""

    table_source = Primary("Measurements. The log has no processor times.")

    bot_version = models.ForeignKey(BotVersion, models.CASCADE, related_name="response_times")
    game = models.ForeignKey("games.Game", models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    at = models.DateTimeField()
    times = ArrayField(models.FloatField(), help_text="Wall time of each answer in ms.")
    slowest_at = models.PositiveIntegerField(
        null=True, help_text="The version of the game at which the slowest answer was asked for."
    )
    cpu_ms = models.PositiveIntegerField(default=0, help_text="Processor time of all answers in ms.")

    class Meta:
        indexes = [models.Index(fields=["bot_version", "-at"], name="ask_by_version")]

    def __str__(self) -> str:
        return f"{len(self.times)} answers of {self.bot_version_id}"
