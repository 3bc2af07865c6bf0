"""The luck ledger: what chance and each decision of a finished game were worth to every seat.

Source: Burch, Schmid, Moravčík, Morrill and Bowling, "AIVAT: A New Variance Reduction Technique for Agent Evaluation in
Imperfect Information Games", AAAI 2018; White and Bowling, "Learning a Value Function for Agent Evaluation" (MIVAT),
IJCAI 2009.

With a value function V (`scorebook_games.value`), a chance event is worth V(after it) − E[V(after it)], with the
expectation over everything that might have been drawn. A decision is worth whatever else V gains until the next
decision. So

    result = start + luck + own decisions + others' decisions + table

for each seat, and the mean of the luck is 0 whatever V is. `table` is 0 unless somebody leaves or the table ends the
game. Cards of a shuffle count as drawn when somebody sees them: nobody's decision can depend on the order of cards that
nobody has seen. The docs have more: explanation/luck.md.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from operator import itemgetter
from typing import Any, Final

from scorebook_games.analysis.comparison import LUCK_REACH, points_share
from scorebook_games.contract import Event
from scorebook_games.gamelog.events import BEAT, CONTINUED, OPENED, is_table_event
from scorebook_games.gamelog.fold import Fold
from scorebook_games.search.chance import DrawDealer
from scorebook_games.value import EVEN, Draw, ValueFunction

DEALS: Final = 50  # imagined deals with which an opening is compared
CHANCE: Final = "chance"
DECISION: Final = "decision"
LEAST_GAIN: Final = 1e-12  # smaller ones are rounding
TABLE: Final = "table"  # somebody left, or the table ended the game


class NoLedger(Exception):
    """There is no ledger of this game. The text says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a ledger: the event at `version` of the log, and what it was worth to each seat.

    `sort` is CHANCE, DECISION (of `seat`) or TABLE. `error` is the standard error of each gain, 0 if it is exact.
    """

    version: int
    sort: str
    seat: int | None
    gains: tuple[float, ...]
    error: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Ledger:
    """A finished game's account. All lists are by seat.

    `result` is the share of the opponents that the seat finished ahead of, or its value where the log ends. `start` is
    the value before the first card. `table` is what departures and the end by the table were worth.
    """

    kind: str
    value_version: int
    value_hash: str
    result: tuple[float, ...]
    start: tuple[float, ...]
    entries: tuple[Entry, ...]
    finished: bool
    bounded_luck: tuple[float, ...]
    """What chance was worth to each seat, as far as it is counted where limits are needed (`bounded_gain`)."""

    def _sums(self, sort: str) -> list[float]:
        totals = [0.0] * len(self.result)
        for entry in self.entries:
            if entry.sort == sort:
                for seat, gain in enumerate(entry.gains):
                    totals[seat] += gain
        return totals

    @property
    def luck(self) -> list[float]:
        """What chance was worth to each seat."""
        return self._sums(CHANCE)

    @property
    def own(self) -> list[float]:
        """What each seat's own decisions were worth to it."""
        totals = [0.0] * len(self.result)
        for entry in self.entries:
            if entry.sort == DECISION and entry.seat is not None:
                totals[entry.seat] += entry.gains[entry.seat]
        return totals

    @property
    def others(self) -> list[float]:
        """What the decisions of the others were worth to each seat."""
        return [every - own for every, own in zip(self._sums(DECISION), self.own, strict=True)]

    @property
    def table(self) -> list[float]:
        """What departures, and an end by the table, were worth to each seat."""
        return self._sums(TABLE)

    @property
    def adjusted(self) -> list[float]:
        """The result of each seat without its luck. It has the same mean, and varies less."""
        return [result - luck for result, luck in zip(self.result, self.luck, strict=True)]

    @property
    def error(self) -> list[float]:
        """The standard error of each seat's luck, because some expectations are sampled."""
        squares = [0.0] * len(self.result)
        for entry in self.entries:
            for seat, error in enumerate(entry.error):
                squares[seat] += error * error
        return [sqrt(square) for square in squares]

    def plain(self) -> dict[str, Any]:
        """Return the ledger as JSON data."""
        return {
            "kind": self.kind,
            "value_version": self.value_version,
            "value_hash": self.value_hash,
            "finished": self.finished,
            "result": list(self.result),
            "start": list(self.start),
            "luck": self.luck,
            "own": self.own,
            "others": self.others,
            "table": self.table,
            "error": self.error,
            "entries": [[each.version, each.sort, each.seat, list(each.gains)] for each in self.entries],
        }


def ledger_of(events: Iterable[Event], value: ValueFunction | None, *, deals: int = DEALS) -> Ledger:
    """Return the ledger of a game from all events of its log, the opening first.

    An unfinished log is accounted for up to its end. Raises `NoLedger`.
    """
    log = list(events)
    if not log or log[0][0] != OPENED:
        raise NoLedger("The log does not begin with the opening of a game.")
    if any(event[0] == CONTINUED for event in log):
        raise NoLedger("The game continues another one with its cards, which its player may know.")
    return _Accountant(log, value, deals).ledger()


class _Accountant:
    """Walks through a log and writes an entry for whatever changes the value.

    `now` is the value that the account has reached. `stale` says that events without a draw have come since. `decision`
    is the version and seat of the present decision, and `place` is where its entry belongs.
    """

    def __init__(self, log: Sequence[Event], value: ValueFunction | None, deals: int) -> None:
        self.log, self.deals = log, deals
        self.fold = Fold(log[0])
        self.kind: str = log[0][1]["kind"]
        if value is None:
            raise NoLedger(f"{self.kind} has no value function, so there is no ledger of its games.")
        if self.kind != value.rules.spec.kind:
            raise NoLedger(f"This value function is for another kind than {self.kind}.")
        if self.fold.rules.spec.rules_version != value.rules.spec.rules_version:
            raise NoLedger(f"The value function of {self.kind} is for other rules than those of this game.")
        self.value = value
        self.entries: list[Entry] = []
        self.now: list[float] = []
        self.gains = [0.0] * self.fold.seats
        self.stale = False
        self.decision: tuple[int, int] | None = None
        self.place = 0
        self.digest = hashlib.sha256()
        self.memory: dict[str, Any] = {}
        self.bounded_luck = [0.0] * self.fold.seats

    def ledger(self) -> Ledger:
        """Return the whole account."""
        start, place = self._opening()
        for version in range(place, len(self.log)):
            self._take(version + 1, self.log[version])
        self._end_decision()
        outcome = self.fold.outcome()
        if outcome and outcome.placings:
            self._move_to([points_share(outcome.placings, seat) for seat in range(self.fold.seats)])
            self.place = len(self.entries)
            self._enter(len(self.log), TABLE, None)
        return Ledger(
            self.kind,
            self.value.version,
            self.value.hash,
            tuple(self.now),
            tuple(start),
            tuple(self.entries),
            outcome is not None,
            tuple(self.bounded_luck),
        )

    def _opening(self) -> tuple[list[float], int]:
        """Apply all events up to the first decision, which are one chance event, and compare them with other deals.

        Return the value before the deal, and the place of the next event in the log.
        """
        fold, value = self.fold, self.value
        place = 1
        dealt = 0
        while place < len(self.log):
            event = self.log[place]
            if not is_table_event(event):
                if value.decider(fold.state, event) is not None:
                    break
                dealt = place
                dealer = self._dealer(event)
            elif dealt:
                break
            fold.apply(event)
            place += 1
        self.now = [EVEN] * fold.seats
        if not dealt:
            return self.now, place
        possible = []
        for _ in range(self.deals):
            state = fold.rules.initial(fold.seats, fold.opened["options"])
            for event in fold.rules.start(state, dealer):
                fold.rules.apply(state, event)
            possible.append((1.0, value.values(state)))
        self.now = start = expectation(possible)
        self._draw(dealt + 1, Draw(value.values(fold.state), possible, sampled=True))
        return start, place

    def _take(self, version: int, event: Event) -> None:
        fold, value = self.fold, self.value
        if is_table_event(event):
            if event[0] == BEAT:
                for draw in value.lot(fold.state, event[2], self._dealer(event), self.memory):
                    self._draw(version, draw)
                    self.stale = False
            fold.apply(event)
            return
        seat = value.decider(fold.state, event)
        if seat is not None:
            self._end_decision()
            self.decision = version, seat
            self.place = len(self.entries)
        drawn = False
        for draw in value.draws(fold.state, event, self._dealer(event), self.memory):
            drawn = True
            self._draw(version, draw)
        fold.apply(event)
        self.stale = not drawn

    def _dealer(self, event: Event) -> DrawDealer:
        """Return the dealer of the samples with which `event` is compared.

        It draws from a hash of all rule events up to this one: the same for everybody who has the log, and independent
        of what other games get.
        """
        self.digest.update(json.dumps(event, separators=(",", ":")).encode())
        return DrawDealer(_uniform(self.digest.digest()).__next__)

    def _draw(self, version: int, draw: Draw) -> None:
        """Enter a draw as chance. What led to it belongs to the decision before."""
        before = self.now if self.entries else [EVEN] * len(draw.actual)  # nothing is known before the deal
        self.bounded_luck = [
            sum_before + bounded_gain(draw, seat, sum_before, before[seat])
            for seat, sum_before in enumerate(self.bounded_luck)
        ]
        expected = expectation(draw.possible)
        self._move_to(expected)
        error = standard_error(draw.possible, expected) if draw.sampled else (0.0,) * len(expected)
        gains = tuple([new - old for new, old in zip(draw.actual, expected, strict=True)])
        self.entries.append(Entry(version, CHANCE, None, gains, error))
        self.now = draw.actual

    def _end_decision(self) -> None:
        """Enter what the present decision was worth."""
        if self.stale:
            self._move_to(self.value.values(self.fold.state, self.memory))
            self.stale = False
        if self.decision:
            self._enter(self.decision[0], DECISION, self.decision[1])
        else:
            self._enter(self.fold.version, TABLE, None)

    def _enter(self, version: int, sort: str, seat: int | None) -> None:
        if any(self.gains):
            self.entries.insert(self.place, Entry(version, sort, seat, tuple(self.gains), (0.0,) * len(self.gains)))
        self.gains = [0.0] * len(self.gains)

    def _move_to(self, after: list[float]) -> None:
        """Reach the value `after`, and add what that gains to the present decision."""
        self.gains = [gain + new - old for gain, new, old in zip(self.gains, after, self.now, strict=False)]
        self.now = after


def bounded_gain(draw: Draw, seat: int, luck: float, before: float) -> float:
    """Return what a draw counts for a seat if the sum of its luck, `luck` so far, must not leave ±`LUCK_REACH`.

    The mean of this is 0, as that of the whole gain. Of an exact draw, the same part of each possible gain counts: the
    greatest part with which none of them leaves the limits. The values of a sampled draw are cut to a window around
    `before`, the value before the draw, which is as wide as the distance to the nearer limit. Neither depends on what
    was drawn, or on the samples.
    """
    actual, values = draw.actual[seat], [(weight, each[seat]) for weight, each in draw.possible]
    whole = sum([weight for weight, _ in values])
    if draw.sampled:
        room = min(1.0, LUCK_REACH - abs(luck))
        low = min(1 - room, max(0.0, before - room / 2))
        cut = [(weight, min(low + room, max(low, value))) for weight, value in values]
        return min(low + room, max(low, actual)) - sum([weight * value for weight, value in cut]) / whole
    expected = sum([weight * value for weight, value in values]) / whole
    best, worst = max(values, key=itemgetter(1))[1] - expected, expected - min(values, key=itemgetter(1))[1]
    part = min(1.0, (LUCK_REACH - luck) / max(best, LEAST_GAIN), (LUCK_REACH + luck) / max(worst, LEAST_GAIN))
    return part * (actual - expected)


def expectation(possible: Sequence[tuple[float, list[float]]]) -> list[float]:
    """Return the weighted mean for each seat."""
    whole = sum([weight for weight, _ in possible])
    return [sum([weight * values[seat] for weight, values in possible]) / whole for seat in range(len(possible[0][1]))]


def standard_error(possible: Sequence[tuple[float, list[float]]], mean: Sequence[float]) -> tuple[float, ...]:
    """Return the standard error of each mean if these are random samples."""
    count, whole = len(possible), sum([weight for weight, _ in possible])
    more = count / max(1, count - 1)
    squares = [
        sum([(weight / whole * (values[seat] - each)) ** 2 for weight, values in possible])
        for seat, each in enumerate(mean)
    ]
    return tuple([sqrt(square * more) for square in squares])


def _uniform(seed: bytes) -> Iterator[float]:
    """Yield random numbers from 0 to 1."""
    rng = random.Random(seed)
    while True:
        yield rng.random()
