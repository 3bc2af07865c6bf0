"""The rows of the house itself. They belong to the app `games`, whose `models` brings them in."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy


class AdminAction(models.Model):
    """What an admin did, and why: written in the transaction that did it, by `games.admin_actions.registry.perform`.

    Never changed, never deleted (triggers hold it). So it names people by ids, which stay when the account goes: select
    `by` with the row, which is None then.
    """

    at = models.DateTimeField(db_index=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, related_name="admin_actions", db_constraint=False
    )
    action = models.CharField(max_length=40, help_text="Its code in games.admin_actions.registry.")
    target_type = models.CharField(max_length=20, blank=True, help_text="game, bot-version …; empty: the house.")
    target_id = models.CharField(max_length=200, blank=True, help_text="A game's public id; of a person, their id.")
    fields = models.JSONField(
        default=dict, blank=True, help_text="What else was asked for, as it was sent; of names and addresses a hash."
    )
    reason = models.TextField()
    outcome = models.TextField(help_text="What came of it, in a sentence.")
    key = models.CharField(max_length=64, blank=True, help_text="Of the form or the caller: done once.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["by", "key"], condition=~Q(key=""), name="one_admin_action_a_key")
        ]
        indexes = [models.Index(fields=["target_type", "target_id"], name="admin_action_of_target")]

    def __str__(self) -> str:
        return f"{self.action} {self.target_id}".strip()


class House(models.Model):
    """What is decided for the house as a whole: one row, see `games.accounts.signup_switch`."""

    signup_closed_at = models.DateTimeField(null=True, blank=True)
    signup_reason = models.TextField(blank=True, help_text="Why nobody can sign up: for who would like to.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="one_house")]

    def __str__(self) -> str:
        return "house"


class Job(models.Model):
    """Something long that an admin asked for, done by a worker: how far it is, and what came of it."""

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
    heard_at = models.DateTimeField(null=True, blank=True, help_text="When its worker last said how far it is.")
    finished_at = models.DateTimeField(null=True, blank=True)
    progress = models.CharField(max_length=200, blank=True)
    result = models.TextField(blank=True, help_text="What came of it; its last line says it in short.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["what"], condition=Q(state__in=["waiting", "running"]), name="one_job_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.pk}"


class Day(models.Model):
    """What happened in the house on one day (UTC), counted once when it was over, so that nobody counts it again."""

    day = models.DateField(unique=True)
    games = models.PositiveIntegerField(default=0, help_text="That were finished.")
    sign_ups = models.PositiveIntegerField(default=0)
    uploads = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0, help_text="Of the uploads, by now.")
    log_bytes = models.PositiveBigIntegerField(default=0, help_text="That the log holds on disk at its end.")

    class Meta:
        ordering = ["-day"]

    def __str__(self) -> str:
        return f"{self.day}"
