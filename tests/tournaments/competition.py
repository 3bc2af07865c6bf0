"""Competitions that nobody plays: a format is asked round by round, results are made up, and people leave or are away.

What a director does with the answers is done here as there: who is away is written down as away, everybody else who
does not play has the rest that the format gave.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from games.engines.chance import SeedDealer
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, FormatOptions, Pairing, Pairings, Wait
from tournaments.results import GameResult, MatchResult, RoundResult
from tournaments.standings import default_points

SEED = bytes(range(32))
PATIENCE = 500  # rounds after which a competition is taken to have a dead end

Result = Callable[[Sequence[int]], Sequence[int]]  # entrants at a table → their places


def by_number(seats: Sequence[int]) -> list[int]:
    """Whoever has the lower number is placed before."""
    return [1 + sum(other < one for other in seats) for one in seats]


def by_lot(chance: random.Random, draws: float = 0.0) -> Result:
    """Any order is as likely; with the probability `draws` all are level."""

    def result(seats: Sequence[int]) -> list[int]:
        if chance.random() < draws:
            return [1] * len(seats)
        return chance.sample(range(1, len(seats) + 1), len(seats))

    return result


def game(seats: Sequence[int], places: Sequence[int]) -> GameResult:
    return GameResult(tuple(seats), tuple(10 - place for place in places), tuple(places))


def played(pairing: Pairing, result: Result, *, over: bool = True) -> MatchResult:
    games = (game(pairing.seats, result(pairing.seats)),) if over else ()
    return MatchResult(pairing.seats, games, slot=pairing.slot, over=over)


@dataclass
class Competition:
    """A season of one division. `seeds` are the entrants' own numbers, unless said otherwise."""

    format: str
    entrants: list[int]
    options: FormatOptions
    history: list[RoundResult] = field(default_factory=list)
    answers: list[Pairings] = field(default_factory=list)
    seed: bytes = SEED

    def ask(self) -> Pairings | Wait | Finished:
        return FORMATS[self.format].next(self.entrants, self.history, self.options, SeedDealer(self.seed))

    def withdraw(self, *entrants: int) -> None:
        gone = dict.fromkeys(entrants, "has withdrawn")
        self.options = replace(
            self.options,
            away={**self.options.away, **gone},
            withdrawn=self.options.withdrawn | set(entrants),
        )

    def away(self, *entrants: int) -> None:
        """Only these are away now, and who has withdrawn."""
        told = dict.fromkeys(self.options.withdrawn, "has withdrawn")
        told |= {one: "is away in this round" for one in entrants if one not in told}
        self.options = replace(self.options, away=told)

    def enter(self, entrant: int) -> None:
        seeds, lots = self.options.seeds or {}, self.options.lots or {}
        self.entrants.append(entrant)
        self.options = replace(self.options, seeds={**seeds, entrant: entrant}, lots={**lots, entrant: entrant})

    def play(self, result: Result = by_number) -> Pairings | Wait | Finished:
        """Ask for a round and, if there is one, play it."""
        answer = self.ask()
        if isinstance(answer, Pairings):
            self.write(answer, result)
        return answer

    def write(self, answer: Pairings, result: Result, *, over: bool = True) -> None:
        away = [one for one in self.options.away if one not in self.options.withdrawn]
        self.answers.append(answer)
        self.history.append(
            RoundResult(
                len(self.history) + 1,
                tuple(played(pairing, result, over=over) for pairing in answer.tables),
                tuple(rest.entrant for rest in answer.byes if rest.entrant not in away),
                closed=over,
                away=tuple(away),
            )
        )

    def to_the_end(
        self, result: Result = by_number, before: Callable[[Competition], None] = lambda _: None
    ) -> Mapping[int, int]:
        """Play it out, `before` each round; the final places."""
        for _ in range(PATIENCE):
            before(self)
            answer = self.play(result)
            if isinstance(answer, Finished):
                return answer.places
            assert isinstance(answer, Pairings), answer
            self.check(answer)
        raise AssertionError(f"{self.format} of {len(self.entrants)} has no end.")

    def check(self, answer: Pairings) -> None:
        """What holds of every round of every format: nobody sits twice, nobody absent sits, all is told."""
        seated = [entrant for table in answer.tables for entrant in table.seats]
        resting = [rest.entrant for rest in answer.byes]
        assert len(set(seated + resting)) == len(seated + resting)
        assert not set(seated) & set(self.options.away)
        assert not set(resting) & self.options.withdrawn
        told = [table.reason for table in answer.tables] + [rest.reason for rest in answer.byes]
        assert all(reason.endswith(".") and not reason[0].islower() for reason in told)

    def matches(self) -> list[MatchResult]:
        return [match for past in self.history for match in past.matches]


def competition(
    format: str,
    entrants: int,
    table_size: int = 2,
    *,
    short: bool = False,
    seeds: Sequence[int] | None = None,
    **settings: Any,
) -> Competition:
    """One with the strongest first: entrant 1 is seed 1, unless `seeds` lists them otherwise."""
    numbers = list(range(1, entrants + 1))
    options = FormatOptions(
        table_size,
        default_points(table_size, table_size),
        tie_breaks=("wins", "lots"),
        lots={one: one for one in numbers},
        settings=settings,
        seeds={entrant: seed for seed, entrant in enumerate(seeds or numbers, start=1)},
        short=short,
    )
    return Competition(format, numbers, options)


def troubles(chance: random.Random, *, leaving: float, missing: float) -> Callable[[Competition], None]:
    """Before each round some withdraw for good and some others are away for it."""

    def before(going: Competition) -> None:
        staying = [one for one in going.entrants if one not in going.options.withdrawn]
        going.withdraw(*[one for one in staying if chance.random() < leaving])
        going.away(*[one for one in staying if chance.random() < missing])

    return before


def assert_first_moves_are_shared_out(matches: Sequence[MatchResult]) -> None:
    """Before each match of two, who moves first in it has had no more first moves, less second ones, than the other;
    so nobody has many more of one sort."""
    balance: Counter[int] = Counter()
    for match in matches:
        first, second = match.entrants
        assert balance[first] <= balance[second]
        balance.update({first: 1, second: -1})
    assert all(abs(one) <= 4 for one in balance.values())
