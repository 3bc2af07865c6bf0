"""Changes a state of Platinum Fish by one event. It is simple and total: it never checks and never draws."""

from __future__ import annotations

from scorebook_games.contract import Event
from scorebook_games.kinds.platinum_fish.state import DRAW, NONE, NOTHING, SALVAGE, SETTING_UP, SHUFFLE, WAITING, State


def lay(state: State, seat: int, card: int, mate: int) -> None:
    """Lay down `card` and its `mate`, which leaves the hand (PF-2)."""
    rank = mate >> 2
    state.hands[seat][rank] = NONE
    state.held[seat] -= 1
    state.shown[seat] &= ~(1 << rank)
    lack(state, seat, rank)
    laid = state.laid[seat]
    laid.append(card)
    laid.append(mate)


def keep(state: State, seat: int, card: int) -> None:
    """Add `card`, which everybody sees, to the hand (PF-11, PF-13)."""
    rank = card >> 2
    state.hands[seat][rank] = card
    state.held[seat] += 1
    state.shown[seat] |= 1 << rank
    state.lacks[seat] &= ~(1 << rank)
    state.asked[seat] &= ~(1 << rank)


def lack(state: State, seat: int, rank: int) -> None:
    """Record that everybody has seen that the hand has no card of `rank`, whatever was asked before (PF-13)."""
    state.lacks[seat] |= 1 << rank
    state.asked[seat] &= ~(1 << rank)


def put_down(state: State, card: int) -> None:
    """Put `card` on top of the discard pile."""
    state.discard.append(card)
    state.in_discard[card >> 2] += 1


def end_turn(state: State) -> None:
    """End the turn. The next seat clockwise draws."""
    state.turns += 1
    state.turn = (state.turn + 1) % state.seats
    state.actor = state.turn
    state.dice = state.fish = NOTHING
    state.phase = DRAW


def take_out(state: State, event: Event) -> None:
    """Move a card from the deck to a hand or a match (PF-9). With `searcher: player`, the questions follow (PF-12)."""
    seat: int = event[1]
    card: int = event[2]
    mate: int = event[3]
    state.deck.remove(card)  # the first of equal cards
    state.in_deck[card >> 2] -= 1
    if mate >= 0:
        lay(state, seat, card, mate)
    else:
        keep(state, seat, card)
    if not state.deck:
        state.phase = WAITING
    elif state.player_searches:
        state.phase = SHUFFLE
        state.actor = (seat + 1) % state.seats
    else:
        end_search(state)


def end_search(state: State) -> None:
    """End the turn, unless its player gets a new hand first (PF-14, PF-16)."""
    if state.held[state.turn]:
        end_turn(state)
    else:
        state.phase = WAITING


def change_hands(state: State, event: Event) -> None:
    """Move an asked card from one hand to another, or to a match (PF-10, PF-11)."""
    seat: int = event[1]
    other: int = event[2]
    rank: int = event[3]
    card: int = event[4]
    mate: int = event[5]
    lack(state, other, rank)
    if card < 0:
        if not (state.shown[seat] | state.lacks[seat]) >> rank & 1:
            state.asked[seat] |= 1 << rank
    else:
        state.hands[other][rank] = NONE
        state.held[other] -= 1
        state.shown[other] &= ~(1 << rank)
        if mate >= 0:
            lay(state, seat, card, mate)
        else:
            keep(state, seat, card)
        if not state.held[other] or not state.held[seat]:
            state.phase = WAITING
            return
    end_turn(state)


def give_hand(state: State, event: Event) -> None:
    """Give a seat a hand from the top of the deck (PF-14). It may then salvage, but not during the set-up (PF-4)."""
    seat: int = event[1]
    laid: list[int] = event[3]
    kept: list[int] = event[4]
    for card in state.deck[: len(laid) + len(kept)]:
        state.in_deck[card >> 2] -= 1
    del state.deck[: len(laid) + len(kept)]
    for card in kept:
        state.hands[seat][card >> 2] = card
    state.held[seat] = len(kept)
    state.lacks[seat] = state.deck_lacks
    state.asked[seat] = 0
    state.laid[seat] += laid
    state.dealt[seat] += 1
    if state.phase != SETTING_UP:
        state.actor = seat
        state.phase = SALVAGE if kept and state.deck else WAITING
