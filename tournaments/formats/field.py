"""The state of all entrants before a round, from which Swiss pairings and extra rounds are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from scorebook_games.contract import Dealer
from tournaments.core.results import RoundResult
from tournaments.formats.base import FormatOptions
from tournaments.scoring.points import ZERO, score_match
from tournaments.scoring.standings import EntrantStanding, compute_standings

MOVES_FIRST, MOVES_SECOND = 1, -1


@dataclass(slots=True)
class Candidate:
    """An entrant with everything that decides whom it can meet.

    `number` is its pairing number, 1 … n without gaps. `before` has its points before each round and now. `opponents`
    has one entry for each round: the opponent of a pair, or None if it did not play one; a match with a no-show was not
    played. `moves` are FIRST or SECOND for each pair so far, in order. `rested` says for each round whether it had a
    bye, or a win because nobody else came; FIDE C.04.1 gives no bye after either. `floats` says for each round whether
    its opponent had fewer points (−1), more (1) or as many (0); without a game it went down (FIDE C.04.3, A.4).
    """

    entrant: int
    number: int
    before: list[Fraction] = field(default_factory=lambda: [ZERO])
    opponents: list[int | None] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    rested: list[bool] = field(default_factory=list)
    floats: list[int] = field(default_factory=list)
    met: set[int] = field(default_factory=set)

    @property
    def points(self) -> Fraction:
        """Return the points at present."""
        return self.before[-1]

    @property
    def rank(self) -> tuple[Fraction, int]:
        """Return the sort key of standings: more points first, then the lower pairing number."""
        return (-self.before[-1], self.number)

    @property
    def byes(self) -> int:
        """Return the number of byes."""
        return sum(self.rested)

    @property
    def balance(self) -> int:
        """Return the number of first moves minus second moves."""
        return sum(self.moves)


def pairing_numbers(entrants: Sequence[int], options: FormatOptions, chance: Dealer) -> dict[int, int]:
    """Return entrant → pairing number (1 …): by seed; entrants without a seed follow by lot."""
    lots: Mapping[int, int] = options.lots or dict(
        zip(chance.shuffle("pairing numbers", entrants), range(len(entrants)), strict=True)
    )
    seeds = options.seeds or {}
    last = len(entrants) + len(seeds) + len(lots)
    order = sorted(entrants, key=lambda entrant: (seeds.get(entrant, last), lots.get(entrant, last), entrant))
    return {entrant: number for number, entrant in enumerate(order, start=1)}


def candidates(
    entrants: Sequence[int], history: Iterable[RoundResult], options: FormatOptions, numbers: Mapping[int, int]
) -> dict[int, Candidate]:
    """Return every entrant's state after `history`."""
    known = {entrant: Candidate(entrant, numbers[entrant]) for entrant in entrants}
    for past in history:
        _add_round(known, past, options)
    return known


def _add_round(known: Mapping[int, Candidate], past: RoundResult, options: FormatOptions) -> None:
    points = options.points
    gained = dict.fromkeys(past.byes, points.bye)
    gained |= dict.fromkeys(past.away, points.away) | dict.fromkeys(past.unpaid, ZERO)
    gained |= dict.fromkeys(past.walkovers, points.walkover)
    others: dict[int, int] = {}
    resting = {*past.byes, *past.walkovers}
    for match in past.matches:
        gained.update({} if match.struck else score_match(points, match).points)
        for entrant in match.met:
            known[entrant].met.update(other for other in match.met if other != entrant)
        if not match.met:
            resting |= set(match.entrants) - set(match.away)
        elif len(match.entrants) == 2:
            first, second = match.entrants
            others[first], others[second] = second, first
            known[first].moves.append(MOVES_FIRST)
            known[second].moves.append(MOVES_SECOND)
    for entrant, candidate in known.items():
        other = others.get(entrant)
        candidate.opponents.append(other)
        candidate.rested.append(entrant in resting)
        gap = known[other].points - candidate.points if other is not None else Fraction(-1)
        candidate.floats.append((gap > 0) - (gap < 0))
    for entrant, candidate in known.items():
        candidate.before.append(candidate.points + gained.get(entrant, ZERO))


def available_entrants(entrants: Sequence[int], options: FormatOptions) -> list[int]:
    """Return the entrants who can be paired now."""
    return [entrant for entrant in entrants if entrant not in options.away and entrant not in options.withdrawn]


def standings_by_points(
    entrants: Sequence[int], history: Iterable[RoundResult], options: FormatOptions
) -> list[EntrantStanding]:
    """Return the rows of everybody after the closed rounds, ordered by points and tie-breaks."""
    return compute_standings(
        entrants,
        history,
        options.points,
        options.tie_breaks,
        lowest_best=options.lowest_best,
        lots=options.lots,
        carried=options.carried,
        dummies=options.dummies,
        rules=options.rules,
    )
