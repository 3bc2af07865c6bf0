"""The sums behind standings: a cell for each entrant and round, and everything that tie-breaks use. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from scorebook_games.placings import letter_against, winners
from tournaments.core.results import GameResult, MatchResult, RoundResult
from tournaments.scoring.points import HALF, ZERO, MatchScore, PointsSystem, json_number, score_match, versus

BYE_RESULT, WALKOVER_RESULT, AWAY_RESULT = (
    "–",
    "+",
    "0",
)  # results of rounds without a match; + also of a match in which all others were absent
FORFEIT_RESULT = "F"  # of a match in which the entrant was absent


@dataclass(frozen=True, slots=True)
class RoundCell:
    """One round of one entrant. `opponents` is empty if there was no match. `rest` is the result of a round without a
    match, or of a match in which the entrant or all opponents were absent.

    `games` and `games_against`: points of the games, of the entrant and of all opponents together. `place`: in the
    match; `level`: whether it is shared. `points`: for the standings. `met`: each opponent's points, as Buchholz adds
    them up. `sonneborn_berger`: the round's part of it. `cards`: (own score, mean of others' scores) of each game whose
    cards others played in the same seat. `wins`: games won outright. `difference`: own scores minus the mean of the
    opponents' scores, over all games.
    """

    round: int
    opponents: tuple[int, ...]
    games: Fraction
    games_against: Fraction
    place: int | None
    level: bool
    points: Fraction
    met: tuple[Fraction, ...]
    sonneborn_berger: Fraction
    rest: str = ""
    cards: tuple[tuple[int, Fraction], ...] = ()
    wins: int = 0
    difference: Fraction = ZERO

    @property
    def buchholz(self) -> Fraction:
        return sum(self.met, ZERO)

    @property
    def result(self) -> str:
        """W, D or L with two at a table; the place with more; – for a bye, + for a walkover, 0 for a round away, F for
        an absence."""
        if self.place is None or self.rest:
            return self.rest
        if len(self.opponents) > 1:
            return f"{self.place}{'=' if self.level else ''}"
        return letter_against(self.place, self.place if self.level else 3 - self.place)

    def plain(self) -> dict[str, Any]:
        """Return the cell as JSON data."""
        return {
            "round": self.round,
            "opponents": list(self.opponents),
            "result": self.result,
            "games": json_number(self.games),
            "games_against": json_number(self.games_against),
            "points": json_number(self.points),
            "buchholz": json_number(self.buchholz),
            "sonneborn_berger": json_number(self.sonneborn_berger),
            **({"cards": [[score, json_number(mean)] for score, mean in self.cards]} if self.cards else {}),
            "wins": self.wins,
            "difference": json_number(self.difference),
        }


@dataclass(frozen=True, slots=True)
class _Rest:
    """A round of an entrant without a match: its result and points, and the `missing` opponent of a walkover."""

    entrant: int
    round: int
    result: str
    worth: Fraction
    missing: int | None = None


class Crosstable:
    """Everything that points and tie-breaks are computed from. `lines`, `points` and `carried` (points from the season
    before) are by entrant.

    Unplayed rounds count as FIDE C.07 says (in force from 1 March 2026). With `dummies`, each counts as a match against
    a dummy, won to the degree that it was worth points (16.4), at larger tables against as many as there are opponents;
    and the points of opponents are `adjusted` (16.3). Without, because the pairings were settled before, a match to
    which somebody did not come counts like any other, a walkover is won against the opponent who is missing (15.2), and
    a round without an opponent adds nothing to tie-breaks. Annulled games add nothing.

    `rules`: all settings of the season, for tie-breaks of packages; a season that is older than one does not have it.
    """

    def __init__(
        self,
        entrants: Sequence[int],
        rounds: Iterable[RoundResult],
        points: PointsSystem,
        *,
        lowest_best: bool = False,
        lots: Mapping[int, int] | None = None,
        carried: Mapping[int, Fraction] | None = None,
        dummies: bool = True,
        rules: Mapping[str, Any] | None = None,
    ) -> None:
        self.entrants = entrants
        self.rules = rules or {}
        self.dummies = dummies
        self.rounds = [past for past in rounds if past.closed]
        self.system = points
        self.sign = -1 if lowest_best else 1
        self.lots = lots or {entrant: entrant for entrant in entrants}
        self.carried = {entrant: (carried or {}).get(entrant, ZERO) for entrant in entrants}
        # Each step needs those before it.
        self.matches = self._scored_matches()
        self.made = [
            (number, {entrant: score.points[entrant] for entrant in match.met}) for number, match, score in self.matches
        ]
        if points.by_score:
            self.matches = [(number, match, self._fair(number, match, score)) for number, match, score in self.matches]
        self.games: list[GameResult] = [game for _, match, _ in self.matches for game in match.games]
        self.seats = max((len(match.entrants) for _, match, _ in self.matches), default=2)
        self.most = points.most(max((len(match.games) for _, match, _ in self.matches), default=1))
        self.byes = self._byes()
        self.draw = self._draw()
        self.points = self._points()
        self.adjusted = self._adjusted_points()
        self.cards = self._cards()
        self.lines = self._lines()
        self.together, self.taken = self._encounters()

    def _scored_matches(self) -> list[tuple[int, MatchResult, MatchScore]]:
        """Return (round, match, its score) of all matches that count."""
        counted = ((past.number, match.counted()) for past in self.rounds for match in past.matches)
        return [(number, match, score_match(self.system, match)) for number, match in counted if match is not None]

    def _points(self) -> dict[int, Fraction]:
        """Return entrant → points: carried over, from matches and from rounds without a match."""
        points = dict(self.carried)
        for _, _, score in self.matches:
            for entrant, worth in score.points.items():
                points[entrant] += worth
        for rest in self.byes:
            points[rest.entrant] += rest.worth
        return points

    def _draw(self) -> Fraction | None:
        """Return the points of a drawn match; None where scores count."""
        if self.system.by_score:
            return None
        games = self.most / self.system.scale[0] if self.system.scale[0] else ZERO
        return sum(self.system.scale[: self.seats], ZERO) / self.seats * games

    def _adjusted_points(self) -> dict[int, Fraction]:
        """Return the points of entrants as opponents: rounds at the end that they asked to miss count as draws, also
        those after they withdrew (FIDE C.07, 16.3)."""
        if not self.dummies or self.draw is None:
            return self.points
        asked = {(rest.entrant, rest.round): rest.worth for rest in self.byes if rest.result == AWAY_RESULT}
        missed = {(one, number) for number, match, _ in self.matches for one in match.away}
        adjusted = dict(self.points)
        for entrant in self.entrants:
            for past in reversed(self.rounds):
                if (worth := asked.get((entrant, past.number))) is not None:
                    adjusted[entrant] += self.draw - worth
                elif (entrant, past.number) not in missed:
                    break
        return adjusted

    def _encounters(self) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], Fraction]]:
        """Return, by pair, in how many games two entrants met, and the first one's score in them (1, ½ or 0 each)."""
        together: dict[tuple[int, int], int] = defaultdict(int)
        taken: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for game in self.games:
            came = [
                each
                for seat, each in enumerate(zip(game.seats, game.placings, strict=True))
                if not self.dummies or seat not in game.absent
            ]
            for (a, place_a), (b, place_b) in combinations(came, 2):
                for mine, theirs, part in ((a, b, versus(place_a, place_b)), (b, a, versus(place_b, place_a))):
                    together[mine, theirs] += 1
                    taken[mine, theirs] += part
        return together, taken

    def _cards(self) -> dict[tuple[int, int], list[tuple[int, Fraction]]]:
        """Return (entrant, round) → (own score, mean of the others' scores) of each game whose cards others played in
        the same seat. Adjudicated games are left out."""
        dealt = [
            (past, entrant, score, (game.deal, seat))
            for past, match, _ in self.matches
            for game in match.games
            if game.deal is not None and not game.adjudicated
            for seat, (entrant, score) in enumerate(zip(game.seats, game.scores, strict=True))
        ]
        made: dict[Any, list[int]] = defaultdict(list)
        places_of_seat: dict[Any, list[int]] = defaultdict(list)
        for _, entrant, score, hand in dealt:
            made[hand].append(score)
            places_of_seat[hand, entrant].append(score)
        cards: dict[tuple[int, int], list[tuple[int, Fraction]]] = defaultdict(list)
        sums = {hand: sum(scores) for hand, scores in made.items()}
        for past, entrant, score, hand in dealt:
            mine = places_of_seat[hand, entrant]
            if others := len(made[hand]) - len(mine):
                cards[entrant, past].append((score, Fraction(sums[hand] - sum(mine), others)))
        return cards

    def _byes(self) -> list[_Rest]:
        """Return each round of an entrant without a match."""
        byes = []
        for past in self.rounds:
            missing = dict(past.missing)
            worths = {
                BYE_RESULT: (past.byes, self.system.bye),
                WALKOVER_RESULT: (past.walkovers, self.system.walkover),
                AWAY_RESULT: (past.away, self._least(past.number) if self.system.by_score else self.system.away),
            }
            for sort, (who, worth) in worths.items():
                fair = self.system.by_score and sort != AWAY_RESULT
                for each in who:
                    points = min(worth, ZERO) if each in past.unpaid else self._mean(each) if fair else worth
                    byes.append(_Rest(each, past.number, sort, points, missing.get(each)))
            if self.dummies:
                byes += [_Rest(each, past.number, AWAY_RESULT, ZERO) for each in self._gone(past)]
        return byes

    def _gone(self, past: RoundResult) -> list[int]:
        """Return who is not named in a round at all, because they had withdrawn: it counts as one that they asked to
        miss (FIDE C.07, 16.1.1)."""
        named = {*past.byes, *past.walkovers, *past.away, *(entrant for entrant, _ in past.missing)}
        named.update(entrant for match in past.matches for entrant in match.entrants)
        return [entrant for entrant in self.entrants if entrant not in named]

    def _least(self, round_number: int) -> Fraction:
        """Return the points of a round away where scores count: the fewest points of the round, at most 0."""
        made = [min(points.values()) for number, points in self.made if number == round_number and points]
        return min([*made, ZERO])

    def _mean(self, entrant: int) -> Fraction:
        """Return an entrant's mean points in a match; 0 before the first."""
        entrants_points = [points[entrant] for _, points in self.made if entrant in points]
        return sum(entrants_points, ZERO) / len(entrants_points) if entrants_points else ZERO

    def _fair(self, round_number: int, match: MatchResult, score: MatchScore) -> MatchScore:
        """Return the score where scores count: absent entrants get the points of a round away, and an entrant whose
        opponents were all absent gets those of a walkover."""
        unmet = {entrant: self._mean(entrant) for entrant in match.entrants if entrant not in match.met}
        away = dict.fromkeys(match.away, self._least(round_number))
        return replace(score, points={**score.points, **unmet, **away})

    def _lines(self) -> dict[int, list[RoundCell]]:
        lines: dict[int, list[RoundCell]] = {entrant: [] for entrant in self.entrants}
        for round_number, match, score in self.matches:
            for entrant in match.entrants:
                lines[entrant].append(self._line(round_number, entrant, match, score))
        for rest in self.byes:
            lines[rest.entrant].append(self._rest_line(rest))
        return {
            entrant: sorted(entrants_lines, key=lambda line: line.round) for entrant, entrants_lines in lines.items()
        }

    def _line(self, round_number: int, entrant: int, match: MatchResult, score: MatchScore) -> RoundCell:
        others = tuple(other for other in match.entrants if other != entrant)
        place = score.places[entrant]
        came = entrant not in match.away
        met, parts = self._met(entrant, others, match, score)
        return RoundCell(
            round=round_number,
            opponents=others,
            games=score.games[entrant],
            games_against=sum((score.games[other] for other in others), ZERO),
            place=place,
            level=any(score.places[other] == place for other in others),
            points=score.points[entrant],
            met=met,
            sonneborn_berger=sum((part * worth for part, worth in zip(parts, met, strict=True)), ZERO),
            rest="" if came and match.met else WALKOVER_RESULT if came else FORFEIT_RESULT,
            cards=tuple(self.cards.get((entrant, round_number), ())),
            wins=sum(_outright_winner(game) == entrant for game in match.games),
            difference=sum((self.sign * _score_difference(game, entrant) for game in match.games), ZERO),
        )

    def _met(
        self, entrant: int, others: Sequence[int], match: MatchResult, score: MatchScore
    ) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Return, for each of the `others` in a match, the points that count for tie-breaks and the score against
        them."""
        place, there = score.places[entrant], () if entrant in match.away else match.met
        met = tuple(self.adjusted[o] if o in there or not self.dummies else self._dummy(entrant, o) for o in others)
        parts = (
            versus(place, score.places[o]) if o in there else Fraction(entrant not in match.away and o in match.away)
            for o in others
        )
        return met, tuple(parts)

    def _dummy(self, entrant: int, scheduled: int | None) -> Fraction:
        """Return the points of the dummy of an unplayed round: the entrant's own, but no more than the adjusted points
        of the scheduled opponent, or without one than a draw in each round gives (FIDE C.07, 16.4)."""
        if scheduled is not None:
            return min(self.points[entrant], self.adjusted[scheduled])
        if self.draw is None:
            return self.points[entrant]
        return min(self.points[entrant], self.carried[entrant] + self.draw * len(self.rounds))

    def _rest_line(self, rest: _Rest) -> RoundCell:
        part = Fraction(1) if rest.result == WALKOVER_RESULT else self._part(rest.worth)
        if self.dummies:
            met = (self._dummy(rest.entrant, rest.missing),) * (self.seats - 1)
        else:
            met = () if rest.missing is None else (self.points[rest.missing],)
        added = part * sum(met, ZERO)
        return RoundCell(rest.round, (), ZERO, ZERO, None, False, rest.worth, met, added, rest.result)

    def _part(self, worth: Fraction) -> Fraction:
        """Return the worth of a rest as a part of a won match, 0 … 1; ½ where scores count."""
        if self.system.by_score:
            return HALF
        return min(Fraction(1), worth / self.most) if self.most else ZERO


def _outright_winner(game: GameResult) -> int | None:
    """Return who won a game outright; None in a game to which nobody else came."""
    first = winners(game.placings)
    return game.seats[first[0]] if len(first) == 1 and not game.unplayed else None


def _score_difference(game: GameResult, entrant: int) -> Fraction:
    """Return by how much an entrant's score was above the mean of the others' scores; 0 for an adjudicated game and for
    an absent entrant."""
    if game.adjudicated or game.unplayed or entrant not in game.seats:
        return ZERO
    seat = game.seats.index(entrant)
    if seat in game.absent:
        return ZERO
    scores = [score for each, score in enumerate(game.scores) if each not in game.absent]
    return game.scores[seat] - Fraction(sum(scores) - game.scores[seat], len(scores) - 1)
