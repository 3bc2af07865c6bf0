"""Makes the events that follow when somebody leaves a table or a clock runs out. Pure: made from a fold."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from scorebook_games.bots import requests
from scorebook_games.bots.builtin import quick_bot
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.endings import aborted, ended_by_leavers, ends_when_left
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import beat_events
from scorebook_games.gamelog.terms import BEATS, BUILT_IN_BOT, EXPIRY_FORFEIT

RESIGNED: Final = ev.RESIGNED
FORFEITED: Final = ev.FORFEITED
BOT_POLICIES: Final = (BUILT_IN_BOT, "random")  # values of the terms `leaver` and `expiry` by which a bot moves


def successor(fold: Fold, policy: str) -> str:
    """Return the built-in bot that replaces a leaver, or moves for a player out of time, by one of `BOT_POLICIES`."""
    return "random" if policy == "random" else quick_bot(fold.opened["kind"])


def people(fold: Fold, programs: Collection[int]) -> list[int]:
    """Return the seats in which people still play. `programs` are the seats that programs play."""
    gone = {*fold.left, *programs, *fold.taken_over}
    return [seat for seat in range(fold.seats) if seat not in gone]


def leave_events(
    fold: Fold, seat: int, how: str, programs: Collection[int], termination: str | None = None
) -> list[Event]:
    """Return the events by which `seat` leaves, and what follows by the terms (docs/reference/common-rules.md,
    Leaving).

    A game that would go on is aborted if all remaining people have agreed to that. A game that ends has the outcome's
    `termination`, or `how` if it is None.
    """
    left = [*fold.left, seat]
    events: list[Event] = [[ev.LEFT, seat, how]]
    if ends_when_left(fold, left):
        return [*events, ended_by_leavers(fold, left, termination or how)]
    others = set(people(fold, programs)) - {seat}
    if others and others <= set(fold.abort_wanted):
        return [*events, aborted()]
    return [*events, [ev.TAKEN_OVER, seat, successor(fold, fold.opened["terms"]["leaver"])]]


def expiry_events(fold: Fold, seats: Sequence[int], programs: Collection[int], dealer: SeedDealer) -> list[Event]:
    """Return the events by which the clocks of `seats` run out, in this order, while the game lasts and waits for them.

    By the terms, a seat is lost or a move is made in its place. `fold` is changed by the events.
    """
    policy = fold.opened["terms"].get("expiry", EXPIRY_FORFEIT)
    events: list[Event] = []
    for seat in seats:
        if fold.outcome() is None and seat in fold.awaited():
            if policy == EXPIRY_FORFEIT:
                cost = leave_events(fold, seat, FORFEITED, programs, ev.OUT_OF_TIME)
            else:
                cost = _move(fold, seat, successor(fold, policy), dealer)
            for event in [[ev.EXPIRED, seat], *cost]:
                events.append(event)
                fold.apply(event)
    return events


def _move(fold: Fold, seat: int, program: str, dealer: SeedDealer) -> list[Event]:
    action = requests.action(fold, seat, program, dealer.seed)
    return fold.rules.decide(fold.state, seat, action, dealer)


def costs_a_bundle(fold: Fold) -> bool:
    """Return whether a clock that runs out is paid for by a bundle of a bot, so that the beat can be taken."""
    return fold.pace == BEATS and fold.opened["terms"].get("expiry", EXPIRY_FORFEIT) != EXPIRY_FORFEIT


def stand_in_bundle(fold: Fold, seat: int, dealer: SeedDealer) -> list[str]:
    """Return the bundle of the bot for `seat`, whose clock has run out."""
    return requests.bundle(fold, seat, successor(fold, fold.opened["terms"]["expiry"]), dealer.seed)


def beat_with_programs(
    fold: Fold, bundles: Mapping[int, Sequence[str]], programs: Mapping[int, str], dealer: SeedDealer
) -> list[Event]:
    """Return the events of the next beat, with these bundles and those of the seats that built-in bots play."""
    asks = [seat for seat in fold.to_act() if seat in programs]
    made = {seat: requests.bundle(fold, seat, programs[seat], dealer.seed) for seat in asks}
    return beat_events(fold, {**made, **bundles}, dealer)
