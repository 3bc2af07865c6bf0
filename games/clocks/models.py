"""Times that count on nobody's clock."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class Vacation(models.Model):
    """Whole days on which a person does not play: clocks of games by correspondence stand still that allow it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="vacations")
    start = models.DateField(help_text="The first day.")
    end = models.DateField(help_text="The last day.")
    zone = models.CharField(max_length=60, help_text="Time zone of these days: the person's when they announced it.")
    announced_at = models.DateTimeField()

    class Meta:
        ordering = ["start"]
        constraints = [models.CheckConstraint(condition=Q(start__lte=models.F("end")), name="vacation_has_a_day")]

    def __str__(self) -> str:
        return f"vacation of {self.user_id}, {self.start} to {self.end}"


class Heartbeat(models.Model):
    """When a part of the platform last said that it runs: "web", which takes moves, "beat", which looks at clocks.

    Besides "beat_sent", when beat last asked for that; whether a worker came to it is another thing.
    """

    part = models.CharField(max_length=10, unique=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.part


class PlatformOutage(models.Model):
    """A time in which a part of the platform did not run: it counts on nobody's clock."""

    part = models.CharField(max_length=10)
    start = models.DateTimeField()
    end = models.DateTimeField(db_index=True)
    settled = models.BooleanField(default=False, help_text="The games' deadlines have been recalculated.")

    class Meta:
        ordering = ["start"]

    def __str__(self) -> str:
        return f"{self.part} was down from {self.start} to {self.end}"
