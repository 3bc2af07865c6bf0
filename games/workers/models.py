"""Who plays games, and what bots took to answer."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from games.models import BotVersion


class Worker(models.Model):
    """A process that plays games, and when it last said so."""

    name = models.CharField(max_length=80, unique=True)
    started_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField(db_index=True)
    games_played = models.PositiveIntegerField(default=0)
    stopped_at = models.DateTimeField(null=True, blank=True)
    queues = ArrayField(models.CharField(max_length=40), default=list, blank=True, help_text="That it takes work from.")
    tier = models.CharField(max_length=4, blank=True, help_text="Of its sandbox: A, none, or empty if it has none.")
    tier_reason = models.TextField(blank=True)
    policy_hash = models.CharField(max_length=64, blank=True)
    attacks = models.PositiveSmallIntegerField(default=0, help_text="That were made on its sandbox at its start.")
    attacks_held = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class BotResponseTimes(models.Model):
    """How long a version's answers took in one game, as one worker had it: how many, and each one's wall time in ms."""

    bot_version = models.ForeignKey(BotVersion, models.CASCADE, related_name="response_times")
    game = models.ForeignKey("games.Game", models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    at = models.DateTimeField()
    times = ArrayField(models.FloatField(), help_text="ms of wall time of each answer.")
    cpu_ms = models.PositiveIntegerField(default=0, help_text="ms of processor time of all of them.")

    class Meta:
        indexes = [models.Index(fields=["bot_version", "-at"], name="ask_by_version")]

    def __str__(self) -> str:
        return f"{len(self.times)} answers of {self.bot_version_id}"
