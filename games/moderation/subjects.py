"""What people are told of moderation."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from games.accounts.subjects import Subject

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
    REPORT_ANSWERED: Subject(
        _("An admin has answered your report"),
        _("An admin has answered your report. You find the answer under “Your reports”."),
    ),
    WARNED: Subject(
        _("You have a warning"), _("An admin has warned you. Read the warning and confirm it before you post again.")
    ),
    MUTED: Subject(
        _("You are muted"), _("An admin has muted you. You can play, but you cannot post or send messages. Read why.")
    ),
    UNMUTED: Subject(_("Your mute has ended"), _("Your mute has ended. You may post again.")),
    RENAMED: Subject(
        _("An admin has removed a name of yours"),
        _("An admin has removed a name of yours. Choose another one. You can still log in with the old name."),
    ),
    BANNED: Subject(
        _("You are banned"),
        _("An admin has banned you. Log in to read why, for how long, and how to appeal."),
        to_inactive=True,  # nobody who is banned could read of it otherwise
    ),
    UNBANNED: Subject(_("Your ban has ended"), _("Your ban has ended. Create new access tokens if you use any.")),
    OBJECTION_ANSWERED: Subject(_("An admin has answered your appeal"), _("An admin has answered your appeal.")),
    ACCOUNT: Subject(_("An admin changes your login or your rights"), "{note}"),
}
