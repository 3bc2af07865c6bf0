"""Why an entrant has their place: the sentences of standings. Pure.

Rows keep the names of these functions and their arguments. Points and values are numbers, tie-breaks are their names.
Each text has NEIGHBOUR where a page writes the neighbour's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scorebook_games.presentation.coded_text import Sentence, sentence
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import join_with_and, ngettext
from tournaments.scoring.points import number_text
from tournaments.scoring.tie_breaks import TIE_BREAKS, tie_break_name

NEIGHBOUR: Final = "{neighbour}"


@sentence
def ahead(points: float) -> str:
    return _("{points} ahead of {neighbour}.").format(points=points_text(points), neighbour=NEIGHBOUR)


@sentence
def behind(points: float) -> str:
    return _("{points} behind {neighbour}.").format(points=points_text(points), neighbour=NEIGHBOUR)


@sentence
def level(points: float, also: Sequence[str]) -> str:
    """`also`: the tie-breaks in which they are level too."""
    if not also:
        return _("Tied with {neighbour} on {points}.").format(neighbour=NEIGHBOUR, points=points_text(points))
    words = _("Tied with {neighbour} on {points} and in {names}.")
    return words.format(neighbour=NEIGHBOUR, points=points_text(points), names=_tie_breaks(also))


@sentence
def level_to_the_end(points: float, also: Sequence[str]) -> str:
    """`also`: the tie-breaks in which they are level too."""
    if not also:
        words = _("Tied with {neighbour} on {points}: they share the place.")
        return words.format(neighbour=NEIGHBOUR, points=points_text(points))
    words = _("Tied with {neighbour} on {points} and in {names}: they share the place.")
    return words.format(neighbour=NEIGHBOUR, points=points_text(points), names=_tie_breaks(also))


@sentence
def tie_break_decides(name: str, mine: float, theirs: float) -> str:
    one, many = _("{name} decides: {mine} against {theirs}."), _("{name} decide: {mine} against {theirs}.")
    label = tie_break_name(name)
    return (many if TIE_BREAKS[name].plural else one).format(
        name=label[0].upper() + label[1:], mine=number_text(mine), theirs=number_text(theirs)
    )


@sentence
def among_tied_decides(name: str, mine: float, theirs: float) -> str:
    """A tie-break that did not part the two, but does when it is applied again to those who are still tied."""
    label = tie_break_name(name)
    return _("{name} among those still tied decides: {mine} against {theirs}.").format(
        name=label[0].upper() + label[1:], mine=number_text(mine), theirs=number_text(theirs)
    )


# Where points do not decide


@sentence
def not_drawn() -> str:
    return _("Was not in the draw.")


@sentence
def still_in(stage: Sentence) -> str:
    return _("Still in: {stage}.").format(stage=stage)


@sentence
def won_stage(stage: Sentence) -> str:
    return _("Won: {stage}.").format(stage=stage)


@sentence
def out_in_stage(stage: Sentence) -> str:
    return _("Out: {stage}.").format(stage=stage)


@sentence
def on_the_ladder(place: int) -> str:
    return _("Place {place} on the ladder, by its matches and declined challenges.").format(place=place)


@sentence
def recorded_place() -> str:
    return _("This place was recorded when the season ended.")


# Parts of sentences


def points_text(points: float) -> str:
    """Return a number of points in words: 1 point, ½ point, 2 points."""
    words = ngettext("{points} point", "{points} points", 1 if 0 < points <= 1 else 2)
    return words.format(points=number_text(points))


def _tie_breaks(names: Sequence[str]) -> str:
    return join_with_and([tie_break_name(name) for name in names])
