"""The notices of moderation."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from games.accounts.subjects import NoticeSubject

REPORT_ANSWERED: Final = "report_answered"
WARNED: Final = "warned"
MUTED: Final = "muted"
UNMUTED: Final = "unmuted"
RENAMED: Final = "renamed"
BANNED: Final = "banned"
UNBANNED: Final = "unbanned"
OBJECTION_ANSWERED: Final = "objection_answered"
ACCOUNT: Final = "account"

SUBJECTS: Final = {
    REPORT_ANSWERED: NoticeSubject(
        _("An admin has answered your report"),
        _("An admin has answered your report. You find the answer under “Your reports”."),
    ),
    WARNED: NoticeSubject(
        _("You have a warning"), _("An admin has warned you. Read the warning and confirm it before you post again.")
    ),
    MUTED: NoticeSubject(
        _("You are muted"), _("An admin has muted you. You can play, but you cannot post or send messages. Read why.")
    ),
    UNMUTED: NoticeSubject(_("Your mute has ended"), _("Your mute has ended. You may post again.")),
    RENAMED: NoticeSubject(
        _("An admin has removed a name of yours"),
        _("An admin has removed a name of yours. Choose another one. You can still log in with the old name."),
    ),
    BANNED: NoticeSubject(
        _("You are banned"),
        _("An admin has banned you. Log in to read why, for how long, and how to appeal."),
        to_inactive=True,  # a banned person could not read of it otherwise
    ),
    UNBANNED: NoticeSubject(_("Your ban has ended"), _("Your ban has ended. Create new access tokens if you use any.")),
    OBJECTION_ANSWERED: NoticeSubject(_("An admin has answered your appeal"), _("An admin has answered your appeal.")),
    ACCOUNT: NoticeSubject(_("An admin changes your login or your rights"), "{note}"),
}
