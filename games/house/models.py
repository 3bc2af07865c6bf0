"""The rows of the house itself. They belong to the app `games`, whose `models` brings them in."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class AdminAction(models.Model):
    """What an admin did, and why: written in the transaction that did it, by `games.admin_actions.perform`."""

    at = models.DateTimeField(db_index=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="admin_actions")
    action = models.CharField(max_length=40, help_text="Its code in games.admin_actions.")
    target_type = models.CharField(max_length=20, blank=True, help_text="game, bot-version …; empty: the house.")
    target_id = models.CharField(max_length=200, blank=True, help_text="As people name it: a game's public id.")
    fields = models.JSONField(default=dict, blank=True, help_text="What else was asked for, as it was sent.")
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
