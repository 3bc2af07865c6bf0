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
        ev.CAGED,
        ev.FAULT,
        ev.ABORT_OFFERED,
        ev.ABORT_ACCEPTED,
        ev.ABORT_DECLINED,
        ev.ENDED,
    }
)


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
    match event:
        case [ev.OPENED, dict(data)] | [ev.ENDED, dict(data)]:
            return {"type": event[0], **data}
        case [ev.CONTINUED, game, version]:
            return {"type": ev.CONTINUED, "game": game, "version": version}
        case [ev.ATTEMPT, attempt, reason]:
            return {"type": ev.ATTEMPT, "attempt": attempt, "reason": reason}
        case [ev.LEFT, seat, how]:
            return {"type": ev.LEFT, "seat": seat, "how": how}
        case [ev.TAKEN_OVER, seat, bot]:
            return {"type": ev.TAKEN_OVER, "seat": seat, "bot": bot}
        case [ev.EXPIRED | ev.READY | ev.ABORT_OFFERED | ev.ABORT_ACCEPTED | ev.ABORT_DECLINED, seat]:
            return {"type": event[0], "seat": seat}
        case [ev.APPOINTED, ms]:
            return {"type": ev.APPOINTED, "ms": ms}
        case [ev.COUNTDOWN, seconds]:
            return {"type": ev.COUNTDOWN, "seconds": seconds}
        case [ev.GO]:
            return {"type": ev.GO}
        case [ev.CHARGED, seat, ms]:
            return {"type": ev.CHARGED, "seat": seat, "ms": ms}
        case [ev.CAGED, tier, policy]:
            return {"type": ev.CAGED, "tier": tier, "policy": policy}
        case [ev.FAULT, seat, kind]:
            return {"type": ev.FAULT, "seat": seat, "fault": kind}
        case [ev.BEAT, beat, order]:
            return {"type": ev.BEAT, "beat": beat, "order": order}
        case [ev.NOT_TAKEN, seat, move]:
            return {"type": ev.NOT_TAKEN, "seat": seat, "move": move}
    return rules.readable(event)


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON data, as `Game.outcome` and the event `@ended` hold it."""
    return {
        "termination": outcome.termination,
        "scores": list(outcome.scores),
        "placings": list(outcome.placings),
    }
