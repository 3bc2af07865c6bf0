"""What people are told of tables that wait for players."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from games.accounts.subjects import Subject

SUBJECTS: Final = {
    "challenge": Subject(_("A player challenges you"), _("{who} challenges you. {note}")),
    "invitation": Subject(_("You are invited to a table"), _("{who} invites you to a table. {note}")),
    "declined": Subject(
        _("A player declines your invitation"), _("{who} has declined your invitation to a table."), mailed=False
    ),
    "table_closed": Subject(_("A table was closed"), _("{who} has closed the table. No game begins."), mailed=False),
    "check_in": Subject(
        _("All seats are taken: confirm that you are here"),
        _("All seats at the table of {who} are taken. Confirm that you are here, and the game begins."),
        mailed=False,
    ),
}
