"""How a game ended, in words, for pages, tables, lists, notices and the story of a game.

Only the code is stored and sent: the `termination` of the outcome (docs/reference/api-games.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common.bidi import isolated
from scorebook_games.contract import ABORTED, LEFT, TURN_LIMIT
from scorebook_games.gamelog.events import FORFEITED, NO_SHOW, OUT_OF_TIME, RESIGNED
from scorebook_games.placings import winners
from scorebook_games.presentation.text import join_with_and

if TYPE_CHECKING:  # the bot kit describes games without a database
    from games.models import Game

# Why a game ended before its last move, by termination. "{names}" are the players who left.
CAUSE_SENTENCES: Final[Mapping[str, str | Promise]] = {
    TURN_LIMIT: gettext_lazy("The turn limit was reached."),
    RESIGNED: gettext_lazy("{names} resigned."),
    OUT_OF_TIME: gettext_lazy("{names} ran out of time."),
    NO_SHOW: gettext_lazy("{names} did not show up."),
    FORFEITED: gettext_lazy("{names} forfeited the game."),
    LEFT: gettext_lazy("{names} left the game."),
}
# The same as the end of a line that names the winner.
TERMINATION_LABELS: Final[Mapping[str, str | Promise]] = {
    TURN_LIMIT: gettext_lazy("at the turn limit"),
    RESIGNED: gettext_lazy("by resignation"),
    OUT_OF_TIME: gettext_lazy("by time-out"),
    NO_SHOW: gettext_lazy("by no-show"),
    FORFEITED: gettext_lazy("by forfeit"),
    LEFT: gettext_lazy("because a player left"),
    ABORTED: gettext_lazy("without a result"),
}


def termination_label(termination: str) -> str:
    """Return how a game ended as the end of a line, such as "by time-out"; "" if it ended by its last move."""
    return str(TERMINATION_LABELS.get(termination, ""))


def termination_label_of(game: Game) -> str:
    """Return `termination_label` of a finished game."""
    return termination_label((game.outcome or {}).get("termination", ""))


def outcome_sentence(outcome: Mapping[str, Any], names: Sequence[str], left: Iterable[int]) -> str:
    """Return why a game ended and who won: "Laura ran out of time. Martha wins."

    `names` are the players by seat; those in the seats `left` have left.
    """
    names = [isolated(name) for name in names]
    termination, placings, leavers = outcome["termination"], outcome["placings"], set(left)
    if termination == ABORTED:
        return _("The game was aborted. It has no result.")
    # The last to leave is placed above those who left before; their leaving ended the game.
    last = min((placings[seat] for seat in leavers), default=0)
    causing = [seat for seat in leavers if termination == NO_SHOW or placings[seat] == last]
    came = set(range(len(placings))) - (leavers if termination == NO_SHOW else set())
    first = [seat for seat in winners(placings) if seat in came]
    cause = str(CAUSE_SENTENCES.get(termination, ""))
    if "{names}" in cause:
        cause = cause.format(names=join_with_and([names[seat] for seat in sorted(causing)]) or _("Somebody"))
    return f"{cause} {_won([names[seat] for seat in first])}".strip()


def outcome_sentence_of(game: Game) -> str:
    """Return `outcome_sentence` of a finished game."""
    seats = sorted(game.seats.all(), key=lambda seat: seat.seat)
    leavers = [seat.seat for seat in seats if seat.left]
    return outcome_sentence(game.outcome, [seat.player.name for seat in seats], leavers) if game.outcome else ""


def _won(first: Sequence[str]) -> str:
    if not first:
        return _("Nobody wins.")
    if len(first) == 1:
        return _("{name} wins.").format(name=first[0])
    return _("{names} share the first place.").format(names=join_with_and(first))
