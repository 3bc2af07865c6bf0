"""Converts results to points: of a game, a match, a round without a match. Pure; all sums are exact fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from scorebook_games.placings import share_against
from scorebook_games.presentation.text import gettext as _
from tournaments.core.results import GameResult, MatchResult

POINTS_SYSTEMS = ("match_points", "game_wins", "placing", "score")
ZERO = Fraction(0)
HALF = Fraction(1, 2)
MAX_PLACE_POINTS = 1000  # the most that one place may be worth

FRACTION_SIGNS = {
    Fraction(1, 2): "½",
    Fraction(1, 4): "¼",
    Fraction(3, 4): "¾",
    Fraction(1, 3): "⅓",
    Fraction(2, 3): "⅔",
}


@dataclass(frozen=True, slots=True)
class PointsSystem:
    """How results become points.

    `system`: "placing": each game gives the points of `scale` by place. "game_wins": the same, by default 1 for the
    winner alone. "match_points": the match gives them by place; the places in a match follow from the games' points.
    "score": each game gives its own score times the only number of `scale`, which is negative if the lowest score is
    the best.

    `scale` is the worth of place 1, 2 …, and 0 beyond its end; entrants who share places share their worth. `bye`: the
    points of a bye; `away`: those of a round that the entrant asked to miss. With "score", a bye is worth the entrant's
    mean points in a match.
    """

    system: str
    scale: tuple[Fraction, ...]
    bye: Fraction = ZERO
    away: Fraction = ZERO

    def plain(self) -> dict[str, Any]:
        """Return the system as JSON data."""
        scale = [json_number(worth) for worth in self.scale]
        return {"system": self.system, "scale": scale, "bye": json_number(self.bye), "away": json_number(self.away)}

    @property
    def walkover(self) -> Fraction:
        """The points of a match whose opponent has withdrawn: those of a win with "match_points", else those of a
        bye."""
        return self.scale[0] if self.system == "match_points" else self.bye

    @property
    def by_score(self) -> bool:
        return self.system == "score"

    def of_game(self, game: GameResult) -> list[Fraction]:
        """Return the points of a game by seat, as the column of games shows them."""
        if self.by_score:
            return [self.scale[0] * score for score in game.scores]
        return share_places(self.games_scale(len(game.seats)), game.placings)

    def most(self, games: int) -> Fraction:
        """Return the points of the winner of a match of so many games, as far as they are known before."""
        return self.scale[0] if self.system == "match_points" else self.scale[0] * games

    def games_scale(self, seats: int) -> tuple[Fraction, ...]:
        """Return the points of one game by place."""
        if self.system != "match_points":
            return self.scale
        return tuple(Fraction(worth) for worth in range(seats - 1, -1, -1))


def parse_points_system(data: Mapping[str, Any], *, lowest_best: bool | None = None) -> PointsSystem:
    """Return the points system in JSON data. `lowest_best`: whether the kind's lowest score is the best, or None to
    skip this check. Raises ValueError with a sentence."""
    unknown = set(data) - {"system", "scale", "bye", "away"}
    if unknown:
        raise ValueError(
            _("Points have no setting {name!r}. The settings are system, scale, bye and away.").format(
                name=sorted(unknown)[0]
            )
        )
    system, scale, bye, away = data.get("system"), data.get("scale"), data.get("bye", 0), data.get("away", 0)
    if system not in POINTS_SYSTEMS:
        raise ValueError(
            _("The points system must be one of {known}, not {system!r}.").format(
                known=", ".join(POINTS_SYSTEMS), system=system
            )
        )
    if not isinstance(scale, list) or not scale:
        raise ValueError(_("The points' scale must be a list of the points for place 1, 2 …"))
    for worth in [*scale, bye, away]:
        _check_worth(worth, -MAX_PLACE_POINTS if system == "score" else 0)
    points = PointsSystem(str(system), tuple(exact(worth) for worth in scale), exact(bye), exact(away))
    if points.by_score:
        _check_score_points(points, lowest_best)
    if any(later > earlier for earlier, later in pairwise(points.scale)):
        raise ValueError(
            _(
                "Enter the points from the highest to the lowest. A better place must not have fewer points than a "
                "worse one."
            )
        )
    return points


def _check_worth(worth: object, least: int) -> None:
    """Raise ValueError if this is not a valid number of points."""
    if isinstance(worth, bool) or not isinstance(worth, int | float) or not least <= worth <= MAX_PLACE_POINTS:
        raise ValueError(
            _("Points must be numbers from {least} to {most}, not {worth!r}.").format(
                least=least, most=MAX_PLACE_POINTS, worth=worth
            )
        )


def _check_score_points(points: PointsSystem, lowest_best: bool | None) -> None:
    """Raise ValueError if the system "score" has invalid values; `lowest_best` as for `parse_points_system`."""
    if len(points.scale) > 1 or not points.scale[0] or points.bye or points.away:
        raise ValueError(
            _("If scores count, the scale is one number, the worth of a point of score, and bye and away must be 0.")
        )
    if lowest_best is not None and (points.scale[0] < 0) != lowest_best:
        if lowest_best:
            raise ValueError(_("In this game the lowest score is the best, so its worth must be below 0."))
        raise ValueError(_("In this game the highest score is the best, so its worth must be above 0."))


def default_points(table_size: int, games_a_match: int, *, rests_equal: bool = True) -> PointsSystem:
    """Return the default points system.

    Two at a table: 1 for a won match, ½ for a draw; a bye is worth 0 if all have the same number of byes
    (`rests_equal`), else 1. Three and more: a game gives a point for each entrant placed behind, and a bye as much as
    the middle place, because some may have more byes than others.
    """
    if table_size == 2:
        return PointsSystem("match_points", (Fraction(1),), ZERO if rests_equal else Fraction(1))
    scale = tuple(Fraction(worth) for worth in range(table_size - 1, -1, -1))
    return PointsSystem("placing", scale, Fraction(table_size - 1, 2) * games_a_match)


def exact(value: float | int) -> Fraction:
    """Return the decimal number as it was written, not its binary approximation."""
    return Fraction(str(value))


def json_number(value: Fraction) -> int | float:
    """Return a JSON number, an integer if it is whole."""
    return int(value) if value.denominator == 1 else float(value)


def format_number(value: Fraction) -> str:
    """Return a number for people: 3½, −12, 2.17."""
    sign, size = ("−" if value < 0 else ""), abs(value)
    whole, rest = divmod(size, 1)
    if not rest:
        return f"{sign}{whole}"
    if rest in FRACTION_SIGNS:
        return f"{sign}{whole or ''}{FRACTION_SIGNS[rest]}"
    return f"{sign}{float(size):.2f}"


def number_text(value: float) -> str:
    """Return a number from JSON for people: fractions up to twelfths are written as such."""
    exact_value = Fraction(value)
    near = exact_value.limit_denominator(12)
    return format_number(near if abs(near - exact_value) < Fraction(1, 10**9) else exact_value)


def share_places(scale: Sequence[Fraction], placings: Sequence[int]) -> list[Fraction]:
    """Return each seat's part of `scale`; seats that share a place share the worth of their places."""
    worth = [*scale, *[ZERO] * len(placings)]
    counts = {place: placings.count(place) for place in placings}
    return [sum(worth[place - 1 : place - 1 + counts[place]], ZERO) / counts[place] for place in placings]


def versus(mine: int, theirs: int) -> Fraction:
    """Return 1 for the better place, ½ for the same, 0 for the worse."""
    return Fraction(share_against(mine, theirs))


@dataclass(frozen=True, slots=True)
class MatchScore:
    """A match's sums by entrant: points of its games, the place that follows from them, points for the standings."""

    games: Mapping[int, Fraction]
    places: Mapping[int, int]
    points: Mapping[int, Fraction]


def score_match(points: PointsSystem, match: MatchResult) -> MatchScore:
    """Return the score of `match` under `points`. An entrant who was absent from all of its games gets no points."""
    games = dict.fromkeys(match.entrants, ZERO)
    for game in match.games:
        for entrant, worth in zip(game.seats, points.of_game(game), strict=True):
            games[entrant] += worth
    places = {entrant: 1 + sum(other > mine for other in games.values()) for entrant, mine in games.items()}
    nothing = {} if points.by_score else dict.fromkeys(match.away, ZERO)
    if points.system == "match_points":
        worths = share_places(points.scale, [places[entrant] for entrant in match.entrants])
        return MatchScore(games, places, dict(zip(match.entrants, worths, strict=True)) | nothing)
    return MatchScore(games, places, games | nothing)
