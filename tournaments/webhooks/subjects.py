"""The notification subjects of webhooks, and their sentences."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts.subjects import NoticeSubject
from scorebook_games.presentation.coded_text import sentence
from tournaments.webhooks.models import Webhook

WEBHOOK_OFF: Final = "webhook_off"

SUBJECTS: Final = {WEBHOOK_OFF: NoticeSubject(gettext_lazy("One of your webhooks was switched off"), "{text}")}


@sentence
def webhook_switched_off(number: int, why: str) -> str:
    """`why`: a `Webhook.Off`."""
    return _("Webhook {number} was switched off: {why}.").format(number=number, why=Webhook.Off(why).label)
