"""Round robins: everybody meets everybody, once or twice; at larger tables as evenly as can be found.

Two at a table follow the Berger tables (FIDE Handbook C.05, annex 1), in which first and second moves differ by at most
one. If everybody meets twice, the last two rounds of the first cycle change places, as the annex says, so that nobody
moves first or second three times in a row. The plan does not change when somebody is away or withdraws: their opponents
have a bye, and missed matches among those who stay are played in extra rounds at the end. After a late entry no Berger
table fits, and every round pairs as many as possible of those who still owe each other a match, those who owe most
first.

Tables of three and more are seated round by round by a search that swaps entrants between tables while this reduces
repeated meetings. Everything starts from pairing numbers drawn by lot, and the same history gives the same answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import ceil
from typing import Any, ClassVar

from scorebook_games.contract import Dealer
from scorebook_games.presentation.coded_text import Sentence
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.results import RoundResult
from tournaments.formats import reasons
from tournaments.formats.base import (
    Finished,
    FormatOptions,
    Pairing,
    PairingBye,
    Pairings,
    Wait,
    finished,
)
from tournaments.formats.field import available_entrants
from tournaments.formats.format import Format
from tournaments.formats.matching import matching
from tournaments.formats.preset import WEEK, Preset
from tournaments.formats.reasons import WITHDRAWN, Reasons
from tournaments.formats.tables import (
    Meetings,
    cut,
    earlier_meetings,
    exchange,
    first_seats,
    meetings,
    seat_in_turn,
    short_table_reason,
    table_sizes,
)

MAX_TABLE_SIZE = 8
PROPOSALS = 3000  # swaps that the search tries in one round; more were not found to help


class RoundRobin(Format):
    """With `cycles` 1 a single round robin; with 2 a double one, whose second half has the moves reversed."""

    key = "round_robin"
    label = gettext_noop("Round robin")
    everybody_meets = True
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "weekly",
            gettext_noop("Weekly club league"),
            gettext_noop("Everyone plays everyone once, a match a week, at a time that the two players agree on."),
            {
                "calendar": {"seconds": WEEK, "match_time": "agreed", "fallback_time": "sun 19:00"},
                "terms": {"move_seconds": 60, "bank_seconds": 300},
            },
        ),
        Preset(
            "slow",
            gettext_noop("Correspondence league"),
            gettext_noop("Everyone plays everyone once, with days for each move. A round opens every four weeks."),
            {
                "calendar": {"seconds": 4 * WEEK},
                "terms": {"move_days": 3, "weekend_pause": True, "vacation_days": 14},
            },
        ),
    )

    def __init__(self, cycles: int) -> None:
        self.cycles = cycles

    def counts_dummies(self, table_size: int) -> bool:
        """At larger tables only: in a round robin of pairs everybody knows whom they have missed."""
        return table_size > 2

    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any] | None = None) -> int:  # noqa: ARG002
        """Return n − 1 rounds a cycle for pairs, or n if n is odd; for tables as many as the meetings need.

        Pairs missed through absences or late entries are played in rounds beyond these.
        """
        if table_size == 2:
            return self.cycles * (entrants - 1 + entrants % 2)
        games_each = ceil(self.cycles * (entrants - 1) / (table_size - 1))
        return ceil(entrants * games_each / (max(entrants // table_size, 1) * table_size))

    def absence(self, table_size: int) -> str:
        """Return that a pair meets in an extra round."""
        if table_size > 2:
            return super().absence(table_size)
        return _("A match that you miss is played in an extra round at the end. Your opponent rests meanwhile.")

    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """Return the next round, or the end. Raises ValueError for fewer entrants than a table needs."""
        least = 2 if options.short else options.table_size
        if len(entrants) < least:
            raise ValueError(f"A round robin at tables of {options.table_size} needs at least as many entrants.")
        if history and not history[-1].closed:
            return Wait(f"Round {history[-1].number} is still being played.")
        drawn = [entrants[i] for i in chance.shuffle("pairing numbers", range(len(entrants)))]
        if options.table_size == 2:
            made = self._pairs(drawn, history, options)
            return made or finished(self.places(entrants, history, options, chance))
        staying = sum(entrant not in options.withdrawn for entrant in entrants)
        if len(history) >= self.rounds(len(entrants), options.table_size) or staying < least:
            return finished(self.places(entrants, history, options, chance))
        return self._tables(drawn, history, options, chance)

    def _pairs(self, drawn: Sequence[int], history: Sequence[RoundResult], options: FormatOptions) -> Pairings | None:
        """Return the next round of pairs; None if no missing match can be played."""
        met, number = pairing_counts(history), len(history) + 1
        planned = self.rounds(len(drawn), 2)
        staying = [entrant for entrant in drawn if entrant not in options.withdrawn]
        if all(met[frozenset(pair)] >= self.cycles for pair in combinations(staying, 2)):
            return None
        if number <= planned and self._on_plan(drawn, history):
            made = self._planned(drawn, history, options)
            if made.tables:
                return made
        made = self._owed(available_entrants(drawn, options), history, number, options.withdrawn)
        return made if made.tables or number <= planned else None

    def _plan(self, drawn: Sequence[int], number: int) -> tuple[list[tuple[int, int]], int | None]:
        """Return round `number` of the Berger tables: the pairs in the order of their moves, and who has the bye."""
        in_cycle = self.rounds(len(drawn), 2) // self.cycles
        cycle, index = divmod(number - 1, in_cycle)
        if cycle + 1 < self.cycles and index >= in_cycle - 2 and in_cycle > 1:  # the last two change places
            index = 2 * in_cycle - 3 - index
        pairs, resting = [], None
        for first, second in berger(len(drawn) + len(drawn) % 2, index + 1):
            if max(first, second) > len(drawn):
                resting = drawn[min(first, second) - 1]
                continue
            seats = (drawn[first - 1], drawn[second - 1])
            pairs.append(seats[::-1] if cycle else seats)
        return pairs, resting

    def _on_plan(self, drawn: Sequence[int], history: Sequence[RoundResult]) -> bool:
        """Return whether everything so far follows the Berger tables of these entrants."""
        return all(
            {frozenset(match.entrants) for match in past.matches} <= set(map(frozenset, self._plan(drawn, number)[0]))
            for number, past in enumerate(history, start=1)
        )

    def _planned(self, drawn: Sequence[int], history: Sequence[RoundResult], options: FormatOptions) -> Pairings:
        """Return the round of the Berger tables. An entrant who moved first too often because of absences moves
        second."""
        number, sat, latest = len(history) + 1, first_seats(history), latest_seats(history)
        reason: Reasons = (reasons.everyone_meets(number, self.rounds(len(drawn), 2), self.cycles),)
        again = (*reason, reasons.meet_again_reversed())
        pairs, resting = self._plan(drawn, number)
        present = set(available_entrants(drawn, options))
        tables = tuple(
            Pairing(
                _balanced_order(pair, latest.get(frozenset(pair)), sat), again if frozenset(pair) in latest else reason
            )
            for pair in pairs
            if present.issuperset(pair)
        )
        byes = [
            PairingBye(
                one,
                (reasons.opponent_absent(options.away.get(other, WITHDRAWN)),),
                other if other in options.withdrawn else None,
            )
            for pair in pairs
            for one, other in (pair, pair[::-1])
            if one in present and other not in present
        ]
        if resting in present:
            byes.append(PairingBye(resting, (reasons.resting_in_turn(len(drawn), self.cycles),)))
        return Pairings(tables, tuple(byes))

    def _owed(
        self, present: Sequence[int], history: Sequence[RoundResult], number: int, withdrawn: Collection[int]
    ) -> Pairings:
        """Return as many missing matches as possible among those present, those who owe most first. An entrant left
        over who owes a match to a withdrawn one has a walkover."""
        met, sat = pairing_counts(history), first_seats(history)
        owed = {pair: self.cycles - met[frozenset(pair)] for pair in combinations(present, 2)}
        debts: Counter[int] = Counter()
        for pair, times in owed.items():
            debts.update(dict.fromkeys(pair, max(times, 0)))
        place = {entrant: index for index, entrant in enumerate(present)}
        edges = [(place[a], place[b], debts[a] ** 2 + debts[b] ** 2) for (a, b), times in owed.items() if times > 0]
        latest = latest_seats(history)
        pairs = [(present[a], present[b]) for a, b in matching(len(present), edges)]
        reason = reasons.unplayed_match(number)
        tables = tuple(
            Pairing(_alternated_order(pair, latest.get(frozenset(pair)), sat), (reason, _order_reason(pair, latest)))
            for pair in pairs
        )
        playing = {entrant for pair in pairs for entrant in pair}
        given = Counter(pair for past in history for pair in past.missing)

        def bye(one: int) -> PairingBye:
            left = (each for each in sorted(withdrawn) if met[frozenset((one, each))] + given[one, each] < self.cycles)
            gone = next(left, None)
            return PairingBye(one, (reasons.owed_by_withdrawn() if gone else _bye_reason(debts[one]),), gone)

        return Pairings(tables, tuple(bye(one) for one in present if one not in playing))

    def _tables(
        self, drawn: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings:
        present, number, size = available_entrants(drawn, options), len(history) + 1, options.table_size
        seats = table_sizes(len(present), size, short=options.short)
        resting = choose_byes(present, history, len(present) - sum(seats), chance, number)
        playing = [entrant for entrant in present if entrant not in resting]
        met, sat = meetings(history), first_seats(history)
        tables = spread_meetings(playing, seats, met, chance, f"tables/round{number}")
        total = self.rounds(len(drawn), size)
        return Pairings(
            tuple(
                Pairing(seat_in_turn(table, sat), _mixed_table_reason(table, met, number, total, size))
                for table in tables
            ),
            tuple(PairingBye(entrant, (_left_over_reason(len(present), size),)) for entrant in resting),
        )


class DoubleRoundRobin(RoundRobin):
    """The format `double_round_robin`."""

    key = "double_round_robin"
    label = gettext_noop("Double round robin")
    presets = (
        Preset(
            "bots",
            gettext_noop("Bot league"),
            gettext_noop("Bots play everyone twice, as fast as the computer can. The built-in bots enter too."),
            {"entry": {"players": "bots"}, "calendar": {"seconds": 60 * 60, "bots": "at_once"}},
            with_bots=True,
        ),
    )

    def __init__(self) -> None:
        super().__init__(2)


def pairing_counts(history: Iterable[RoundResult]) -> Meetings:
    """Return how often each pair of entrants was to meet. A match with a no-show is not owed any more."""
    return Counter(
        frozenset(pair) for past in history for match in past.matches for pair in combinations(match.entrants, 2)
    )


def latest_seats(history: Iterable[RoundResult]) -> dict[frozenset[int], tuple[int, ...]]:
    """Return pair → its seats in their latest meeting."""
    return {frozenset(match.entrants): match.entrants for past in history for match in past.matches if match.met}


def _balanced_order(
    pair: tuple[int, int], before: tuple[int, ...] | None, sat: Mapping[tuple[int, int], int]
) -> tuple[int, ...]:
    """Return a planned pair in the order of its moves.

    Without absences, first moves differ by at most two: one more for the one, one fewer for the other. If they differ
    by more, the other moves first.
    """
    if before:
        return before[::-1]
    one, other = pair
    apart = (sat[one, 0] - sat[one, 1]) - (sat[other, 0] - sat[other, 1])
    return pair if apart <= 2 else pair[::-1]


def _alternated_order(
    pair: tuple[int, int], before: tuple[int, ...] | None, sat: Mapping[tuple[int, int], int]
) -> tuple[int, ...]:
    """Return the pair in the order of its moves: reversed if they have met, else the one with fewer first moves
    first."""
    if before:
        return before[::-1]
    return tuple(sorted(pair, key=lambda entrant: sat[entrant, 0] - sat[entrant, 1]))


def _order_reason(pair: tuple[int, int], latest: Mapping[frozenset[int], tuple[int, ...]]) -> Sentence:
    return reasons.meet_again_reversed() if frozenset(pair) in latest else reasons.rarer_first_mover()


def _bye_reason(debts: int) -> Sentence:
    return reasons.others_are_paired() if debts else reasons.played_all_present()


def _mixed_table_reason(table: Sequence[int], met: Meetings, number: int, total: int, size: int) -> Reasons:
    mixed = reasons.tables_mixed(number, total)
    return (mixed, earlier_meetings(table, met), *short_table_reason(len(table), size))


def _left_over_reason(present: int, size: int) -> Sentence:
    return reasons.no_full_table(present, size) if present < size else reasons.left_over_by_lot(present, size)


@lru_cache(maxsize=1024)
def berger(even: int, number: int) -> tuple[tuple[int, int], ...]:
    """Return round `number` (1 … even − 1) of the Berger table for `even` entrants 1 … even, as (first mover, other).

    The last entrant stays fixed. The others meet by the sum of their numbers; the fixed entrant's opponent advances by
    half the table each round. Nobody has more than one first move more than second moves.
    """
    last, moving = even, even - 1
    pivot = (number - 1) * (even // 2) % moving + 1
    pairs = [(pivot, last) if pivot <= even // 2 else (last, pivot)]
    for step in range(1, even // 2):
        first = (pivot + step - 1) % moving + 1
        second = (pivot - step - 1) % moving + 1
        low, high = min(first, second), max(first, second)
        pairs.append((low, high) if (low + high) % 2 else (high, low))
    return tuple(pairs)


def choose_byes(
    present: Sequence[int], history: Iterable[RoundResult], count: int, chance: Dealer, number: int
) -> list[int]:
    """Return the `count` entrants with the fewest byes, equal ones by this round's lot. Byes differ by at most one."""
    if not count:
        return []
    rested = Counter(entrant for past in history for entrant in past.byes)
    lots = chance.shuffle(f"byes/round{number}", range(len(present)))
    return [present[i] for i in sorted(lots, key=lambda i: rested[present[i]])[:count]]


def spread_meetings(
    playing: Sequence[int], seats: Sequence[int], met: Meetings, chance: Dealer, label: str
) -> list[list[int]]:
    """Return tables with these `seats` and as few repeated meetings as found. The same label gives the same tables.

    The search starts from a drawn seating. A table costs the sum of the squares of its pairs' earlier meetings: two
    pairs repeated once are better than one repeated twice.
    """
    order = [playing[i] for i in chance.shuffle(f"{label}/start", range(len(playing)))]
    tables = cut(order, seats)
    weight = {(a, b): met[frozenset((a, b))] ** 2 for a in playing for b in playing if a != b}

    def cost(table: Sequence[int]) -> int:
        return sum([weight[pair] for pair in combinations(table, 2)])

    count = len(playing)
    tries = PROPOSALS if any(cost(table) for table in tables) else 0
    draws = chance.integers(label, [count, count] * tries)
    return exchange(tables, cost, zip(draws[::2], draws[1::2], strict=True))
