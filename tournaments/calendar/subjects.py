"""The notification subjects of match times."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from games.accounts.subjects import NoticeSubject

MATCH_SOON: Final = "match_soon"
ROUND_CLOSES: Final = "round_closes"
TIME_PROPOSED: Final = "time_proposed"
TIME_AGREED: Final = "time_agreed"
TIME_DECLINED: Final = "time_declined"
TIME_LAPSED: Final = "time_lapsed"

SUBJECTS: Final = {
    MATCH_SOON: NoticeSubject(
        _("A match begins soon"),
        _("Your match begins at {when}: {text}."),
        reminders=(24 * 60, 60),
        reminder_label=_("Before a match begins"),
    ),
    ROUND_CLOSES: NoticeSubject(
        _("The time for a match is ending"),
        _("Play your match by {when}: {text}."),
        reminders=(3 * 24 * 60, 24 * 60),
        reminder_label=_("Before the time to play a match ends"),
    ),
    TIME_PROPOSED: NoticeSubject(
        _("Your opponent proposes a time for a match"),
        _("{who} proposes a time for your match: {when}. Accept or decline it."),
        moments=True,
    ),
    TIME_AGREED: NoticeSubject(
        _("The time of a match is fixed"),
        _("Your match will be played at {when}."),
        moments=True,
    ),
    TIME_DECLINED: NoticeSubject(
        _("Your proposed time was declined"),
        _("{who} cannot play at the time you proposed: {when}."),
        moments=True,
    ),
    TIME_LAPSED: NoticeSubject(
        _("A proposed time was cancelled"),
        _("The proposed time of your match was cancelled: {when}. The match’s page says why."),
        moments=True,
    ),
}
