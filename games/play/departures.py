"""What follows when somebody leaves a table, or a clock runs out: events, made of a fold. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from games.engines.base import ABORTED, Event, Outcome
from games.engines.chance import SeedDealer
from games.gamelog import events as ev
from games.gamelog.fold import Fold
from games.gamelog.pacing import beat_events
from games.gamelog.terms import BEATS, EXPIRY_FORFEIT
from games.gamelog.visibility import outcome_data
from games.programs import requests

RESIGNED: Final = ev.RESIGNED
FORFEITED: Final = ev.FORFEITED
# Who plays on for a leaver, or makes a move for whom time has run out, by the terms `leaver` and `expiry`.
SUCCESSORS: Final = {"house_bot": "sensible", "random": "random"}


def people(fold: Fold, programs: Collection[int]) -> list[int]:
    """The seats in which people play on; `programs` are those that programs play."""
    gone = {*fold.left, *programs, *fold.taken_over}
    return [seat for seat in range(fold.seats) if seat not in gone]


def leave_events(
    fold: Fold, seat: int, how: str, programs: Collection[int], termination: str | None = None
) -> list[Event]:
    """The events by which `seat` leaves, and what the terms make of it (docs/reference/common-rules.md, Leaving). A
    game that would go on is aborted if all people who are left have agreed to that. One that ends by it does so with
    that `termination`, or with `how`."""
    left = [*fold.left, seat]
    events: list[Event] = [[ev.LEFT, seat, how]]
    policy = fold.opened["terms"]["leaver"]
    if fold.seats == 2 or policy not in SUCCESSORS or len(left) == fold.seats:
        return [*events, [ev.ENDED, outcome_data(fold.outcome_if_ended(left, termination or how))]]
    others = set(people(fold, programs)) - {seat}
    if others and others <= set(fold.abort_wanted):
        return [*events, aborted_event()]
    return [*events, [ev.TAKEN_OVER, seat, SUCCESSORS[policy]]]


def aborted_event() -> Event:
    """The end of a game without a result."""
    return [ev.ENDED, outcome_data(Outcome(ABORTED, (), ()))]


def expiry_events(fold: Fold, seats: Sequence[int], programs: Collection[int], dealer: SeedDealer) -> list[Event]:
    """The events by which the clocks of `seats` run out, in that order, as long as the game lasts and waits for them;
    for terms that cost the seat, or a move made in its place. `fold` is moved on by them."""
    policy = fold.opened["terms"].get("expiry", EXPIRY_FORFEIT)
    events: list[Event] = []
    for seat in seats:
        if fold.outcome() is None and seat in fold.awaited():
            if policy == EXPIRY_FORFEIT:
                cost = leave_events(fold, seat, FORFEITED, programs, ev.OUT_OF_TIME)
            else:
                cost = _move(fold, seat, SUCCESSORS[policy], dealer)
            for event in [[ev.EXPIRED, seat], *cost]:
                events.append(event)
                fold.apply(event)
    return events


def _move(fold: Fold, seat: int, program: str, dealer: SeedDealer) -> list[Event]:
    action = requests.action(fold, seat, program, dealer.seed)
    return fold.rules.decide(fold.state, seat, action, dealer)


def costs_a_bundle(fold: Fold) -> bool:
    """Whether it costs a bundle made by a bot when a clock runs out, so that the beat can be taken."""
    return fold.pace == BEATS and fold.opened["terms"].get("expiry", EXPIRY_FORFEIT) != EXPIRY_FORFEIT


def stand_in_bundle(fold: Fold, seat: int, dealer: SeedDealer) -> list[str]:
    """The bundle that is given for `seat`, whose clock has run out."""
    return requests.bundle(fold, seat, SUCCESSORS[fold.opened["terms"]["expiry"]], dealer.seed)


def beat_with_programs(
    fold: Fold, bundles: Mapping[int, Sequence[str]], programs: Mapping[int, str], dealer: SeedDealer
) -> list[Event]:
    """The events of the next beat with those bundles, and what the programs that play seats give."""
    asks = [seat for seat in fold.to_act() if seat in programs]
    made = {seat: requests.bundle(fold, seat, programs[seat], dealer.seed) for seat in asks}
    return beat_events(fold, {**made, **bundles}, dealer)
