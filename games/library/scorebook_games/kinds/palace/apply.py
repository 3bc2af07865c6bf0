"""Changes a state of Palace by one event. It is simple and total: it never checks and never draws."""

from __future__ import annotations

from scorebook_games.cards import ACE
from scorebook_games.contract import Event
from scorebook_games.kinds.palace.legal import goes_on
from scorebook_games.kinds.palace.state import (
    CHOOSE,
    EMPTY,
    GONE,
    JOKER,
    LOOK,
    NO_CARD,
    NOBODY,
    PALACE,
    PLAY,
    TWO,
    PalaceState,
)


def close_window(state: PalaceState) -> None:
    """End the time in which a seat may throw."""
    state.thrower = NOBODY
    state.thrown = EMPTY
    state.drawn = state.fresh = 0


def pass_turn(state: PalaceState, seat: int) -> None:
    """End the turn of `seat`. The next seat in the game plays, and its last card can no longer be called out."""
    close_window(state)
    state.must = state.owed = 0
    state.turns += 1
    state.phase = PLAY
    give_turn(state, seat)


def give_turn(state: PalaceState, seat: int) -> None:
    """Give the turn to the first seat after `seat` that still has cards, in the direction of play."""
    turn = (seat + state.direction) % state.seats
    while turn in state.out:
        turn = (turn + state.direction) % state.seats
    state.turn = turn
    state.uncalled &= ~(1 << turn)


def add_card(state: PalaceState, seat: int, card: int) -> None:
    """Add `card` to the hand of `seat`."""
    state.hands[seat][card >> 2].append(card)
    state.held[seat] += 1


def take_pile(state: PalaceState, seat: int) -> None:
    """Add the whole discard pile to the hand of `seat`."""
    hand = state.hands[seat]
    for card in state.pile:
        hand[card >> 2].append(card)
    state.held[seat] += len(state.pile)
    empty_pile(state)


def empty_pile(state: PalaceState) -> None:
    """Set the discard pile to empty."""
    state.pile = []
    state.current = state.top = EMPTY
    state.run = 0


def put(state: PalaceState, cards: list[int], rank: int, clears: int) -> None:
    """Put `cards` of `rank` on the pile. If they clear it, the whole pile leaves the game (PA-11, PA-13, PA-25)."""
    state.pile += cards
    if rank == JOKER and state.reverses:
        state.direction = -state.direction
        state.top = JOKER
        state.run = 0
    elif clears:
        state.cleared += state.pile
        empty_pile(state)
    elif rank == state.top:
        state.run += len(cards)
    else:
        state.current = state.top = rank
        state.run = len(cards)


def leave_last(state: PalaceState, seat: int, last: int) -> None:
    """Record if `seat` is out, or has one face-down card left and did not declare it (PA-22, PA-24)."""
    if state.held[seat] or state.upper[seat]:
        return
    if state.unders[seat] == 0:
        state.out.append(seat)
        state.uncalled &= ~(1 << seat)
    elif state.unders[seat] == 1 and state.calls and not last:
        state.uncalled |= 1 << seat


def apply_played(state: PalaceState, seat: int, cards: list[int], clears: int, last: int) -> None:
    """Play hand cards, and go on or pass the turn (PA-6, PA-11 to PA-13)."""
    rank = cards[0] >> 2
    hand = state.hands[seat][rank]
    for card in cards:
        hand.remove(card)
    state.held[seat] -= len(cards)
    put(state, cards, rank, clears)
    if state.held[seat] == 0:
        leave_last(state, seat, last)
    go_on(state, seat, rank, clears)


def go_on(state: PalaceState, seat: int, rank: int, clears: int) -> None:
    """Continue the turn of `seat` after a play of `rank`, or pass it and let `seat` throw what it draws."""
    if (clears or rank == TWO or (rank == ACE and state.resets)) and seat not in state.out:
        close_window(state)
        state.must = 0 if clears else 1
        return
    pass_turn(state, seat)
    if seat not in state.out and not clears:
        state.thrower = seat
        state.thrown = rank


def apply_drew(state: PalaceState, seat: int, cards: list[int]) -> None:
    """Refill the hand (PA-15). At the end of a turn, `seat` may throw what it has drawn (PA-16)."""
    hand = state.hands[seat]
    for card in cards:
        hand[card >> 2].append(card)
    state.held[seat] += len(cards)
    state.at += len(cards)
    if seat == state.thrower:
        state.drawn += len(cards)
        for card in cards:
            if card >> 2 == state.thrown:
                state.fresh += 1


def apply_risked(state: PalaceState, seat: int, card: int, clears: int) -> None:
    """Play a chanced card and end the turn, whatever the card is (PA-9)."""
    state.chanced = NO_CARD
    put(state, [card], card >> 2, clears)
    pass_turn(state, seat)


def apply_threw(state: PalaceState, seat: int, cards: list[int], clears: int, last: int) -> None:
    """Make a quick throw, which may bring the turn back or reverse the direction (PA-16, PA-25)."""
    count = len(cards)
    rank = cards[0] >> 2
    hand = state.hands[seat][rank]
    for card in cards:
        hand.remove(card)
    state.held[seat] -= count
    put(state, cards, rank, clears)
    if clears:
        close_window(state)
        state.turn = seat
    else:
        state.fresh -= count
        state.drawn -= count
        if rank == JOKER:
            give_turn(state, seat)
    if state.held[seat] == 0:
        leave_last(state, seat, last)


def apply_turned(state: PalaceState, seat: int, position: int, card: int, clears: int, last: int) -> None:
    """Play a face-down card. If two are left, the player looks at one before anything else (PA-19, PA-20)."""
    rank = card >> 2
    state.under[seat][position] = GONE
    state.unders[seat] -= 1
    put(state, [card], rank, clears)
    leave_last(state, seat, last)
    if state.unders[seat] < 2:
        go_on(state, seat, rank, clears)
        return
    close_window(state)
    state.thrown = rank
    state.phase = LOOK
    state.owed = 1 if goes_on(state, rank, clears) else 0
    state.must = 1 if state.owed and not clears else 0


def apply_looked(state: PalaceState, seat: int, position: int, card: int) -> None:
    """Add a face-down card to the hand. If it has the rank just played, it may be thrown (PA-20)."""
    rank = state.thrown
    state.under[seat][position] = GONE
    state.unders[seat] -= 1
    add_card(state, seat, card)
    if state.owed:
        state.owed = 0
        state.phase = PLAY
        close_window(state)
        return
    pass_turn(state, seat)
    state.thrower = seat
    state.thrown = rank
    state.drawn = 1
    state.fresh = 1 if card >> 2 == rank else 0


def apply_failed(state: PalaceState, seat: int, position: int, card: int) -> None:
    """Let `seat` take the pile and a face-down card that may not be played.

    The last one goes back, known to all (PA-19, PA-21).
    """
    if state.unders[seat] == 1:
        state.known[seat] = 1
    else:
        state.under[seat][position] = GONE
        state.unders[seat] -= 1
        add_card(state, seat, card)
    take_pile(state, seat)
    pass_turn(state, seat)


def apply_chose(state: PalaceState, seat: int, cards: list[int]) -> None:
    """Move three cards from the hand to the upper palace (PA-2)."""
    for card in cards:
        state.hands[seat][card >> 2].remove(card)
    state.held[seat] -= len(cards)
    state.upper[seat] = list(cards)


def apply_dealt(state: PalaceState, event: Event) -> None:
    """Set the cards from the deal (PA-2, PA-3)."""
    state.under = [list(cards) for cards in event[1]]
    state.unders = [PALACE] * state.seats
    for seat, cards in enumerate(event[2]):
        for card in cards:
            add_card(state, seat, card)
    state.turned = event[3]
    if event[4] is not None:
        put(state, [event[4]], event[4] >> 2, 0)
    state.stack = event[5]
    state.phase = CHOOSE
