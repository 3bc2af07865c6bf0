"""How a table may end a game before the rules do. Who writes a log and who verifies it both ask here.

A table ends a game without a result (aborted), or because people have left it. `possible_endings` is the only list of
what the event `@ended` may say; `ImpossibleEnding` stops whoever would write anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scorebook_games.contract import ABORTED, LEFT, Event, Outcome
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold, place_leavers
from scorebook_games.gamelog.terms import LIVE
from scorebook_games.gamelog.visibility import outcome_data


class ImpossibleEnding(Exception):
    """The table may not end this game in this way now: a fault of the program that would write it."""

    def __init__(self, event: Event) -> None:
        super().__init__(f"A table can't end its game here by {event}.")


def aborted() -> Event:
    """Return the event that ends a game without a result."""
    return _ended(Outcome(ABORTED, (), ()))


def ended_by_leavers(fold: Fold, left: Sequence[int], termination: str) -> Event:
    """Return the event that ends the game at `fold` once the seats `left`, in this order, have left.

    They are placed below the others, who are placed by the position (docs/reference/common-rules.md, Leaving).
    """
    scores, placings = fold.rules.standing(fold.state)
    return _ended(Outcome(termination, scores, place_leavers(placings, left)))


def nobody_came(fold: Fold, absent: Sequence[int]) -> Event:
    """Return the event that ends a game to which no person came: `absent` share the last place, below bots."""
    scores, _placings = fold.rules.standing(fold.state)
    last = fold.seats - len(absent) + 1
    return _ended(Outcome(ev.NO_SHOW, scores, tuple(last if seat in absent else 1 for seat in range(fold.seats))))


def ends_when_left(fold: Fold, left: Sequence[int]) -> bool:
    """Return whether by its terms a game ends, and no bot plays on, once the seats `left` have left."""
    return fold.seats == 2 or fold.opened["terms"]["leaver"] == "end" or len(set(left)) == fold.seats


def possible_endings(fold: Fold) -> Iterator[Event]:
    """Return what the table may say now to end the game at `fold`.

    It may always abort it. Otherwise somebody has just left for good, without a bot in their place:

    - A game ends by its terms (`ends_when_left`) in the way in which they left.
    - Whatever the terms say, it may end for people who forfeit because they did not come, or because the game still
      waits for them when its round is over. Then they are placed one after another or, if nobody came, together. To a
      live game that has begun all came.
    """
    yield aborted()
    if not fold.left or fold.left[-1] in fold.taken_over:
        return
    by_terms = [fold.leaving] if ends_when_left(fold, fold.left) else []
    forfeits = [ev.FORFEITED, ev.NO_SHOW] if fold.leaving != ev.RESIGNED else []
    ends = [ended_by_leavers(fold, fold.left, termination) for termination in [*by_terms, *forfeits]]
    if forfeits and not (fold.go and fold.pace == LIVE):
        ends.append(nobody_came(fold, fold.left))
    for event in ends:
        yield event
        yield [ev.ENDED, {**event[1], "termination": LEFT}]  # in logs of earlier versions


def check_ending(fold: Fold, event: Event) -> None:
    """Raise `ImpossibleEnding` if `event` ends the game at `fold` in a way that is not among `possible_endings`."""
    if event[0] == ev.ENDED and event not in possible_endings(fold):
        raise ImpossibleEnding(event)


def _ended(outcome: Outcome) -> Event:
    return [ev.ENDED, outcome_data(outcome)]
