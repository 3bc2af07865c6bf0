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
    APPOINTED: Subject(_("A league game begins"), _("Your league game begins at {when}: {game}. Check in.")),
    CLOCK_LOW: Subject(_("Your clock is running out"), _("Your clock is running out: {game}.")),
    MATCH_SOON: Subject(_("A match begins soon"), _("Your match begins at {when}: {note}.")),
    ROUND_CLOSES: Subject(_("The time for a match is ending"), _("Play your match by {when}: {note}.")),
    TIME_PROPOSED: Subject(
        _("Your opponent proposes a time for a match"),
        _("{who} proposes a time for your match: {when}. Accept or decline it."),
    ),
    TIME_AGREED: Subject(_("The time of a match is fixed"), _("Your match will be played at {when}.")),
    TIME_DECLINED: Subject(
        _("Your proposed time was declined"), _("{who} cannot play at the time you proposed: {when}.")
    ),
    TIME_LAPSED: Subject(
        _("A proposed time was cancelled"),
        _("The proposed time of your match was cancelled: {when}. The match’s page says why."),
    ),
    GAME_OVER: Subject(_("A game ended"), _("Your game ended: {game}. {ending}"), mailed=False),
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
    "table_filled": Subject(_("A game begins"), _("Your game begins: {game}.")),
    "rematch_offered": Subject(_("A player offers a rematch"), _("{who} offers you a rematch: {game}.")),
    "abort_offered": Subject(
        _("A player proposes to abort a game"),
        _("{who} proposes to abort a game, without a result: {game}."),
    ),
    # What these say in full is in `games.accounts.bot_words`.
    BOT_GATE: Subject(_("Your bot was admitted or refused"), "{bot}"),
    BOT_FAULT: Subject(_("Your bot forfeited a rated game or failed in it repeatedly"), "{bot}"),
    BOT_QUARANTINE: Subject(_("Your bot was quarantined or released"), "{bot}"),
    BOT_COMPARED: Subject(_("A comparison of your bot’s versions has finished"), "{bot}"),
    BOT_PLAYS: Subject(_("Your bot plays with another version"), "{bot}", mailed=False),
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
    ),
    UNBANNED: Subject(_("Your ban has ended"), _("Your ban has ended. Create new access tokens if you use any.")),
    OBJECTION_ANSWERED: Subject(_("An admin has answered your appeal"), _("An admin has answered your appeal.")),
    BOT_TAKEN_DOWN: Subject(_("Your bot was taken down or restored"), "{bot}"),
    ACCOUNT: Subject(_("An admin changes your login or your rights"), "{note}"),
}


def add_subjects(subjects: Mapping[str, Subject], *, after: str) -> None:
    """Add what another package tells people of. In their settings it stands behind the subject `after`."""
    known = list(SUBJECTS.items())
    place = list(SUBJECTS).index(after) + 1
    SUBJECTS.clear()
    SUBJECTS.update([*known[:place], *subjects.items(), *known[place:]])
