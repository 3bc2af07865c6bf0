"""Games that begin at an appointed time, for which people check in (docs/reference/season-settings.md). Pure.

The game is opened before its time, and nothing is dealt. Checking in means being ready for GO. When everybody is, the
countdown begins, but not before the appointed time. People who have not checked in when the grace time is over lose
their seats.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from math import ceil

from games.play.departures import BOT_POLICIES, FORFEITED, people, successor
from scorebook_games.contract import Dealer, Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.endings import ended_by_leavers, nobody_came
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import towards_go
from scorebook_games.gamelog.terms import BUILT_IN_BOT

ABSENT_LABEL = "absent"  # the label of the draw that decides in which order absent players are placed


def appointed_event(opened_at: datetime, begins: datetime) -> Event:
    """Return the event after the opening of a game that begins at this time; None for a game that begins at once."""
    return [ev.APPOINTED, max(0, ceil((begins - opened_at) / timedelta(milliseconds=1)))]


def begins_at(fold: Fold, opened_at: datetime) -> datetime | None:
    """Return when the game begins, while people check in for it; else None."""
    if fold.appointed is None or fold.go or fold.outcome():
        return None
    return opened_at + timedelta(milliseconds=fold.appointed)


def missing(fold: Fold, programs: Collection[int]) -> list[int]:
    """Return the seats of people who are not ready for GO."""
    return [seat for seat in people(fold, programs) if seat not in fold.ready]


def next_event_due(fold: Fold, opened_at: datetime, programs: Collection[int]) -> datetime | None:
    """Return when something happens even if nobody acts: the countdown, or the loss of absent players' seats."""
    begins = begins_at(fold, opened_at)
    if begins is None or not missing(fold, programs):
        return begins
    return begins + timedelta(minutes=fold.opened["terms"]["grace_minutes"])


def events_without_absent(fold: Fold, absent: Sequence[int], programs: Collection[int], dealer: Dealer) -> list[Event]:
    """Return the events by which a game goes on or ends without the people in `absent`.

    A draw decides in which order several absent players are placed. If nobody has come, they share the last place.
    """
    order = dealer.shuffle(ABSENT_LABEL, absent)
    left: list[Event] = [[ev.LEFT, seat, FORFEITED] for seat in order]
    if not set(people(fold, programs)) - set(absent):
        return [*left, nobody_came(fold, [*fold.left, *order])]
    terms = fold.opened["terms"]
    policy = BUILT_IN_BOT if terms["no_show"] == BUILT_IN_BOT else terms["leaver"] if fold.seats > 2 else ""
    if policy not in BOT_POLICIES:
        return [*left, ended_by_leavers(fold, [*fold.left, *order], ev.NO_SHOW)]
    bot = successor(fold, policy)
    return [*left, *[[ev.TAKEN_OVER, seat, bot] for seat in order], *towards_go(fold, dealer)]
