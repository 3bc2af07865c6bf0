"""The subjects of notices: their words, and whether they come by email by default.

Packages of other apps add theirs (`add_subjects`) in `ready` of their app.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:  # models do not import subjects, nor subjects models
    from games.accounts.models import Notice


# the parts of a person's settings
GAMES: Final = _("Games and tables")
SEASONS: Final = _("Seasons and matches")
CLUBS: Final = _("Clubs")
BOTS: Final = _("Bots")
ACCOUNT_AND_ADMINS: Final = _("Account and admins")


class NoticeSubject(NamedTuple):
    """The subject of notices.

    `title` is shown in a person's settings, in the part `group`. `words` is the text of the notice, with {game}
    (its kind and the other players), {who} (the sender), {text} (its own sentences) and {when}: the moment that it
    is about, or those of its sentences (`moments`). `describe` makes words and address instead if they depend on
    more; `fill` then puts what the rows say today into the text of one of the sentences. `links` are further links of
    its email, each with its words: they may let the person do something without a login.

    `reminders`: how many minutes before its moment a person who has chosen nothing is reminded, the longest first.
    """

    title: str | Promise
    words: str | Promise = ""
    mailed: bool = True
    moments: bool = False
    to_inactive: bool = False
    reminders: tuple[int, ...] = ()
    reminder_label: str | Promise = ""
    group: str | Promise = GAMES
    describe: Callable[[Notice], tuple[str, str]] | None = None
    fill: Callable[[Notice, str], str] = lambda _notice, text: text
    links: Callable[[Notice], Sequence[tuple[str, str]]] = lambda _notice: ()


YOUR_TURN: Final = "your_turn"
GAME_OVER: Final = "game_over"
APPOINTED: Final = "appointed"
CLASH: Final = "clash"
CLOCK_LOW: Final = "clock_low"

SUBJECTS: Final[dict[str, NoticeSubject]] = {
    YOUR_TURN: NoticeSubject(_("It is your turn"), _("It is your turn: {game}.")),
    APPOINTED: NoticeSubject(
        _("A league game begins"), _("Your league game begins at {when}: {game}. Check in."), moments=True
    ),
    CLASH: NoticeSubject(
        _("Two games begin at nearly the same time"),
        _(
            "Two of your league games begin at nearly the same time, at {when}, and their clocks run at once: {game}. "
            "Agree on another time for one of them, or ask an organiser."
        ),
        moments=True,
    ),
    CLOCK_LOW: NoticeSubject(
        _("Your clock is running out"),
        _("Your clock is running out: {game}."),
        reminders=(12 * 60, 2 * 60),
        reminder_label=_("Before my clock runs out"),
    ),
    GAME_OVER: NoticeSubject(_("A game ended"), _("Your game ended: {game}. {ending}"), mailed=False),
    "table_filled": NoticeSubject(_("A game begins"), _("Your game begins: {game}.")),
    "rematch_offered": NoticeSubject(_("A player offers a rematch"), _("{who} offers you a rematch: {game}.")),
    "abort_offered": NoticeSubject(
        _("A player proposes to abort a game"),
        _("{who} proposes to abort a game, without a result: {game}."),
    ),
}


def add_subjects(subjects: Mapping[str, NoticeSubject], *, after: str, group: str | Promise) -> None:
    """Add the subjects of another package. In the settings they follow the subject `after`, in the part `group`."""
    known = list(SUBJECTS.items())
    place = list(SUBJECTS).index(after) + 1
    added = [(name, subject._replace(group=group)) for name, subject in subjects.items()]
    SUBJECTS.clear()
    SUBJECTS.update([*known[:place], *added, *known[place:]])
