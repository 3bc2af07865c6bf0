"""The clocks of a game, folded from its log: the turns with their times, and what is left. Pure.

A seat's turn begins when the game begins to wait for it, or waits for it again after its own move. What others do
neither ends nor restarts it, unless the game no longer waits for the seat. Time beyond the terms' `move_seconds` is
taken from the bank. In beats, a turn ends with a bundle, which nobody may see, so its cost is an event of the beat.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from games.clocks.hours import Hours, Stop, elapsed, hours_of, moment_after, why_paused
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import Batch, Log
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import BEATS

# A live move is accepted until this long after its clock ran out, because players are not charged for the network's
# time.
NETWORK_GRACE: Final = timedelta(milliseconds=300)
ZERO: Final = timedelta(0)


class TurnInterval(NamedTuple):
    """The game waited for `seat` from `begun` to `ended`, in ms since its opening."""

    seat: int
    begun: int
    ended: int


class Reckoning:
    """Whose turn began when, after the batches taken so far.

    - `running`: the seats of people that the game waits for, with the ms since when.
    - `turns`: the finished turns.
    - `charged`: what beats took from each seat's bank, in ms.
    - `moved`: the seats that have made a move; in beats all, once one was taken.
    - `programs`: the seats that a program played from the beginning.
    """

    def __init__(self, opened: Event, programs: Collection[int]) -> None:
        self.fold = Fold(opened)
        self.programs = programs
        self.running: dict[int, int] = {}
        self.turns: list[TurnInterval] = []
        self.charged: dict[int, int] = {}
        self.moved: set[int] = set()

    def take_new(self, log: Log) -> None:
        """Take the batches of `log` that were not taken yet. Of the first one, this means the events after the
        opening."""
        for batch in log:
            if new := [entry for entry in batch if entry.version > self.fold.version]:
                self.take(new)

    def take(self, batch: Batch) -> None:
        """Take one batch: a move, a beat, or table events. Several expiries count one by one."""
        for part in _parts(batch):
            mover = self._apply(part)
            if mover is not None:
                self.moved.add(mover)
            beat = any(event[0] == ev.BEAT for _, _, event in part)
            if beat:
                self.moved.update(range(self.fold.seats))
            self._turn(mover, beat, part[-1].ms)

    def _apply(self, part: Batch) -> int | None:
        """Apply the events, and return the seat whose move they are, or None."""
        fold, mover, first_seen = self.fold, None, False
        for _, _, event in part:
            if event[0] == ev.CHARGED:
                self.charged[event[1]] = self.charged.get(event[1], 0) + event[2]
            elif not first_seen and not ev.is_table_event(event):
                first_seen = True
                if fold.started and fold.pace != BEATS:
                    mover = fold.rules.action_of(fold.state, event)[0]
            fold.apply(event)
        return mover

    def _turn(self, mover: int | None, beat: bool, ms: int) -> None:
        awaited = [seat for seat in self.fold.awaited() if seat not in self.programs | self.fold.taken_over.keys()]
        for seat in list(self.running):
            if beat or seat == mover or seat not in awaited:
                self.turns.append(TurnInterval(seat, self.running.pop(seat), ms))
        for seat in awaited:
            self.running.setdefault(seat, ms)


def _parts(batch: Batch) -> Iterator[Batch]:
    """Return a batch split before each clock that ran out."""
    cuts = [place for place, entry in enumerate(batch) if entry.event[0] == ev.EXPIRED and place]
    if any(event[0] == ev.BEAT for _, _, event in batch):
        cuts = []
    for start, end in zip([0, *cuts], [*cuts, len(batch)], strict=True):
        yield batch[start:end]


def reckon(log: Log, programs: Collection[int]) -> Reckoning:
    """Return the reckoning after `log`, which begins with the opening of the game."""
    reckoning = Reckoning(log[0][0].event, frozenset(programs))
    reckoning.take_new(log)
    return reckoning


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What the terms give a seat: the time `move` for each move and `bank` for the game, within the `hours`."""

    move: timedelta
    bank: timedelta
    hours: Hours | None
    live: bool


def time_control_of(terms: Mapping[str, Any]) -> TimeControl | None:
    """Return the time control of a game with these terms; None for a game without clocks."""
    seconds, bank, days = terms.get("move_seconds"), terms.get("bank_seconds", 0), terms.get("move_days")
    if days is not None:
        hours = hours_of(terms)
        return TimeControl(days * (hours.day if hours else timedelta(days=1)), ZERO, hours, live=False)
    if seconds is None and not bank:
        return None
    return TimeControl(timedelta(seconds=seconds or 0), timedelta(seconds=bank), None, live=True)


class SeatClock(NamedTuple):
    """One seat's clock at a time: what is left for this move and in the bank. Only a running one has a `deadline`.

    `paused` says why a clock that has begun stands still: "playing_hours", "weekend", "vacation" or "outage".
    """

    seat: int
    running: bool
    move: timedelta
    bank: timedelta
    deadline: datetime | None
    paused: str


@dataclass(frozen=True, slots=True)
class Clocks:
    """All clocks of one game.

    `stops` are those of each seat, in order. `given` says when people gave their bundles for the next beat, which ended
    their turn.
    """

    rate: TimeControl
    reckoning: Reckoning
    opened_at: datetime
    stops: Mapping[int, Sequence[Stop]] = field(default_factory=dict)
    given: Mapping[int, datetime] = field(default_factory=dict)

    def elapsed(self, seat: int, begun: datetime, ended: datetime) -> timedelta:
        """Return how long the seat's clock ran between two times."""
        return elapsed(begun, ended, self.rate.hours, self.stops.get(seat, ()))

    def bank(self, seat: int) -> timedelta:
        """Return what is left of the seat's bank after its finished turns."""
        if not self.rate.bank:
            return ZERO
        spent = timedelta(milliseconds=self.reckoning.charged.get(seat, 0))
        if self.reckoning.fold.pace != BEATS:
            for turn in self.reckoning.turns:
                if turn.seat == seat:
                    spent += self.beyond(seat, self.moment(turn.begun), self.moment(turn.ended))
        return max(ZERO, self.rate.bank - spent)

    def beyond(self, seat: int, begun: datetime, ended: datetime) -> timedelta:
        """Return by how much a turn was longer than the time of a move."""
        return max(ZERO, self.elapsed(seat, begun, ended) - self.rate.move)

    def clock(self, seat: int, at: datetime) -> SeatClock:
        """Return the seat's clock at this time."""
        bank = self.bank(seat)
        if seat not in self.reckoning.running:
            return SeatClock(seat, False, self.rate.move, bank, None, "")
        begun = self.moment(self.reckoning.running[seat])
        until = min(at, self.given.get(seat, at))
        used = self.elapsed(seat, begun, until)
        move = max(ZERO, self.rate.move - used)
        left = max(ZERO, bank - max(ZERO, used - self.rate.move))
        if seat in self.given:
            return SeatClock(seat, False, move, left, None, "")
        stops = self.stops.get(seat, ())
        due = moment_after(begun, self.rate.move + bank, self.rate.hours, stops)
        return SeatClock(seat, True, move, left, due, why_paused(at, self.rate.hours, stops))

    def deadline(self) -> datetime | None:
        """Return when the first of the running clocks will have run out; None if none runs."""
        due = [self.clock(seat, self.opened_at).deadline for seat in self.reckoning.running]
        return min((moment for moment in due if moment), default=None)

    def expired(self, at: datetime) -> list[int]:
        """Return the seats whose time is up at this time, live with the `NETWORK_GRACE`; the first to run out comes
        first."""
        latest = at - NETWORK_GRACE if self.rate.live else at
        due = [(self.clock(seat, at).deadline, seat) for seat in self.reckoning.running]
        return [seat for moment, seat in sorted((m, s) for m, s in due if m and m <= latest)]

    def charges(self, at: datetime) -> list[Event]:
        """Return the events that record what a beat, taken at this time, costs the banks of the seats it waited for."""
        events: list[Event] = []
        for seat in sorted(self.reckoning.running) if self.rate.bank else []:
            begun = self.moment(self.reckoning.running[seat])
            spent = min(self.bank(seat), self.beyond(seat, begun, self.given.get(seat, at)))
            if ms := spent // timedelta(milliseconds=1):
                events.append([ev.CHARGED, seat, ms])
        return events

    def moment(self, ms: int) -> datetime:
        """Return the time this many ms after the opening."""
        return self.opened_at + timedelta(milliseconds=ms)
