"""The notification subjects of webhooks."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from games.accounts.subjects import NoticeSubject

WEBHOOK_OFF: Final = "webhook_off"

SUBJECTS: Final = {WEBHOOK_OFF: NoticeSubject(_("One of your webhooks was switched off"), _("{note}"))}
