"""Games that begin at an appointed time, for which people check in (docs/reference/season-settings.md). Pure: made of a
fold.

The game is opened before its time, with nothing dealt. Checking in is to be ready for GO: when all are, the countdown
begins, at the appointed time at the earliest; those who have not come when the grace is over lose their seats.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from math import ceil

from games.engines.base import Dealer, Event
from games.gamelog import events as ev
from games.gamelog.fold import Fold
from games.gamelog.pacing import towards_go
from games.gamelog.terms import EXPIRY_BUILTIN_BOT
from games.gamelog.visibility import outcome_data
from games.play.departures import FORFEITED, SUCCESSORS, people

ABSENT_LABEL = "absent"  # the label of the draw that says in which order the absent are placed


def appointed_event(opened_at: datetime, begins: datetime) -> Event:
    """The event that follows the opening of a game which begins at that time, or at once."""
    return [ev.APPOINTED, max(0, ceil((begins - opened_at) / timedelta(milliseconds=1)))]


def begins_at(fold: Fold, opened_at: datetime) -> datetime | None:
    """When the game begins, as long as people check in for it."""
    if fold.appointed is None or fold.go or fold.outcome():
        return None
    return opened_at + timedelta(milliseconds=fold.appointed)


def missing(fold: Fold, programs: Collection[int]) -> list[int]:
    """The seats of people who are not ready for GO."""
    return [seat for seat in people(fold, programs) if seat not in fold.ready]


def next_event_due(fold: Fold, opened_at: datetime, programs: Collection[int]) -> datetime | None:
    """When something follows even if nobody says a word: the countdown, or what it costs not to have come."""
    begins = begins_at(fold, opened_at)
    if begins is None or not missing(fold, programs):
        return begins
    return begins + timedelta(minutes=fold.opened["terms"]["grace_minutes"])


def events_without_absent(fold: Fold, absent: Sequence[int], programs: Collection[int], dealer: Dealer) -> list[Event]:
    """The events by which a game goes on, or ends, without those who have not come; by lot, who of several is placed
    before whom. Where nobody has come they share the last place."""
    order = dealer.shuffle(ABSENT_LABEL, absent)
    left: list[Event] = [[ev.LEFT, seat, FORFEITED] for seat in order]
    if not set(people(fold, programs)) - set(absent):
        return [*left, [ev.ENDED, outcome_data(fold.outcome_if_nobody_came([*fold.left, *order]))]]
    terms = fold.opened["terms"]
    policy = EXPIRY_BUILTIN_BOT if terms["no_show"] == EXPIRY_BUILTIN_BOT else terms["leaver"] if fold.seats > 2 else ""
    if policy not in SUCCESSORS:
        return [*left, [ev.ENDED, outcome_data(fold.outcome_if_ended([*fold.left, *order], ev.NO_SHOW))]]
    return [*left, *[[ev.TAKEN_OVER, seat, SUCCESSORS[policy]] for seat in order], *towards_go(fold, dealer)]
