"""Simulated competitions: a format pairs round by round, the results are invented, and the troubles of a club happen at
random.

The answers of a format are recorded as the director records them. An absent entrant is away. A late entrant was away
from the earlier rounds. Every other entrant without a match has the bye or the walkover that the format gave.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import pytest

from scorebook_games.chance import SeedDealer
from scorebook_games.presentation.coded_text import text
from tournaments.core.results import GameResult, MatchResult, RoundResult
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, FormatOptions, Pairing, Pairings, Wait
from tournaments.formats.ladder import Ladder, Rungs
from tournaments.formats.reasons import AWAY, WITHDRAWN
from tournaments.scoring.points import PointsSystem, default_points, parse_points_system

SEED = bytes(range(32))
HIGH_SCORES = parse_points_system({"system": "score", "scale": [1]})  # the scores themselves are the points
LOW_SCORES = parse_points_system({"system": "score", "scale": [-1]})  # the lowest score is the best


def large_ones_slow(numbers: Iterable[int], largest: int = 16) -> list[Any]:
    """Mark cases with more than `largest` entrants as slow."""
    return [number if number <= largest else pytest.param(number, marks=pytest.mark.slow) for number in numbers]


STEPS = 60  # how often a format without rounds is asked
MAX_ROUNDS = 1000  # more rounds than any format needs here; a competition that reaches this number does not end

Result = Callable[[Sequence[int]], Sequence[int]]  # entrants at a table → their places


@dataclass(frozen=True, slots=True)
class Trouble:
    """The probabilities of troubles. Before each round, an entrant withdraws (`leaves`) or is away for that round
    (`misses`). An entrant does not come to a match (`no_shows`), a match is `annulled`, or a round is `undone` and
    paired again.

    `late` is the probability that an entrant begins after the start. Every second one of these enters before the start
    and is away until it begins.
    """

    leaves: float = 0.0
    misses: float = 0.0
    late: float = 0.0
    no_shows: float = 0.0
    annulled: float = 0.0
    undone: float = 0.0


CALM = Trouble()
MUCH = Trouble(leaves=0.03, misses=0.1, late=0.2, no_shows=0.03, annulled=0.02, undone=0.05)


def _befalls(likely: float, chance: random.Random) -> bool:
    """Return by chance whether something happens. Nothing is drawn for a probability of 0."""
    return likely > 0 and chance.random() < likely


def by_number(seats: Sequence[int]) -> list[int]:
    """Place the lower number first."""
    return [1 + sum(other < one for other in seats) for one in seats]


def by_lot(chance: random.Random, draws: float = 0.0) -> Result:
    """Return a function that draws any order of places; with the probability `draws` all are tied."""

    def result(seats: Sequence[int]) -> list[int]:
        if chance.random() < draws:
            return [1] * len(seats)
        return chance.sample(range(1, len(seats) + 1), len(seats))

    return result


def by_strength(chance: random.Random, draws: float = 0.0, luck: float = 4.0) -> Result:
    """Return a function that draws places: lower numbers win more often, and more so if they are far apart. With the
    probability `draws` all are tied."""

    def result(seats: Sequence[int]) -> list[int]:
        if _befalls(draws, chance):
            return [1] * len(seats)
        shown = {one: one + chance.gauss(0, luck) for one in seats}
        return [1 + sum(shown[other] < shown[one] for other in seats) for one in seats]

    return result


def game(seats: Sequence[int], places: Sequence[int], absent: Sequence[int] = ()) -> GameResult:
    """Return the places of a game. Seats that are `absent` share the last place."""
    came = [place for seat, place in enumerate(places) if seat not in absent]
    places = [
        len(came) + 1 if seat in absent else 1 + sum(other < place for other in came)
        for seat, place in enumerate(places)
    ]
    places = places if came else [1] * len(seats)
    return GameResult(
        tuple(seats),
        tuple(10 - place for place in places),
        tuple(places),
        left=tuple(absent),
        absent=tuple(absent),
    )


def played(pairing: Pairing, result: Result, *, over: bool = True) -> MatchResult:
    games = (game(pairing.seats, result(pairing.seats)),) if over else ()
    return MatchResult(pairing.seats, games, slot=pairing.slot, over=over)


@dataclass
class Competition:
    """A season of one division.

    `answers` are its rounds as paired, `present` the entrants who were there in each, `seconds` the time of each
    pairing. `begins` maps an entrant to the round before which it is away. `expected` has the rounds in which further
    entrants enter, sorted.
    """

    format: str
    entrants: list[int]
    options: FormatOptions
    history: list[RoundResult] = field(default_factory=list)
    answers: list[Pairings] = field(default_factory=list)
    present: list[set[int]] = field(default_factory=list)
    places: Mapping[int, int] = field(default_factory=dict)
    begins: dict[int, int] = field(default_factory=dict)
    expected: list[int] = field(default_factory=list)
    seed: bytes = SEED
    seconds: list[float] = field(default_factory=list, compare=False)

    def ask(self) -> Pairings | Wait | Finished:
        return FORMATS[self.format].next(self.entrants, self.history, self.options, SeedDealer(self.seed))

    def staying(self) -> list[int]:
        return [one for one in self.entrants if one not in self.options.withdrawn]

    def here(self) -> set[int]:
        """Return the entrants who can be paired now."""
        return set(self.staying()) - set(self.options.away)

    def withdraw(self, *entrants: int) -> None:
        gone = dict.fromkeys(entrants, WITHDRAWN)
        self.options = replace(
            self.options,
            away={**self.options.away, **gone},
            withdrawn=self.options.withdrawn | set(entrants),
        )

    def away(self, *entrants: int) -> None:
        """Set the entrants who are away now; those who have withdrawn stay away."""
        found = dict.fromkeys(self.options.withdrawn, WITHDRAWN)
        found |= {one: AWAY for one in entrants if one not in found}
        self.options = replace(self.options, away=found)

    def enter(self, entrant: int) -> None:
        """Let an entrant enter now. It counts as away from earlier rounds."""
        seeds, lots = self.options.seeds or {}, self.options.lots or {}
        self.entrants.append(entrant)
        self.options = replace(self.options, seeds={**seeds, entrant: entrant}, lots={**lots, entrant: entrant})
        self.history = [replace(past, away=(*past.away, entrant), late=(*past.late, entrant)) for past in self.history]

    def befall(self, trouble: Trouble, chance: random.Random) -> None:
        """Let entrants enter, withdraw or be away before the next round, by chance."""
        number = len(self.history) + 1
        while self.expected and self.expected[0] <= number:
            self.expected.pop(0)
            self.enter(max(self.entrants) + 1)
        self.withdraw(*[one for one in self.staying() if chance.random() < trouble.leaves])
        missing = [one for one in self.staying() if chance.random() < trouble.misses]
        self.away(*missing, *[one for one, begins in self.begins.items() if begins > number])

    def play(
        self, result: Result = by_number, trouble: Trouble = CALM, chance: random.Random | None = None
    ) -> Pairings | Wait | Finished:
        """Ask for a round and, if there is one, play it."""
        begun = time.perf_counter()
        answer = self.ask()
        if isinstance(answer, Pairings):
            self.seconds.append(time.perf_counter() - begun)
            self.check(answer)
            self.write(answer, result)
            if chance:
                self._spoil(trouble, chance)
        return answer

    def write(self, answer: Pairings, result: Result, *, over: bool = True) -> None:
        away = [one for one in self.options.away if one not in self.options.withdrawn]
        byes = [rest for rest in answer.byes if rest.entrant not in away]
        self.answers.append(answer)
        self.present.append(self.here())
        missing = tuple((rest.entrant, rest.missing) for rest in byes if rest.missing is not None)
        self.history.append(
            RoundResult(
                len(self.history) + 1,
                tuple(played(pairing, result, over=over) for pairing in answer.tables),
                tuple(rest.entrant for rest in byes if rest.missing is None),
                closed=over,
                away=tuple(away),
                walkovers=tuple(entrant for entrant, _ in missing),
                missing=missing,
            )
        )

    def _spoil(self, trouble: Trouble, chance: random.Random) -> None:
        """Spoil the last round: no-shows, annulled matches, or the whole round is undone."""
        matches = tuple(self._spoiled(match, trouble, chance) for match in self.history[-1].matches)
        self.history[-1] = replace(self.history[-1], matches=matches)
        if _befalls(trouble.undone, chance):
            for found in (self.history, self.answers, self.present, self.seconds):
                found.pop()

    def _spoiled(self, match: MatchResult, trouble: Trouble, chance: random.Random) -> MatchResult:
        absent = [seat for seat in range(len(match.entrants)) if _befalls(trouble.no_shows, chance)]
        if _befalls(trouble.annulled, chance) and not FORMATS[self.format].eliminates:
            return replace(match, games=(), struck=match.entrants)
        return replace(match, games=(game(match.entrants, match.games[0].placings, absent),)) if absent else match

    def finish(self, result: Result, chance: random.Random, trouble: Trouble = CALM) -> None:
        """Finish one of the oldest matches."""
        on = [(n, i) for n, past in enumerate(self.history) for i, one in enumerate(past.matches) if not one.over]
        n, i = chance.choice(on[:3])
        past = self.history[n]
        seats = past.matches[i].entrants
        match = replace(past.matches[i], games=(game(seats, result(seats)),), over=True)
        matches = (*past.matches[:i], self._spoiled(match, trouble, chance), *past.matches[i + 1 :])
        self.history[n] = replace(past, matches=matches, closed=all(one.over for one in matches))

    def playing(self) -> set[int]:
        return {entrant for match in self.matches() if not match.over for entrant in match.entrants}

    def go_on(self, result: Result, trouble: Trouble, chance: random.Random, steps: int) -> Mapping[int, int]:
        """Run a format with overlapping rounds: ask it this many times, and sometimes finish a match. Then time is up,
        and all matches end. Returns the final places."""
        for _ in range(steps):
            self.befall(trouble, chance)
            if self.format == "ladder":
                asked = [(chance.choice(self.entrants), chance.choice(self.entrants)) for _ in self.entrants]
                self.options = replace(self.options, challenges=tuple(dict.fromkeys(asked)))
            busy, begun = self.playing(), time.perf_counter()
            answer = self.ask()
            if isinstance(answer, Pairings):
                self.seconds.append(time.perf_counter() - begun)
                self.check(answer)
                assert not busy.intersection(named_in(answer))
                assert self.format != "ladder" or not any(
                    self._rungs().refuses(*map(int, table.slot.split(">"))) for table in answer.tables
                )
                self.write(answer, result, over=False)
            else:
                assert isinstance(answer, Wait)
                self._check_wait(busy)
            if self.playing() and chance.random() < 0.7:
                self.finish(result, chance, trouble)
        self.options = replace(self.options, over=True)
        while self.playing():
            assert isinstance(self.ask(), Wait)
            self.finish(result, chance, trouble)
        return self._finished(self.ask())

    def _rungs(self) -> Rungs:
        return Ladder().rungs(self.entrants, self.history, self.options)

    def _check_wait(self, busy: set[int]) -> None:
        """Check that nothing can be paired if nothing was paired."""
        if self.format == "ladder":
            rungs = self._rungs()
            assert all(busy & {*pair} or rungs.refuses(*pair) for pair in self.options.challenges)
        else:
            assert busy or len(self.here()) < (2 if self.options.short else self.options.table_size)

    def to_the_end(
        self, result: Result = by_number, trouble: Trouble = CALM, chance: random.Random | None = None
    ) -> Mapping[int, int]:
        """Play to the end with `trouble`, if it has a `chance`. Returns the final places."""
        for _ in range(MAX_ROUNDS):
            if chance:
                self.befall(trouble, chance)
            answer = self.play(result, trouble, chance)
            if not isinstance(answer, Pairings):
                return self._finished(answer)
        raise AssertionError(f"{self.format} of {len(self.entrants)} has no end.")

    def check(self, answer: Pairings) -> None:
        """Check every round of every format: nobody has two seats, no absent entrant has one, tables have legal sizes,
        nobody is left out, and reasons are given."""
        named, size = named_in(answer), self.options.table_size
        seated = {entrant for table in answer.tables for entrant in table.seats}
        assert len(named) == len(set(named))
        assert seated <= self.here()
        assert not set(named) & self.options.withdrawn
        least = 2 if self.options.short else size
        assert all(least <= len(table.seats) <= size for table in answer.tables)
        if self.format in ("swiss", "round_robin", "double_round_robin"):
            assert set(named) == self.here()
        elif self.format == "double_elimination" or (self.format == "knockout" and size == 2):
            out = [there - set(named_in(past)) for past, there in zip(self.answers, self.present, strict=True)]
            assert not set(named) & set().union(*out), "Who was there and not named was out."
        found = [text(table.reason) for table in answer.tables] + [text(rest.reason) for rest in answer.byes]
        assert all(len(reason) > 20 and reason.endswith(".") and "  " not in reason for reason in found)
        assert not any(reason[0].islower() for reason in found)

    def _finished(self, answer: Wait | Finished | Pairings) -> Mapping[int, int]:
        """Check that everybody has a place, from 1 on. Tied entrants share the best of their places."""
        assert isinstance(answer, Finished), answer
        assert sorted(answer.places) == sorted(self.entrants)
        count = Counter(answer.places.values())
        assert all(place == 1 + sum(n for above, n in count.items() if above < place) for place in count)
        self.places = answer.places
        return answer.places

    def matches(self) -> list[MatchResult]:
        return [match for past in self.history for match in past.matches]

    def tables(self) -> list[tuple[int, ...]]:
        """Return all tables that were paired."""
        return [table.seats for past in self.answers for table in past.tables]

    def paired(self) -> Counter[frozenset[int]]:
        """Return how often two were paired."""
        return Counter(frozenset(pair) for table in self.tables() for pair in combinations(table, 2))

    def met(self) -> Counter[frozenset[int]]:
        """Return how often two have met, that is, both came."""
        return Counter(frozenset(pair) for match in self.matches() for pair in combinations(match.met, 2))

    def byes(self) -> Counter[int]:
        return Counter(entrant for past in self.history for entrant in past.byes)

    def sat(self, entrant: int) -> list[int]:
        """Return the entrant's seats, round by round."""
        return [table.index(entrant) for table in self.tables() if entrant in table]


def nobody_comes(held: Competition, *tables: set[int]) -> None:
    """Change the last round: nobody came to the matches of `tables`."""
    matches = tuple(
        replace(match, games=(game(match.entrants, (1,) * len(match.entrants), range(len(match.entrants))),))
        if set(match.entrants) in tables
        else match
        for match in held.history[-1].matches
    )
    held.history[-1] = replace(held.history[-1], matches=matches)


def named_in(answer: Pairings) -> list[int]:
    """Return everybody who plays or rests."""
    return [entrant for table in answer.tables for entrant in table.seats] + [rest.entrant for rest in answer.byes]


def points_for(format: str, table_size: int) -> PointsSystem:
    return default_points(table_size, table_size, rests_equal=format != "swiss")


def competition(
    format: str,
    entrants: int,
    table_size: int = 2,
    *,
    short: bool = False,
    seeds: Sequence[int] | None = None,
    **settings: Any,
) -> Competition:
    """Return a competition with the strongest first: entrant 1 is seed 1, unless `seeds` lists another order."""
    numbers = list(range(1, entrants + 1))
    options = FormatOptions(
        table_size,
        points_for(format, table_size),
        tie_breaks=("wins", "lots"),
        lots={one: one for one in numbers},
        settings=settings,
        seeds={entrant: seed for seed, entrant in enumerate(seeds or numbers, start=1)},
        short=short,
        dummies=FORMATS[format].counts_dummies(table_size),
    )
    return Competition(format, numbers, options)


def compete(
    format: str,
    entrants: int,
    table_size: int = 2,
    seed: int = 0,
    trouble: Trouble = CALM,
    *,
    short: bool = False,
    **settings: Any,
) -> Competition:
    """Play a competition to its end in which lower numbers are better players. `entrants` includes those who come late:
    each in one of the rounds 2 to 4, or all in round 2."""
    chance = random.Random(f"{format}/{entrants}/{table_size}/{seed}")
    at_once = chance.random() < 0.5
    late = [2 if at_once else chance.randint(2, 4) for _ in range(entrants - 2) if chance.random() < trouble.late]
    entered, unknown = late[::2], sorted(late[1::2])
    if FORMATS[format].why_unplayable(entrants - len(unknown), table_size, settings):
        unknown = []
    going = competition(format, entrants - len(unknown), table_size, short=short, **settings)
    going.begins = dict(zip(going.entrants[::-1], entered, strict=False))
    going.expected = unknown
    draws = 0.2 if table_size == 2 else 0.05
    if trouble == CALM and FORMATS[format].eliminates:
        draws = 0.0  # a drawn match would be played again, which is a trouble, too
    result = by_strength(chance, draws, luck=4.0 * table_size)
    if FORMATS[format].continuous:
        going.go_on(result, trouble, chance, STEPS)
    else:
        going.to_the_end(result, trouble, chance)
    return going
