"""The notification subjects of clubs."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from games.accounts.subjects import NoticeSubject

SUBJECTS: Final = {
    "club_request": NoticeSubject(_("Somebody asks to join a club that you run"), _("{who} asks to join {note}.")),
    "club_invitation": NoticeSubject(
        _("You are invited to a club"), _("{who} invites you to the club {note}."), mailed=False
    ),
    "club_role": NoticeSubject(_("Your role in a club changes"), _("{note}")),
    "club_transfer": NoticeSubject(_("A club is offered to you"), _("{who} offers you the club {note}.")),
    "club_news": NoticeSubject(_("News of your club"), _("{note} has published news."), mailed=False),
}
