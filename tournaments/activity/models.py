"""What was done by organisers: a row for each step that somebody took in running a season, made from its stream."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.models import Stream


class Act(models.Model):
    """A step that a person took in running a season: one event of its stream, or the several of one decision.

    `version` is the stream's after the first of `events`, `what` that one's type, `match` whom it was about if that
    was one. `key` is what whoever asked called it, so that it is done once. Never changed, never deleted (triggers hold
    it): select `by` with the row, which is None when the account is gone, whose id stays.
    """

    stream = models.ForeignKey(Stream, models.PROTECT, related_name="acts")
    version = models.PositiveIntegerField()
    what = models.CharField(max_length=30)
    events = models.JSONField()
    match = models.ForeignKey("tournaments.Match", models.PROTECT, null=True, related_name="acts")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, related_name="+", db_constraint=False
    )
    key = models.CharField(max_length=64, blank=True, help_text="What whoever asked called it: once a key.")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["stream", "version"], name="one_act_an_event"),
            models.UniqueConstraint(fields=["stream", "key"], condition=~Q(key=""), name="one_act_a_key"),
        ]

    def __str__(self) -> str:
        return f"{self.what} in stream {self.stream_id}"
