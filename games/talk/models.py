"""The rows of talk. They are deleted with the account of whoever wrote them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from games.common.table_source import Primary

TEXT_MAX_LENGTH = 300
NOTE_MAX_LENGTH = 2000


class Message(models.Model):
    """What somebody wrote in a room: the code of a quick phrase or a text.

    `place` is a code of `games.talk.rooms.ROOMS`, `place_id` the row's id. A removed message is shown without its text;
    admins still read it.
    """

    table_source = Primary("What people wrote to one another.")

    place = models.CharField(gettext_lazy("place"), max_length=12)
    place_id = models.BigIntegerField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="messages")
    phrase = models.CharField(max_length=20, blank=True, help_text="The code of a quick phrase; empty for a text.")
    text = models.CharField(max_length=TEXT_MAX_LENGTH, blank=True)
    created = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["place", "place_id", "id"], name="message_by_place"),
            models.Index(fields=["author", "created"], name="message_by_author"),
        ]
        constraints = [models.CheckConstraint(condition=~Q(phrase="", text=""), name="message_says_something")]

    def __str__(self) -> str:
        return f"message {self.pk}"


class PrivateNote(models.Model):
    """What somebody notes for themselves about a game or a person. Nobody else reads it."""

    table_source = Primary("What a person noted for themselves.")

    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="private_notes")
    game = models.ForeignKey("games.Game", models.CASCADE, null=True, blank=True, related_name="+")
    player = models.ForeignKey("games.Player", models.CASCADE, null=True, blank=True, related_name="+")
    text = models.TextField()
    changed = models.DateTimeField()

    class Meta:
        ordering = ["-changed", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["author", "game"], name="one_note_a_game"),
            models.UniqueConstraint(fields=["author", "player"], name="one_note_a_person"),
            models.CheckConstraint(
                condition=Q(game=None, player__isnull=False) | Q(game__isnull=False, player=None),
                name="note_about_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return f"note {self.pk}"


class PersonalMute(models.Model):
    """Somebody does not want to read the messages of a player. Only they know."""

    table_source = Primary("What a person chose not to read.")

    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="personal_mutes")
    player = models.ForeignKey("games.Player", models.CASCADE, related_name="+")
    created = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["by", "player"], name="one_mute_a_person")]

    def __str__(self) -> str:
        return f"mute {self.pk}"
