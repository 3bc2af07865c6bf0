"""Actions that admins have done."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.common.table_source import Primary
from scorebook_games.presentation.coded_text import text


class AdminAction(models.Model):
    """What an admin did, and why. `games.admin_actions.registry.perform` writes it in the transaction of the action.

    Triggers prevent that it is changed or deleted. So it names people by ids, which remain when an account is deleted.
    Select `by` with the row; it is None then.
    """

    table_source = Primary("The audit log of admins. Rows are only added.")

    at = models.DateTimeField(db_index=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, related_name="admin_actions", db_constraint=False
    )
    action = models.CharField(max_length=40, help_text="The code of the action.")
    target_type = models.CharField(max_length=20, blank=True, help_text="game, bot-version …; empty: the platform.")
    target_id = models.CharField(
        max_length=200, blank=True, help_text="Id of the target: a game's public id, a user's id."
    )
    fields = models.JSONField(
        default=dict, blank=True, help_text="Further fields of the request; names and addresses as hashes."
    )
    reason = models.TextField()
    sentences = models.JSONField(default=list, help_text="The result: codes and their parameters.")
    old_outcome = models.TextField(
        blank=True, default="", db_column="outcome", help_text="The result of an action from before `sentences`."
    )
    key = models.CharField(max_length=64, blank=True, help_text="Idempotency key of the form or the caller.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["by", "key"], condition=~Q(key=""), name="one_admin_action_a_key")
        ]
        indexes = [models.Index(fields=["target_type", "target_id"], name="admin_action_of_target")]

    def __str__(self) -> str:
        return f"{self.action.replace('_', ' ')} {self.target_id}".strip()

    @property
    def outcome(self) -> str:
        """The result, in the reader's language."""
        return text(self.sentences) or self.old_outcome
