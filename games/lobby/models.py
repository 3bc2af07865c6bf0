"""The rows of tables that wait for a game."""

from __future__ import annotations

import secrets

from django.db import models
from django.db.models import Q

from games.common.table_source import Primary

TOKEN_BYTES = 12


def new_token() -> str:
    """Return a name that nobody can guess: 96 random bits."""
    return secrets.token_urlsafe(TOKEN_BYTES)


class OpenTable(models.Model):
    """A table with seats for one game, from its set-up until the game is opened or nobody waits any more."""

    table_source = Primary("An offer of a person. It has no log, because no game has begun.")

    class Access(models.TextChoices):
        LISTED = "listed"  # anybody may sit down, and the table is listed
        LINK = "link"  # anybody with the link may sit down
        INVITED = "invited"  # only people whom the host has invited may sit down

    class Order(models.TextChoices):
        LOT = "lot"  # the deal's seed decides who sits where
        CHAIRS = "chairs"  # chair n is seat n

    class Status(models.TextChoices):
        WAITING = "waiting"  # waits for people to sit down
        CHECKING = "checking"  # every seat is taken; people who waited long must say “I am here”
        OPENED = "opened"
        CLOSED = "closed"  # by its host, or because nobody was left to play
        EXPIRED = "expired"

    token = models.CharField(max_length=24, unique=True, default=new_token)
    kind = models.CharField(max_length=20)
    chairs_wanted = models.PositiveSmallIntegerField(help_text="Number of players.")
    options = models.JSONField(default=dict, help_text="Complete, as the game will use them.")
    terms = models.JSONField(default=dict, help_text="Complete, as the game will use them.")
    access = models.CharField(max_length=10, choices=Access)
    order = models.CharField(max_length=10, choices=Order, default=Order.LOT)
    host = models.ForeignKey("games.Player", models.CASCADE, related_name="tables")
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    created = models.DateTimeField()
    expires = models.DateTimeField()
    check_until = models.DateTimeField(
        null=True, blank=True, help_text="Players must confirm by this time that they are here."
    )
    game = models.OneToOneField("games.Game", models.SET_NULL, null=True, blank=True, related_name="table")
    settled_at = models.DateTimeField(
        null=True, blank=True, help_text="When the game of a rated table was rated, or found not to count."
    )

    class Meta:
        ordering = ["-created", "-id"]
        indexes = [
            models.Index(fields=["expires"], condition=Q(status__in=["waiting", "checking"]), name="table_that_waits"),
            models.Index(fields=["game"], condition=Q(terms__rated=True, settled_at=None), name="table_to_rate"),
        ]

    def __str__(self) -> str:
        return f"table {self.token}"

    @property
    def is_on(self) -> bool:
        """Whether people still wait there."""
        return self.status in (self.Status.WAITING, self.Status.CHECKING)


class Seeker(models.Model):
    """Somebody who waits for a game now (`games.lobby.seekers`). `game` is the one that has begun with them."""

    table_source = Primary("What a person waits for. It has no log, because no game has begun.")

    player = models.OneToOneField("games.Player", models.CASCADE, related_name="seeker")
    kind = models.CharField(max_length=20)
    pace = models.CharField(max_length=10)
    rating = models.FloatField()
    rated = models.BooleanField(default=False, help_text="Whether the game shall be rated, if the other wants it too.")
    created = models.DateTimeField()
    seen_at = models.DateTimeField(help_text="The last sign of the page or program that waits.")
    game = models.ForeignKey("games.Game", models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["created", "id"]
        indexes = [models.Index(fields=["kind", "pace"], name="seeker_by_wish")]

    def __str__(self) -> str:
        return f"{self.player} waits for {self.kind}"


class Chair(models.Model):
    """A seat that is taken, or kept for an invited person."""

    table_source = Primary("Who sits at an offered table. It has no log, because no game has begun.")

    table = models.ForeignKey(OpenTable, models.CASCADE, related_name="chairs")
    number = models.PositiveSmallIntegerField(help_text="0, 1, … in the order of the page.")
    player = models.ForeignKey("games.Player", models.CASCADE, related_name="chairs")
    taken_at = models.DateTimeField(null=True, blank=True, help_text="Empty: reserved for an invited player.")
    ready = models.BooleanField(default=False, help_text="Confirmed “I am here” after all seats were taken.")

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="one_player_a_chair"),
            models.UniqueConstraint(fields=["table", "player"], name="one_chair_a_player"),
        ]

    def __str__(self) -> str:
        return f"chair {self.number} of table {self.table_id}"
