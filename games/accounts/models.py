"""The rows around a person's account."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.sessions.base_session import AbstractBaseSession
from django.contrib.sessions.models import SessionManager
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from games.accounts.mail_outbox import MailRow
from games.common.outbox import OutboxRow, SendState
from games.common.table_source import Primary
from scorebook_games.presentation.coded_text import text


class Profile(models.Model):
    """A person's choices.

    `games.accounts.people.create_profile_and_player` makes one for every user, and a `Player`.
    """

    table_source = Primary("What a person chose.")

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="profile")
    zone = models.CharField(
        max_length=60, blank=True, help_text="Such as Europe/Dublin. Empty: the browser's time zone."
    )
    language = models.CharField(max_length=12, blank=True, help_text="Such as de. Empty: the browser's language.")
    guest = models.BooleanField(default=False, help_text="Plays without an account, in unrated games only.")
    mails = models.JSONField(
        default=dict, blank=True, help_text="Email choices that differ from the defaults, by subject."
    )
    pushes = models.JSONField(
        default=dict,
        blank=True,
        help_text="Choices about notices on devices that differ from the defaults, by subject.",
    )
    quiet_from = models.TimeField(null=True, blank=True, help_text="When quiet hours begin, in the person's zone.")
    quiet_until = models.TimeField(null=True, blank=True, help_text="When they end.")
    reminders = models.JSONField(
        default=dict, blank=True, help_text="Reminders that differ from the defaults, in minutes, by subject."
    )
    shortcuts = models.JSONField(
        default=dict, blank=True, help_text="Keyboard shortcuts that differ from the defaults."
    )

    class Meta:
        indexes = [models.Index(fields=["user"], condition=Q(guest=True), name="profile_of_guest")]

    def __str__(self) -> str:
        return f"profile of {self.user}"


class DatasetConsent(models.Model):
    """A person's decision about the dataset, with its time: one row for each change, of which the newest counts.

    Without a row they have not consented.
    """

    table_source = Primary("What a person decided. Rows are only added.")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="dataset_consents")
    given = models.BooleanField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"dataset consent of {self.user}"


class Notice(MailRow):
    """A notice to a person, on the site and maybe by email. It holds no names; they are filled in when it is shown.

    The email is sent by `games.accounts.mail.NOTICE_MAILS`.
    """

    table_source = Primary(
        "What a person was told, and whether the email was sent. It may be deleted with the account."
    )

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notices")
    subject = models.CharField(max_length=30, help_text="The code of the subject.")
    game = models.ForeignKey("games.Game", models.CASCADE, null=True, blank=True, related_name="notices")
    by = models.ForeignKey("games.Player", models.CASCADE, null=True, blank=True, related_name="+")
    sentences = models.JSONField(default=list, blank=True, help_text="What it says: codes and their parameters.")
    url = models.CharField(max_length=200, blank=True)
    about_at = models.DateTimeField(
        null=True, blank=True, help_text="The time that the notice is about; no email is sent after it."
    )
    key = models.CharField(
        max_length=100, help_text="Identifies the notice; a second one with the same key is not written."
    )
    created = models.DateTimeField()
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="told_once")]
        indexes = [
            models.Index(fields=["user"], condition=Q(seen_at=None), name="notice_unseen"),
            models.Index(fields=["send_at"], condition=Q(send_state__in=["due", "sending"]), name="notice_to_mail"),
            models.Index(
                fields=["send_at"], condition=Q(send_state__in=["unsure", "failed"]), name="notice_not_mailed"
            ),
        ]

    def __str__(self) -> str:
        return f"notice to {self.user}"

    @property
    def text(self) -> str:
        """What its sentences say, in the reader's language. The words of its subject may say more."""
        return text(self.sentences)

    @property
    def stopped(self) -> bool:
        """Whether its email will not be sent any more."""
        return self.send_state not in (SendState.DUE, SendState.SENDING)


class PushDevice(models.Model):
    """A browser in which a person gets notices by Web Push: its address at its push service, and its keys."""

    table_source = Primary("An address and keys that a person's browser made.")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="push_devices")
    endpoint = models.CharField(max_length=500, unique=True)
    p256dh = models.CharField(max_length=100, help_text="The browser's public key (RFC 8291).")
    auth = models.CharField(max_length=30, help_text="The secret that it shares with us (RFC 8291).")
    name = models.CharField(max_length=60, blank=True)
    created = models.DateTimeField()
    failing_since = models.DateTimeField(null=True, blank=True, help_text="Since when its push service fails.")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"device of {self.user}"


class PushMessage(OutboxRow):
    """A notice on its way to a device, sent by `games.accounts.push.delivery.PUSH_MESSAGES`."""

    table_source = Primary("What was sent, and what waits to be sent.")

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="push_messages")
    device = models.ForeignKey(PushDevice, models.CASCADE, related_name="messages")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["notice", "device"], name="pushed_once")]
        indexes = [
            models.Index(fields=["send_at"], condition=Q(send_state__in=["due", "sending"]), name="push_to_send"),
        ]

    def __str__(self) -> str:
        return f"message {self.pk}"


class AccessToken(models.Model):
    """A secret by which a program uses the API for its owner or, with a `bot`, plays as that remote bot.

    The secret is shown once. Its SHA-256 is stored, and found by the public `prefix`.
    """

    table_source = Primary("A secret of a person, as its hash.")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="access_tokens")
    bot = models.ForeignKey("games.Bot", models.CASCADE, null=True, blank=True, related_name="access_tokens")
    name = models.CharField(max_length=60)
    scopes = ArrayField(models.CharField(max_length=10), help_text="What the token may do, as codes.")
    prefix = models.CharField(max_length=8, unique=True)
    digest = models.BinaryField(help_text="SHA-256 of the secret.")
    created = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True, help_text="Updated at most once a minute.")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} (sb_{self.prefix}…)"


class Session(AbstractBaseSession):
    """A login in one browser with its user, so that all logins of a person can be ended."""

    table_source = Primary("A login. Deleting it logs out.")

    user_id = models.BigIntegerField(null=True, db_index=True)

    objects: SessionManager[Any] = SessionManager()  # type: ignore[misc]

    @classmethod
    def get_session_store_class(cls) -> Any:
        """Return the session store of the settings, from `games.accounts.sessions`, which needs this model."""
        return import_module(settings.SESSION_ENGINE).SessionStore


class Sanction(models.Model):
    """What an admin has done about a person, and why.

    A mute or ban lasts until `until`, for ever without it, or until an admin ends it; a warning lasts until its
    `seen_at`. The person may object once, and gets an answer.
    """

    table_source = Primary("What an admin decided, in words.")

    class Kind(models.TextChoices):
        WARNING = "warning", gettext_lazy("warning")
        MUTE = "mute", gettext_lazy("mute")
        BAN = "ban", gettext_lazy("ban")

    kind = models.CharField(max_length=10, choices=Kind)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="sanctions")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.TextField(help_text="The person can read it.")
    created = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True, help_text="When the person confirmed that they had read it.")
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
        return f"{self.kind} of {self.user}"


class ReservedName(models.Model):
    """A name that an admin took away.

    Nobody can have it, or one that looks like it. Its former owner still logs in by it.
    """

    table_source = Primary("What an admin decided.")

    key = models.CharField(
        max_length=200, unique=True, help_text="The name without what only a second look notices, such as case."
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    since = models.DateTimeField()

    def __str__(self) -> str:
        return self.key


class SiteState(models.Model):
    """Decisions for the platform as a whole, in one row; see `games.accounts.signup_switch`."""

    table_source = Primary("What an admin decided.")

    signup_closed_at = models.DateTimeField(null=True, blank=True)
    signup_reason = models.TextField(blank=True, help_text="Shown on the sign-up page while sign-up is closed.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="one_site_state")]

    def __str__(self) -> str:
        return "platform"
