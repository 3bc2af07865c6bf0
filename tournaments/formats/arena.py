"""Arena: free players are paired at once, until the time is up.

Everybody first gets a minimum number of matches. After that, and among players with equally few matches, the table with
the largest expected information is made: players close in strength, whose strength is least known, who have not met
often. Strengths follow the Bradley–Terry model; after each game they are updated as a Gaussian with the model's Fisher
information, as in Glickman 1999. Those who have just met wait a minute for somebody else, and meet again if nobody
becomes free. An entrant who did not come to the last match is left out for a while.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import exp
from typing import Any, ClassVar

from scorebook_games.contract import Dealer, Option
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.results import GameResult, RoundResult
from tournaments.formats import reasons
from tournaments.formats.base import Finished, FormatOptions, Pairing, Pairings, Wait, finished
from tournaments.formats.format import Format
from tournaments.formats.ladder import entrants_in_play, matches_in_play
from tournaments.formats.reasons import Reasons
from tournaments.formats.seeding import assign_seats, count_seats, with_defaults
from tournaments.scoring.points import versus

REMATCH_DISCOUNT = 0.9  # each earlier meeting multiplies the information by it, enough to prefer equally strong others
REMATCH_WAIT_SECONDS = 60  # how long those who have just met wait for others
LEFT_OUT = (
    4  # who missed the last match is left out of so many tables, who missed the last two of its square, and so on
)
MOST_MISSED = 5
PRIOR_VARIANCE = 1.0  # prior variance of strengths, in natural units (2.3 are 400 Elo)


@dataclass(slots=True)
class StrengthEstimates:
    """What the results so far say: entrant → strength, its variance, number of matches and last opponents; and pair →
    number of meetings. `missed`: entrant → how many matches in a row they did not come to; `seated`: entrant → how many
    matches were paired up to their last one, of `paired` in all."""

    strength: dict[int, float]
    variance: dict[int, float]
    played: dict[int, int]
    last: dict[int, frozenset[int]] = field(default_factory=dict)
    met: Counter[frozenset[int]] = field(default_factory=Counter)
    missed: Counter[int] = field(default_factory=Counter)
    seated: Counter[int] = field(default_factory=Counter)
    paired: int = 0

    def expected(self, one: int, other: int) -> float:
        """Return the expected score of `one` against `other`: 1 is a win."""
        return 1 / (1 + exp(self.strength[other] - self.strength[one]))

    def gain(self, one: int, other: int) -> float:
        """Return the expected information of a game of these two. It falls with each time that they have met."""
        p = self.expected(one, other)
        return (
            (self.variance[one] + self.variance[other])
            * p
            * (1 - p)
            * REMATCH_DISCOUNT ** self.met[frozenset((one, other))]
        )

    def left_out(self, entrant: int) -> bool:
        """Return whether an entrant who did not come is left out of the next table."""
        missed = min(self.missed[entrant], MOST_MISSED)
        return missed > 0 and self.paired - self.seated[entrant] < LEFT_OUT**missed

    def just_met(self, one: int, other: int) -> bool:
        """Return whether the last match of either was against the other."""
        return other in self.last.get(one, ()) or one in self.last.get(other, ())


class Arena(Format):
    """The format `arena`, for two or more at a table."""

    key = "arena"
    label = gettext_noop("Arena")
    options = (
        Option(
            "floor",
            "int",
            5,
            "Minimum number of matches for everyone, before the most informative pairings are chosen.",
            0,
            100,
        ),
        Option("in_flight", "int", 50, "Maximum number of matches played at the same time.", 1, 500),
    )
    option_labels: ClassVar = {
        "floor": gettext_noop("Minimum matches for everyone"),
        "in_flight": gettext_noop("Matches at the same time"),
    }
    continuous = True

    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Return None: the time limit decides."""
        return

    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """Return tables for the entrants who are free."""
        playing = entrants_in_play(history)
        if options.over:
            if not all(past.closed for past in history):
                return Wait("The time is up, and the last matches are still being played.")
            return finished(self.places(entrants, history, options, chance))
        settings = with_defaults(self.options, options.settings)
        flying = len(matches_in_play(history))
        if flying >= settings["in_flight"]:
            return Wait(f"{flying} matches are being played, as many as there may be at a time.")
        there = [entrant for entrant in entrants if entrant not in options.away]
        free = [entrant for entrant in there if entrant not in playing]
        size = options.table_size
        if len(there) < size and options.short and not playing:
            size = max(2, len(there))
        known = estimate_strengths(entrants, history)
        label = f"arena/round{len(history) + 1}"
        drawn = [free[i] for i in chance.shuffle(label, range(len(free)))]
        ready = [entrant for entrant in drawn if not known.left_out(entrant)]
        found = _make_tables(ready, size, known, settings["floor"])
        if not found and not playing:  # nobody else will become free
            found = _rematch(ready, size, known, settings["floor"])
            found = found or _make_tables(drawn, size, known, settings["floor"])
            found = found or _rematch(drawn, size, known, settings["floor"])
        until = _rematch_at(ready, size, options) if not found else None
        if until is not None and options.now >= until:
            patient = [one for one in ready if _waits_until(one, options) <= options.now]
            found = _rematch(patient, size, known, settings["floor"])
        if not found:
            return Wait(f"Fewer than {size} who have not just met are free.", until)
        sat = count_seats(history)
        return Pairings(
            tuple(
                Pairing(
                    assign_seats(table, sat, chance, f"{label}/seats{place}"),
                    _pairing_reason(table, known, settings["floor"]),
                )
                for place, table in enumerate(found[: settings["in_flight"] - flying], start=1)
            )
        )


def estimate_strengths(entrants: Iterable[int], history: Sequence[RoundResult]) -> StrengthEstimates:
    """Estimate strengths from finished matches, in the order of pairing. Unfinished ones count as matches and as last
    meetings."""
    numbers = list(entrants)
    known = StrengthEstimates(
        dict.fromkeys(numbers, 0.0), dict.fromkeys(numbers, PRIOR_VARIANCE), dict.fromkeys(numbers, 0)
    )
    for match in (match for past in history for match in past.matches):
        known.paired += 1
        for entrant in match.entrants:
            known.played[entrant] += 1
            known.seated[entrant] = known.paired
            if match.over:
                known.missed[entrant] = known.missed[entrant] + 1 if entrant in match.away else 0
            known.last[entrant] = frozenset(match.entrants) - {entrant}
        known.met.update(map(frozenset, combinations(match.entrants, 2)))
        for game in match.games:
            _update_estimates(known, game)
    return known


def _update_estimates(known: StrengthEstimates, game: GameResult) -> None:
    """Update every pair at the table; the weight of a pair is divided by the number of others at the table."""
    weight = 1 / (len(game.seats) - 1)
    step = dict.fromkeys(game.seats, 0.0)
    information = dict.fromkeys(game.seats, 0.0)
    for (one, mine), (other, theirs) in combinations(zip(game.seats, game.placings, strict=True), 2):
        p = known.expected(one, other)
        surprise = weight * (float(versus(mine, theirs)) - p)
        step[one], step[other] = step[one] + surprise, step[other] - surprise
        information[one], information[other] = (
            information[one] + weight * p * (1 - p),
            information[other] + weight * p * (1 - p),
        )
    for entrant in step:
        known.variance[entrant] = 1 / (1 / known.variance[entrant] + information[entrant])
        known.strength[entrant] += known.variance[entrant] * step[entrant]


def _rematch_at(ready: Sequence[int], size: int, options: FormatOptions) -> int | None:
    """Return when enough of those who are ready have waited for others, in seconds since 1970; None if this is not
    known."""
    ends = sorted(_waits_until(entrant, options) for entrant in ready if entrant in options.free_since)
    return ends[size - 1] if len(ends) >= size else None


def _waits_until(entrant: int, options: FormatOptions) -> int:
    return options.free_since.get(entrant, options.now) + REMATCH_WAIT_SECONDS


def _rematch(free: Sequence[int], size: int, known: StrengthEstimates, floor: int) -> list[list[int]]:
    """Make one table at which some have just met; none of too few."""
    if len(free) < size:
        return []
    return [_table_around(_by_need(free, known, floor), size, known, floor, again=True)]


def _by_need(free: Sequence[int], known: StrengthEstimates, floor: int) -> list[int]:
    """Return the entrants in the order in which they choose: those with the fewest matches, then with the least known
    strength."""
    return sorted(free, key=lambda entrant: (min(known.played[entrant], floor), -known.variance[entrant]))


def _make_tables(free: Sequence[int], size: int, known: StrengthEstimates, floor: int) -> list[list[int]]:
    """Make as many tables as possible of entrants who have not just met."""
    tables: list[list[int]] = []
    waiting = _by_need(free, known, floor)
    while len(waiting) >= size:
        table = _table_around(waiting, size, known, floor, again=False)
        if table:
            tables.append(table)
        waiting = [entrant for entrant in waiting[1:] if entrant not in table]
    return tables


def _table_around(waiting: Sequence[int], size: int, known: StrengthEstimates, floor: int, *, again: bool) -> list[int]:
    """Return a table of the first waiting entrant and the best opponents: below the minimum those with the fewest
    matches, then by information.

    It is empty if too few have not just met somebody at it. `again`: those are allowed too.
    """
    table = [waiting[0]]
    while len(table) < size:
        others = [
            one
            for one in waiting
            if one not in table and (again or not any(known.just_met(one, there) for there in table))
        ]
        if not others:
            return []
        table.append(
            min(
                others,
                key=lambda other: (min(known.played[other], floor), -sum(known.gain(other, there) for there in table)),
            )
        )
    return table


def _pairing_reason(table: Sequence[int], known: StrengthEstimates, floor: int) -> Reasons:
    played = [known.played[entrant] for entrant in table]
    begin: Reasons = (reasons.free_players(played),)
    if min(played) < floor:
        begin += (reasons.matches_first(floor),)
    if len(table) > 2:
        return (*begin, reasons.closest_in_strength())
    return (*begin, reasons.chances(round(100 * known.expected(table[0], table[1]))))
