"""The rows of the platform itself."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from games.common.table_source import Primary
from scorebook_games.presentation.coded_text import text


class AdminJob(models.Model):
    """A long job that an admin requested, done by a worker: its progress and its result."""

    table_source = Primary("Work that an admin asked for, and its result. Deleting it loses the history of jobs only.")

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waiting")
        RUNNING = "running", gettext_lazy("running")
        DONE = "done", gettext_lazy("done")
        FAILED = "failed", gettext_lazy("failed")

    what = models.CharField(max_length=20)
    fields = models.JSONField(default=dict, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    asked_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True, blank=True)
    heard_at = models.DateTimeField(null=True, blank=True, help_text="When its worker last reported progress.")
    finished_at = models.DateTimeField(null=True, blank=True)
    progress = models.CharField(max_length=200, blank=True)
    sentences = models.JSONField(default=list, blank=True, help_text="The result in short: codes and their parameters.")
    result = models.TextField(blank=True, help_text="What was found, line by line.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["what"], condition=Q(state__in=["waiting", "running"]), name="one_job_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.pk}"

    @property
    def summary(self) -> str:
        """The result in short, in the reader's language."""
        return text(self.sentences)


class DailyCount(models.Model):
    """What happened on the platform on one day (UTC), counted once when it was over."""

    table_source = Primary("Counts of days whose details may be deleted since.")

    day = models.DateField(unique=True)
    games = models.PositiveIntegerField(default=0, help_text="Finished games.")
    sign_ups = models.PositiveIntegerField(default=0)
    uploads = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0, help_text="Uploads of the day that were refused.")
    log_bytes = models.PositiveBigIntegerField(default=0, help_text="Bytes of the log at the end of the day.")

    class Meta:
        ordering = ["-day"]

    def __str__(self) -> str:
        return f"{self.day}"
