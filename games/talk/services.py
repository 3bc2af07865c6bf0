"""The services of talk: write and remove messages, mute people for oneself, note something. Pages and the API call
them."""

from __future__ import annotations

import math
import unicodedata
from datetime import timedelta
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.utils.translation import gettext as _

from games.accounts import speech
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Game, Player
from games.talk.models import NOTE_MAX_LENGTH, TEXT_MAX_LENGTH, Message, PersonalMute, PrivateNote
from games.talk.phrases import PHRASES
from games.talk.rooms import Room, room_of

MAX_MESSAGES: Final = 10  # of a person within this window, in all rooms together
MESSAGE_WINDOW: Final = timedelta(minutes=1)
MAX_MUTES: Final = 200
MAX_NOTES: Final = 2000


def write_message(*, room: Room, user: User | AnonymousUser, phrase: str = "", text: str = "") -> Message:
    """Write a quick phrase or a text in a room.

    Raises `DomainError`: the room's refusal (not_signed_in, not_at_table, not_in_season, talk_off, talk_later), muted,
    warning_unread, free_text_off (403), bad_phrase, bad_message (400), too_many_messages (429, with `wait_s`).
    """
    author = check_may_talk(room, user)
    speech.check_may_write(author)
    if phrase and text:
        raise DomainError(400, "bad_message", _("Send a quick phrase or a text, not both."), "text")
    if phrase and phrase not in PHRASES:
        sentence = _("There is no such quick phrase. Use one of {known}.")
        raise DomainError(400, "bad_phrase", sentence.format(known=", ".join(PHRASES)), "phrase")
    if not phrase:
        if not room.takes_text:
            raise DomainError(403, "free_text_off", _("Only quick phrases can be sent here."), "text")
        text = clean_line(text)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=author.pk)  # locked, so that the count is right
        _check_rate(author)
        made = Message.objects.create(
            place=room.place, place_id=room.pk, author=author, phrase=phrase, text=text, created=clock.now()
        )
        if room.is_live:
            eventlog.announce_talk(room.pk)
        return made


def check_may_talk(room: Room, user: User | AnonymousUser) -> User:
    """Return `user` if they may read and write in the room. Raises its refusal."""
    if room.refusal is not None:
        raise room.refusal
    assert isinstance(user, User)  # else there is a refusal
    return user


def clean_line(text: str) -> str:
    """Return a message as one line. Raises `DomainError` bad_message (400)."""
    line = " ".join(text.split())
    if not line or len(line) > TEXT_MAX_LENGTH or any(unicodedata.category(c) in ("Cc", "Cs", "Co") for c in line):
        sentence = _("A message must have 1 to {most} characters of plain text.").format(most=TEXT_MAX_LENGTH)
        raise DomainError(400, "bad_message", sentence, "text")
    return line


def _check_rate(author: User) -> None:
    """Raise `DomainError` too_many_messages (429) if somebody writes too fast."""
    now = clock.now()
    recent = Message.objects.filter(author=author, created__gt=now - MESSAGE_WINDOW).order_by("-created")
    times = list(recent.values_list("created", flat=True)[:MAX_MESSAGES])
    if len(times) >= MAX_MESSAGES:
        wait = max(1, math.ceil((times[-1] + MESSAGE_WINDOW - now).total_seconds()))
        sentence = _("You have sent {most} messages within a minute. You can send the next one in {wait} s.")
        words = sentence.format(most=MAX_MESSAGES, wait=wait)
        raise DomainError(429, "too_many_messages", words, wait_s=wait)


def find_message(pk: int, user: User | AnonymousUser) -> tuple[Message, Room]:
    """Return a message that `user` may read, and its room. Raises `DomainError` message_not_found (404)."""
    found = Message.objects.select_related("author__player__bot_version").filter(pk=pk).first()
    if found is not None:
        try:
            room = room_of(found.place, found.place_id, user)
        except DomainError as error:
            if error.status != 404:
                raise
        else:
            if room.refusal is None:
                return found, room
    raise DomainError(404, "message_not_found", _("There is no such message, or you may not read it."))


def remove_message(*, message: Message, room: Room, user: User | AnonymousUser) -> Message:
    """Remove a message as an organiser: everybody sees that it was removed, and admins what it said.

    Raises `DomainError` not_organiser (403).
    """
    if not room.may_remove or not isinstance(user, User):
        raise DomainError(403, "not_organiser", _("Only the organisers of the club can remove messages."))
    return take_away(message, user)


def take_away(message: Message, by: User) -> Message:
    """Mark a message as removed; one that was removed before stays as it is."""
    Message.objects.filter(pk=message.pk, removed_at=None).update(removed_at=clock.now(), removed_by=by)
    message.refresh_from_db(fields=["removed_at", "removed_by"])
    return message


# for oneself


def mute(*, user: User, player: Player) -> PersonalMute:
    """Do not show `user` what a person writes. Nobody else learns of it.

    Raises `DomainError` bad_person (400), too_many_mutes (409).
    """
    if player.user_id is None or player.user_id == user.pk:
        raise DomainError(400, "bad_person", _("You can mute other people only."))
    if PersonalMute.objects.filter(by=user).exclude(player=player).count() >= MAX_MUTES:
        sentence = _("You have muted {most} people, the maximum. Unmute somebody first.")
        raise DomainError(409, "too_many_mutes", sentence.format(most=MAX_MUTES))
    return PersonalMute.objects.get_or_create(by=user, player=player, defaults={"created": clock.now()})[0]


def unmute(*, user: User, player: Player) -> None:
    """Show `user` again what a person writes."""
    PersonalMute.objects.filter(by=user, player=player).delete()


def write_note(*, user: User, about: Game | Player, text: str) -> PrivateNote | None:
    """Note something about a game or a person, in place of what was noted before; without a text, delete the note.

    Raises `DomainError` bad_note (400), too_many_notes (409).
    """
    found = note_of(user, about)
    kept = "\n".join(line.rstrip() for line in text.splitlines()).strip()
    if len(kept) > NOTE_MAX_LENGTH or any(unicodedata.category(c) in ("Cc", "Cs") for c in kept if c not in "\n\t"):
        raise DomainError(
            400, "bad_note", _("Use at most {most} characters of plain text.").format(most=NOTE_MAX_LENGTH), "text"
        )
    if not kept:
        if found is not None:
            found.delete()
        return None
    if found is None and PrivateNote.objects.filter(author=user).count() >= MAX_NOTES:
        sentence = _("You have {most} notes, the maximum. Delete some first.").format(most=MAX_NOTES)
        raise DomainError(409, "too_many_notes", sentence)
    return PrivateNote.objects.update_or_create(
        author=user, **noted(about), defaults={"text": kept, "changed": clock.now()}
    )[0]


def note_of(user: User, about: Game | Player) -> PrivateNote | None:
    """Return what `user` has noted about a game or a person."""
    return PrivateNote.objects.filter(author=user, **noted(about)).first()


def noted(about: Game | Player) -> dict[str, Any]:
    """Return the column of a note that names what it is about."""
    return {"game" if isinstance(about, Game) else "player": about}
