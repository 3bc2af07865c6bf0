"""The tie-breaks, a class each: its words, where its figures are shown, and how it is computed. Pure.

A new tie-break is a subclass that `TIE_BREAKS` names. A package of somebody else offers one by an entry point of the
group `scorebook.tie_breaks` (`tournaments.formats`). Settings, form, API, standings and documents follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import ClassVar, Final

from scorebook_games.presentation.text import gettext, gettext_noop
from tournaments.core.registry import Registry, missing_label, not_installed
from tournaments.scoring.crosstable import AWAY_RESULT, FORFEIT_RESULT, Crosstable, RoundCell
from tournaments.scoring.points import ZERO

LevelGroup = Sequence[int]
Values = Mapping[int, Fraction]


class TieBreak:
    """A figure that orders entrants who are tied on points.

    `key`: in settings and data, for ever. `name`: in sentences, as in “games won decide: 3 against 2”; `plural`:
    whether it takes “decide”. `label`: in the settings, with an explanation; the name if "". `meaning`: in the
    documents. `column`: the heading of its column in the standings; "" if it has none. `note`: explains the figure in a
    row's arithmetic; "" if that has a column for it. `cell`: the key of its part of a round in `RoundCell.plain`, ""
    if it is no sum over rounds, and `cell_heading` the heading of that column, in two parts, of which the first is left
    out where there is little room. `compares_cards`: whether the arithmetic shows the scores of others with the same
    cards. `lower_is_better`: the figure is shown without the sign that `values` gives it. `among_tied`: it depends on
    who is tied, and applies again to those who are still tied.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    meaning: ClassVar[str]
    label: ClassVar[str] = ""
    column: ClassVar[str] = ""
    note: ClassVar[str] = ""
    cell: ClassVar[str] = ""
    cell_heading: ClassVar[tuple[str, str]] = ("", "")
    compares_cards: ClassVar[bool] = False
    plural: ClassVar[bool] = False
    lower_is_better: ClassVar[bool] = False
    among_tied: ClassVar[bool] = False

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values | None:
        """Return the value of every entrant of a `group` that is level, the highest the best; None if the tie-break
        does not apply to it."""
        raise NotImplementedError


class HeadToHead(TieBreak):
    """The score in the games among the entrants of the group: 1 for a better place, ½ for the same. It applies only if
    all of them have met equally often (FIDE C.07, direct encounter)."""

    key = "head_to_head"
    name = gettext_noop("head-to-head")
    label = gettext_noop("head-to-head (games between the tied players)")
    meaning = (
        "results of the games among the tied players; it applies only if all of them have met equally often. Where "
        "some are still tied with each other, it is applied again among these alone"
    )
    note = gettext_noop("of the games between the tied players")
    among_tied = True

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values | None:
        often = sheet.together.get((group[0], group[-1]), 0)
        if not often or any(sheet.together.get(pair) != often for pair in combinations(group, 2)):
            return None
        return {a: sum((sheet.taken[a, b] for b in group if b != a), ZERO) for a in group}


class Wins(TieBreak):
    """Games won outright, without those to which nobody else came."""

    key = "wins"
    name = gettext_noop("games won")
    meaning = "games won outright"
    column = gettext_noop("Won")
    cell = "wins"
    cell_heading = (gettext_noop("Games"), gettext_noop("won"))
    plural = True

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        return {entrant: Fraction(sum(line.wins for line in sheet.lines[entrant])) for entrant in group}


class Buchholz(TieBreak):
    """The sum of the points of all opponents, for each meeting (FIDE C.07)."""

    key = "buchholz"
    name = gettext_noop("Buchholz")
    label = gettext_noop("Buchholz (the points of all opponents)")
    meaning = "the sum of the points of all opponents, counted once for each meeting"
    column = gettext_noop("Buchholz")
    cell = "buchholz"
    cell_heading = (gettext_noop("Opponents’ points:"), gettext_noop("Buchholz"))

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        return {entrant: sum((line.buchholz for line in sheet.lines[entrant]), ZERO) for entrant in group}


class MedianBuchholz(Buchholz):
    """Buchholz without the opponents with most and fewest points.

    A round that the entrant asked to miss or was absent from is cut as the lower one (FIDE C.07: such rounds are cut
    first). With two opponents or fewer nothing is left.
    """

    key = "median_buchholz"
    name = gettext_noop("median Buchholz")
    label = gettext_noop("median Buchholz (without the best and the worst opponent)")
    meaning = "the same without the opponents with the most and the fewest points; 0 with two opponents or fewer"
    column = gettext_noop("Median B.")
    note = gettext_noop("Buchholz without the highest and the lowest value")

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        return {entrant: _median(sheet.lines[entrant]) for entrant in group}


class SonnebornBerger(TieBreak):
    """The sum of the points of opponents beaten in a match, and half the points of those drawn with (FIDE C.07)."""

    key = "sonneborn_berger"
    name = gettext_noop("Sonneborn-Berger")
    label = gettext_noop("Sonneborn-Berger (the points of beaten opponents and half the points of drawn ones)")
    meaning = (
        "the points of each opponent whom you have beaten in a match, and half the points of each opponent with whom "
        "you drew"
    )
    column = gettext_noop("S-B")
    cell = "sonneborn_berger"
    cell_heading = (gettext_noop("Result × opponents’ points:"), gettext_noop("S-B"))

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        return {entrant: sum((line.sonneborn_berger for line in sheet.lines[entrant]), ZERO) for entrant in group}


class ScoreDifference(TieBreak):
    """The sum over all games of the own score minus the mean of the others' scores. Adjudicated games and absences add
    nothing."""

    key = "score_difference"
    name = gettext_noop("score difference")
    label = gettext_noop("score difference (own scores minus the opponents’ scores)")
    meaning = "your scores minus the average of the others' scores, in points of the game; adjudicated games have none"
    column = gettext_noop("Difference")
    cell = "difference"
    cell_heading = (gettext_noop("Score"), gettext_noop("ahead"))

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        return {entrant: sum((line.difference for line in sheet.lines[entrant]), ZERO) for entrant in group}


class DuplicateScore(TieBreak):
    """The sum of the own scores minus the mean of the scores that others made with the same cards in the same seat."""

    key = "datum"
    name = gettext_noop("the same cards")
    label = gettext_noop("duplicate score (compared with others who had the same cards)")
    meaning = (
        "with [duplicate deals](../explanation/duplicate-deals.md): your scores minus the average of other players' "
        "scores with the same cards in the same seat"
    )
    column = gettext_noop("Duplicate")
    compares_cards = True

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        ahead = dict.fromkeys(group, ZERO)
        for (entrant, _round), played in sheet.cards.items():
            if entrant in ahead:
                ahead[entrant] += sheet.sign * sum((score - mean for score, mean in played), ZERO)
        return ahead


class FewestForfeits(TieBreak):
    """The number of games left early, negative."""

    key = "fewest_forfeits"
    name = gettext_noop("games left")
    label = gettext_noop("fewest abandoned games")
    meaning = "games that you left; fewer is better"
    note = gettext_noop("fewer is better")
    plural = True
    lower_is_better = True

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        kept = dict.fromkeys(group, ZERO)
        for game in sheet.games:
            for seat in game.left:
                if game.seats[seat] in kept:
                    kept[game.seats[seat]] -= 1
        return kept


class Lots(TieBreak):
    """The number drawn when the season started, negative, because the lowest comes first."""

    key = "lots"
    name = gettext_noop("the drawing of lots")
    meaning = "your lot from the draw at the start of the season; lower is better"
    note = gettext_noop("drawn at the start; the lower number ranks higher")
    lower_is_better = True

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        return {entrant: Fraction(-sheet.lots[entrant]) for entrant in group}


class BoardPoints(TieBreak):
    """The points of all games: in matches of teams, those of the boards. A round without a match adds nothing."""

    key = "board_points"
    name = gettext_noop("board points")
    label = gettext_noop("board points (the points of all games)")
    meaning = "of teams: the points of all boards, 1 for a win and ½ for a draw; a round without a match adds nothing"
    note = gettext_noop("as in the column of games")
    plural = True

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        return {entrant: sum((line.games for line in sheet.lines[entrant]), ZERO) for entrant in group}


class TeamSonnebornBerger(TieBreak):
    """The points of each opponent times the own board points against it (FIDE C.07, extended Sonneborn-Berger)."""

    key = "team_sonneborn_berger"
    name = gettext_noop("Sonneborn-Berger of teams")
    label = gettext_noop("Sonneborn-Berger of teams (the points of each opponent, times the board points against it)")
    meaning = "of teams: the points of each opponent, multiplied by your board points against it"
    column = gettext_noop("Team S-B")
    note = gettext_noop("opponents’ points × own board points")

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        return {
            entrant: sum(
                (line.games * worth for line in sheet.lines[entrant] if line.opponents for worth in line.met), ZERO
            )
            for entrant in group
        }


class TopBoards(TieBreak):
    """The board points, weighted: of four boards, a win at the first counts 4 and one at the last 1 (“Berlin”)."""

    key = "top_boards"
    name = gettext_noop("weighted boards")
    label = gettext_noop("weighted boards (a point counts more at a higher board)")
    meaning = "of teams: the board points, each multiplied by 1 at the last board, by 2 at the one above, and so on"
    note = gettext_noop("board points; a higher board counts more")
    plural = True

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:
        weighted = dict.fromkeys(group, ZERO)
        last = max((board for game in sheet.games for board in game.boards), default=0)
        for game in sheet.games:
            points = sheet.system.of_game(game)
            for entrant, board, worth in zip(game.seats, game.boards, points, strict=False):
                if entrant in weighted:
                    weighted[entrant] += worth * (last + 1 - board)
        return weighted


class MissingTieBreak(TieBreak):
    """What stands for a tie-break whose package is not installed: its names. Nobody is placed by it."""

    @staticmethod
    def of(key: str) -> TieBreak:
        """Return what stands for the tie-break with this key."""
        named = {"key": key, "name": key, "label": missing_label(key)}
        made: TieBreak = type("MissingTieBreak", (MissingTieBreak,), named)()
        return made

    def values(self, sheet: Crosstable, group: LevelGroup) -> Values:  # noqa: ARG002
        """Raise `NotInstalled`."""
        raise not_installed("tie-break", self.key)


def _median(lines: Sequence[RoundCell]) -> Fraction:
    met = sorted(points for line in lines for points in line.met)
    own_will = [points for line in lines if line.rest in (AWAY_RESULT, FORFEIT_RESULT) for points in line.met]
    if len(met) < 3:
        return ZERO
    met.remove(min(own_will) if own_will else met[0])
    return sum(met[:-1], ZERO)


_OURS: tuple[type[TieBreak], ...] = (
    HeadToHead,
    Wins,
    Buchholz,
    MedianBuchholz,
    SonnebornBerger,
    ScoreDifference,
    DuplicateScore,
    FewestForfeits,
    BoardPoints,
    TeamSonnebornBerger,
    TopBoards,
    Lots,
)
TIE_BREAKS: Final = Registry("scorebook.tie_breaks", (each() for each in _OURS), MissingTieBreak.of)
DEFAULT_TIE_BREAKS: Final = ("head_to_head", "wins", "sonneborn_berger", "score_difference", "fewest_forfeits", "lots")


def tie_break_name(key: str) -> str:
    """Return a tie-break's name in the reader's language."""
    return gettext(TIE_BREAKS[key].name)


def tie_break_label(key: str) -> str:
    """Return a tie-break with its explanation in the reader's language."""
    label = TIE_BREAKS[key].label
    return gettext(label) if label else tie_break_name(key)
