"""Clubs, memberships, and the rows around them: requests, invitations, news, and the log of changes."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.accounts.mail_outbox import MailRow
from games.common.table_source import Primary
from games.talk.switch import TalkSwitch


class Club(models.Model):
    """A club. `tournaments.clubs.permissions` decides who sees it. An archived club is read-only."""

    table_source = Primary("What the owner entered.")

    class Visibility(models.TextChoices):
        PUBLIC = "public"
        PRIVATE = "private"

    class Joining(models.TextChoices):
        OPEN = "open"
        ASK = "ask"
        INVITED = "invited"

    name = models.CharField(max_length=60, unique=True)
    slug = models.SlugField(max_length=60, unique=True)
    about = models.TextField(blank=True)
    rules = models.TextField(blank=True, help_text="The club's rules for its members, in its own words.")
    zone = models.CharField(max_length=40, default="UTC", help_text="The club's time zone, such as Europe/Dublin.")
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.PUBLIC)
    joining = models.CharField(
        max_length=10, choices=Joining, default=Joining.ASK, help_text="How people become members."
    )
    talk = models.CharField(
        max_length=10,
        choices=TalkSwitch,
        default=TalkSwitch.ON,
        help_text="What may be written in the club's games and seasons: nothing, quick phrases, or any text.",
    )
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="clubs")
    offered_to = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The member to whom the club is offered.",
    )
    created = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_private(self) -> bool:
        return self.visibility == self.Visibility.PRIVATE


class Membership(models.Model):
    """A person's membership of a club; its role decides what they may do there (`tournaments.clubs.permissions`)."""

    table_source = Primary("Who belongs to a club, in which role.")

    class Role(models.TextChoices):
        OWNER = "owner"
        ORGANISER = "organiser"
        MEMBER = "member"

    club = models.ForeignKey(Club, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created", "id"]
        constraints = [
            models.UniqueConstraint(fields=["club", "user"], name="one_role_a_club"),
            models.UniqueConstraint(fields=["club"], condition=Q(role="owner"), name="one_owner_a_club"),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.club}"


class JoinRequest(models.Model):
    """A request to join a club, open until it is answered or withdrawn."""

    table_source = Primary("What a person asked for, in words.")

    class State(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        DECLINED = "declined"
        WITHDRAWN = "withdrawn"

    club = models.ForeignKey(Club, models.CASCADE, related_name="requests")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="join_requests")
    words = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    created = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["created", "id"]
        constraints = [
            models.UniqueConstraint(fields=["club", "user"], condition=Q(state="open"), name="one_open_request")
        ]

    def __str__(self) -> str:
        return f"{self.user} asks to join {self.club}"


class Invitation(MailRow):
    """A secret that makes a person a member: a link to pass on, or one sent to an email address.

    The secret is shown once. Only its SHA-256 is stored, and found by the public `prefix`. The secret of an email is
    created when it is sent (`tournaments.clubs.invitation_mail`). `address` is a keyed hash of the email address, which
    is deleted as soon as the invitation is no longer valid.
    """

    table_source = Primary("A secret for a person, as its hash, and its email.")

    club = models.ForeignKey(Club, models.CASCADE, related_name="invitations")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    prefix = models.CharField(max_length=8, unique=True)
    digest = models.BinaryField(help_text="SHA-256 of the secret.")
    max_uses = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="People who may use it; empty: any number."
    )
    used = models.PositiveIntegerField(default=0)
    created = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    declined = models.BooleanField(default=False, help_text="Declined by the holder of the link.")

    email = models.EmailField(blank=True)
    address = models.CharField(max_length=64, blank=True, db_index=True)
    sends = models.PositiveSmallIntegerField(default=0, help_text="Number of emails sent or to be sent.")

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(
                fields=["send_at"],
                condition=Q(send_state__in=["due", "sending", "unsure", "failed"]),
                name="invitation_to_mail",
            ),
            models.Index(fields=["email"], condition=~Q(email=""), name="invitation_by_email"),
        ]

    def __str__(self) -> str:
        return f"invitation {self.prefix}… to {self.club}"

    @property
    def by_mail(self) -> bool:
        return self.address != ""


class ClubPost(models.Model):
    """News of a club, plain text. `announced`: its members have been notified."""

    table_source = Primary("What organisers wrote.")

    club = models.ForeignKey(Club, models.CASCADE, related_name="posts")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    title = models.CharField(max_length=80)
    text = models.TextField()
    created = models.DateTimeField()
    edited_at = models.DateTimeField(null=True, blank=True)
    announced = models.BooleanField(default=False)

    class Meta:
        ordering = ["-created", "-id"]
        indexes = [models.Index(fields=["id"], condition=Q(announced=False), name="post_unannounced")]

    def __str__(self) -> str:
        return self.title


class ClubEvent(models.Model):
    """A change in a club: `by` did `type` to `about`. `data` holds ids and choices, `reason` what `by` wrote; the
    reason is blanked when the person it is about deletes the account."""

    table_source = Primary("The audit log of a club. Rows are only added.")

    class Type(models.TextChoices):
        FOUNDED = "founded"
        CHANGED = "changed"
        JOINED = "joined"
        LEFT = "left"
        REMOVED = "removed"
        ROLE_GIVEN = "role_given"
        ASKED = "asked"
        DECLINED = "declined"
        INVITED = "invited"
        RESENT = "resent"
        REVOKED = "revoked"
        POSTED = "posted"
        EDITED = "edited"
        DELETED = "deleted"
        OFFERED = "offered"
        OFFER_ENDED = "offer_ended"
        TRANSFERRED = "transferred"
        ARCHIVED = "archived"
        UNARCHIVED = "unarchived"

    club = models.ForeignKey(Club, models.CASCADE, related_name="events")
    type = models.CharField(max_length=12, choices=Type)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    about = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    data = models.JSONField(default=dict)
    reason = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.type} in {self.club}"
