"""The notices of moderation, and a sentence of the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts.subjects import NoticeSubject
from scorebook_games.presentation.coded_text import sentence

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
        gettext_lazy("An admin has answered your report"),
        gettext_lazy("An admin has answered your report. You find the answer under “Your reports”."),
    ),
    WARNED: NoticeSubject(
        gettext_lazy("You have a warning"),
        gettext_lazy("An admin has warned you. Read the warning and confirm it before you post again."),
    ),
    MUTED: NoticeSubject(
        gettext_lazy("You are muted"),
        gettext_lazy("An admin has muted you. You can play, but you cannot post or send messages. Read why."),
    ),
    UNMUTED: NoticeSubject(
        gettext_lazy("Your mute has ended"), gettext_lazy("Your mute has ended. You may post again.")
    ),
    RENAMED: NoticeSubject(
        gettext_lazy("An admin has removed your name"),
        gettext_lazy("An admin has removed your name. Choose another one. You can still log in with the old name."),
    ),
    BANNED: NoticeSubject(
        gettext_lazy("You are banned"),
        gettext_lazy("An admin has banned you. Log in to read why, for how long, and how to appeal."),
        to_inactive=True,  # a banned person could not read of it otherwise
    ),
    UNBANNED: NoticeSubject(
        gettext_lazy("Your ban has ended"), gettext_lazy("Your ban has ended. Create new access tokens if you use any.")
    ),
    OBJECTION_ANSWERED: NoticeSubject(
        gettext_lazy("An admin has answered your appeal"), gettext_lazy("An admin has answered your appeal.")
    ),
    ACCOUNT: NoticeSubject(gettext_lazy("An admin changes your login or your rights"), "{text}"),
}


@sentence
def password_ended() -> str:
    return _(
        "An admin has ended your password and all your sessions, and will give you a link to choose a new password."
    )


@sentence
def second_factor_removed() -> str:
    return _("An admin has removed your two-factor authentication. Set it up again.")


@sentence
def address_confirmed() -> str:
    return _("An admin has confirmed your email address.")


@sentence
def token_revoked(name: str) -> str:
    words = _("An admin has revoked your access token “{name}” because it leaked or caused harm. Create a new one.")
    return words.format(name=name)


@sentence
def made_admin() -> str:
    return _("You are now a site admin.")


@sentence
def no_longer_admin() -> str:
    return _("You are no longer a site admin.")


@sentence
def group_rights(rights: Sequence[str]) -> str:
    """`rights`: the permissions of a group that an admin has changed."""
    return _("Rights: {rights}.").format(rights=", ".join(rights) or _("none"))
