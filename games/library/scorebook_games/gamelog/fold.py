"""Folds a game's log into the engine's state and what table events added. Pure; needs only the standard library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

from scorebook_games.contract import Event, Outcome, Rules
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.terms import LIVE, TURNS, with_current_values
from scorebook_games.registry import rules_for


class Fold:
    """The state of a game after the events applied so far.

    - `opened`: the data of the first event; `rules`, `seats` and `pace` come from it.
    - `state`: the engine's state; `started`: whether the rules have opened the game.
    - `version`: how many events were applied; `story`: those of them that came from the engine; `rule_events`: how
      many these are. What must not depend on a worker's failure counts by rule events.
    - `left`: the seats that left, in order; `leaving`: how the last one left, as a termination.
    - `expired`: the seat whose clock ran out last, and at which version, or None.
    - `taken_over`: the built-in bot's name by seat, where one plays on for a leaver.
    - `attempt`: how many workers have claimed the game.
    - `beat`: the last beat that was taken.
    - `ready`: the seats that wait for GO; `countdown` and `go`: whether each was given.
    - `appointed`: when a game with check-in begins, in ms after its opening, else None.
    - `abort_wanted`: the seats that want to abort the game while an offer stands, its author first; `abort_declined`:
      the number of rule events when an offer was last declined, else -1.
    - `sandboxed`: tier and policy of the sandbox that runs uploaded bots, or empty; `faults`: the number of faults by
      seat.
    - `charged`: the ms of its bank that each seat has used, by seat.
    - `ended`: the outcome if the table ended the game.
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
        "rules",
        "sandboxed",
        "seats",
        "started",
        "state",
        "story",
        "taken_over",
        "version",
    )

    def __init__(self, opened: Event) -> None:
        data: dict[str, Any] = {**opened[1], "terms": with_current_values(opened[1]["terms"])}
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
        self.story: list[Event] = []

    def apply(self, event: Event) -> None:  # noqa: C901  one event type a case
        """Change the fold by one event of either family."""
        self.version += 1
        if event[0][0] != "@":  # `is_table_event` without a call, because a game has hundreds of events
            self.started = True
            self.story.append(event)
            self.rules.apply(self.state, event)
            return
        match event:
            case [ev.LEFT, int(seat), str(how)]:
                self.left.append(seat)
                timed_out = how == ev.FORFEITED and self.expired == (seat, self.version - 1)
                self.leaving = ev.OUT_OF_TIME if timed_out else how
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

    def apply_all(self, events: Iterable[Event]) -> None:
        """Apply events as `apply` does, in less time: for whole logs."""
        note, apply_rule_event, state = self.story.append, self.rules.apply, self.state
        for event in events:
            if event[0][0] == "@":
                self.apply(event)
                continue
            self.version += 1
            self.started = True
            note(event)
            apply_rule_event(state, event)

    def apply_decided(self, events: Sequence[Event]) -> None:
        """Apply rule events as `apply` does, in the least time: those that one decision led to."""
        self.version += len(events)
        self.started = True
        self.story += events
        rules, state = self.rules, self.state
        for event in events:
            rules.apply(state, event)

    def copy(self) -> Fold:
        """Return a fold with its own copies of the engine's state and story, to try rule events on.

        The lists of table events are shared: apply only rule events to it.
        """
        twin = copy(self)
        twin.state, twin.story = self.state.copy(), self.story[:]
        return twin

    def branch(self) -> Fold:
        """Return a fold that goes on from here by itself, with events of both families."""
        twin = self.copy()
        for name in ("left", "taken_over", "ready", "abort_wanted", "faults", "charged"):
            setattr(twin, name, copy(getattr(self, name)))
        return twin

    @property
    def rule_events(self) -> int:
        """How many events came from the engine."""
        return len(self.story)

    def to_act(self) -> list[int]:
        """Return the seats that may act now; empty before the start and after the end."""
        return self.rules.to_act(self.state) if self._is_on() else []

    def to_act_seen(self, viewer: int | None) -> list[int]:
        """Return those of `to_act` that `viewer` (None: the public) may know of."""
        return self.rules.to_act_seen(self.state, viewer) if self._is_on() else []

    def awaited(self) -> list[int]:
        """Return the seats that the game waits for. Everybody may know them, and their clocks run."""
        return self.rules.awaited(self.state) if self._is_on() else []

    def _is_on(self) -> bool:
        return self.go and not self.ended

    def outcome(self) -> Outcome | None:
        """Return how the game ended, with leavers placed below everybody who stayed; None while it is on."""
        if self.ended:
            return self.ended
        outcome = self.rules.outcome(self.state)
        if outcome is None or not self.left:
            return outcome
        return Outcome(outcome.termination, outcome.scores, place_leavers(outcome.placings, self.left))


def place_leavers(placings: Sequence[int], left: Sequence[int]) -> tuple[int, ...]:
    """Return `placings` with the seats in `left`, given in the order in which they left, moved below all others.

    The first to leave is placed last. Those who stayed move up and keep their ties.
    """
    stayed = sorted(placing for seat, placing in enumerate(placings) if seat not in left)
    places = {seat: 1 + stayed.index(placing) for seat, placing in enumerate(placings) if seat not in left}
    places |= {seat: len(placings) - order for order, seat in enumerate(dict.fromkeys(left))}
    return tuple(places[seat] for seat in range(len(placings)))


def fold_game(events: Iterable[Event]) -> Fold:
    """Return the game after `events`, whose first one opens it."""
    stream = iter(events)
    game = Fold(next(stream))
    game.apply_all(stream)
    return game
