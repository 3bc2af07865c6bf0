"""Lists who may do what in Palace: the seats that may act, and the legal actions of a seat."""

from __future__ import annotations

from itertools import combinations

from scorebook_games.cards import ACE
from scorebook_games.kinds.palace.moves import CHANCE, LAST, PASS, PLAYS, SETS, TAKE, THROW, TRIPLE_ACTIONS, TURN
from scorebook_games.kinds.palace.state import GONE, NOBODY, PALACE, RANK_COUNT, SET, TWO, PalaceState


def acting(state: PalaceState, first: int) -> list[int]:
    """Return `first` unless it is NOBODY, the seat on turn, then clockwise the seats that can call another one out."""
    seats = [state.turn] if first == NOBODY else [first, state.turn]
    if state.uncalled:
        for step in range(1, state.seats):
            seat = (state.turn + step) % state.seats
            if seat not in state.out and seat not in seats and state.uncalled & ~(1 << seat):
                seats.append(seat)
    return seats


def may_play(state: PalaceState, rank: int, count: int) -> bool:
    """Return whether `count` cards of `rank` may be played on the current card (PA-6, PA-7, PA-10)."""
    current = state.current
    if rank in state.fits[current]:
        return True
    return count >= SET and (current != ACE or state.resets)


def leaves_last(state: PalaceState, seat: int, count: int) -> bool:
    """Return whether a play of `count` hand cards leaves their owner only one face-down card (PA-24)."""
    return state.calls and state.held[seat] == count and state.unders[seat] == 1 and not state.upper[seat]


def turn_actions(state: PalaceState, seat: int) -> list[int]:
    """Return the actions of the seat on turn (PA-6 to PA-10, PA-12, PA-19)."""
    actions: list[int] = []
    held = state.held[seat]
    if held:
        hand = state.hands[seat]
        fits = state.fits[state.current]
        for rank in fits:
            cards = hand[rank]
            if cards:
                actions += PLAYS[rank][len(cards)]
        if held >= SET and len(fits) < RANK_COUNT and state.current != ACE:
            for rank in range(2, state.current):
                if len(hand[rank]) >= SET and rank not in fits:
                    actions += SETS[rank][len(hand[rank])]
        if state.calls and leaves_last(state, seat, held):
            actions += [action | LAST for action in actions if (action & 31) + 1 == held]
    else:
        positions = [TURN | position for position in (0, 1, 2) if state.under[seat][position] != GONE]
        actions += positions
        if state.calls and state.unders[seat] == 2:
            actions += [action | LAST for action in positions]
    if state.at < len(state.stack):
        actions.append(CHANCE)
    if state.pile and not state.must:
        actions.append(TAKE)
    return actions


def throw_actions(state: PalaceState, seat: int) -> list[int]:
    """Return the quick throws of `seat`, and the pass (PA-16)."""
    actions = [THROW | state.thrown << 5 | count for count in range(state.fresh)]
    if leaves_last(state, seat, state.fresh):
        actions.append(actions[-1] | LAST)
    actions.append(PASS)
    return actions


def choices(state: PalaceState, seat: int) -> list[int]:
    """Return every choice of three ranks from the six cards of `seat` (PA-2)."""
    ranks = [rank for rank, cards in enumerate(state.hands[seat]) for _ in cards]
    return [TRIPLE_ACTIONS[triple] for triple in sorted(set(combinations(ranks, PALACE)))]


def goes_on(state: PalaceState, rank: int, clears: int) -> bool:
    """Return whether a play from hand or palace grants another play (PA-11 to PA-13)."""
    return clears == 1 or rank == TWO or (rank == ACE and state.resets)
