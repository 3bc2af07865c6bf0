"""Decides what a move of Platinum Fish leads to. It is strict: `IllegalMove` names the clause that forbids a move."""

from __future__ import annotations

from typing import Final

from scorebook_games.cards import RANKS
from scorebook_games.contract import RULES, TURN_LIMIT, Dealer, Event, IllegalMove
from scorebook_games.kinds.platinum_fish.moves import (
    ASK_FOR,
    DECLINE,
    DEMAND,
    DRAW_DECK,
    DRAW_DISCARD,
    FISH_FOR,
    PASS,
    SALVAGE_FOR,
    STOP,
)
from scorebook_games.kinds.platinum_fish.state import (
    ASK,
    DRAW,
    FISH,
    KINDS_OF_CARD,
    NONE,
    OVER,
    PHASES,
    POSSIBLE,
    SALVAGE,
    SHUFFLE,
    State,
    first_of,
)
from scorebook_games.text import gettext
from scorebook_games.text import gettext_noop as _

LEAST: Final = 3  # the smallest new hand (PF-1)
# The labels of the rolls in the first turns; hardly a game has more.
ROLLS: Final[list[str]] = [f"roll/turn{number}" for number in range(104)]
# By phase, the clause that says what may be done, and the sentence for a player who tried something else.
DUTIES: Final[dict[int, tuple[str, str]]] = {
    DRAW: ("PF-5", _("Draw a card from the deck, or take the discard pile’s top card if that makes a match.")),
    FISH: ("PF-9", _("Take a card out of the deck: {choices}.")),
    ASK: ("PF-10", _("Ask an opponent for a rank, or nobody.")),
    SHUFFLE: ("PF-12", _("Say whether the deck is shuffled.")),
    SALVAGE: ("PF-15", _("Take a match from the discard pile, or stop.")),
}


class Choices:
    """Ranks of which one is to be chosen, as a part of a sentence in the reader's language."""

    def __init__(self, ranks: list[str]) -> None:
        self.ranks = ranks

    def __str__(self) -> str:
        return gettext(" or ").join(self.ranks)


def draw(state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
    """Draw from the deck or the discard pile.

    After a match the turn starts over, else the roll follows (PF-5 to PF-8).
    """
    if action == DRAW_DISCARD:
        return draw_discard(state, seat, dealer)
    if action != DRAW_DECK:
        raise refuse_action(state)
    deck = state.deck
    card = deck[0]
    mate = state.hands[seat][card >> 2]
    events: list[Event] = [["drew", seat, card, mate]]
    if len(deck) == 1:
        events.append(["ended", RULES])
    elif mate < 0:
        events.append(roll(state, seat, card >> 2, dealer))
    elif state.held[seat] == 1:
        events += new_hand(seat, state.dealt[seat], deck[1:], dealer)
    return events


def draw_discard(state: State, seat: int, dealer: Dealer) -> list[Event]:
    """Draw the top card of the discard pile, which must make a match (PF-5). Raises `IllegalMove`."""
    if not state.discard:
        raise IllegalMove("no_discard", "PF-5", _("The discard pile is empty. Draw from the deck."))
    card = state.discard[-1]
    mate = state.hands[seat][card >> 2]
    if mate < 0:
        sentence = _("You have no {rank}, so you cannot take the one on the discard pile. Draw from the deck.")
        raise IllegalMove("no_match", "PF-5", sentence, rank=RANKS[card >> 2])
    events: list[Event] = [["took", seat, card, mate]]
    if state.held[seat] == 1:
        events += new_hand(seat, state.dealt[seat], state.deck[:], dealer)
    return events


def roll(state: State, seat: int, drawn: int, dealer: Dealer) -> Event:
    """Roll two dice.

    The event has the ranks that `seat` may take from the deck, which a card of rank `drawn` has left (PF-8).
    """
    number = state.turns + 1
    a, b = dealer.dice(ROLLS[number] if number < len(ROLLS) else f"roll/turn{number}", 2)
    left = state.in_deck
    held = [rank for rank in POSSIBLE[7 * a + b] if left[rank] > (rank == drawn)]
    return ["searched" if held and state.player_searches else "rolled", seat, a, b, held]


def fish(state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
    """Take the copy nearest the top out of the deck (PF-9).

    Then the turn ends, or opponents may ask for a shuffle (PF-12).
    """
    rank = action - FISH_FOR
    if rank not in state.fish:
        raise refuse_action(state)
    card = first_of(state.deck, rank)
    mate = state.hands[seat][rank]
    events: list[Event] = [["fished", seat, card, mate]]
    if len(state.deck) == 1:
        events.append(["ended", RULES])
    elif state.player_searches:
        return events
    elif mate >= 0 and state.held[seat] == 1:
        deck = state.deck[:]
        deck.remove(card)
        events += new_hand(seat, state.dealt[seat], deck, dealer)
    else:
        events += limit(state)
    return events


def answer_shuffle(state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
    """Ask for a shuffle, or pass. The first seat that asks ends the questions (PF-12)."""
    deck = state.deck
    events: list[Event]
    if action == DEMAND:
        deck = dealer.shuffle(f"shuffle/turn{state.turns + 1}", deck)
        events = [["shuffled", seat, deck]]
    elif action != PASS:
        raise refuse_action(state)
    else:
        events = [["passed", seat]]
        if (seat + 1) % state.seats != state.turn:
            return events
    if state.held[state.turn]:
        return events + limit(state)
    return events + new_hand(state.turn, state.dealt[state.turn], deck[:], dealer)


def ask(state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
    """Ask one opponent for one rank, or nobody. Then empty hands are replaced, and the turn ends (PF-10, PF-16)."""
    if action == DECLINE:
        return [["declined", seat], *limit(state)]
    if action < ASK_FOR:
        raise refuse_action(state)
    other, rank = divmod(action - ASK_FOR, KINDS_OF_CARD)
    if other >= state.seats:
        raise IllegalMove(
            "no_such_seat",
            "PF-10",
            _("There is no seat {seat}: seats are 0 to {last}."),
            seat=other,
            last=state.seats - 1,
        )
    if other == seat:
        raise IllegalMove("own_seat", "PF-10", _("You cannot ask yourself. Ask an opponent."))
    card = state.hands[other][rank]
    if card < 0:
        return [["asked", seat, other, rank, NONE, NONE], *limit(state)]
    mate = state.hands[seat][rank]
    events: list[Event] = [["asked", seat, other, rank, card, mate]]
    if state.held[other] == 1:
        return events + new_hand(other, state.dealt[other], state.deck[:], dealer)
    if mate >= 0 and state.held[seat] == 1:
        return events + new_hand(seat, state.dealt[seat], state.deck[:], dealer)
    return events + limit(state)


def salvage(state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
    """Take a match from the discard pile for a new hand, or stop (PF-15, PF-16). Raises `IllegalMove`."""
    if action == STOP:
        asker = state.turn
        if state.held[asker]:
            return [["stopped", seat], *limit(state)]
        return [["stopped", seat], *new_hand(asker, state.dealt[asker], state.deck[:], dealer)]
    rank = action - SALVAGE_FOR
    if not 0 <= rank < KINDS_OF_CARD:
        raise refuse_action(state)
    mate = state.hands[seat][rank]
    if mate < 0:
        raise IllegalMove("card_not_held", "PF-15", _("You have no {rank}, so that makes no match."), rank=RANKS[rank])
    if not state.in_discard[rank]:
        raise IllegalMove("not_in_discard", "PF-15", _("There is no {rank} in the discard pile."), rank=RANKS[rank])
    card = first_of(state.discard[::-1], rank)
    events: list[Event] = [["salvaged", seat, card, mate]]
    if state.held[seat] == 1:
        events += new_hand(seat, state.dealt[seat], state.deck[:], dealer)
    return events


def limit(state: State) -> list[Event]:
    """Return the end of the game if the turn that ends now is the last within the turn limit; else nothing."""
    return [["ended", TURN_LIMIT]] if state.turns + 1 >= state.turn_limit else []


def deal_hand(seat: int, number: int, deck: list[int], dealer: Dealer) -> list[Event]:
    """Return hand `number` of `seat`, taken off the top of `deck`: what is laid down and what stays (PF-1, PF-2)."""
    [die] = dealer.dice(f"die/seat{seat}/{number}", 1)
    count = min(max(die, LEAST), len(deck))
    laid: list[int] = []
    kept: list[int] = []
    for card in deck[:count]:
        for mate in kept:
            if mate >> 2 == card >> 2:
                kept.remove(mate)
                laid += [mate, card]
                break
        else:
            kept.append(card)
    del deck[:count]
    return [["dealt", seat, die, laid, kept]]


def new_hand(seat: int, dealt: int, deck: list[int], dealer: Dealer) -> list[Event]:
    """Return new hands for `seat`, which has had `dealt`, until one keeps a card or `deck` is empty (PF-14, PF-17)."""
    events: list[Event] = []
    while True:
        dealt += 1
        events += deal_hand(seat, dealt, deck, dealer)
        if not deck:
            events.append(["ended", RULES])
            return events
        if events[-1][4]:
            return events


def refuse_seat(state: State) -> IllegalMove:
    """Return the error for a seat that may not act."""
    if state.phase == OVER:
        return IllegalMove("game_over", "PF-17", _("The game is over."))
    if state.phase < DRAW:
        return IllegalMove("nobody_to_act", "PF-3", _("Nobody can move now."))
    return IllegalMove("not_your_move", DUTIES[state.phase][0], _("It is seat {seat}'s turn."), seat=state.actor)


def refuse_action(state: State) -> IllegalMove:
    """Return the error for a move of another phase, or for fishing another rank."""
    clause, sentence = DUTIES[state.phase]
    if state.phase == FISH:
        return IllegalMove(
            "must_fish", clause, sentence, choices=Choices([RANKS[rank].replace("T", "10") for rank in state.fish])
        )
    return IllegalMove(f"must_{PHASES[state.phase]}", clause, sentence)
