"""Times that are charged to nobody's clock."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.common.table_source import Primary


class Vacation(models.Model):
    """Whole days on which a person does not play. Clocks stand still in correspondence games that allow it."""

    table_source = Primary("What a person announced.")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="vacations")
    start = models.DateField(help_text="The first day.")
    end = models.DateField(help_text="The last day.")
    zone = models.CharField(
        max_length=60, help_text="Time zone of these days: the person's own when the vacation was added."
    )
    announced_at = models.DateTimeField()

    class Meta:
        ordering = ["start"]
        constraints = [models.CheckConstraint(condition=Q(start__lte=models.F("end")), name="vacation_has_a_day")]

    def __str__(self) -> str:
        return f"vacation of {self.user}, {self.start} to {self.end}"


class Heartbeat(models.Model):
    """When a part of the platform last reported that it runs: "web", which takes moves, or "beat", which checks clocks.

    "beat_sent" is when beat last sent its task; whether a worker ran it is another matter.
    """

    table_source = Primary("When a part of the platform last ran.")

    part = models.CharField(max_length=10, unique=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.part


class PlatformOutage(models.Model):
    """A time in which a part of the platform did not run. It is charged to nobody's clock."""

    table_source = Primary("When a part of the platform did not run. Clocks depend on it.")

    part = models.CharField(max_length=10)
    start = models.DateTimeField()
    end = models.DateTimeField(db_index=True)
    settled = models.BooleanField(default=False, help_text="The games' deadlines have been recalculated.")

    class Meta:
        ordering = ["start"]

    def __str__(self) -> str:
        return f"{self.part} was down from {self.start} to {self.end}"
