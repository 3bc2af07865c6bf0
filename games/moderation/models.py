"""The rows behind moderation. They belong to the app `games`, whose `models` brings them in.

Words that people and admins write stand here alone; notices and logs hold ids.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy


class Report(models.Model):
    """Somebody tells the admins of a person, a bot or something that was written. Nobody but the admins learns by
    whom.

    `target` is a code of `games.moderation.reports.TARGETS`, `target_id` the row's id; `about` is who answers for it.
    """

    class Cause(models.TextChoices):
        NAME = "name", gettext_lazy("An offensive name")
        WORDS = "words", gettext_lazy("Offensive or false words")
        HARASSMENT = "harassment", gettext_lazy("Harassment or threats")
        CHEATING = "cheating", gettext_lazy("Cheating or arranged results")
        SPAM = "spam", gettext_lazy("Advertising or spam")
        OTHER = "other", gettext_lazy("Something else")

    class State(models.TextChoices):
        OPEN = "open", gettext_lazy("waits for an admin")
        UPHELD = "upheld", gettext_lazy("an admin agreed, and has acted")
        DISMISSED = "dismissed", gettext_lazy("an admin looked, and did not act")

    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="reports")
    target = models.CharField(max_length=20)
    target_id = models.BigIntegerField()
    about = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    cause = models.CharField(max_length=12, choices=Cause)
    words = models.TextField(blank=True)
    created = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    answer = models.TextField(blank=True, help_text="What the reporter is told besides the state.")
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["by", "target", "target_id"], condition=Q(state="open"), name="one_open_report_a_target"
            )
        ]
        indexes = [
            models.Index(fields=["created"], condition=Q(state="open"), name="report_open"),
            models.Index(fields=["target", "target_id"], name="report_by_target"),
        ]

    def __str__(self) -> str:
        return f"report {self.pk} of {self.target} {self.target_id}"


class Measure(models.Model):
    """What an admin has done about a person, and why. A mute and a ban last `until` then, for good without that, or
    until an admin ends them; a warning until its `seen_at`. The person may object once, and is answered."""

    class Kind(models.TextChoices):
        WARNING = "warning", gettext_lazy("warning")
        MUTE = "mute", gettext_lazy("mute")
        BAN = "ban", gettext_lazy("ban")

    kind = models.CharField(max_length=10, choices=Kind)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="measures")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.TextField(help_text="The person reads it.")
    created = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True, help_text="When the person said that they had read it.")
    objection = models.TextField(blank=True)
    objected_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "kind"], condition=Q(ended_at=None) & ~Q(kind="warning"), name="one_measure_at_a_time"
            )
        ]
        indexes = [
            models.Index(fields=["until"], condition=Q(ended_at=None, until__isnull=False), name="measure_to_end"),
            models.Index(fields=["user"], condition=Q(kind="warning", seen_at=None), name="warning_unread"),
            models.Index(fields=["objected_at"], condition=~Q(objection="") & Q(answer=""), name="objection_open"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of user {self.user_id}"


class HeldName(models.Model):
    """A name that an admin took away: nobody has it, or one that looks like it. Who had it still logs in by it."""

    key = models.CharField(max_length=200, unique=True, help_text="games.accounts.names.name_key of the name.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    since = models.DateTimeField()

    def __str__(self) -> str:
        return self.key


class SupportView(models.Model):
    """An admin sees the pages that somebody sees, to help: for a while, without changing anything, and without what is
    that person's secret (`games.moderation.impersonation`)."""

    admin = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="support_views")
    reason = models.TextField()
    created = models.DateTimeField()
    until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"support view {self.pk} of user {self.user_id}"


class SupportLook(models.Model):
    """One page or answer that was looked at so."""

    view = models.ForeignKey(SupportView, models.CASCADE, related_name="looks")
    path = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.path
