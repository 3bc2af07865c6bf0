"""The luck ledger: what chance and each decision of a finished game were worth to every seat.

Source: Burch, Schmid, Moravčík, Morrill and Bowling, "AIVAT: A New Variance Reduction Technique for Agent Evaluation in
Imperfect Information Games", AAAI 2018; White and Bowling, "Learning a Value Function for Agent Evaluation" (MIVAT),
IJCAI 2009.

With a value function V (`scorebook_games.value`), a chance event is worth V(after it) − E[V(after it)], with the
expectation over everything that might have been drawn. A decision is compared with what is usual there
(`scorebook_games.luck.usual`): it is worth W(made) − the mean of W over the usual moves. W of a move is the expectation
before the first draw that it leads to, or V after the move if it leads to none. So a decision without a choice is worth
0, and so is the only usual one. Whatever else V gains is unexplained: V did not foresee it. So

    result = start + luck + own play + others' play + unexplained + table

for each seat. Whatever V is, the mean of the luck is 0, and the mean of the play of a seat that follows the policy.
`table` is 0 unless somebody leaves or the table ends the game. Cards of a shuffle count as drawn when somebody sees
them: nobody's decision can depend on the order of cards that nobody has seen. The docs have more: explanation/luck.md.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from operator import itemgetter
from typing import Any, Final, NamedTuple

from scorebook_games.analysis.comparison import LUCK_REACH
from scorebook_games.analysis.student import widened
from scorebook_games.contract import Event, RulesError
from scorebook_games.gamelog.events import BEAT, CONTINUED, NOT_TAKEN, OPENED, is_table_event
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import BlankDealer, ends_bundle
from scorebook_games.luck.usual import policy_of, usual_moves
from scorebook_games.placings import points_share
from scorebook_games.search.chance import DrawDealer
from scorebook_games.value import EVEN, Draw, ValueFunction, expectation

DEALS: Final = 50  # imagined deals with which an opening is compared
CHANCE: Final = "chance"
DECISION: Final = "decision"
LEAST_GAIN: Final = 1e-12  # smaller ones are rounding
COMPACT: Final = json.JSONEncoder(separators=(",", ":"))
UNEXPLAINED: Final = "unexplained"  # what the value function did not foresee
TABLE: Final = "table"  # somebody left, or the table ended the game


class NoLedger(Exception):
    """There is no ledger of this game. The text says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a ledger: the event at `version` of the log, and what it was worth to each seat.

    `sort` is CHANCE, DECISION (of `seat`), UNEXPLAINED or TABLE. `error` is the standard error of each gain, 0 if it is
    exact. `usual` are the usual moves that a decision was compared with, in notation.
    """

    version: int
    sort: str
    seat: int | None
    gains: tuple[float, ...]
    error: tuple[float, ...]
    usual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ledger:
    """A finished game's account. All lists are by seat.

    `result` is the share of the opponents that the seat finished ahead of, or its value where the log ends. `start` is
    the value before the first card. `policy` is the built-in bot with whose moves decisions are compared; "" if none
    are. Errors are standard errors, because some expectations are sampled.
    """

    kind: str
    value_version: int
    value_hash: str
    policy: str
    result: tuple[float, ...]
    start: tuple[float, ...]
    start_error: tuple[float, ...]
    entries: tuple[Entry, ...]
    finished: bool
    bounded_luck: tuple[float, ...]
    """What chance was worth to each seat, as far as it is counted where limits are needed (`bounded_gain`)."""

    @property
    def luck(self) -> list[float]:
        """What chance was worth to each seat."""
        return self._sums(CHANCE)

    @property
    def own(self) -> list[float]:
        """What each seat's own decisions were worth to it, beside the usual ones."""
        return self._sums(DECISION, own=True)

    @property
    def others(self) -> list[float]:
        """What the decisions of the others were worth to each seat, beside the usual ones."""
        return self._sums(DECISION, own=False)

    @property
    def unexplained(self) -> list[float]:
        """What the value of each seat gained for no reason that the value function knows."""
        return self._sums(UNEXPLAINED)

    @property
    def table(self) -> list[float]:
        """What departures, and an end by the table, were worth to each seat."""
        return self._sums(TABLE)

    @property
    def adjusted(self) -> list[float]:
        """The result of each seat without its luck. It has the same mean."""
        return [result - luck for result, luck in zip(self.result, self.luck, strict=True)]

    @property
    def luck_error(self) -> list[float]:
        """The standard error of each seat's luck."""
        return self._error(CHANCE)

    @property
    def own_error(self) -> list[float]:
        """The standard error of each seat's own play."""
        return self._error(DECISION, own=True)

    @property
    def others_error(self) -> list[float]:
        """The standard error of the others' play for each seat."""
        return self._error(DECISION, own=False)

    @property
    def unexplained_error(self) -> list[float]:
        """The standard error of what is unexplained for each seat."""
        return self._error(UNEXPLAINED)

    def _sums(self, sort: str, *, own: bool | None = None) -> list[float]:
        """Return for each seat the sum of its gains; only of its own decisions, or only of the others' if `own` says
        so."""
        totals = [0.0] * len(self.result)
        for entry in self.entries:
            if entry.sort == sort:
                for seat, gain in enumerate(entry.gains):
                    if own is None or own == (seat == entry.seat):
                        totals[seat] += gain
        return totals

    def _error(self, sort: str, *, own: bool | None = None) -> list[float]:
        """Return the standard error of each of `_sums`."""
        squares = [0.0] * len(self.result)
        for entry in self.entries:
            if entry.sort == sort:
                for seat, error in enumerate(entry.error):
                    if own is None or own == (seat == entry.seat):
                        squares[seat] += error * error
        return [sqrt(square) for square in squares]

    def plain(self) -> dict[str, Any]:
        """Return the ledger as JSON data."""
        return {
            "kind": self.kind,
            "value_version": self.value_version,
            "value_hash": self.value_hash,
            "policy": self.policy,
            "finished": self.finished,
            "result": list(self.result),
            "start": list(self.start),
            "luck": self.luck,
            "own": self.own,
            "others": self.others,
            "unexplained": self.unexplained,
            "table": self.table,
            "start_error": list(self.start_error),
            "luck_error": self.luck_error,
            "own_error": self.own_error,
            "others_error": self.others_error,
            "unexplained_error": self.unexplained_error,
            "entries": [
                [entry.version, entry.sort, entry.seat, list(entry.gains), list(entry.usual)] for entry in self.entries
            ],
        }


def ledger_of(
    events: Iterable[Event], value: ValueFunction | None, *, deals: int = DEALS, decisions: bool = True
) -> Ledger:
    """Return the ledger of a game from all events of its log, the opening first.

    An unfinished log is accounted for up to its end. Without `decisions`, none is compared with the usual one: the luck
    is the same and takes less time, and all play is unexplained. Raises `NoLedger`.
    """
    log = list(events)
    if not log or log[0][0] != OPENED:
        raise NoLedger("The log does not begin with the opening of a game.")
    if any(event[0] == CONTINUED for event in log):
        raise NoLedger("The game continues another one with its cards, which its player may know.")
    return _Accountant(log, value, deals, decisions).ledger()


class _Worth(NamedTuple):
    """What a move leads to, for each seat (W in the docstring above), with its standard error."""

    values: list[float]
    error: Sequence[float]


class _Comparison(NamedTuple):
    """What a decision is compared with: the worth of each usual move, None for the move that was made."""

    usual: list[_Worth | None]
    sampled: bool


class _Beat:
    """A beat that is being taken. All seats have chosen their moves before it.

    `state` is the position before the beat. `order` has the seats that may act in it and have not had their turn.
    `seen` is the position that the first of them saw when it chose: with its own moves so far, and nobody else's.
    """

    def __init__(self, fold: Fold, order: Sequence[int]) -> None:
        acting = fold.to_act()
        self.rules, self.state = fold.rules, fold.state.copy()
        self.order = [seat for seat in order if seat in acting]
        self.seen = self.state

    def take(self, action: int) -> None:
        """Take an action of the first seat. Its turn is over if its bundle ends with it."""
        if ends_bundle(self.rules, self.seen, action):
            self.skip()
            return
        if self.seen is self.state:
            self.seen = self.state.copy()
        self.rules.apply(self.seen, self.rules.decide(self.seen, self.order[0], action, BlankDealer())[0])

    def skip(self) -> None:
        """Go on to the next seat."""
        del self.order[0]
        self.seen = self.state


class _Accountant:
    """Walks through a log and writes an entry for whatever changes the value.

    `now` is the value that the account has reached. `stale` says that events without a draw have come since. `version`
    and `seat` are those of the present decision (seat None: nobody's), and `place` is where its entries belong.
    `dealer` draws its samples. `comparison` is what it is compared with, until its own worth is known; then `play` is
    the difference. `usual` are the moves of that comparison. `drift` is whatever else the value has gained, and
    `drift_square` its squared error.
    `drawn` is the value after the last draw.
    """

    def __init__(self, log: Sequence[Event], value: ValueFunction | None, deals: int, decisions: bool) -> None:
        self.log, self.deals, self.decisions = log, deals, decisions
        self.fold = Fold(log[0])
        self.kind: str = log[0][1]["kind"]
        if value is None:
            raise NoLedger(f"{self.kind} has no value function, so there is no ledger of its games.")
        if self.kind != value.rules.spec.kind:
            raise NoLedger(f"This value function is for another kind than {self.kind}.")
        if self.fold.rules.spec.rules_version != value.rules.spec.rules_version:
            raise NoLedger(f"The value function of {self.kind} is for other rules than those of this game.")
        self.value = value
        self.exact = (0.0,) * self.fold.seats
        self.entries: list[Entry] = []
        self.now = [EVEN] * self.fold.seats
        self.stale = False
        self.beat: _Beat | None = None
        self.digest = hashlib.sha256()
        self.memory: dict[str, Any] = {}
        self.drawn = self.now
        self.bounded_luck = [0.0] * self.fold.seats
        self.comparison: _Comparison | None = None
        self.play: _Worth | None = None
        self.usual: tuple[str, ...] = ()
        self._begin(1, None)

    def ledger(self) -> Ledger:
        """Return the whole account."""
        start, place = self._opening()
        for version in range(place, len(self.log)):
            self._take(version + 1, self.log[version])
        self._end_beat()
        self._move_to(self._here())
        self._end_decision()
        outcome = self.fold.outcome()
        if outcome and outcome.placings:
            self._begin(len(self.log), None)
            self._move_to(_Worth([points_share(outcome.placings, seat) for seat in range(self.fold.seats)], self.exact))
            self._enter(TABLE, self.drift, self.exact)
        return Ledger(
            self.kind,
            self.value.version,
            self.value.hash,
            policy_of(self.kind) if self.decisions else "",
            tuple(self.now),
            tuple(start.values),
            tuple(start.error),
            tuple(self.entries),
            outcome is not None,
            tuple(self.bounded_luck),
        )

    def _opening(self) -> tuple[_Worth, int]:
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
                self._note(event)
            elif dealt:
                break
            fold.apply(event)
            place += 1
        if not dealt:
            return _Worth(self.now, self.exact), place
        self._begin(dealt + 1, None)
        dealer = self._dealer("")
        possible = []
        for _ in range(self.deals):
            state = fold.rules.initial(fold.seats, fold.opened["options"])
            for event in fold.rules.start(state, dealer):
                fold.rules.apply(state, event)
            possible.append((1.0, value.values(state)))
        draw = Draw(value.values(fold.state), possible, sampled=True)
        start = _expected(draw)
        self.now = start.values
        self._draw(dealt + 1, draw)
        self._begin(dealt + 1, None)
        return start, place

    def _take(self, version: int, event: Event) -> None:
        fold, value = self.fold, self.value
        if is_table_event(event):
            if event[0] == BEAT:
                self._begin_beat(version, event)
            elif event[0] == NOT_TAKEN and self.beat:
                self._skip_to(event[1])
                self._skip(version)
            fold.apply(event)
            return
        seat = value.decider(fold.state, event)
        if seat is not None:
            self._decide(version, seat, event)
        drawn = False
        for draw in value.draws(fold.state, event, self.dealer, self.memory):
            drawn = True
            self._draw(version, draw)
        self._note(event)
        fold.apply(event)
        self.stale = not drawn

    # -- decisions

    def _decide(self, version: int, seat: int, event: Event) -> None:
        """Begin the decision that `event` comes from. In a beat, the seat has chosen before it."""
        self._skip_to(seat)
        self._end_decision()
        self._begin(version, seat)
        if not self.decisions:
            return
        rules, state = self.fold.rules, self.fold.state
        _, action = rules.action_of(state, event)
        beat = self.beat if self.beat and seat in self.beat.order else None
        self._compare(beat.seen if beat else state, seat, rules.move_text(state, action))
        if beat:
            beat.take(action)

    def _begin_beat(self, version: int, event: Event) -> None:
        self._end_beat()
        self._end_decision()
        self._begin(version, None)
        if self.decisions:
            self.beat = _Beat(self.fold, event[2])
        for draw in self.value.lot(self.fold.state, event[2], self.dealer, self.memory):
            self._draw(version, draw)
        self._note(event)

    def _end_beat(self) -> None:
        while self.beat and self.beat.order:
            self._skip(self.fold.version)
        self.beat = None

    def _skip_to(self, seat: int) -> None:
        """In a beat, go on to the turn of `seat`."""
        while self.beat and seat in self.beat.order[1:]:
            self._skip(self.fold.version)

    def _skip(self, version: int) -> None:
        """Account for a turn in a beat, or the rest of one, in which nothing is taken: its seat has passed, or the
        rules refused its move."""
        if self.beat and self.beat.order:
            if self.fold.outcome() is None:
                self._end_decision()
                self._begin(version, self.beat.order[0])
                self._compare(self.beat.seen, self.beat.order[0], None)
            self.beat.skip()

    def _compare(self, seen: Any, seat: int, made: str | None) -> None:
        """Compare the move `made` (None: nothing) with what is usual for `seat` in the state that it has seen."""
        usual = usual_moves(self.fold.rules, seen, seat, self._dealer("usual").draw)
        if usual.moves == [made]:
            return
        self.usual = tuple(usual.moves)
        worths = {move: None if move == made else self._worth(seat, move) for move in usual.moves}
        self.comparison = _Comparison([worths[move] for move in usual.moves], usual.sampled)

    def _worth(self, seat: int, move: str) -> _Worth:
        """Return what a move would lead to now: nothing, if the rules refuse it because of an earlier one of the
        beat."""
        rules, value, state = self.fold.rules, self.value, self.fold.state
        dealer, memory = self._dealer(""), dict(self.memory)
        try:
            events = rules.decide(state, seat, rules.parse_move(state, move), self._dealer("events"))
        except RulesError:
            events = []
        if not events:
            return self._here()
        for event in events:
            for draw in value.draws(state, event, dealer, memory):
                return _expected(draw)
            if state is self.fold.state:
                state = state.copy()
            rules.apply(state, event)
        return _Worth(value.values(state, memory), self.exact)

    def _here(self) -> _Worth:
        """Return the present value."""
        return _Worth(self.value.values(self.fold.state, self.memory) if self.stale else self.now, self.exact)

    def _begin(self, version: int, seat: int | None) -> None:
        """Begin a decision, or what is nobody's."""
        self.version, self.seat, self.place = version, seat, len(self.entries)
        self.dealer = self._dealer("")
        self.comparison = None
        self.play = None
        self.usual = ()
        self.drift = [0.0] * self.fold.seats
        self.drift_square = [0.0] * self.fold.seats

    def _end_decision(self) -> None:
        """Enter what the present decision was worth."""
        if self.comparison:
            self._move_to(self._here())
            self.stale = False
        self._enter(UNEXPLAINED, self.drift, [sqrt(square) for square in self.drift_square])
        if self.play:
            self._enter(DECISION, *self.play)

    # -- entries

    def _note(self, event: Event) -> None:
        """Let all later samples depend on `event`."""
        self.digest.update(COMPACT.encode(event).encode())

    def _dealer(self, purpose: str) -> DrawDealer:
        """Return a dealer of samples for the present decision.

        It draws from a hash of all rule events before the decision: the same for everybody who has the log, and
        independent of what is decided and drawn now. So all moves are compared by the same samples.
        """
        seed = hashlib.sha256(self.digest.digest() + f"{self.seat} {purpose}".encode())
        return DrawDealer(_uniform(seed.digest()).__next__)

    def _draw(self, version: int, draw: Draw) -> None:
        """Enter a draw as chance. What led to it belongs to the decision before."""
        self.bounded_luck = [
            luck + bounded_gain(draw, seat, luck, self.drawn[seat]) for seat, luck in enumerate(self.bounded_luck)
        ]
        expected = _expected(draw)
        self._move_to(expected)
        gains = tuple([new - old for new, old in zip(draw.actual, expected.values, strict=True)])
        self.entries.append(Entry(version, CHANCE, None, gains, tuple(expected.error)))
        self.now = self.drawn = draw.actual

    def _move_to(self, after: _Worth) -> None:
        """Reach a value. The first one after a decision is its worth, and is compared with that of the usual moves.

        Whatever else the value gains is unexplained.
        """
        foreseen = after
        if self.comparison:
            foreseen, self.play = _difference(after, self.comparison)
            self.comparison = None
        moves = zip(self.drift, foreseen.values, self.now, strict=False)
        self.drift = [drift + new - old for drift, new, old in moves]
        squares = zip(self.drift_square, foreseen.error, strict=False)
        self.drift_square = [square + error * error for square, error in squares]
        self.now = after.values

    def _enter(self, sort: str, gains: Sequence[float], error: Sequence[float]) -> None:
        if any(gains):
            seat, usual = (self.seat, self.usual) if sort == DECISION else (None, ())
            self.entries.insert(self.place, Entry(self.version, sort, seat, tuple(gains), tuple(error), usual))


def _expected(draw: Draw) -> _Worth:
    """Return the mean of what might have been drawn."""
    mean = expectation(draw.possible)
    return _Worth(mean, standard_error(draw.possible, mean) if draw.sampled else (0.0,) * len(mean))


def _difference(made: _Worth, comparison: _Comparison) -> tuple[_Worth, _Worth]:
    """Return the mean worth of the usual moves, and how much more the move that was `made` is worth."""
    usual = comparison.usual
    count, seats = len(usual), range(len(made.values))
    others = [(each.values, each.error) for each in usual if each]
    share = len(others) / count  # how much of the mean is not the worth of the move itself
    play, play_error, mean_error = [], [], []
    for seat in seats:
        gains = [made.values[seat] - values[seat] for values, _ in others]
        gain = sum(gains) / count
        square = (sum([error[seat] for _, error in others]) / count) ** 2  # the samples are the same, so are the faults
        if comparison.sampled:
            gains += [0.0] * (count - len(others))
            square = sum([(each - gain) ** 2 for each in gains]) / (count * max(1, count - 1))
        play.append(gain)
        play_error.append(sqrt(square + (share * made.error[seat]) ** 2))
        mean_error.append(sqrt(square + ((1 - share) * made.error[seat]) ** 2))
    mean = [value - gain for value, gain in zip(made.values, play, strict=True)]
    return _Worth(mean, mean_error), _Worth(play, play_error)


def bounded_gain(draw: Draw, seat: int, luck: float, before: float) -> float:
    """Return what a draw counts for a seat if the sum of its luck, `luck` so far, must not leave ±`LUCK_REACH`.

    The mean of this is 0, as that of the whole gain. Of an exact draw, the same part of each possible gain counts: the
    greatest part with which none of them leaves the limits. The values of a sampled draw are cut to a window around
    `before`, the value after the draw before this one, which is as wide as the distance to the nearer limit. Neither
    depends on what was drawn, or on the samples.
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


def standard_error(possible: Sequence[tuple[float, list[float]]], mean: Sequence[float]) -> tuple[float, ...]:
    """Return the standard error of each mean if these are random samples.

    It is widened so that two of them on each side hold the truth in 95 of 100 cases, also for few samples.
    """
    count, whole = len(possible), sum([weight for weight, _ in possible])
    more = count / max(1, count - 1) * widened(count) ** 2
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
