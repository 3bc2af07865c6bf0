"""What people are told of: each subject's words, and whether it usually comes by e-mail too.

Packages of other apps add theirs (`add_subjects`) when `ready` of their app runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Subject(NamedTuple):
    """`title` stands in a person's settings. `words` is the notice itself, with {game} (its kind and who else plays),
    {who} (the person it comes from), {note}, {when}: the moment that it is about, or the moments that `note` holds, and
    {bot}: all that there is to say of a bot."""

    title: str | Promise
    words: str | Promise
    mailed: bool = True


YOUR_TURN: Final = "your_turn"
GAME_OVER: Final = "game_over"
APPOINTED: Final = "appointed"
BOT_GATE: Final = "bot_gate"
BOT_FAULT: Final = "bot_fault"
BOT_QUARANTINE: Final = "bot_quarantine"
BOT_COMPARED: Final = "bot_compared"
BOT_PLAYS: Final = "bot_plays"
CLOCK_LOW: Final = "clock_low"
MATCH_SOON: Final = "match_soon"
ROUND_CLOSES: Final = "round_closes"
TIME_PROPOSED: Final = "time_proposed"
TIME_AGREED: Final = "time_agreed"
TIME_DECLINED: Final = "time_declined"
TIME_LAPSED: Final = "time_lapsed"
REPORT_ANSWERED: Final = "report_answered"
WARNED: Final = "warned"
MUTED: Final = "muted"
UNMUTED: Final = "unmuted"
RENAMED: Final = "renamed"
BANNED: Final = "banned"
UNBANNED: Final = "unbanned"
OBJECTION_ANSWERED: Final = "objection_answered"
BOT_TAKEN_DOWN: Final = "bot_taken_down"
ACCOUNT: Final = "account"
MOMENTS: Final = (APPOINTED, TIME_PROPOSED, TIME_AGREED, TIME_DECLINED, TIME_LAPSED)  # whose note holds moments

SUBJECTS: Final[dict[str, Subject]] = {
    YOUR_TURN: Subject(_("It is your turn"), _("It is your turn: {game}.")),
    APPOINTED: Subject(_("A league game of yours begins"), _("Your league game begins at {when}: {game}. Check in.")),
    CLOCK_LOW: Subject(_("Your time runs out"), _("Your time runs out soon: {game}.")),
    MATCH_SOON: Subject(_("A match of yours begins soon"), _("Your match begins at {when}: {note}.")),
    ROUND_CLOSES: Subject(
        _("A match of yours is to be played soon"), _("Your match is to be played by {when}: {note}.")
    ),
    TIME_PROPOSED: Subject(
        _("Somebody proposes a time for a match"),
        _("{who} proposes a time for your match: {when}. Say whether it suits you."),
    ),
    TIME_AGREED: Subject(_("The time of a match is agreed"), _("The time of your match is agreed: {when}.")),
    TIME_DECLINED: Subject(
        _("A time that was proposed suits nobody"), _("{who} cannot play your match at the time proposed: {when}.")
    ),
    TIME_LAPSED: Subject(
        _("A time that was proposed is off"),
        _("The time proposed for your match is off: {when}. It is not played as planned; its page says why."),
    ),
    GAME_OVER: Subject(_("A game of yours is over"), _("This game is over: {game}. {ending}"), mailed=False),
    "challenge": Subject(_("Somebody challenges you"), _("{who} challenges you. {note}")),
    "invitation": Subject(_("You are invited to a table"), _("{who} invites you to a table. {note}")),
    "declined": Subject(
        _("Somebody does not come to your table"), _("{who} does not come to your table."), mailed=False
    ),
    "table_closed": Subject(
        _("A table is closed"), _("The table of {who} is closed, and no game begins."), mailed=False
    ),
    "check_in": Subject(
        _("Every chair is taken: are you there?"),
        _("Every chair at the table of {who} is taken. Say that you are here, and the game begins."),
        mailed=False,
    ),
    "table_filled": Subject(_("A game of yours begins"), _("Your game begins: {game}.")),
    "rematch_offered": Subject(_("Somebody offers a rematch"), _("{who} offers you a rematch: {game}.")),
    "abort_offered": Subject(
        _("Somebody would like to end a game without a result"),
        _("{who} would like to end a game without a result: {game}."),
    ),
    # What these say in full is in `games.accounts.bot_words`.
    BOT_GATE: Subject(_("A version of your bot has passed the gate, or was refused"), "{bot}"),
    BOT_FAULT: Subject(_("A bot of yours forfeited a rated game, or failed in it repeatedly"), "{bot}"),
    BOT_QUARANTINE: Subject(_("A bot of yours is put into quarantine, or let out"), "{bot}"),
    BOT_COMPARED: Subject(_("A comparison of your bot's versions is decided"), "{bot}"),
    BOT_PLAYS: Subject(_("Another version plays for your bot"), "{bot}", mailed=False),
    REPORT_ANSWERED: Subject(
        _("An admin answers your report"),
        _("An admin has read your report. What came of it stands under your reports."),
    ),
    WARNED: Subject(
        _("An admin warns you"), _("An admin warns you. Read why, and say that you have, before you write to others.")
    ),
    MUTED: Subject(
        _("An admin mutes you"), _("An admin has muted you: you play, and write nothing to others. Read why.")
    ),
    UNMUTED: Subject(_("You are muted no more"), _("You are muted no more, and may write to others again.")),
    RENAMED: Subject(
        _("An admin takes a name of yours away"),
        _("An admin has taken a name of yours away. You may choose another one; you still log in by the old one."),
    ),
    BANNED: Subject(
        _("An admin bans you"),
        _("An admin has banned you. When you log in you read why, until when, and how to object."),
    ),
    UNBANNED: Subject(_("You are banned no more"), _("You are banned no more. Make new access tokens if you use any.")),
    OBJECTION_ANSWERED: Subject(_("An admin answers your objection"), _("An admin has answered your objection.")),
    BOT_TAKEN_DOWN: Subject(_("A bot of yours is taken down, or may play again"), "{bot}"),
    ACCOUNT: Subject(_("An admin changes how you get in, or what you may"), "{note}"),
}


def add_subjects(subjects: Mapping[str, Subject], *, after: str) -> None:
    """Add what another package tells people of. In their settings it stands behind the subject `after`."""
    known = list(SUBJECTS.items())
    place = list(SUBJECTS).index(after) + 1
    SUBJECTS.clear()
    SUBJECTS.update([*known[:place], *subjects.items(), *known[place:]])
