"""The notification subjects of clubs, and their sentences. `club` is its name."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts.subjects import NoticeSubject
from scorebook_games.presentation.coded_text import sentence

SUBJECTS: Final = {
    "club_request": NoticeSubject(
        gettext_lazy("Somebody asks to join a club that you run"), gettext_lazy("{who} asks to join {text}.")
    ),
    "club_invitation": NoticeSubject(
        gettext_lazy("You are invited to a club"), gettext_lazy("{who} invites you to the club {text}."), mailed=False
    ),
    "club_role": NoticeSubject(gettext_lazy("Your role in a club changes"), "{text}"),
    "club_transfer": NoticeSubject(
        gettext_lazy("A club is offered to you"), gettext_lazy("{who} offers you the club {text}.")
    ),
    "club_news": NoticeSubject(
        gettext_lazy("News of your club"), gettext_lazy("{text} has published news."), mailed=False
    ),
}


@sentence
def now_member(club: str) -> str:
    return _("You are now a member of {club}.").format(club=club)


@sentence
def request_declined(club: str) -> str:
    return _("{club} has declined your request.").format(club=club)


@sentence
def no_longer_member(club: str, reason: str) -> str:
    return _("You are no longer a member of {club}: {reason}").format(club=club, reason=reason)


@sentence
def now_organiser(club: str) -> str:
    return _("You are now an organiser of {club}.").format(club=club)


@sentence
def no_longer_organiser(club: str) -> str:
    return _("You are no longer an organiser of {club}.").format(club=club)


@sentence
def club_transferred(club: str) -> str:
    return _("{club} has a new owner. You are still an organiser.").format(club=club)


@sentence
def club_given_to_you(club: str) -> str:
    return _("An admin has transferred the club {club} to you. You are now its owner.").format(club=club)


@sentence
def club_taken_from_you(club: str) -> str:
    return _("An admin has transferred {club} to another member. You are still a member.").format(club=club)
