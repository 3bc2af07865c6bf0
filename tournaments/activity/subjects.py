"""The notification subjects of seasons."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from games.accounts.subjects import NoticeSubject

REGISTRATION: Final = "registration"
NUDGE: Final = "nudge"
SEASON_NEEDS_YOU: Final = "season_needs_you"

SUBJECTS: Final = {
    REGISTRATION: NoticeSubject(_("News of a season that you play in"), _("{note}")),
    NUDGE: NoticeSubject(
        _("An organiser reminds you to play a match"), _("An organiser reminds you to play your match: {note}.")
    ),
    SEASON_NEEDS_YOU: NoticeSubject(_("A season of your club needs you"), _("{note}")),
}
