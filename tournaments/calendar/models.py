"""The rows of agreed times and of calendars."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q

from games.common.table_source import Primary


class Proposal(models.Model):
    """Times that one entrant of a match offers the others. A row never changes, except to record how it ended, so that
    all proposals show how a time was found."""

    table_source = Primary("How players looked for a time. The time that they found is an event of the season.")

    class Status(models.TextChoices):
        OPEN = "open"
        AGREED = "agreed"
        DECLINED = "declined"
        COUNTERED = "countered"
        WITHDRAWN = "withdrawn"
        LAPSED = "lapsed"

    match = models.ForeignKey("seasons.Match", models.CASCADE, related_name="proposals")
    by = models.ForeignKey("seasons.Entrant", models.CASCADE, related_name="proposals")
    times = ArrayField(models.DateTimeField(), help_text="In the order of the proposal.")
    made_at = models.DateTimeField()
    answer_by = models.DateTimeField(help_text="The proposal cannot be accepted after this time.")
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    closed_at = models.DateTimeField(null=True, blank=True)
    chosen = models.DateTimeField(null=True, blank=True, help_text="The accepted time.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["match"], condition=Q(status="open"), name="one_proposal_at_a_time")
        ]

    def __str__(self) -> str:
        return f"proposal of {self.by} for match {self.match_id}"


class ProposalAnswer(models.Model):
    """Another entrant's answer to a proposal: the accepted times; none declines."""

    table_source = Primary("How players looked for a time. The time that they found is an event of the season.")

    proposal = models.ForeignKey(Proposal, models.CASCADE, related_name="answers")
    entrant = models.ForeignKey("seasons.Entrant", models.CASCADE, related_name="+")
    times = ArrayField(models.DateTimeField())
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["proposal", "entrant"], name="one_answer_a_proposal")]

    def __str__(self) -> str:
        return f"answer of {self.entrant}"


class CalendarEntry(models.Model):
    """A calendar entry as it was last shown. It remembers what the season does not: how often it moved, and that it
    existed. It holds no names; these are added when it is shown."""

    table_source = Primary("What calendar programs were last shown, and how often it moved. No event says so.")

    key = models.CharField(max_length=60, unique=True, help_text="Such as match-17 or season-3-round-2.")
    uid = models.UUIDField(unique=True, help_text="Permanent identifier for calendar programs.")
    club = models.ForeignKey("clubs.Club", models.CASCADE, related_name="calendar_entries")
    season = models.ForeignKey(
        "seasons.Season", models.SET_NULL, null=True, blank=True, related_name="calendar_entries"
    )
    match = models.ForeignKey("seasons.Match", models.SET_NULL, null=True, blank=True, related_name="calendar_entries")
    round = models.PositiveSmallIntegerField()
    last = models.PositiveSmallIntegerField(
        default=0, help_text="The last of several rounds. For a single round: 0 or `round`."
    )
    table = models.PositiveSmallIntegerField(default=0, help_text="0 for a round.")
    what = models.CharField(
        max_length=10, help_text="round, match (start), deadline (end of the time to play) or absence."
    )
    players = ArrayField(models.IntegerField(), default=list, help_text="Ids of its players.")
    begins = models.DateTimeField()
    ends = models.DateTimeField()
    sequence = models.PositiveIntegerField(default=0)
    created = models.DateTimeField()
    modified = models.DateTimeField()
    cancelled = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "calendar entries"
        ordering = ["begins", "pk"]
        indexes = [
            GinIndex(fields=["players"], name="calendar_of_players"),
            models.Index(fields=["club", "begins"], name="calendar_of_club"),
        ]

    def __str__(self) -> str:
        return self.key


class CalendarState(models.Model):
    """The version of a season's stream at which its calendar entries were made. This row is the lock for updating
    them."""

    table_source = Primary("Up to which event the calendar entries of a season were made.")

    season = models.OneToOneField("seasons.Season", models.CASCADE, related_name="calendar_state")
    version = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"calendar of {self.season}"


class CalendarAddress(models.Model):
    """The secret part of the address of a person's calendar feed. The secret is shown once and kept as its SHA-256; a
    new one revokes the old one."""

    table_source = Primary("A secret of a person, as its hash.")

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="calendar_address")
    digest = models.BinaryField(unique=True)
    created = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True, help_text="Updated at most once an hour.")

    class Meta:
        verbose_name_plural = "calendar addresses"

    def __str__(self) -> str:
        return f"calendar address of {self.user}"
