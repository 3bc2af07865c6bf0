"""The rows of webhooks."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from games.common.outbox import OutboxRow
from games.common.table_source import Primary
from scorebook_games.presentation.coded_text import text
from tournaments.webhooks.channels import CHANNELS, ChannelKind


def new_nonce() -> str:
    """Return 16 random bytes, in hex."""
    return secrets.token_hex(16)


def new_message_id() -> str:
    """Return the id of a message, which stays the same when it is sent again."""
    return f"msg_{secrets.token_hex(12)}"


class Webhook(models.Model):
    """An address that receives messages about a club, one of its seasons, or the games of a person (`user`).

    The secret is not stored: it is computed from the nonce and the platform's own key (`signing`).
    """

    table_source = Primary("An address that a person entered, and its secret.")

    class Off(models.TextChoices):
        NONE = "", _("on")
        OWNER = "owner", _("switched off by its owner")
        SILENT = "silent", _("failed for days")
        GONE = "gone", _("answered that it is gone")
        ADMIN = "admin", _("switched off by an admin")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="webhooks",
        help_text="The player whose games are reported.",
    )
    club = models.ForeignKey("clubs.Club", models.CASCADE, null=True, blank=True, related_name="webhooks")
    season = models.ForeignKey(
        "seasons.Season",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="webhooks",
        help_text="Only this season; empty: all.",
    )
    channel = models.CharField(max_length=10, choices=ChannelKind, default=ChannelKind.PROGRAM)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    url = models.CharField(max_length=500)
    events = ArrayField(models.CharField(max_length=20))
    nonce = models.CharField(max_length=32, default=new_nonce, editable=False)
    old_nonce = models.CharField(max_length=32, blank=True, editable=False)
    old_until = models.DateTimeField(
        null=True, blank=True, help_text="Messages are signed by both secrets until this time."
    )
    created = models.DateTimeField()
    events_since = models.DateTimeField(help_text="Earlier events are not sent.")
    discovered_until = models.DateTimeField(help_text="Earlier events have been found, except for late commits.")
    off = models.CharField(max_length=10, choices=Off, default=Off.NONE, blank=True)
    failures = models.PositiveIntegerField(default=0, help_text="Consecutive failed attempts.")
    failing_since = models.DateTimeField(null=True, blank=True)
    retry_at = models.DateTimeField(null=True, blank=True, help_text="No attempt is made before this time.")
    taken_at = models.DateTimeField(null=True, blank=True, help_text="When it last accepted a message.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(user=None, club__isnull=False) | Q(user__isnull=False, club=None, season=None),
                name="webhook_of_one",
            )
        ]
        indexes = [models.Index(fields=["id"], condition=Q(off=""), name="webhook_on")]

    def __str__(self) -> str:
        return self.shown_url

    @property
    def shown_url(self) -> str:
        """The address as it is shown: shortened if it is a secret."""
        return CHANNELS[self.channel].shown(self.url)

    @property
    def signed(self) -> bool:
        """Whether its messages are signed by a secret, as those to programs are."""
        return CHANNELS[self.channel].signed


class Delivery(OutboxRow):
    """A message for a webhook, sent by `tournaments.webhooks.delivery`. `about` is the id of its subject, so that it is
    created once."""

    table_source = Primary("What was sent, and what waits to be sent.")

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    message_id = models.CharField(max_length=40, unique=True, default=new_message_id)
    type = models.CharField(max_length=20)
    about = models.PositiveBigIntegerField(null=True, blank=True, help_text="Id of the game, round or season.")
    body = models.TextField(help_text="The body, exactly as sent.")
    created = models.DateTimeField(db_index=True)
    log = models.JSONField(default=list, blank=True, help_text="For each attempt: at, ms, status, sentences.")

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["webhook", "type", "about"], name="webhook_told_once")]
        indexes = [
            models.Index(fields=["webhook", "send_at"], condition=Q(send_state="due"), name="delivery_due"),
            models.Index(fields=["send_at"], condition=Q(send_state="sending"), name="delivery_sending"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.message_id}"

    @property
    def attempts(self) -> list[dict[str, Any]]:
        """The attempts, the latest last, each with its `words` in the reader's language."""
        return [{**each, "words": text(each["sentences"])} for each in self.log]

    @property
    def last(self) -> dict[str, Any] | None:
        """The latest attempt."""
        return self.attempts[-1] if self.log else None
