"""Rows that belong to no game: idempotency keys, rate limits, changes of tables, incidents."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from games.common import clock
from games.common.table_source import Primary
from scorebook_games.presentation.coded_text import text

KEY_RETENTION: Final = timedelta(days=2)


class SentRequest(models.Model):
    """The idempotency key of a request that was carried out, with its answer, which a repeated request gets again."""

    table_source = Primary("Idempotency keys. They are needed only while a client may repeat its request.")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    key = models.CharField(max_length=64)
    request = models.TextField(help_text="Hash of the request: method, address and body.")
    status = models.PositiveSmallIntegerField(default=0)
    answer = models.JSONField(null=True)
    created = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_request_a_key")]

    def __str__(self) -> str:
        return self.key

    @classmethod
    def delete_old(cls) -> int:
        """Delete the keys that nobody will send again; return how many."""
        return cls.objects.filter(created__lt=clock.now() - KEY_RETENTION).delete()[0]


class RateBucket(models.Model):
    """How much somebody has requested lately (`games.common.rate_limits`): when the bucket `key` is empty again."""

    table_source = Primary("How much somebody has requested lately.")

    key = models.CharField(max_length=80, primary_key=True)
    empty_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.key


class TableChange(models.Model):
    """A change of a table of which pages are made (`games.common.table_changes`). Triggers write it."""

    table_source = Primary("Which tables have changed, for rendered pages. It may be deleted.")

    name = models.CharField(max_length=63, help_text="Of the table.")
    at = models.DateTimeField(db_default=Now(), db_index=True)

    class Meta:
        indexes = [models.Index(fields=["name", "id"], name="change_of_table")]

    def __str__(self) -> str:
        return self.name


class Incident(models.Model):
    """Something that went wrong with a game or the platform, in sentences, for the admin's list of errors."""

    table_source = Primary("What went wrong, for admins.")

    class Cause(models.TextChoices):
        WORKER_LOST = "worker_lost", gettext_lazy("Worker lost")
        BOT_CRASHED = "crashed", gettext_lazy("Crashed")
        ILLEGAL_MOVE = "illegal_move", gettext_lazy("Illegal move")
        INFRASTRUCTURE = "infrastructure", gettext_lazy("Infrastructure")
        DISK_FULL = "disk_full", gettext_lazy("Disk full")

    at = models.DateTimeField(db_index=True)
    cause = models.CharField(max_length=20, choices=Cause)
    game = models.ForeignKey("games.Game", models.CASCADE, null=True, blank=True, related_name="incidents")
    player = models.ForeignKey("games.Player", models.SET_NULL, null=True, blank=True)
    sentences = models.JSONField(default=list, help_text="What happened: codes and their parameters.")
    detail = models.TextField(blank=True, help_text="Traceback or other details; for admins only.")
    times = models.PositiveIntegerField(default=1, help_text="How often it occurred; `at` is the last time.")

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return self.sentence

    @property
    def sentence(self) -> str:
        """What happened, in the reader's language."""
        return text(self.sentences)

    def plain(self) -> dict[str, Any]:
        return {"at": self.at, "cause": self.cause, "sentence": self.sentence}
