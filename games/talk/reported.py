"""Messages as a subject of reports (`games.moderation.reports`)."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext_lazy

from games.common.errors import DomainError
from games.moderation.reports import ReportTarget, RequestUser, add_target
from games.talk.models import Message
from games.talk.selectors import words_of
from games.talk.services import find_message


def register_target() -> None:
    """Let messages be reported."""
    add_target(
        "message",
        ReportTarget(
            gettext_lazy("message"),
            _find,
            _name,
            lambda message: reverse("talk-message", args=[message.pk]),
            lambda message: message.author_id,
        ),
    )


def _find(pk: int, viewer: RequestUser | None) -> Message | None:
    """Return a message that `viewer` may read; admins read all."""
    if viewer is None:
        return Message.objects.select_related("author__player").filter(pk=pk).first()
    try:
        return find_message(pk, viewer)[0]  # type: ignore[arg-type]
    except DomainError:
        return None


def _name(message: Message) -> str:
    """Return how it begins."""
    words = words_of(message)
    return words if len(words) <= 60 else f"{words[:60]}…"
