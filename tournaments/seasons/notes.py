"""The reasons that people write: a row that can be blanked, and its hash for the season's stream."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.utils.translation import gettext as _

from games.accounts import speech
from games.common import clock
from games.common.errors import DomainError
from tournaments.seasons.models import Note, Season

NOTE_MAX_LENGTH = 2000


def audit_payload(season: Season, by: User | AnonymousUser | None = None, text: str = "") -> dict[str, Any]:
    """Return {"by", "note"} for an event, and write the note's row. Raises `DomainError` bad_note (400), muted,
    warning_unread (403)."""
    if len(text) > NOTE_MAX_LENGTH:
        raise DomainError(
            400, "bad_note", _("A reason may have at most {most} characters.").format(most=NOTE_MAX_LENGTH), "note"
        )
    author = by.pk if by is not None else None
    if not text.strip():
        return {"by": author, "note": None}
    if (refused := speech.speech_refusal(by)) is not None:
        raise DomainError(refused.status, refused.code, refused.sentence)
    note = Note.objects.create(season=season, author_id=author, text=text.strip(), created=clock.now())
    return {"by": author, "note": [note.pk, note.digest]}


def check_note(text: str) -> None:
    """Raise `DomainError` note_needed (400) if no reason is given."""
    if not text.strip():
        raise DomainError(400, "note_needed", _("Give a reason. The people concerned can read it."), "note")


def blank_note(note: Note) -> None:
    """Blank the text. The event that refers to it is kept."""
    Note.objects.filter(pk=note.pk).update(text="")
