"""Talk's receivers of signals."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from games.talk.models import Message
from games.talk.selectors import message_data, mutes_of, note_data, notes_of


def data_of(sender: type[User], user: User, **_signal: Any) -> dict[str, Any]:  # noqa: ARG001
    """Return what `user` has written, noted and muted."""
    return {
        "messages": [message_data(message) for message in Message.objects.filter(author=user).order_by("pk")],
        "private_notes": [note_data(note) for note in notes_of(user)],
        "muted_people": [{"player": mute.player_id, "since": mute.created} for mute in mutes_of(user)],
    }
