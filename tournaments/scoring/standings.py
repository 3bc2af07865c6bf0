"""Standings as a fold of recorded results. Pure; all sums are exact fractions, so that equal sums are equal.

A row holds all of its arithmetic: a cell for each round, the sums, every tie-break of the season, and a sentence that
says what decided against the neighbour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from scorebook_games.presentation.coded_text import Sentence, plain
from tournaments.core.results import RoundResult
from tournaments.scoring import explanations
from tournaments.scoring.crosstable import Crosstable, RoundCell
from tournaments.scoring.points import (
    ZERO,
    PointsSystem,
    json_number,
)
from tournaments.scoring.tie_breaks import TIE_BREAKS


@dataclass(frozen=True, slots=True)
class EntrantStanding:
    """An entrant's standing with its arithmetic.

    `played`: matches played; `games`, `games_against`: sums of the lines; `tie_breaks`: (name, value) in the season's
    order, the value None if the tie-break does not apply to this row; `neighbour`: the entrant that `why` compares
    with; `carried`: the part of the points that is from the season before; `still_in`: in a cup or its groups, whether
    the entrant is not eliminated yet.
    """

    entrant: int
    place: int
    points: Fraction
    played: int
    games: Fraction
    games_against: Fraction
    tie_breaks: tuple[tuple[str, Fraction | None], ...]
    lines: tuple[RoundCell, ...]
    neighbour: int | None
    why: tuple[Sentence, ...]
    carried: Fraction = ZERO
    still_in: bool = False

    def plain(self) -> dict[str, Any]:
        """Return the row as JSON data, as stored in `Standing.row`."""
        return {
            "entrant": self.entrant,
            "place": self.place,
            "points": json_number(self.points),
            "played": self.played,
            "games": json_number(self.games),
            "games_against": json_number(self.games_against),
            "tie_breaks": [
                {"name": name, "value": None if value is None else json_number(value)}
                for name, value in self.tie_breaks
            ],
            "lines": [line.plain() for line in self.lines],
            "neighbour": self.neighbour,
            "why": plain(self.why),
            "carried": json_number(self.carried),
            **({"still_in": True} if self.still_in else {}),
        }


@dataclass(slots=True)
class _TieBreakPath:
    """An entrant's tie-break values so far."""

    values: dict[str, Fraction | None]
    key: list[tuple[Fraction, ...]]  # points, then the values of each tie-break: equal keys, equal places


def compute_standings(
    entrants: Sequence[int],
    rounds: Iterable[RoundResult],
    points: PointsSystem,
    tie_breaks: Sequence[str],
    *,
    lowest_best: bool = False,
    lots: Mapping[int, int] | None = None,
    carried: Mapping[int, Fraction] | None = None,
    dummies: bool = True,
    rules: Mapping[str, Any] | None = None,
) -> list[EntrantStanding]:
    """Return the standings after the closed ones of `rounds`, first place first.

    `tie_breaks` are keys of `TIE_BREAKS`, applied in order to entrants who are still level; entrants level to the end
    share their place. `lowest_best`: whether the kind's lowest score is the best. `lots`: entrant → drawn number.
    `carried`: entrant → points from the season before. `dummies` and `rules`: as in `Crosstable`.
    """
    sheet = Crosstable(
        entrants,
        rounds,
        points,
        lowest_best=lowest_best,
        lots=lots,
        carried=carried,
        dummies=dummies,
        rules=rules,
    )
    asked = {entrant: _TieBreakPath({}, [(sheet.points[entrant],)]) for entrant in entrants}
    for name in tie_breaks:
        among_tied = TIE_BREAKS[name].among_tied
        for group in _level_groups(asked, entrants) if among_tied else [entrants]:
            for entrant, values in _tie_break_values(sheet, name, group, again=among_tied).items():
                asked[entrant].values[name] = values[0] if values else None
                asked[entrant].key.append(values)
    order = sorted(
        entrants, key=lambda entrant: ([[-value for value in values] for values in asked[entrant].key], entrant)
    )
    places: dict[int, int] = {}
    for index, entrant in enumerate(order):
        level = index and asked[order[index - 1]].key == asked[entrant].key
        places[entrant] = places[order[index - 1]] if level else index + 1
    return [_entrant_standing(sheet, asked, order, places, tie_breaks, index) for index in range(len(order))]


def _tie_break_values(
    sheet: Crosstable, name: str, group: Sequence[int], *, again: bool
) -> dict[int, tuple[Fraction, ...]]:
    """Return entrant → values of a tie-break; () if it does not apply. `again`: where it parts the group, those who are
    still level get further values by their own (FIDE C.07, 6.2)."""
    values = TIE_BREAKS[name].values(sheet, group)
    if values is None:
        return dict.fromkeys(group, ())
    found: dict[int, tuple[Fraction, ...]] = {entrant: (values[entrant],) for entrant in group}
    parts = [[one for one in group if values[one] == value] for value in sorted(set(values.values()))]
    for part in parts if again and len(parts) > 1 else []:
        if len(part) > 1:
            further = _tie_break_values(sheet, name, part, again=True)
            found |= {entrant: found[entrant] + further[entrant] for entrant in part}
    return found


def _level_groups(asked: Mapping[int, _TieBreakPath], entrants: Sequence[int]) -> list[list[int]]:
    """Return the groups of entrants that are level so far."""
    ordered = sorted(entrants, key=lambda entrant: asked[entrant].key)
    return [list(group) for _, group in groupby(ordered, key=lambda entrant: asked[entrant].key)]


def _entrant_standing(
    sheet: Crosstable,
    asked: Mapping[int, _TieBreakPath],
    order: Sequence[int],
    places: Mapping[int, int],
    tie_breaks: Sequence[str],
    index: int,
) -> EntrantStanding:
    entrant = order[index]
    lines = tuple(sheet.lines[entrant])
    neighbour = _neighbour(sheet, order, index)
    return EntrantStanding(
        entrant=entrant,
        place=places[entrant],
        points=sheet.points[entrant],
        played=sum(1 for line in lines if line.opponents),
        games=sum((line.games for line in lines), ZERO),
        games_against=sum((line.games_against for line in lines), ZERO),
        tie_breaks=tuple((name, _tie_break_text(name, asked[entrant].values[name])) for name in tie_breaks),
        lines=lines,
        neighbour=neighbour,
        why=_place_reason(asked[entrant], asked[neighbour], tie_breaks) if neighbour is not None else (),
        carried=sheet.carried[entrant],
    )


def _neighbour(sheet: Crosstable, order: Sequence[int], index: int) -> int | None:
    """Return the entrant that a row is compared with: one with the same points if there is any, the one below first."""
    near = [order[i] for i in (index + 1, index - 1) if 0 <= i < len(order)]
    level = [other for other in near if sheet.points[other] == sheet.points[order[index]]]
    return (level + near + [None])[0] if near else None


def _place_reason(mine: _TieBreakPath, theirs: _TieBreakPath, tie_breaks: Sequence[str]) -> tuple[Sentence, ...]:
    [own_points], [other_points] = mine.key[0], theirs.key[0]
    if gap := own_points - other_points:
        return ((explanations.ahead if gap > 0 else explanations.behind)(json_number(abs(gap))),)
    points = json_number(own_points)
    deciding = next(
        (i for i, (a, b) in enumerate(zip(mine.key[1:], theirs.key[1:], strict=True)) if a != b), len(tie_breaks)
    )
    also = [name for name in tie_breaks[:deciding] if mine.values[name] is not None]
    if deciding == len(tie_breaks):
        return (explanations.level_to_the_end(points, also),)
    name = tie_breaks[deciding]
    both = list(zip(mine.key[1 + deciding], theirs.key[1 + deciding], strict=False))
    time = next(index for index, (a, b) in enumerate(both) if a != b)
    own, other = (json_number(_tie_break_text(name, value) or ZERO) for value in both[time])
    decides = explanations.among_tied_decides if time else explanations.tie_break_decides
    return explanations.level(points, also), decides(name, own, other)


def _tie_break_text(name: str, value: Fraction | None) -> Fraction | None:
    """Return a tie-break's value as people read it: lot 3, two games left."""
    return abs(value) if value is not None and TIE_BREAKS[name].lower_is_better else value
