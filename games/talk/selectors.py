"""What somebody reads in a room, and what they keep for themselves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.models import Game, Player
from games.play import services as play
from games.talk.models import Message, PersonalMute, PrivateNote
from games.talk.phrases import PHRASES
from games.talk.rooms import Room

MAX_SHOWN: Final = 100  # of a room on its page


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message as its reader sees it. `words` is empty if it was removed."""

    pk: int
    player: Player | None
    is_mine: bool
    words: str
    phrase: str
    is_removed: bool
    created: datetime
    may_remove: bool

    @property
    def may_report(self) -> bool:
        """Whether the reader may report it or mute its author."""
        return not self.is_mine and self.player is not None


def messages_in(room: Room, reader: User) -> QuerySet[Message]:
    """Return the messages of a room that `reader` wants to read, the newest first. The caller checks that they may."""
    muted = PersonalMute.objects.filter(by=reader).values("player__user")
    rows = Message.objects.filter(place=room.place, place_id=room.pk).exclude(author__in=muted)
    return rows.select_related("author__player__bot_version")


def message_row(message: Message, room: Room, reader: User) -> MessageRow:
    """Return a message, ready to be shown."""
    removed = message.removed_at is not None
    return MessageRow(
        pk=message.pk,
        player=getattr(message.author, "player", None),
        is_mine=message.author_id == reader.pk,
        words="" if removed else words_of(message),
        phrase="" if removed else message.phrase,
        is_removed=removed,
        created=message.created,
        may_remove=room.may_remove and not removed,
    )


def words_of(message: Message) -> str:
    """Return what a message says, in the reader's language if it is a quick phrase."""
    return str(PHRASES.get(message.phrase, message.phrase)) if message.phrase else message.text


def rows_after(room: Room, reader: User, after: int) -> list[MessageRow]:
    """Return the last messages of a room after the one with that id, the oldest first."""
    found = list(messages_in(room, reader).filter(pk__gt=after)[:MAX_SHOWN])
    return [message_row(message, room, reader) for message in reversed(found)]


def notes_of(user: User) -> QuerySet[PrivateNote]:
    """Return the notes of `user`, the last changed one first."""
    return PrivateNote.objects.filter(author=user).select_related("game", "player__bot_version")


def mutes_of(user: User) -> QuerySet[PersonalMute]:
    """Return whose messages `user` does not read."""
    return PersonalMute.objects.filter(by=user).select_related("player__bot_version")


def players_apart(player: Player) -> set[int]:
    """Return the players (ids) whom the person `player` has muted, or who have muted them."""
    muted = PersonalMute.objects.filter(by=player.user_id).values_list("player", flat=True)
    return {*muted, *PersonalMute.objects.filter(player=player).values_list("by__player", flat=True)} - {None}


def find_noted(about: str, key: str, user: User) -> Game | Player:
    """Return the game or person that a note is about. Raises `DomainError` game_not_found, player_not_found (404)."""
    if about == "game":
        return play.find_game(key, user)
    return find_player(key)


def find_player(key: str) -> Player:
    """Return the player with that id. Raises `DomainError` player_not_found (404)."""
    pk = int(key) if key.isascii() and key.isdecimal() and len(key) < 16 else 0
    found = Player.objects.select_related("bot_version").filter(pk=pk).first()
    if found is None:
        raise DomainError(404, "player_not_found", _("There is no such player."))
    return found


def note_data(note: PrivateNote) -> dict[str, Any]:
    """Return a note as JSON data."""
    return {
        "about": "game" if note.game else "person",
        "game": note.game.public_id if note.game else None,
        "player": note.player_id,
        "text": note.text,
        "changed": note.changed,
    }


def message_data(message: Message) -> dict[str, Any]:
    """Return a message as its author's data."""
    return {
        "place": message.place,
        "place_id": message.place_id,
        "phrase": message.phrase,
        "text": message.text,
        "created": message.created,
        "removed_at": message.removed_at,
    }
