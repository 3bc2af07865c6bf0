"""The tie-breaks, by name. Each returns a value for every entrant of a group that is level; the highest value is the
best. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from scorebook_games.presentation.text import gettext, gettext_noop
from tournaments.scoring.crosstable import AWAY_RESULT, FORFEIT_RESULT, Crosstable, RoundCell
from tournaments.scoring.points import ZERO

LevelGroup = Sequence[int]
Values = Mapping[int, Fraction]


def wins(sheet: Crosstable, group: LevelGroup) -> Values:
    """Games won outright, without those to which nobody else came."""
    return {entrant: Fraction(sum(line.wins for line in sheet.lines[entrant])) for entrant in group}


def head_to_head(sheet: Crosstable, group: LevelGroup) -> Values | None:
    """The score in the games among the entrants of the group: 1 for a better place, ½ for the same. It applies only if
    all of them have met equally often (FIDE C.07, direct encounter)."""
    often = sheet.together.get((group[0], group[-1]), 0)
    if not often or any(sheet.together.get(pair) != often for pair in combinations(group, 2)):
        return None
    return {a: sum((sheet.taken[a, b] for b in group if b != a), ZERO) for a in group}


def buchholz(sheet: Crosstable, group: LevelGroup) -> Values:
    """The sum of the points of all opponents, for each meeting."""
    return {entrant: sum((line.buchholz for line in sheet.lines[entrant]), ZERO) for entrant in group}


def median_buchholz(sheet: Crosstable, group: LevelGroup) -> Values:
    """Buchholz without the opponents with most and fewest points.

    A round that the entrant asked to miss or was absent from is cut as the lower one (FIDE C.07: such rounds are cut
    first). With two opponents or fewer nothing is left.
    """
    return {entrant: _median(sheet.lines[entrant]) for entrant in group}


def _median(lines: Sequence[RoundCell]) -> Fraction:
    met = sorted(points for line in lines for points in line.met)
    own_will = [points for line in lines if line.rest in (AWAY_RESULT, FORFEIT_RESULT) for points in line.met]
    if len(met) < 3:
        return ZERO
    met.remove(min(own_will) if own_will else met[0])
    return sum(met[:-1], ZERO)


def sonneborn_berger(sheet: Crosstable, group: LevelGroup) -> Values:
    """The sum of the points of opponents beaten in a match, and half the points of those drawn with."""
    return {entrant: sum((line.sonneborn_berger for line in sheet.lines[entrant]), ZERO) for entrant in group}


def score_difference(sheet: Crosstable, group: LevelGroup) -> Values:
    """The sum over all games of the own score minus the mean of the others' scores. Adjudicated games and absences add
    nothing."""
    return {entrant: sum((line.difference for line in sheet.lines[entrant]), ZERO) for entrant in group}


def datum(sheet: Crosstable, group: LevelGroup) -> Values:
    """The sum of the own scores minus the mean of the scores that others made with the same cards in the same seat."""
    ahead = dict.fromkeys(group, ZERO)
    for (entrant, _round), played in sheet.cards.items():
        if entrant in ahead:
            ahead[entrant] += sheet.sign * sum((score - mean for score, mean in played), ZERO)
    return ahead


def fewest_forfeits(sheet: Crosstable, group: LevelGroup) -> Values:
    """The number of games left early, negative."""
    kept = dict.fromkeys(group, ZERO)
    for game in sheet.games:
        for seat in game.left:
            if game.seats[seat] in kept:
                kept[game.seats[seat]] -= 1
    return kept


def drawn_lots(sheet: Crosstable, group: LevelGroup) -> Values:
    """The number drawn when the season started, negative, because the lowest comes first."""
    return {entrant: Fraction(-sheet.lots[entrant]) for entrant in group}


TIE_BREAKS: dict[str, Callable[[Crosstable, LevelGroup], Values | None]] = {
    "head_to_head": head_to_head,
    "wins": wins,
    "buchholz": buchholz,
    "median_buchholz": median_buchholz,
    "sonneborn_berger": sonneborn_berger,
    "score_difference": score_difference,
    "datum": datum,
    "fewest_forfeits": fewest_forfeits,
    "lots": drawn_lots,
}
DEFAULT_TIE_BREAKS = ("head_to_head", "wins", "sonneborn_berger", "score_difference", "fewest_forfeits", "lots")
TIE_BREAK_NAMES = {
    "head_to_head": gettext_noop("head-to-head"),
    "wins": gettext_noop("games won"),
    "buchholz": gettext_noop("Buchholz"),
    "median_buchholz": gettext_noop("median Buchholz"),
    "sonneborn_berger": gettext_noop("Sonneborn-Berger"),
    "score_difference": gettext_noop("score difference"),
    "datum": gettext_noop("the same cards"),
    "fewest_forfeits": gettext_noop("games left"),
    "lots": gettext_noop("the drawing of lots"),
}
PLURAL_NAMES = ("wins", "fewest_forfeits")
AMONG_TIED = ("head_to_head",)  # depends on who is tied, and applies again to those who are still tied
LOWER_IS_BETTER = ("fewest_forfeits", "lots")


def tie_break_name(name: str) -> str:
    """Return a tie-break's name in the reader's language."""
    return gettext(TIE_BREAK_NAMES.get(name, name))
