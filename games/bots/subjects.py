"""What notices about bots say, and where they lead.

The text is made when it is read: from the notice's `note`, which holds ids and codes, and from the rows as they are
then.
"""

from __future__ import annotations

from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts.models import Notice
from games.accounts.subjects import NoticeSubject
from scorebook_games.presentation.text import join_with_and
from scorebook_games.registry import KINDS

BOT_ADMISSION: Final = "bot_admission"
BOT_FAULT: Final = "bot_fault"
BOT_QUARANTINE: Final = "bot_quarantine"
BOT_COMPARED: Final = "bot_compared"
BOT_PLAYS: Final = "bot_plays"
BOT_TAKEN_DOWN: Final = "bot_taken_down"
REASON_MAX_LENGTH = 300


def notice_text(notice: Notice) -> str:
    """Return what the notice says, in a sentence or two."""
    code, *more = notice.note.split() or [""]
    version = notice.by.bot_version if notice.by else None
    reason = version.reason[:REASON_MAX_LENGTH] if version else ""
    facts = {"bot": str(version or _("Your bot")), "reason": reason, "game": "", "other": "", "title": ""}
    if notice.subject == BOT_FAULT:
        return _failed(code).format(**facts | {"game": _game(notice)})
    if notice.subject == BOT_COMPARED:
        other, kind = (*more, "", "")[:2]
        facts |= {"other": f"v{other}", "title": KINDS[kind].spec.title if kind in KINDS else ""}
        return _compared(code).format(**facts)
    if notice.subject == BOT_ADMISSION:
        return _admission_text(code).format(**facts).strip()
    if notice.subject == BOT_QUARANTINE:
        return _quarantine(code).format(**facts).strip()
    if notice.subject == BOT_TAKEN_DOWN:
        return _taken_down(notice, code, facts)
    return _("{bot} plays from now on. Seasons that have begun keep the version that entered.").format(**facts)


def _admission_text(said: str) -> str:
    if said == "passed":
        return _("{bot} has been admitted and may play.")
    if said == "refused":
        return _("{bot} was not admitted. {reason}")
    return _(
        "The admission of {bot} stopped because the platform failed, not the bot. You can start it again on the "
        "bot’s page."
    )


def _quarantine(said: str) -> str:
    if said == "begun":
        return _("{bot} is in quarantine and cannot play. {reason}")
    return _("{bot} has left quarantine and may play again.")


def _taken_down(notice: Notice, said: str, facts: dict[str, str]) -> str:
    """Return the notice that a version or a whole bot was taken down; for a bot, it names the newest version."""
    version = notice.by.bot_version if notice.by else None
    if said.startswith("bot_") and version is not None:
        facts = facts | {"bot": version.bot.name, "reason": version.bot.stop_reason[:REASON_MAX_LENGTH]}
    if said.endswith("restored"):
        return _("{bot} may play again.").format(**facts)
    return _("An admin has taken {bot} down. It cannot play any more. {reason}").format(**facts).strip()


def _compared(said: str) -> str:
    sentences = {
        "better": _("{bot} beats {other} at {title}."),
        "worse": _("{bot} loses to {other} at {title}."),
        "level": _("There is no clear difference between {bot} and {other} at {title}."),
    }
    given_up = _(
        "{bot} could not be compared with {other} because the platform failed. You can start the comparison again "
        "on the bot’s page."
    )
    return sentences.get(said, given_up)


def _failed(said: str) -> str:
    if said == "forfeit":
        return _("{bot} has forfeited a rated game: {game}.")
    return _("{bot} failed in a rated game more than once: {game}.")


def _game(notice: Notice) -> str:
    """Return the game as "Chinese Ten with Laura"."""
    if notice.game is None:
        return ""
    title = KINDS[notice.game.kind].spec.title
    others = [seat.player.name for seat in notice.game.seats.all() if seat.player_id != notice.by_id]
    return _("{title} with {names}").format(title=title, names=join_with_and(others)) if others else title


def notice_url(notice: Notice) -> str:
    """Return where the notice leads: the page of the fault or of the bot."""
    _said, *more = notice.note.split() or [""]
    version = notice.by.bot_version if notice.by else None
    if notice.subject == BOT_FAULT and more:
        return reverse("fault", args=[more[0]])
    if notice.subject == BOT_FAULT and notice.game:
        return reverse("replay", args=[notice.game.public_id])
    if version is None or version.bot.key is None:
        return reverse("notices")
    page = reverse("bot", args=[version.bot.name])
    return f"{page}?admission={version.number}#admission" if notice.subject == BOT_ADMISSION else page


def describe(notice: Notice) -> tuple[str, str]:
    """Return what a notice about a bot says, and where it leads."""
    return notice_text(notice), notice_url(notice)


SUBJECTS: Final = {
    BOT_ADMISSION: NoticeSubject(gettext_lazy("Your bot was admitted or refused"), describe=describe),
    BOT_FAULT: NoticeSubject(
        gettext_lazy("Your bot forfeited a rated game or failed in it repeatedly"), describe=describe
    ),
    BOT_QUARANTINE: NoticeSubject(gettext_lazy("Your bot was quarantined or released"), describe=describe),
    BOT_COMPARED: NoticeSubject(gettext_lazy("A comparison of your bot’s versions has finished"), describe=describe),
    BOT_PLAYS: NoticeSubject(gettext_lazy("Your bot plays with another version"), mailed=False, describe=describe),
    BOT_TAKEN_DOWN: NoticeSubject(gettext_lazy("Your bot was taken down or restored"), describe=describe),
}
