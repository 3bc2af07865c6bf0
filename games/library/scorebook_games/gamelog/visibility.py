"""What a viewer may see of a game's fold and events, in pure code. Needs only the standard library.

An observation is made, and an event is redacted, for one viewer: a seat, the public, `ALL`, who sees all cards, or a
`COMMENTATOR`, who sees what any of the seats sees, and no card that nobody has seen yet. `games.visibility.observe`
decides who may use which viewpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, NotRequired, TypedDict

from scorebook_games.contract import REDACTED, Event, Outcome, Rules, listed_actions
from scorebook_games.fields import Seat
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import BEATS

ALL: Final = "all"
COMMENTATOR: Final = "commentator"
PUBLIC: Final = None
Viewpoint = int | None | Literal["all", "commentator"]

# Table events that hide nothing. A type that is not named here is redacted, as the engines do with their events.
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

# The names of the fields after the type of each table event. Openings and ends hold an object instead.
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


class OutcomeFields(TypedDict):
    """How a game ended."""

    termination: Annotated[str, "How it ended: `rules` for the usual end."]
    scores: Annotated[list[int], "By seat, its score."]
    placings: Annotated[list[int], "By seat, its place, from 1; equal ones share the better place."]


class TableFields(TypedDict):
    """What `observation` adds for a seat to what the rules of the kind show."""

    version: Annotated[int, "The number of the last event."]
    to_act: Annotated[list[Seat], "The seats that may move now, as far as you may know it."]
    left: Annotated[list[Seat], "The seats that have left or forfeited the game."]
    taken_over: Annotated[dict[str, str], "The built-in bots that play for such seats."]
    outcome: Annotated[OutcomeFields | None, "How the game ended; null while it is on."]
    beat: NotRequired[Annotated[int, "In games by beats, the number of the next one."]]
    ready: NotRequired[Annotated[list[Seat], "Before the start of a live game, the seats that are ready."]]


def observation(fold: Fold, viewer: Viewpoint, *, by_seat: bool = True) -> dict[str, Any]:
    """Return all that `viewer` may know of the game at `fold`, as plain JSON data.

    It has the engine's observation, and `version`, `to_act`, `left`, `taken_over` and `outcome`; in beats the number of
    the next `beat`; before GO the seats that are `ready`. For `ALL` and a `COMMENTATOR` it is the public's observation,
    with that of every seat under `by_seat` if asked for. `requested_viewpoint` decides whether a user may have this
    viewpoint.
    """
    rules, state = fold.rules, fold.state
    outcome = fold.outcome()
    hidden = fold.opened["terms"]["sealed"] and viewer != ALL
    seen: dict[str, Any] = {
        "version": fold.version,
        "to_act": fold.to_act() if isinstance(viewer, str) else fold.to_act_seen(viewer),
        "left": list(fold.left),
        "taken_over": {str(seat): name for seat, name in fold.taken_over.items()},
        "outcome": outcome_data(outcome) if outcome and not hidden else None,
    }
    if fold.pace == BEATS:
        seen["beat"] = fold.beat + 1
    if not fold.go:
        seen["ready"] = list(fold.ready)
    if not isinstance(viewer, str):
        return {**rules.observation(state, viewer), **seen}
    if by_seat:
        seen["by_seat"] = [rules.observation(state, seat) for seat in range(fold.seats)]
    return {**rules.observation(state, PUBLIC), **seen}


def legal_moves(fold: Fold, seat: int) -> list[str]:
    """Return the moves open to `seat` now, as text. Show them only to the seat's own player.

    If there are very many, these are the ones that the kind lists (`contract.listed_actions`).
    """
    if fold.ended or seat in fold.left:
        return []
    return [fold.rules.move_text(fold.state, action) for action in listed_actions(fold.rules, fold.state, seat)]


def redact(rules: Rules[Any], event: Event, viewer: Viewpoint) -> Event:
    """Return `event` as `viewer` may see it while the game is on; whole for `ALL`, and for a `COMMENTATOR` as the
    public sees it (`event_as_seen` adds what the seats see)."""
    if viewer == ALL:
        return event
    if viewer == COMMENTATOR:
        viewer = PUBLIC
    if not ev.is_table_event(event):
        return rules.redact(event, viewer)
    if event[0] == ev.NOT_TAKEN:  # the move that a seat wanted to play shows what it holds
        return event if event[1] == viewer else [*event[:2], None]
    return event if event[0] in PUBLIC_EVENTS else REDACTED


def event_as_seen(fold: Fold, event: Event, viewer: Viewpoint) -> Event:
    """Return `event` of the game at `fold` as `viewer` may see it. Nobody sees how a sealed game was ended."""
    closed = fold.opened["terms"].get("sealed") and viewer != ALL
    if closed and event[0] == ev.ENDED:
        return REDACTED
    if viewer == COMMENTATOR:
        seen: Event = _known_to_any([redact(fold.rules, event, each) for each in (PUBLIC, *range(fold.seats))])
        return seen
    return redact(fold.rules, event, viewer)


def _known_to_any(views: Sequence[Any]) -> Any:
    """Return what several views of one value show together: what is null in all of them stays so."""
    shown = [view for view in views if view is not None and view != REDACTED]
    if not shown:
        return views[0]
    first = shown[0]
    if isinstance(first, list) and all(isinstance(view, list) and len(view) == len(first) for view in shown):
        return [_known_to_any(parts) for parts in zip(*shown, strict=True)]
    return first


def readable_event(rules: Rules[Any], event: Event) -> dict[str, Any]:
    """Return `event`, redacted or not, with named fields for the API and pages."""
    if event == REDACTED:
        return {"type": "redacted"}
    fields = TABLE_EVENT_FIELDS.get(event[0])
    if fields is not None and len(fields) == len(event) - 1:
        return {"type": event[0], **dict(zip(fields, event[1:], strict=True))}
    if event[0] in (ev.OPENED, ev.ENDED):
        return {"type": event[0], **event[1]}
    return rules.readable(event)


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON data, as `Game.outcome` and the event `@ended` hold it."""
    return {
        "termination": outcome.termination,
        "scores": list(outcome.scores),
        "placings": list(outcome.placings),
    }
