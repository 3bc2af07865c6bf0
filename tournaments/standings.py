"""Standings as a fold of recorded results. Pure; all sums are exact fractions, so that equal is equal.

A row carries the whole of its arithmetic: a line a round, the sums, every tie-break of the season, and a sentence
that says what decided against the neighbour.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, groupby, pairwise
from typing import Any

from tournaments.results import GameResult, MatchResult, RoundResult

SYSTEMS = ("match_points", "game_wins", "placing")
NEIGHBOUR = "{neighbour}"  # stands in a row's `why` where the page puts the neighbour's name
ZERO = Fraction(0)
HALF = Fraction(1, 2)

VULGAR = {Fraction(1, 2): "½", Fraction(1, 4): "¼", Fraction(3, 4): "¾", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔"}


@dataclass(frozen=True, slots=True)
class PointsSystem:
    """How results become points.

    `system` "placing": each game gives `scale` by placing; "game_wins": likewise, the winner's 1 alone by default;
    "match_points": the match gives `scale` by place, those placed by their games. Places that are shared share what
    they are worth together. `scale` is worth of place 1, 2 …, 0 beyond its end. `bye`: the points of a rest.
    `away`: those of a round that one asked to be left out of, or that was paired before one came.
    """

    system: str
    scale: tuple[Fraction, ...]
    bye: Fraction = ZERO
    away: Fraction = ZERO

    def plain(self) -> dict[str, Any]:
        """As JSON data."""
        scale = [number(worth) for worth in self.scale]
        return {"system": self.system, "scale": scale, "bye": number(self.bye), "away": number(self.away)}

    @property
    def walkover(self) -> Fraction:
        """What a match is worth whose other side has withdrawn: a win where matches count, else a bye."""
        return self.scale[0] if self.system == "match_points" else self.bye

    def games_scale(self, seats: int) -> tuple[Fraction, ...]:
        """What one game is worth by placing, as the column of games counts it."""
        if self.system != "match_points":
            return self.scale
        return tuple(Fraction(worth) for worth in range(seats - 1, -1, -1))


def points_of(data: Mapping[str, Any]) -> PointsSystem:
    """A points system from JSON data. Raises ValueError with a sentence."""
    unknown = set(data) - {"system", "scale", "bye", "away"}
    if unknown:
        raise ValueError(f"Points have no setting {sorted(unknown)[0]!r}; they have system, scale, bye and away.")
    system, scale, bye, away = data.get("system"), data.get("scale"), data.get("bye", 0), data.get("away", 0)
    if system not in SYSTEMS:
        raise ValueError(f"The points system is one of {', '.join(SYSTEMS)}, not {system!r}.")
    if not isinstance(scale, list) or not scale:
        raise ValueError("The points' scale is a list: what place 1, 2 … is worth.")
    for worth in [*scale, bye, away]:
        if isinstance(worth, bool) or not isinstance(worth, int | float) or not 0 <= worth <= 1000:
            raise ValueError(f"Points are numbers from 0 to 1000, not {worth!r}.")
    worths = tuple(exact(worth) for worth in scale)
    if any(later > earlier for earlier, later in pairwise(worths)):
        raise ValueError("A better place is worth as much as a worse one at least: the points' scale does not rise.")
    return PointsSystem(str(system), worths, exact(bye), exact(away))


def default_points(table_size: int, games_a_match: int, *, rests_equal: bool = True) -> PointsSystem:
    """Two at a table: 1 for the match, a draw ½; for a bye nothing where all have it as often, else as for a win.

    Three and more: every game gives a point for each entrant one is placed before, and a bye what the middle of a
    table gets, since there some may rest once more than others.
    """
    if table_size == 2:
        return PointsSystem("match_points", (Fraction(1),), ZERO if rests_equal else Fraction(1))
    scale = tuple(Fraction(worth) for worth in range(table_size - 1, -1, -1))
    return PointsSystem("placing", scale, Fraction(table_size - 1, 2) * games_a_match)


def exact(value: float | int) -> Fraction:
    """The decimal number that was written, not its binary neighbour."""
    return Fraction(str(value))


def number(value: Fraction) -> int | float:
    """As a JSON number, whole where it is."""
    return int(value) if value.denominator == 1 else float(value)


def written(value: Fraction) -> str:
    """As people write it: 3½, −12, 2.17."""
    sign, size = ("−" if value < 0 else ""), abs(value)
    whole, rest = divmod(size, 1)
    if not rest:
        return f"{sign}{whole}"
    if rest in VULGAR:
        return f"{sign}{whole or ''}{VULGAR[rest]}"
    return f"{sign}{float(size):.2f}"


def shared(scale: Sequence[Fraction], placings: Sequence[int]) -> list[Fraction]:
    """What each seat gets of `scale`: those who share a place share what their places are worth together."""
    worth = [*scale, *[ZERO] * len(placings)]
    counts = {place: placings.count(place) for place in placings}
    return [sum(worth[place - 1 : place - 1 + counts[place]], ZERO) / counts[place] for place in placings]


def versus(mine: int, theirs: int) -> Fraction:
    """1 for the better place, ½ for the same, 0 for the worse."""
    return Fraction(mine < theirs) + HALF * (mine == theirs)


@dataclass(frozen=True, slots=True)
class MatchScore:
    """A match added up, by entrant: points of its games, place by these, points for the standings."""

    games: Mapping[int, Fraction]
    places: Mapping[int, int]
    points: Mapping[int, Fraction]


def score_match(points: PointsSystem, match: MatchResult) -> MatchScore:
    """`match` under `points`."""
    games = dict.fromkeys(match.entrants, ZERO)
    for game in match.games:
        worths = shared(points.games_scale(len(game.seats)), game.placings)
        for entrant, worth in zip(game.seats, worths, strict=True):
            games[entrant] += worth
    places = {entrant: 1 + sum(other > mine for other in games.values()) for entrant, mine in games.items()}
    if points.system == "match_points":
        worths = shared(points.scale, [places[entrant] for entrant in match.entrants])
        return MatchScore(games, places, dict(zip(match.entrants, worths, strict=True)))
    return MatchScore(games, places, games)


@dataclass(frozen=True, slots=True)
class Line:
    """One round of one entrant. `opponents` is empty for a bye.

    `games` and `games_against`: points of the games, one's own and the others' together; `place` in the match,
    `level`: shared; `points` for the standings; `buchholz` and `sonneborn_berger`: what the round adds to these.
    """

    round: int
    opponents: tuple[int, ...]
    games: Fraction
    games_against: Fraction
    place: int | None
    level: bool
    points: Fraction
    buchholz: Fraction
    sonneborn_berger: Fraction

    @property
    def result(self) -> str:
        """W, D, L for two at a table; the place for more; – for a bye."""
        if self.place is None:
            return "–"
        if len(self.opponents) > 1:
            return f"{self.place}{'=' if self.level else ''}"
        return "D" if self.level else "WL"[self.place - 1]

    def plain(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "round": self.round,
            "opponents": list(self.opponents),
            "result": self.result,
            "games": number(self.games),
            "games_against": number(self.games_against),
            "points": number(self.points),
            "buchholz": number(self.buchholz),
            "sonneborn_berger": number(self.sonneborn_berger),
        }


@dataclass(frozen=True, slots=True)
class Row:
    """An entrant's standing with its arithmetic.

    `played`: matches played; `games`, `games_against`: sums of the lines; `tie_breaks`: (name, value) in the season's
    order, the value None where the tie-break cannot be asked of this row; `neighbour` is the entrant that `why`
    speaks of, and stands in it as `{neighbour}`; `carried` are points from the season before, among `points`.
    """

    entrant: int
    place: int
    points: Fraction
    played: int
    games: Fraction
    games_against: Fraction
    tie_breaks: tuple[tuple[str, Fraction | None], ...]
    lines: tuple[Line, ...]
    neighbour: int | None
    why: str
    carried: Fraction = ZERO

    def plain(self) -> dict[str, Any]:
        """As JSON data, as `Standing.row` keeps it."""
        return {
            "entrant": self.entrant,
            "place": self.place,
            "points": number(self.points),
            "played": self.played,
            "games": number(self.games),
            "games_against": number(self.games_against),
            "tie_breaks": [
                {"name": name, "value": None if value is None else number(value)} for name, value in self.tie_breaks
            ],
            "lines": [line.plain() for line in self.lines],
            "neighbour": self.neighbour,
            "why": self.why,
            "carried": number(self.carried),
        }


class Sheet:
    """Everything that points and tie-breaks are added up from. `lines` and `points` are by entrant."""

    def __init__(
        self,
        entrants: Sequence[int],
        rounds: Iterable[RoundResult],
        points: PointsSystem,
        *,
        lowest_best: bool,
        lots: Mapping[int, int] | None,
        carried: Mapping[int, Fraction] | None = None,
    ) -> None:
        self.entrants = entrants
        self.rounds = [past for past in rounds if past.closed]
        self.system = points
        self.sign = -1 if lowest_best else 1
        self.lots = lots or {entrant: entrant for entrant in entrants}
        self.matches = [
            (past.number, match, score_match(points, match))
            for past in self.rounds
            for match in past.matches
            if not match.struck
        ]
        self.games: list[GameResult] = [game for _, match, _ in self.matches for game in match.games]
        self.carried = {entrant: (carried or {}).get(entrant, ZERO) for entrant in entrants}
        self.points: dict[int, Fraction] = dict(self.carried)
        for _, _, score in self.matches:
            for entrant, worth in score.points.items():
                self.points[entrant] += worth
        self.rests = [rest for past in self.rounds for rest in _rests(past, points)]
        for _, entrant, worth in self.rests:
            self.points[entrant] += worth
        self.lines = self._lines()
        # How often two entrants have sat in one game, and what the first took of it (1, ½ or 0 each time).
        self.together: dict[tuple[int, int], int] = defaultdict(int)
        self.taken: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for game in self.games:
            for (a, place_a), (b, place_b) in combinations(zip(game.seats, game.placings, strict=True), 2):
                for mine, theirs, part in ((a, b, versus(place_a, place_b)), (b, a, versus(place_b, place_a))):
                    self.together[mine, theirs] += 1
                    self.taken[mine, theirs] += part

    def _lines(self) -> dict[int, list[Line]]:
        lines: dict[int, list[Line]] = {entrant: [] for entrant in self.entrants}
        for round_number, match, score in self.matches:
            for entrant in match.entrants:
                lines[entrant].append(self._line(round_number, entrant, match, score))
        for round_number, entrant, worth in self.rests:
            lines[entrant].append(Line(round_number, (), ZERO, ZERO, None, False, worth, ZERO, ZERO))
        return {entrant: sorted(own, key=lambda line: line.round) for entrant, own in lines.items()}

    def _line(self, round_number: int, entrant: int, match: MatchResult, score: MatchScore) -> Line:
        others = tuple(other for other in match.entrants if other != entrant)
        place = score.places[entrant]
        return Line(
            round=round_number,
            opponents=others,
            games=score.games[entrant],
            games_against=sum((score.games[other] for other in others), ZERO),
            place=place,
            level=any(score.places[other] == place for other in others),
            points=score.points[entrant],
            buchholz=sum((self.points[other] for other in others), ZERO),
            sonneborn_berger=sum((versus(place, score.places[other]) * self.points[other] for other in others), ZERO),
        )


def _rests(past: RoundResult, points: PointsSystem) -> list[tuple[int, int, Fraction]]:
    """(round, entrant, points) of all who had no match in a round."""
    worths = ((past.byes, points.bye), (past.away, points.away), (past.walkovers, points.walkover))
    return [(past.number, entrant, worth) for entrants, worth in worths for entrant in entrants]


Group = Sequence[int]
Values = Mapping[int, Fraction]


def wins(sheet: Sheet, group: Group) -> Values:
    """Games won outright."""
    won = dict.fromkeys(group, ZERO)
    for game in sheet.games:
        first = [entrant for entrant, place in zip(game.seats, game.placings, strict=True) if place == 1]
        if len(first) == 1 and first[0] in won:
            won[first[0]] += 1
    return won


def head_to_head(sheet: Sheet, group: Group) -> Values | None:
    """What each took of the games among those who are level: 1 for a better place, ½ for the same.

    It is asked only if all of them have met, and equally often (FIDE C.07, direct encounter).
    """
    often = sheet.together.get((group[0], group[-1]), 0)
    if not often or any(sheet.together.get(pair) != often for pair in combinations(group, 2)):
        return None
    return {a: sum((sheet.taken[a, b] for b in group if b != a), ZERO) for a in group}


def buchholz(sheet: Sheet, group: Group) -> Values:
    """The points of everybody one has met, counted for each meeting."""
    return {entrant: sum((line.buchholz for line in sheet.lines[entrant]), ZERO) for entrant in group}


def sonneborn_berger(sheet: Sheet, group: Group) -> Values:
    """The points of everybody one has beaten in a match, half of those one drew with."""
    return {entrant: sum((line.sonneborn_berger for line in sheet.lines[entrant]), ZERO) for entrant in group}


def score_difference(sheet: Sheet, group: Group) -> Values:
    """By how much one's scores in the games were better than the mean of the others', added up."""
    ahead = dict.fromkeys(group, ZERO)
    for game in sheet.games:
        total, others = sum(game.scores), len(game.scores) - 1
        for entrant, score in zip(game.seats, game.scores, strict=True):
            if entrant in ahead:
                ahead[entrant] += sheet.sign * (score - Fraction(total - score, others))
    return ahead


def fewest_forfeits(sheet: Sheet, group: Group) -> Values:
    """Games that one left, counted as minus."""
    kept = dict.fromkeys(group, ZERO)
    for game in sheet.games:
        for seat in game.left:
            if game.seats[seat] in kept:
                kept[game.seats[seat]] -= 1
    return kept


def drawn_lots(sheet: Sheet, group: Group) -> Values:
    """The lot drawn when the season started; the lower number goes first, and counts as minus for that."""
    return {entrant: Fraction(-sheet.lots[entrant]) for entrant in group}


TIE_BREAKS: dict[str, Callable[[Sheet, Group], Values | None]] = {
    "head_to_head": head_to_head,
    "wins": wins,
    "buchholz": buchholz,
    "sonneborn_berger": sonneborn_berger,
    "score_difference": score_difference,
    "fewest_forfeits": fewest_forfeits,
    "lots": drawn_lots,
}
DEFAULT_TIE_BREAKS = ("head_to_head", "wins", "sonneborn_berger", "score_difference", "fewest_forfeits", "lots")
WORDS = {
    "head_to_head": "head-to-head",
    "wins": "games won",
    "buchholz": "Buchholz",
    "sonneborn_berger": "Sonneborn-Berger",
    "score_difference": "score difference",
    "fewest_forfeits": "games left",
    "lots": "the drawing of lots",
}
COUNTED_AS_MINUS = ("fewest_forfeits", "lots")


@dataclass(slots=True)
class _Asked:
    """What one entrant was asked on the way to its place, and with which of the tie-breaks its group came apart."""

    values: dict[str, Fraction | None]
    key: list[Fraction]  # points, then a value for each tie-break (0 where it cannot be asked): equal keys, equal place


def fold(
    entrants: Sequence[int],
    rounds: Iterable[RoundResult],
    points: PointsSystem,
    tie_breaks: Sequence[str],
    *,
    lowest_best: bool = False,
    lots: Mapping[int, int] | None = None,
    carried: Mapping[int, Fraction] | None = None,
) -> list[Row]:
    """The standings after the closed ones of `rounds`, first place first.

    `tie_breaks` are names of `TIE_BREAKS`, asked in turn of those who are still level; entrants level to the end
    share their place. `lowest_best`: whether the kind's lower score is the better one. `lots`: entrant → number drawn.
    `carried`: with how many points they began.
    """
    sheet = Sheet(entrants, rounds, points, lowest_best=lowest_best, lots=lots, carried=carried)
    asked = {entrant: _Asked({}, [sheet.points[entrant]]) for entrant in entrants}
    for name in tie_breaks:
        groups = _level(asked, entrants) if name == "head_to_head" else [entrants]
        for group in groups:
            values = TIE_BREAKS[name](sheet, group)
            for entrant in group:
                asked[entrant].values[name] = None if values is None else values[entrant]
        for entrant in entrants:
            asked[entrant].key.append(asked[entrant].values[name] or ZERO)
    order = sorted(entrants, key=lambda entrant: ([-value for value in asked[entrant].key], entrant))
    places: dict[int, int] = {}
    for index, entrant in enumerate(order):
        level = index and asked[order[index - 1]].key == asked[entrant].key
        places[entrant] = places[order[index - 1]] if level else index + 1
    return [_row(sheet, asked, order, places, tie_breaks, index) for index in range(len(order))]


def _level(asked: Mapping[int, _Asked], entrants: Sequence[int]) -> list[list[int]]:
    """The groups of entrants that nothing asked so far has parted."""
    ordered = sorted(entrants, key=lambda entrant: asked[entrant].key)
    return [list(group) for _, group in groupby(ordered, key=lambda entrant: asked[entrant].key)]


def _row(
    sheet: Sheet,
    asked: Mapping[int, _Asked],
    order: Sequence[int],
    places: Mapping[int, int],
    tie_breaks: Sequence[str],
    index: int,
) -> Row:
    entrant = order[index]
    lines = tuple(sheet.lines[entrant])
    neighbour = _neighbour(sheet, order, index)
    return Row(
        entrant=entrant,
        place=places[entrant],
        points=sheet.points[entrant],
        played=sum(1 for line in lines if line.opponents),
        games=sum((line.games for line in lines), ZERO),
        games_against=sum((line.games_against for line in lines), ZERO),
        tie_breaks=tuple((name, _shown(name, asked[entrant].values[name])) for name in tie_breaks),
        lines=lines,
        neighbour=neighbour,
        why=_why(asked[entrant], asked[neighbour], tie_breaks) if neighbour is not None else "",
        carried=sheet.carried[entrant],
    )


def _neighbour(sheet: Sheet, order: Sequence[int], index: int) -> int | None:
    """Whom a row is told apart from: who is level on points, the one below first; else the one below; else above."""
    near = [order[i] for i in (index + 1, index - 1) if 0 <= i < len(order)]
    level = [other for other in near if sheet.points[other] == sheet.points[order[index]]]
    return (level + near + [None])[0] if near else None


def _why(mine: _Asked, theirs: _Asked, tie_breaks: Sequence[str]) -> str:
    gap = mine.key[0] - theirs.key[0]
    if gap:
        return f"{written(abs(gap))} {_points(abs(gap))} {'ahead of' if gap > 0 else 'behind'} {NEIGHBOUR}."
    level = f"Level with {NEIGHBOUR} on {written(mine.key[0])}"
    deciding = next(
        (i for i, (a, b) in enumerate(zip(mine.key[1:], theirs.key[1:], strict=True)) if a != b), len(tie_breaks)
    )
    before = [WORDS[name] for name in tie_breaks[:deciding] if mine.values[name] is not None]
    also = f", and in {_listed(before)}" if before else ""
    if deciding == len(tie_breaks):
        return f"{level}{also}: they share the place."
    name = tie_breaks[deciding]
    values = [asked.key[1 + deciding] for asked in (mine, theirs)]
    told = [written(_shown(name, value) or ZERO) for value in values]
    verb = "decide" if name in ("wins", "fewest_forfeits") else "decides"
    return f"{level}{also}. {WORDS[name][0].upper()}{WORDS[name][1:]} {verb}: {told[0]} against {told[1]}."


def _shown(name: str, value: Fraction | None) -> Fraction | None:
    """A tie-break's value as people read it: the lot 3, two games left."""
    return abs(value) if value is not None and name in COUNTED_AS_MINUS else value


def _points(value: Fraction) -> str:
    return "point" if value <= 1 else "points"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
