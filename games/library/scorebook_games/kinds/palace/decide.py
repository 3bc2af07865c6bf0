"""Decides what a move of Palace leads to. It is strict: `IllegalMove` names the clause that forbids a move."""

from __future__ import annotations

from collections.abc import Sequence

from scorebook_games.cards import ACE, RANKS, TEN
from scorebook_games.contract import RULES, TURN_LIMIT, Event, IllegalMove
from scorebook_games.kinds.palace.legal import goes_on, leaves_last, may_play
from scorebook_games.kinds.palace.moves import CALL, CHOICE, KEEP, LAST, PASS, PLAY_DRAWN, TRIPLES, TURN
from scorebook_games.kinds.palace.state import CHOOSE, GONE, JOKER, PLAY, REFILL, SET, WILDS, PalaceState
from scorebook_games.text import gettext_noop as _


def play(state: PalaceState, seat: int, action: int) -> list[Event]:
    """Return the events of playing cards of one rank from the hand (PA-6). Raises `IllegalMove`."""
    rank = action >> 5 & 15
    count = (action & 31) + 1
    cards = state.hands[seat][rank]
    if count > len(cards):
        raise IllegalMove("card_not_held", "PA-6", _("You do not have {ranks} in hand."), ranks=RANKS[rank] * count)
    if rank not in state.fits[state.current] and not may_play(state, rank, count):
        raise refuse_rank(state, rank)
    last = check_last(state, seat, count, action)
    clears = clears_with(state, rank, count)
    return follow(state, seat, ["played", seat, cards[:count], clears, last], rank, count)


def refuse_rank(state: PalaceState, rank: int) -> IllegalMove:
    """Return the error for a `rank` that may not be played on the current card."""
    if state.current == ACE:
        sentence = _("An Ace lies on the pile: answer with an Ace, chance, or take.")
        if state.reverses:
            sentence = _("An Ace lies on the pile: answer with an Ace or a joker, chance, or take.")
        return IllegalMove("threatened", "PA-10", sentence)
    current = RANKS[state.current]
    return IllegalMove(
        "too_low",
        "PA-6",
        _("{rank} is too low: play {current} or higher, or a wild card."),
        rank=RANKS[rank],
        current=current,
    )


def check_last(state: PalaceState, seat: int, count: int, action: int) -> int:
    """Return 1 if a play of `count` cards declares "last card", else 0.

    Raises `IllegalMove` if it is not due (PA-24).
    """
    if not action & LAST:
        return 0
    if leaves_last(state, seat, count):
        return 1
    raise no_last(state)


def no_last(state: PalaceState) -> IllegalMove:
    """Return the error for a move that may not declare "last card"."""
    if state.calls:
        sentence = _("Write last only with a move that leaves you one face-down card and nothing else.")
    else:
        sentence = _("Players do not announce their last card in this game. Write the move without last.")
    return IllegalMove("not_the_last", "PA-24", sentence)


def clears_with(state: PalaceState, rank: int, count: int) -> int:
    """Return 1 if `count` cards of `rank` on top clear the pile (PA-11, PA-13), else 0."""
    if rank == TEN:
        return 1
    if rank == JOKER:
        return 0 if state.reverses else 1
    return 1 if (state.run if rank == state.top else 0) + count >= SET else 0


def follow(state: PalaceState, seat: int, event: Event, rank: int, count: int) -> list[Event]:
    """Return `event`, a play of `count` hand cards, then what `seat` draws or takes up, and the end if the game
    ends."""
    events = [event]
    held = state.held[seat] - count
    out = False
    if held < REFILL:
        at = state.at
        if at < len(state.stack):
            events.append(["drew", seat, state.stack[at : at + REFILL - held]])
        elif held == 0:
            if state.upper[seat]:
                events.append(["raised", seat, state.upper[seat][:]])
            else:
                out = state.unders[seat] == 0
    if out:
        return [*events, *after_out(state)]
    if not goes_on(state, rank, event[3]):
        end_at_limit(state, events)
    return events


def after_out(state: PalaceState) -> list[Event]:
    """Return what follows when one more seat is out: the end of the game, or nothing (PA-22, PA-23)."""
    if not state.play_on or len(state.out) + 2 >= state.seats:
        return [["ended", RULES]]
    events: list[Event] = []
    end_at_limit(state, events)
    return events


def end_at_limit(state: PalaceState, events: list[Event]) -> None:
    """End the game if these events complete the last turn of the `turn_limit`."""
    if state.turns + 1 >= state.turn_limit:
        events.append(["ended", TURN_LIMIT])


def turn_up(state: PalaceState, seat: int, action: int) -> list[Event]:
    """Return the events of turning up a face-down card, which is played or fails (PA-19, PA-21).

    Raises `IllegalMove`.
    """
    if state.held[seat]:
        raise IllegalMove("hand_first", "PA-17", _("You cannot play palace cards while you have cards in hand."))
    position = action & 3
    card = state.under[seat][position]
    if card == GONE:
        raise IllegalMove(
            "no_such_card", "PA-19", _("There is no card left at position {position}."), position=position
        )
    last = 0
    if action & LAST:
        if not state.calls or state.unders[seat] != 2:
            raise no_last(state)
        last = 1
    rank = card >> 2
    if not may_play(state, rank, 1):
        events: list[Event] = [["failed", seat, position, card, len(state.pile), last]]
        end_at_limit(state, events)
        return events
    clears = clears_with(state, rank, 1)
    events = [["turned", seat, position, card, clears, last]]
    if state.unders[seat] == 1:
        return [*events, *after_out(state)]
    if state.unders[seat] == 2 and not goes_on(state, rank, clears):  # with three, the look comes first
        end_at_limit(state, events)
    return events


def look(state: PalaceState, seat: int, action: int) -> list[Event]:
    """Return the events of taking one of two face-down cards into the hand (PA-20). Raises `IllegalMove`."""
    if not TURN <= action < CALL:
        raise IllegalMove("look_first", "PA-20", _("First look at one of your two face-down cards."))
    if action & LAST:
        raise IllegalMove(
            "not_the_last",
            "PA-24",
            _("You cannot announce your last card when you look at one. Write the move without last."),
        )
    position = action & 3
    card = state.under[seat][position]
    if card == GONE:
        raise IllegalMove(
            "no_such_card", "PA-20", _("There is no card left at position {position}."), position=position
        )
    events: list[Event] = [["looked", seat, position, card]]
    if not state.owed:
        end_at_limit(state, events)
    return events


def take(state: PalaceState, seat: int) -> list[Event]:
    """Return the events of taking the discard pile (PA-8). Raises `IllegalMove`."""
    if state.must:
        raise IllegalMove(
            "must_play", "PA-12", _("You played a 2, so it is still your turn: play another card, or chance.")
        )
    if not state.pile:
        raise IllegalMove("pile_empty", "PA-8", _("The discard pile is empty. Play a card."))
    events: list[Event] = [["took", seat, len(state.pile)]]
    end_at_limit(state, events)
    return events


def chance(state: PalaceState, seat: int) -> list[Event]:
    """Return the event of drawing the top card of the stack (PA-9). Raises `IllegalMove`."""
    if state.at == len(state.stack):
        raise IllegalMove("stack_empty", "PA-9", _("The stack is empty, so you cannot chance a card."))
    return [["chanced", seat, state.stack[state.at]]]


def answer_chance(state: PalaceState, seat: int, action: int) -> list[Event]:
    """Return the events of playing or keeping the chanced card (PA-9). Raises `IllegalMove`."""
    if action == KEEP:
        events: list[Event] = [["kept", seat, len(state.pile)]]
    elif action != PLAY_DRAWN:
        raise IllegalMove(
            "chance_waits", "PA-9", _("You have chanced a card: play it if you can, or else keep it and take the pile.")
        )
    elif not may_play(state, state.chanced >> 2, 1):
        raise IllegalMove(
            "drawn_too_low", "PA-9", _("You cannot play the card that you drew. Keep it and take the pile.")
        )
    else:
        events = [["risked", seat, state.chanced, clears_with(state, state.chanced >> 2, 1)]]
    end_at_limit(state, events)
    return events


def throw(state: PalaceState, seat: int, action: int) -> list[Event]:
    """Return the events of a quick throw, or none for a pass (PA-16). Raises `IllegalMove`."""
    if state.phase != PLAY or not state.fresh or seat != state.thrower:
        raise IllegalMove("nothing_to_throw", "PA-16", _("You have no drawn card that you can throw now."))
    if action == PASS:
        return []
    rank = action >> 5 & 15
    count = (action & 31) + 1
    if rank != state.thrown or count > state.fresh:
        most = RANKS[state.thrown] * state.fresh
        raise IllegalMove(
            "not_drawn",
            "PA-16",
            _("You can throw only cards that you have just drawn: at most {most} of this rank."),
            most=most,
        )
    last = check_last(state, seat, count, action)
    cards = state.hands[seat][rank]
    events: list[Event] = [["threw", seat, cards[-count:], clears_with(state, rank, count), last]]
    held = state.held[seat] - count
    if held < REFILL and state.at < len(state.stack):
        events.append(["drew", seat, state.stack[state.at : state.at + REFILL - held]])
    elif held == 0 and state.upper[seat]:
        events.append(["raised", seat, state.upper[seat][:]])
    return events


def call_out(state: PalaceState, seat: int, owner: int) -> list[Event]:
    """Return the event of `owner` taking the pile because it did not declare the last card (PA-24).

    Raises `IllegalMove`.
    """
    if owner == seat or seat in state.out or owner >= state.seats or not state.uncalled >> owner & 1:
        raise IllegalMove("nothing_to_call", "PA-24", _("You cannot call out seat {seat} now."), seat=owner)
    return [["called", seat, owner, len(state.pile)]]


def choose(state: PalaceState, seat: int, action: int) -> list[Event]:
    """Return the upper palace of `seat`, and after the last choice all of them (PA-2). Raises `IllegalMove`."""
    if state.phase != CHOOSE:
        raise IllegalMove("chosen_already", "PA-2", _("The upper palaces are already chosen."))
    if state.upper[seat]:
        raise IllegalMove("chosen_already", "PA-2", _("You have chosen your upper palace and cannot change it."))
    if action < CHOICE:
        raise IllegalMove("choose_first", "PA-2", _("First choose three cards for your upper palace."))
    triple = TRIPLES[action - CHOICE]
    hand = state.hands[seat]
    cards: list[int] = []
    for rank in dict.fromkeys(triple):
        count = triple.count(rank)
        if count > len(hand[rank]):
            raise IllegalMove("card_not_held", "PA-2", _("You do not have {ranks} in hand."), ranks=RANKS[rank] * count)
        cards += hand[rank][:count]
    events: list[Event] = [["chose", seat, cards]]
    if all(other == seat or state.upper[other] for other in range(state.seats)):
        upper = [cards if other == seat else state.upper[other] for other in range(state.seats)]
        events.append(["laid", [each[:] for each in upper], 0 if state.options["start"] == "left" else worst(upper)])
    return events


def worst(upper: Sequence[Sequence[int]]) -> int:
    """Return the seat that starts: fewest wild cards, then the lowest others from the highest down, then the first
    (PA-4)."""
    keys = []
    for seat, cards in enumerate(upper):
        others = sorted([card >> 2 for card in cards if card >> 2 not in WILDS], reverse=True)
        keys.append((len(cards) - len(others), others, seat))
    return min(keys)[2]
