"""What people are told of: each subject's words, and whether it usually comes by e-mail too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Subject(NamedTuple):
    """`title` stands in a person's settings. `words` is the notice itself, with {game} (its kind and who else plays),
    {who} (the person it comes from), {note}, and {when}: the moment that `note` holds."""

    title: str | Promise
    words: str | Promise
    mailed: bool = True


YOUR_TURN: Final = "your_turn"
GAME_OVER: Final = "game_over"
APPOINTED: Final = "appointed"

SUBJECTS: Final[Mapping[str, Subject]] = {
    YOUR_TURN: Subject(_("It is your turn"), _("It is your turn: {game}.")),
    APPOINTED: Subject(_("A league game of yours begins"), _("Your league game begins at {when}: {game}. Check in.")),
    "clock_low": Subject(_("Your time runs out"), _("Your time runs out soon: {game}.")),
    GAME_OVER: Subject(_("A game of yours is over"), _("This game is over: {game}."), mailed=False),
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
    "registration": Subject(_("News of a season that you play in"), _("{note}")),
    "season_needs_you": Subject(_("A season of your club needs you"), _("{note}")),
}
