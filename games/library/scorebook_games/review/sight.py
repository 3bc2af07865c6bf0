"""What one seat was shown of a game, position by position. A review knows nothing else of the game.

`sight_of` alone reads the log. It keeps events as the seat was shown them (`Rules.redact`), what the seat observed, its
legal moves and the moves that it made. So nothing that was hidden from the seat can have a part in its review.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scorebook_games.contract import REDACTED, Event, Options, Rules, RulesError, listed_actions, open_action
from scorebook_games.gamelog.events import BEAT, LEFT, OPENED, is_table_event
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import BlankDealer
from scorebook_games.gamelog.terms import BEATS
from scorebook_games.placings import points_share
from scorebook_games.registry import UnknownKind
from scorebook_games.search.record import Record
from scorebook_games.search.worth import Observation
from scorebook_games.text import gettext as _

DEAL: Final = "deal"  # before the first move
DECISION: Final = "decision"  # the seat is about to choose
TURN: Final = "turn"  # somebody's turn is over; in beats, a beat


class NoReview(Exception):
    """There is no review of this game. The text says why."""


@dataclass(frozen=True, slots=True)
class Position:
    """A moment of the game as the seat saw it.

    `version` is how many events of the log had happened. `what` is DEAL, DECISION or TURN, and `mover` the seat that
    made the last move (None: nobody, or several in a beat). `seen` and `legal` are the seat's observation and legal
    moves, and `left` the seats that had left. At a decision `move` was made, by the event of version `event`. The seat
    had been shown the first `shown` rule events, and then those in `own`. `listed` says that the position stands in the
    curve.
    """

    version: int
    what: str
    mover: int | None
    seen: Observation
    legal: tuple[str, ...]
    left: tuple[int, ...]
    shown: int
    own: tuple[Event, ...] = ()
    move: str = ""
    event: int = 0
    listed: bool = True


@dataclass(slots=True)
class Sight:
    """A game as one seat saw it, up to its end or to where the seat left."""

    kind: str
    rules: Rules[Any]
    seats: int
    options: Options
    seat: int
    events: list[Event] = field(default_factory=list)
    """The rule events as the seat was shown them."""
    positions: list[Position] = field(default_factory=list)
    versions: int = 0
    """How many events the log had."""
    mover: int | None = None
    """The seat that made the last move of the game."""
    result: float | None = None
    """The seat's share of the result; None if there is none."""

    def record(self, position: Position) -> Record:
        """Return what the seat had been shown at a position."""
        events = [*self.events[: position.shown], *position.own]
        return Record(self.rules, self.seats, self.options, self.seat, events)

    def hash(self) -> str:
        """Return the SHA-256 of everything that the seat was shown. All random numbers of a review come from it."""
        seen = [
            [self.kind, self.rules.spec.rules_version, self.seats, self.options, self.seat, self.events],
            *[
                [at.version, at.what, at.mover, at.seen, at.legal, at.left, at.shown, at.own, at.move, at.event]
                for at in self.positions
            ],
        ]
        return hashlib.sha256(json.dumps(seen, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def sight_of(events: Iterable[Event], seat: int, *, every_move: bool = False) -> Sight:
    """Return what `seat` was shown of the game with these events, the opening first. Raises `NoReview`.

    Its positions are those before a decision of the seat and after each turn of others; with `every_move` also those
    before each further move of a turn.
    """
    log = list(events)
    if not log or log[0][0] != OPENED:
        raise NoReview(_("The log does not begin with the opening of a game."))
    try:
        fold = Fold(log[0])
    except UnknownKind as error:
        raise NoReview(str(error)) from error
    if not 0 <= seat < fold.seats:
        raise NoReview(_("The game has seats 0 to {last}, not {seat}.").format(last=fold.seats - 1, seat=seat))
    if fold.seats < 2:
        raise NoReview(_("A game for one has no opponents, so there is no share of a result."))
    return _Watcher(log, fold, seat, every_move=every_move).sight()


class _Watcher:
    """Goes through a log in the place of a seat.

    `mover` made the last move. In beats, `base` is the state at the beginning of the beat with the seat's own moves
    since then: all that it knew when it gave its bundle. At
    that beginning, `begun` was the version, and `before` the number of rule events.
    """

    def __init__(self, log: Sequence[Event], fold: Fold, seat: int, *, every_move: bool) -> None:
        self.log, self.fold, self.seat, self.every_move = log, fold, seat, every_move
        self.rules = fold.rules
        self.kind: str = log[0][1]["kind"]
        self.found = Sight(self.kind, fold.rules, fold.seats, log[0][1]["options"], seat)
        self.mover: int | None = None
        self.base: Any = None
        self.since: list[Event] = []
        self.begun = self.before = 0
        self.gone = False

    def sight(self) -> Sight:
        """Return all that the seat was shown."""
        for event in self.log[1:]:
            self.gone = self.gone or event[:2] == [LEFT, self.seat]
            if not self.gone:
                self._watch(event)
            self.fold.apply(event)
        outcome = self.fold.outcome()
        if outcome and outcome.placings:
            self.found.result = points_share(outcome.placings, self.seat)
        elif self.mover is not None and not self.gone and self.fold.to_act():
            self._note(self.fold.state, TURN)
        self.found.mover = self.mover if self.base is None else None
        self.found.versions = self.fold.version
        return self.found

    def _watch(self, event: Event) -> None:
        """Note what the seat sees before and in `event`."""
        if is_table_event(event):
            if event[0] == BEAT:
                self._begin_beat()
            return
        if self.fold.started:
            self._take(event)
        self.found.events.append(self.rules.redact(event, self.seat))

    def _take(self, event: Event) -> None:
        """Note the position before `event`, if a move begins with it."""
        move = self._move(event)
        if move is None:
            return
        mover, action = move
        state = self.fold.state if self.base is None else self.base
        choice = mover == self.seat and has_choice(self.rules, state, mover)
        if self.fold.pace == BEATS:
            if choice:
                self._note(state, DECISION, action)
            if mover == self.seat:
                self._go_on(event)
        elif choice:
            self._note(state, DECISION, action)
        elif self.mover is None:
            self._note(state, DEAL)
        elif self.every_move or self.mover != mover:
            self._note(state, TURN)
        self.mover = mover

    def _move(self, event: Event) -> tuple[int, int] | None:
        """Return the seat and action of the move that begins with `event`; None if it is a consequence of another move,
        or the seat is not shown it."""
        if self.rules.redact(event, self.seat) == REDACTED:
            return None
        try:
            seat, action = self.rules.action_of(self.fold.state, event)
        except Exception:  # no move begins with it; a kind may fail in its own way
            return None
        if seat not in self.rules.to_act(self.fold.state):
            return None
        if seat == self.mover:  # perhaps a consequence of its last move
            try:
                made = self.rules.decide(self.fold.state, seat, action, BlankDealer())
            except RulesError:
                return None
            if not made or made[0][:2] != event[:2]:
                return None
        return seat, action

    def _begin_beat(self) -> None:
        """Note the position before a beat."""
        if self.fold.started:
            self._note(self.fold.state, DEAL if self.mover is None else TURN)
        self.base, self.since = self.fold.state.copy(), []
        self.begun, self.before = self.fold.version, len(self.found.events)

    def _go_on(self, event: Event) -> None:
        """Make the seat's own move in what it knew at the beginning of the beat. What the move draws is not known."""
        self.rules.apply(self.base, event)
        self.since.append(self.rules.redact(event, self.seat))

    def _note(self, state: Any, what: str, action: int | None = None) -> None:
        positions, rules = self.found.positions, self.rules
        in_beat = self.base is not None and what == DECISION
        version = self.begun if in_beat else self.fold.version
        if positions and positions[-1].version == version and positions[-1].what != DECISION:
            positions.pop()
        positions.append(
            Position(
                version,
                what,
                self.mover if self.base is None else None,
                rules.observation(state, self.seat),
                tuple([rules.move_text(state, action) for action in listed_actions(rules, state, self.seat)]),
                tuple(self.fold.left),
                self.before if in_beat else len(self.found.events),
                tuple(self.since) if in_beat else (),
                "" if action is None else rules.move_text(state, action),
                0 if action is None else self.fold.version + 1,
                not (in_beat and self.since),
            )
        )


def has_choice(rules: Rules[Any], state: Any, seat: int) -> bool:
    """Return whether `seat` has more than one legal move."""
    if len(listed_actions(rules, state, seat)) > 1:
        return True
    return open_action(rules, state, seat) is not None and len(rules.legal_actions(state, seat)) > 1
