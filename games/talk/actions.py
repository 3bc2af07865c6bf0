"""What admins do about messages (`games.admin_actions.registry`)."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from games.admin_actions.registry import Facts, admin_action, admin_target
from games.talk.models import Message
from games.talk.services import take_away

admin_target("message", Message, find=lambda named: Message.objects.get(pk=int(named)), name=lambda row: str(row.pk))


@admin_action(
    "remove_message",
    title=gettext_lazy("Remove message"),
    target=Message,
    help=gettext_lazy("Everybody sees that a message was removed. Admins can still read it."),
    fits=lambda message: message.removed_at is None,
    done=gettext_lazy("The message has been removed."),
)
def remove_message(message: Message, *, reason: str, by: User) -> Facts:  # noqa: ARG001  the audit keeps it
    """Remove a message."""
    take_away(message, by)
    return {}
