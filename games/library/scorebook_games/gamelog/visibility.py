"""What a viewer may see of a game's fold and events: the pure half of `games.visibility.observe`. Standard library
only.

An observation is made for one viewer (a seat, the public, or all eyes together), and an event is redacted for one. Who
may have whose eyes is for `games.visibility.observe` to say.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from games.engines.base import REDACTED, Event, Outcome, Rules, listed_actions
from games.gamelog import events as ev
from games.gamelog.fold import Fold
from games.gamelog.terms import BEATS

ALL: Final = "all"
PUBLIC: Final = None
Viewpoint = int | None | Literal["all"]

# The table's events hold nothing hidden. One that is not named here is redacted, as the engines do with theirs.
PUBLIC_EVENTS = frozenset(
    {
        ev.OPENED,
        ev.CONTINUED,
        ev.ATTEMPT,
        ev.LEFT,
        ev.TAKEN_OVER,
        ev.EXPIRED,
        ev.APPOINTED,
        ev.READY,
        ev.COUNTDOWN,
        ev.GO,
        ev.BEAT,
        ev.CHARGED,
        ev.SANDBOXED,
        ev.FAULT,
        ev.ABORT_OFFERED,
        ev.ABORT_ACCEPTED,
        ev.ABORT_DECLINED,
        ev.ENDED,
    }
)

# What follows the type of an event of the table, by name. Openings and ends hold an object instead.
TABLE_EVENT_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    ev.CONTINUED: ("game", "version"),
    ev.ATTEMPT: ("attempt", "reason"),
    ev.LEFT: ("seat", "how"),
    ev.TAKEN_OVER: ("seat", "bot"),
    ev.EXPIRED: ("seat",),
    ev.READY: ("seat",),
    ev.ABORT_OFFERED: ("seat",),
    ev.ABORT_ACCEPTED: ("seat",),
    ev.ABORT_DECLINED: ("seat",),
    ev.APPOINTED: ("ms",),
    ev.COUNTDOWN: ("seconds",),
    ev.GO: (),
    ev.CHARGED: ("seat", "ms"),
    ev.SANDBOXED: ("tier", "policy"),
    ev.FAULT: ("seat", "fault"),
    ev.BEAT: ("beat", "order"),
    ev.NOT_TAKEN: ("seat", "move"),
}


def observation(fold: Fold, viewer: Viewpoint, *, by_seat: bool = True) -> dict[str, Any]:
    """All that `viewer` may know when the game stands at `fold`, as plain JSON data.

    The engine's observation, and `version`, `to_act`, `left`, `taken_over`, `outcome`; in beats the next `beat`; before
    GO the seats that are `ready`. For `ALL` it is the public's and, if asked for, `by_seat`, every seat's own. Whether
    a user may have these eyes is for `requested_viewpoint` to say.
    """
    rules, state = fold.rules, fold.state
    outcome = fold.outcome()
    hidden = fold.opened["terms"]["sealed"] and viewer != ALL
    seen: dict[str, Any] = {
        "version": fold.version,
        "to_act": fold.to_act() if viewer == ALL else fold.to_act_seen(viewer),
        "left": list(fold.left),
        "taken_over": {str(seat): name for seat, name in fold.taken_over.items()},
        "outcome": outcome_data(outcome) if outcome and not hidden else None,
    }
    if fold.pace == BEATS:
        seen["beat"] = fold.beat + 1
    if not fold.go:
        seen["ready"] = list(fold.ready)
    if viewer != ALL:
        return {**rules.observation(state, viewer), **seen}
    if by_seat:
        seen["by_seat"] = [rules.observation(state, seat) for seat in range(fold.seats)]
    return {**rules.observation(state, PUBLIC), **seen}


def legal_moves(fold: Fold, seat: int) -> list[str]:
    """The moves open to `seat` now, as text: for its own player alone. Of very many those that the kind lists."""
    if fold.ended or seat in fold.left:
        return []
    return [fold.rules.move_text(fold.state, action) for action in listed_actions(fold.rules, fold.state, seat)]


def redact(rules: Rules[Any], event: Event, viewer: Viewpoint) -> Event:
    """`event` as `viewer` may see it while the game is on; whole for `ALL`."""
    if viewer == ALL:
        return event
    if not ev.is_table_event(event):
        return rules.redact(event, viewer)
    if event[0] == ev.NOT_TAKEN:  # what somebody wanted to play tells what they hold
        return event if event[1] == viewer else [*event[:2], None]
    return event if event[0] in PUBLIC_EVENTS else REDACTED


def event_as_seen(fold: Fold, event: Event, viewer: Viewpoint) -> Event:
    """`event` of the game that `fold` tells, as `viewer` may see it; how a sealed one was ended is told to nobody."""
    closed = fold.opened["terms"].get("sealed") and viewer != ALL
    return REDACTED if closed and event[0] == ev.ENDED else redact(fold.rules, event, viewer)


def readable_event(rules: Rules[Any], event: Event) -> dict[str, Any]:
    """`event`, redacted or not, with names, for the API and pages."""
    if event == REDACTED:
        return {"type": "redacted"}
    fields = TABLE_EVENT_FIELDS.get(event[0])
    if fields is not None and len(fields) == len(event) - 1:
        return {"type": event[0], **dict(zip(fields, event[1:], strict=True))}
    if event[0] in (ev.OPENED, ev.ENDED):
        return {"type": event[0], **event[1]}
    return rules.readable(event)


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON data, as `Game.outcome` and the event `@ended` hold it."""
    return {
        "termination": outcome.termination,
        "scores": list(outcome.scores),
        "placings": list(outcome.placings),
    }
