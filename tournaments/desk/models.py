"""Who did what in a season: a row for each event of its stream that somebody wrote by hand, for pages to list."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from games.models import Stream


class Act(models.Model):
    """A step that a person took in running a season. `event` is that of the stream, whose version after it is
    `version`."""

    stream = models.ForeignKey(Stream, models.CASCADE, related_name="acts")
    version = models.PositiveIntegerField()
    event = models.JSONField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["stream", "version"], name="one_act_an_event")]

    def __str__(self) -> str:
        return f"{self.event[0]} in stream {self.stream_id}"
