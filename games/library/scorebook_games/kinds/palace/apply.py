"""What events do to a state of Palace: simple and total, never checks, never draws."""

from __future__ import annotations

from games.engines.base import Event
from games.engines.cards import ACE
from games.engines.palace.legal import goes_on
from games.engines.palace.state import CHOOSE, EMPTY, GONE, JOKER, LOOK, NO_CARD, NOBODY, PALACE, PLAY, TWO, PalaceState


def close_window(state: PalaceState) -> None:
    """Nobody may throw any more."""
    state.thrower = NOBODY
    state.thrown = EMPTY
    state.drawn = state.fresh = 0


def pass_turn(state: PalaceState, seat: int) -> None:
    """The turn of `seat` is over; the next seat in the game plays, whose last card can't be called any more."""
    close_window(state)
    state.must = state.owed = 0
    state.turns += 1
    state.phase = PLAY
    give_turn(state, seat)


def give_turn(state: PalaceState, seat: int) -> None:
    """It is the turn of the first seat after `seat` that still has cards, in the direction of play."""
    turn = (seat + state.direction) % state.seats
    while turn in state.out:
        turn = (turn + state.direction) % state.seats
    state.turn = turn
    state.uncalled &= ~(1 << turn)


def add_card(state: PalaceState, seat: int, card: int) -> None:
    """`card` comes into the hand of `seat`."""
    state.hands[seat][card >> 2].append(card)
    state.held[seat] += 1


def take_pile(state: PalaceState, seat: int) -> None:
    """The whole discard pile comes into the hand of `seat`."""
    hand = state.hands[seat]
    for card in state.pile:
        hand[card >> 2].append(card)
    state.held[seat] += len(state.pile)
    empty_pile(state)


def empty_pile(state: PalaceState) -> None:
    """Nothing lies on the discard pile."""
    state.pile = []
    state.current = state.top = EMPTY
    state.run = 0


def put(state: PalaceState, cards: list[int], rank: int, clears: int) -> None:
    """`cards` of `rank` go on the pile; then, if it clears, all of it leaves the game (PA-11, PA-13, PA-25)."""
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
    """Note that `seat` is out, or has one face-down card left and did not say so (PA-22, PA-24)."""
    if state.held[seat] or state.upper[seat]:
        return
    if state.unders[seat] == 0:
        state.out.append(seat)
        state.uncalled &= ~(1 << seat)
    elif state.unders[seat] == 1 and state.calls and not last:
        state.uncalled |= 1 << seat


def apply_played(state: PalaceState, seat: int, cards: list[int], clears: int, last: int) -> None:
    """Hand cards go on the pile; what follows for the turn (PA-6, PA-11 to PA-13)."""
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
    """The turn of `seat` goes on after a play of `rank`, or passes and lets them throw what they draw."""
    if (clears or rank == TWO or (rank == ACE and state.resets)) and seat not in state.out:
        close_window(state)
        state.must = 0 if clears else 1
        return
    pass_turn(state, seat)
    if seat not in state.out and not clears:
        state.thrower = seat
        state.thrown = rank


def apply_drew(state: PalaceState, seat: int, cards: list[int]) -> None:
    """The hand is refilled (PA-15); at the end of a turn what is drawn may be thrown (PA-16)."""
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
    """A chanced card goes on the pile and ends the turn, whatever it is (PA-9)."""
    state.chanced = NO_CARD
    put(state, [card], card >> 2, clears)
    pass_turn(state, seat)


def apply_threw(state: PalaceState, seat: int, cards: list[int], clears: int, last: int) -> None:
    """A quick throw; it may bring the turn back, or turn the direction round (PA-16, PA-25)."""
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
    """A face-down card is played; with two left, a look comes before anything else (PA-19, PA-20)."""
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
    """A face-down card comes into the hand; if it is of the rank just played, it may be thrown (PA-20)."""
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
    """A card that may not be played is kept with the pile; the last one goes back, and all know it (PA-19, PA-21)."""
    if state.unders[seat] == 1:
        state.known[seat] = 1
    else:
        state.under[seat][position] = GONE
        state.unders[seat] -= 1
        add_card(state, seat, card)
    take_pile(state, seat)
    pass_turn(state, seat)


def apply_chose(state: PalaceState, seat: int, cards: list[int]) -> None:
    """Three cards leave the hand for the upper palace (PA-2)."""
    for card in cards:
        state.hands[seat][card >> 2].remove(card)
    state.held[seat] -= len(cards)
    state.upper[seat] = list(cards)


def apply_dealt(state: PalaceState, event: Event) -> None:
    """Give out the cards (PA-2, PA-3)."""
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
