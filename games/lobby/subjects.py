"""The notices about tables that wait for players."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from games.accounts.subjects import NoticeSubject

SUBJECTS: Final = {
    "challenge": NoticeSubject(_("A player challenges you"), _("{who} challenges you. {text}")),
    "invitation": NoticeSubject(_("You are invited to a table"), _("{who} invites you to a table. {text}")),
    "declined": NoticeSubject(
        _("A player declines your invitation"), _("{who} has declined your invitation to a table."), mailed=False
    ),
    "table_closed": NoticeSubject(
        _("A table was closed"), _("{who} has closed the table. No game begins."), mailed=False
    ),
    "check_in": NoticeSubject(
        _("All seats are taken: confirm that you are here"),
        _("All seats at the table of {who} are taken. Confirm that you are here, and the game begins."),
        mailed=False,
    ),
}
