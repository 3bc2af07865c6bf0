"""What notices about bots say, and where they lead.

The text is made when it is read: from the notice's sentence, which holds ids and codes, and from the rows as they are
then.
"""

from __future__ import annotations

import re
from typing import Any, Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts.models import Notice
from games.accounts.subjects import NoticeSubject
from scorebook_games.presentation.coded_text import sentence
from scorebook_games.presentation.text import join_with_and
from scorebook_games.registry import KINDS

BOT_ADMISSION: Final = "bot_admission"
BOT_FAULT: Final = "bot_fault"
BOT_QUARANTINE: Final = "bot_quarantine"
BOT_COMPARED: Final = "bot_compared"
BOT_PLAYS: Final = "bot_plays"
BOT_TAKEN_DOWN: Final = "bot_taken_down"
REASON_MAX_LENGTH = 300


BOT, GAME, REASON = "{bot}", "{game}", "{reason}"  # where a notice writes what its rows say when it is read
_PLACES: Final = re.compile(r"\{(?:bot|game|reason)\}")


@sentence
def bot_admitted() -> str:
    return _("{bot} has been admitted and may play.")


@sentence
def bot_refused() -> str:
    return _("{bot} was not admitted. {reason}")


@sentence
def admission_given_up() -> str:
    return _(
        "The admission of {bot} stopped because the platform failed, not the bot. You can start it again on the "
        "bot’s page."
    )


@sentence
def bot_quarantined() -> str:
    return _("{bot} is in quarantine and cannot play. {reason}")


@sentence
def quarantine_ended() -> str:
    return _("{bot} has left quarantine and may play again.")


@sentence
def bot_better(other: int, kind: str) -> str:
    """`other`: the number of the version that it was compared with."""
    return _("{bot} beats {other} at {title}.").format(bot=BOT, **_compared(other, kind))


@sentence
def bot_worse(other: int, kind: str) -> str:
    """`other`: the number of the version that it was compared with."""
    return _("{bot} loses to {other} at {title}.").format(bot=BOT, **_compared(other, kind))


@sentence
def bot_level(other: int, kind: str) -> str:
    """`other`: the number of the version that it was compared with."""
    words = _("There is no clear difference between {bot} and {other} at {title}.")
    return words.format(bot=BOT, **_compared(other, kind))


@sentence
def comparison_given_up(other: int) -> str:
    """`other`: the number of the version that it was compared with."""
    words = _(
        "{bot} could not be compared with {other} because the platform failed. You can start the comparison again "
        "on the bot’s page."
    )
    return words.format(bot=BOT, other=f"v{other}")


@sentence
def bot_accepted(other: int, kind: str, elo0: int, elo1: int) -> str:  # noqa: ARG001
    """`other`: the number of the version that it was compared with."""
    words = _("Accepted: {bot} is better than {other} at {title} by more than {elo0} Elo.")
    return words.format(bot=BOT, elo0=_elo(elo0), **_compared(other, kind))


@sentence
def bot_rejected(other: int, kind: str, elo0: int, elo1: int) -> str:  # noqa: ARG001
    """`other`: the number of the version that it was compared with."""
    words = _("Rejected: {bot} is better than {other} at {title} by less than {elo1} Elo.")
    return words.format(bot=BOT, elo1=_elo(elo1), **_compared(other, kind))


@sentence
def bot_undecided(other: int, kind: str, elo0: int, elo1: int) -> str:
    """`other`: the number of the version that it was compared with."""
    words = _("Not decided: {bot} may be better than {other} at {title} by {elo0} or by {elo1} Elo.")
    return words.format(bot=BOT, elo0=_elo(elo0), elo1=_elo(elo1), **_compared(other, kind))


@sentence
def bot_forfeited(fault: int | None) -> str:  # noqa: ARG001
    """`fault`: the id of the last one that cost most; None for a bot outside the sandbox."""
    return _("{bot} has forfeited a rated game: {game}.")


@sentence
def bot_failed(fault: int | None) -> str:  # noqa: ARG001
    """`fault`: the id of the last one that cost most; None for a bot outside the sandbox."""
    return _("{bot} failed in a rated game more than once: {game}.")


@sentence
def bot_taken_down(whole: bool) -> str:  # noqa: ARG001
    """`whole`: with all its versions."""
    return _("An admin has taken {bot} down. It cannot play any more. {reason}")


@sentence
def bot_restored(whole: bool) -> str:  # noqa: ARG001
    """`whole`: with all its versions."""
    return _("{bot} may play again.")


@sentence
def bot_plays() -> str:
    return _("{bot} plays from now on. Seasons that have begun keep the version that entered.")


def _elo(points: int) -> str:
    return f"{points:+}".replace("-", "−") if points else "0"


def _compared(other: int, kind: str) -> dict[str, str]:
    return {"other": f"v{other}", "title": KINDS[kind].spec.title if kind in KINDS else ""}


def fill(notice: Notice, text: str) -> str:
    """Return the text of a sentence of the notice with bot, game and reason, as the rows are today."""
    version = notice.by.bot_version if notice.by else None
    name, reason = str(version or _("Your bot")), version.reason if version else ""
    if version is not None and _parameters(notice).get("whole"):  # the notice names the newest version
        name, reason = version.bot.name, version.bot.stop_reason
    values = {BOT: name, GAME: _game(notice), REASON: reason[:REASON_MAX_LENGTH]}
    return _PLACES.sub(lambda place: values[place[0]], text).strip()


def _parameters(notice: Notice) -> dict[str, Any]:
    """Return the parameters of the notice's sentence."""
    return notice.sentences[0][1] if notice.sentences else {}


def _game(notice: Notice) -> str:
    """Return the game as "Chinese Ten with Laura"."""
    if notice.game is None:
        return ""
    title = KINDS[notice.game.kind].spec.title
    others = [seat.player.name for seat in notice.game.seats.all() if seat.player_id != notice.by_id]
    return _("{title} with {names}").format(title=title, names=join_with_and(others)) if others else title


def notice_url(notice: Notice) -> str:
    """Return where the notice leads: the page of the fault or of the bot."""
    version = notice.by.bot_version if notice.by else None
    if fault := _parameters(notice).get("fault"):
        return reverse("fault", args=[fault])
    if notice.subject == BOT_FAULT and notice.game:
        return reverse("replay", args=[notice.game.public_id])
    if version is None or version.bot.key is None:
        return reverse("notices")
    page = reverse("bot", args=[version.bot.name])
    return f"{page}?admission={version.number}#admission" if notice.subject == BOT_ADMISSION else page


def describe(notice: Notice) -> tuple[str, str]:
    """Return what a notice about a bot says, and where it leads."""
    return fill(notice, notice.text), notice_url(notice)


def _about_bot(title: str | Promise, *, mailed: bool = True) -> NoticeSubject:
    return NoticeSubject(title, mailed=mailed, describe=describe, fill=fill)


SUBJECTS: Final = {
    BOT_ADMISSION: _about_bot(gettext_lazy("Your bot was admitted or refused")),
    BOT_FAULT: _about_bot(gettext_lazy("Your bot forfeited a rated game or failed in it repeatedly")),
    BOT_QUARANTINE: _about_bot(gettext_lazy("Your bot was quarantined or released")),
    BOT_COMPARED: _about_bot(gettext_lazy("A comparison of your bot’s versions has finished")),
    BOT_PLAYS: _about_bot(gettext_lazy("Your bot plays with another version"), mailed=False),
    BOT_TAKEN_DOWN: _about_bot(gettext_lazy("Your bot was taken down or restored")),
}
