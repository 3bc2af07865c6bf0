"""A whole game folded from its log: the engine's state and what the table added to it. Pure, standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

from games.engines.base import Event, Outcome, Rules
from games.gamelog import events as ev
from games.gamelog.terms import LIVE, TURNS
from games.kinds import rules_for


class Fold:
    """Where a game stands after the events applied so far.

    `opened` is the first event's data; `left` the seats that left, in order, and `leaving` how the last one did, as a
    termination; `expired` whose clock ran out last, and at which version; `taken_over` seat → built-in bot's name;
    `attempt` how often a worker has claimed the game; `version` the number of events applied, `rule_events` how many
    of them were the engine's: what must not depend on a worker's death counts by these. `pace` is the game's, `beat`
    the last beat that was taken, `ready` the seats that wait for GO, `countdown` and `go` whether each has been given.
    `appointed` is when a game begins for which people check in, in ms after its opening, else None. `abort_wanted` are
    the seats that would abort the game, the one that offered it first, as long as the offer stands; `abort_declined` is
    the number of rule events when one was declined last, else -1. `sandboxed` are tier and policy of the sandbox that
    holds uploaded bots, `faults` counts those of each seat, `charged` the ms of its bank that it used.
    """

    __slots__ = (
        "abort_declined",
        "abort_wanted",
        "appointed",
        "attempt",
        "beat",
        "charged",
        "countdown",
        "ended",
        "expired",
        "faults",
        "go",
        "leaving",
        "left",
        "opened",
        "pace",
        "ready",
        "rule_events",
        "rules",
        "sandboxed",
        "seats",
        "started",
        "state",
        "taken_over",
        "version",
    )

    def __init__(self, opened: Event) -> None:
        data: dict[str, Any] = opened[1]
        self.opened = data
        self.rules: Rules[Any] = rules_for(data["kind"], data["rules_version"])
        self.seats: int = data["seats"]
        self.state: Any = self.rules.initial(self.seats, data["options"])
        self.started = False
        self.left: list[int] = []
        self.leaving = ""
        self.expired: tuple[int, int] | None = None
        self.taken_over: dict[int, str] = {}
        self.attempt = 1
        self.pace: str = data["terms"].get("pace", TURNS)
        self.beat = 0
        self.ready: list[int] = []
        self.countdown = False
        self.go = self.pace != LIVE
        self.appointed: int | None = None
        self.abort_wanted: list[int] = []
        self.abort_declined = -1
        self.sandboxed: list[str] = []
        self.faults: dict[int, int] = {}
        self.charged: dict[int, int] = {}
        self.ended: Outcome | None = None
        self.version = 1
        self.rule_events = 0

    def apply(self, event: Event) -> None:  # noqa: C901  one event type a case
        """Move on by one event of either family."""
        self.version += 1
        if not ev.is_table_event(event):
            self.started = True
            self.rule_events += 1
            self.rules.apply(self.state, event)
            return
        match event:
            case [ev.LEFT, int(seat), str(how)]:
                self.left.append(seat)
                self.leaving = ev.OUT_OF_TIME if self.expired == (seat, self.version - 1) else how
                self.abort_wanted = [other for other in self.abort_wanted if other != seat]
            case [ev.EXPIRED, int(seat)]:
                self.expired = seat, self.version
            case [ev.TAKEN_OVER, int(seat), str(name)]:
                self.taken_over[seat] = name
            case [ev.ATTEMPT, int(attempt), *_]:
                self.attempt = attempt
            case [ev.BEAT, int(beat), *_]:
                self.beat = beat
                self.abort_wanted = []
            case [ev.APPOINTED, int(ms)]:
                self.appointed = ms
                self.go = False
            case [ev.READY, int(seat)]:
                self.ready.append(seat)
            case [ev.COUNTDOWN, _]:
                self.countdown = True
            case [ev.GO]:
                self.go = True
            case [ev.ABORT_OFFERED | ev.ABORT_ACCEPTED, int(seat)]:
                self.abort_wanted.append(seat)
            case [ev.ABORT_DECLINED, _]:
                self.abort_wanted = []
                self.abort_declined = self.rule_events
            case [ev.SANDBOXED, str(tier), str(policy)]:
                self.sandboxed = [tier, policy]
            case [ev.FAULT, int(seat), str()]:
                self.faults[seat] = self.faults.get(seat, 0) + 1
            case [ev.CHARGED, int(seat), int(ms)]:
                self.charged[seat] = self.charged.get(seat, 0) + ms
            case [ev.ENDED, dict(outcome)]:
                self.ended = Outcome(outcome["termination"], tuple(outcome["scores"]), tuple(outcome["placings"]))

    def copy(self) -> Fold:
        """A fold whose engine's state is its own, to try rule events on."""
        twin = copy(self)
        twin.state = self.state.copy()
        return twin

    def to_act(self) -> list[int]:
        """The seats that may act now; empty before the start and after the end."""
        return self.rules.to_act(self.state) if self._is_on() else []

    def to_act_seen(self, viewer: int | None) -> list[int]:
        """`to_act` as `viewer` (None: the public) may know it."""
        return self.rules.to_act_seen(self.state, viewer) if self._is_on() else []

    def awaited(self) -> list[int]:
        """The seats without which the game does not go on, as everybody knows; their clocks run."""
        return self.rules.awaited(self.state) if self._is_on() else []

    def _is_on(self) -> bool:
        return self.go and not self.ended

    def outcome(self) -> Outcome | None:
        """How the game ended, leavers placed below everybody who stayed; None while it is on."""
        if self.ended:
            return self.ended
        outcome = self.rules.outcome(self.state)
        if outcome is None or not self.left:
            return outcome
        return Outcome(outcome.termination, outcome.scores, place_leavers(outcome.placings, self.left))

    def outcome_if_ended(self, left: Sequence[int], termination: str) -> Outcome:
        """The outcome if the table ended the game now because the seats in `left` have left
        (docs/reference/common-rules.md, Leaving)."""
        scores, placings = self.rules.standing(self.state)
        return Outcome(termination, scores, place_leavers(placings, left))

    def outcome_if_nobody_came(self, absent: Sequence[int]) -> Outcome:
        """The outcome of a game for which nobody checked in: the `absent` share the last place, below programs."""
        scores, _ = self.rules.standing(self.state)
        last = self.seats - len(absent) + 1
        return Outcome(ev.NO_SHOW, scores, tuple(last if seat in absent else 1 for seat in range(self.seats)))


def place_leavers(placings: Sequence[int], left: Sequence[int]) -> tuple[int, ...]:
    """`placings` with the seats in `left` (in the order in which they left) moved below all others.

    Who left first is placed last; those who stayed close up, and keep their ties.
    """
    stayed = sorted(placing for seat, placing in enumerate(placings) if seat not in left)
    places = {seat: 1 + stayed.index(placing) for seat, placing in enumerate(placings) if seat not in left}
    places |= {seat: len(placings) - order for order, seat in enumerate(dict.fromkeys(left))}
    return tuple(places[seat] for seat in range(len(placings)))


def fold_game(events: Iterable[Event]) -> Fold:
    """The game after `events`, the first of which opens it."""
    stream = iter(events)
    game = Fold(next(stream))
    for event in stream:
        game.apply(event)
    return game
