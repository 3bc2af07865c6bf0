"""Computes standings with supposed results of open games. Pure.

It counts as if every open round closed now: recorded games of it count as they ended. Where whole matches count, a
match counts only if all of its games are played or supposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from scorebook_games.placings import without_gaps
from scorebook_games.presentation.text import gettext as _
from tournaments.core.results import GameResult, MatchResult, RoundResult, seating_of_game
from tournaments.scoring.points import ZERO, PointsSystem, json_number, score_match
from tournaments.scoring.standings import EntrantStanding
from tournaments.seasons.fold import DivisionState, MatchState, RoundState, SeasonFold
from tournaments.seasons.pairing import division_standings

GameKey = tuple[int, int]  # (match id, number of the game in it)
SupposedEnds = Mapping[GameKey, Sequence[int]]  # placings by seat


@dataclass(frozen=True, slots=True)
class OpenGame:
    """A game without a result. `seats` are the entrants by seat; `table` and `round` are those of its match."""

    match: int
    number: int
    round: int
    table: int
    seats: tuple[int, ...]

    @property
    def key(self) -> GameKey:
        return self.match, self.number


@dataclass(frozen=True, slots=True)
class SupposedRow:
    """An entrant's supposed row, and the present one (`before`; None before the first round). `low` and `high`: the
    best and worst place, by points alone, that the other open games still allow; None where scores count."""

    row: EntrantStanding
    before: EntrantStanding | None
    low: int | None
    high: int | None


def open_games(division: DivisionState) -> list[OpenGame]:
    """Return the games of open rounds without a result, in the order of their tables."""
    return [
        OpenGame(match.id, game, past.number, table, seating_of_game(match.entrants, game))
        for past in division.rounds
        if not past.closed
        for table, match in enumerate(past.matches, start=1)
        for game in _missing_games(match)
    ]


def recorded_game_count(division: DivisionState) -> int:
    """Return how many games of open rounds are recorded and therefore counted."""
    return sum(len(match.records) for past in division.rounds if not past.closed for match in past.matches)


def check_ends(games: Iterable[OpenGame], ends: SupposedEnds) -> None:
    """Raise ValueError with a sentence if one of `ends` is not for an open game or not a valid list of placings."""
    seats = {game.key: len(game.seats) for game in games}
    for (match, game), placings in ends.items():
        if (match, game) not in seats:
            raise ValueError(_("Match {match} has no open game {game}.").format(match=match, game=game))
        if len(placings) != seats[match, game] or list(placings) != without_gaps(placings):
            raise ValueError(
                _("A game for {seats} needs a place for each seat, such as 1.2 or 1.1, not {places}.").format(
                    seats=seats[match, game], places=".".join(map(str, placings))
                )
            )


def supposed_standings(folded: SeasonFold, division: DivisionState, ends: SupposedEnds) -> list[SupposedRow]:
    """Return the standings if the open games in `ends` ended in this way, first place first."""
    points = folded.points()
    then = [_supposed_round(past, division, points, ends) for past in division.rounds]
    rows = division_standings(folded, division, then)
    before = {row.entrant: row for row in division_standings(folded, division)}
    places = _place_ranges(rows, division, points, ends)
    return [SupposedRow(row, before.get(row.entrant), *places.get(row.entrant, (None, None))) for row in rows]


def supposed_match_points(folded: SeasonFold, match: MatchState, ends: SupposedEnds) -> dict[int, Fraction]:
    """Return entrant → points of the games of `match`, with the supposed results in `ends`."""
    return dict(score_match(folded.points(), _with_ends(match, match.result(), ends)).games)


def _missing_games(match: MatchState) -> list[int]:
    return [game for game in range(1, match.size + 1) if game not in match.records and game not in match.annulled]


def _with_ends(match: MatchState, result: MatchResult, ends: SupposedEnds) -> MatchResult:
    """Return the match with its supposed games, which have no scores."""
    games = [
        GameResult(
            seating_of_game(match.entrants, game), (0,) * len(match.entrants), tuple(ends[match.id, game]), (), True
        )
        for game in sorted(number for of, number in ends if of == match.id)
    ]
    return replace(result, games=(*result.games, *games))


def _supposed_round(past: RoundState, division: DivisionState, points: PointsSystem, ends: SupposedEnds) -> RoundResult:
    result = past.result(division.struck)
    if past.closed:
        return result
    matches = []
    for match, result_match in zip(past.matches, result.matches, strict=True):
        then = _with_ends(match, result_match, ends)
        whole = match.size - len(match.annulled)
        if then.games and len(then.games) >= (whole if points.system == "match_points" else 1):
            matches.append(then)
    return replace(result, matches=tuple(matches), closed=True)


def _place_ranges(
    rows: Sequence[EntrantStanding], division: DivisionState, points: PointsSystem, ends: SupposedEnds
) -> dict[int, tuple[int, int]]:
    """Return entrant → (best, worst) place by points that the other open games allow."""
    if points.by_score:
        return {}
    least = {row.entrant: row.points for row in rows}
    most = dict(least)
    for past in division.rounds:
        for match, result_match in zip(past.matches, past.result(division.struck).matches, strict=True):
            played = _with_ends(match, result_match, ends)
            left = [] if past.closed else [game for game in _missing_games(match) if (match.id, game) not in ends]
            if left and not result_match.struck:
                counted = points.system != "match_points"
                for entrant in match.entrants:
                    now = score_match(points, played).points[entrant] if counted else ZERO
                    least[entrant] += _final_match_points(points, match, played, left, entrant, last=True) - now
                    most[entrant] += _final_match_points(points, match, played, left, entrant, last=False) - now
    return {
        one: (
            1 + sum(least[other] > most[one] for other in least),
            sum(most[other] >= least[one] for other in most),
        )
        for one in least
    }


def _final_match_points(
    points: PointsSystem, match: MatchState, played: MatchResult, left: Iterable[int], entrant: int, *, last: bool
) -> Fraction:
    """Return the entrant's points of a match if they are last (or first) in all games in `left`."""
    games = []
    for game in left:
        seats = seating_of_game(match.entrants, game)
        places = (
            [len(seats) if seat == entrant else 1 for seat in seats] if last else [2 - (e == entrant) for e in seats]
        )
        games.append(GameResult(seats, (0,) * len(seats), tuple(places)))
    return score_match(points, replace(played, games=(*played.games, *games))).points[entrant]


def supposed_row_data(supposed: SupposedRow) -> dict[str, object]:
    """Return a supposed row as JSON data."""
    row, before = supposed.row, supposed.before
    return {
        "place": row.place,
        "place_now": before.place if before else None,
        "points": json_number(row.points),
        "points_now": json_number(before.points) if before else 0,
        "may_be": None if supposed.low is None else [supposed.low, supposed.high],
    }
