"""The rows of moderation.

Texts by people and admins are only in these rows. Notices and logs hold ids.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from games.common.table_source import Primary


class Report(models.Model):
    """A report to the admins about a person, a bot or a text. Only the admins learn who reported.

    `target` is a code of `games.moderation.reports.TARGETS`, `target_id` is the row's id, and `about` is the
    responsible user.
    """

    table_source = Primary("What people reported, in their words.")

    class Cause(models.TextChoices):
        NAME = "name", gettext_lazy("An offensive name")
        WORDS = "words", gettext_lazy("Offensive or false words")
        HARASSMENT = "harassment", gettext_lazy("Harassment or threats")
        CHEATING = "cheating", gettext_lazy("Cheating or arranged results")
        SPAM = "spam", gettext_lazy("Advertising or spam")
        OTHER = "other", gettext_lazy("Something else")

    class State(models.TextChoices):
        OPEN = "open", gettext_lazy("waiting for an admin")
        UPHELD = "upheld", gettext_lazy("upheld: an admin has acted")
        DISMISSED = "dismissed", gettext_lazy("dismissed: no action was taken")

    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="reports")
    target = models.CharField(max_length=20)
    target_id = models.BigIntegerField()
    about = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    cause = models.CharField(max_length=12, choices=Cause)
    words = models.TextField(blank=True)
    created = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    answer = models.TextField(blank=True, help_text="Message to the reporter.")
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
        return f"{self.get_cause_display()}: {self.target} {self.target_id}"


class ImpersonationSession(models.Model):
    """An admin sees the pages that somebody sees, to help: for a while, without changes and without that person's
    secrets.

    See `games.moderation.impersonation`.
    """

    table_source = Primary("An audit of what admins saw.")

    admin = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="impersonation_sessions")
    reason = models.TextField()
    created = models.DateTimeField()
    until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"support view of {self.user}"


class ImpersonationPageView(models.Model):
    """One page or API response that was seen in impersonation."""

    table_source = Primary("An audit of what admins saw.")

    view = models.ForeignKey(ImpersonationSession, models.CASCADE, related_name="page_views")
    path = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.path
