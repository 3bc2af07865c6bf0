"""The value function of Platinum Fish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import comb
from typing import Any, Final

from scorebook_games.contract import Dealer, Event, placings
from scorebook_games.kinds.platinum_fish.decide import LEAST
from scorebook_games.kinds.platinum_fish.state import (
    ASK,
    DRAW,
    FISH,
    KINDS_OF_CARD,
    NONE,
    OVER,
    POSSIBLE,
    SALVAGE,
    SETTING_UP,
    WAITING,
    State,
)
from scorebook_games.value import Draw, ValueFunction

RANKS: Final = range(KINDS_OF_CARD)
# The ranks that each of the 36 rolls allows, as bits (PF-8).
ROLLS: Final = [sum([1 << rank for rank in POSSIBLE[7 * a + b]]) for a in range(1, 7) for b in range(1, 7)]
# By rank, the chance that a roll allows it.
LIKELY: Final = [sum([roll >> rank & 1 for roll in ROLLS]) / len(ROLLS) for rank in RANKS]
HANDS: Final = 36  # imagined new hands with which one is compared (PF-14), as many for each face of the die
CARDS: Final = 3.8  # of a new hand, on average
DIE: Final = [max(face, LEAST) for face in range(1, 7)]  # cards of a new hand (PF-14)
BELOW: Final = "below"  # memory: for each rank, so many cards on top of the deck are known not to have it
KNOWN: Final = "known"  # memory: whether somebody has seen the order of the deck (PF-12)


class Position:
    """What of a state can matter, with ranks for cards. It makes and plays moves without checking them.

    `hands` and `shown` have a bit for each rank, `fish` too. `deck` and `below` count the cards of each rank in the
    deck and in the discard pile, whose top card is the last of `discard`. The rest is as in `State`. A copy shares
    lists with its original until one of them changes.
    """

    __slots__ = (
        "actor",
        "below",
        "deck",
        "discard",
        "fish",
        "hands",
        "last",
        "matches",
        "phase",
        "seats",
        "shown",
        "size",
        "turn",
        "turns",
    )

    hands: list[int]
    shown: list[int]
    matches: list[int]
    deck: list[int]
    below: list[int]
    discard: list[int]
    seats: int
    size: int  # of the deck
    last: int  # turn that the game can have
    turn: int
    turns: int
    actor: int
    phase: int
    fish: int

    @classmethod
    def of(cls, state: State) -> Position:
        """Return the position of a state."""
        new = cls()
        new.hands = [sum([1 << rank for rank in RANKS if hand[rank] != NONE]) for hand in state.hands]
        new.shown, new.matches = state.shown[:], [len(cards) // 2 for cards in state.laid]
        new.deck, new.below = state.in_deck[:], state.in_discard[:]
        new.discard = [card >> 2 for card in state.discard]
        new.seats, new.size, new.last = state.seats, len(state.deck), state.turn_limit
        new.turn, new.turns, new.actor, new.phase = state.turn, state.turns, state.actor, state.phase
        new.fish = sum([1 << rank for rank in state.fish])
        return new

    def copy(self) -> Position:
        """Return an independent copy."""
        new = Position()
        new.hands, new.shown, new.matches = self.hands, self.shown, self.matches
        new.deck, new.below, new.discard = self.deck, self.below, self.discard
        new.seats, new.size, new.last = self.seats, self.size, self.last
        new.turn, new.turns, new.actor, new.phase, new.fish = self.turn, self.turns, self.actor, self.phase, self.fish
        return new

    def over(self) -> bool:
        """Return whether the deck is empty, or the turn limit reached (PF-17)."""
        return self.phase == OVER or (not self.size and self.phase != SETTING_UP) or self.turns >= self.last

    def draw(self, rank: int) -> None:
        """Draw a card of `rank` from the deck (PF-6)."""
        self._out_of_deck(rank)
        if self.hands[self.actor] >> rank & 1:
            self._match(self.actor, rank)
            self.phase = DRAW if self.hands[self.actor] and self.size else WAITING
        else:
            self.discard, self.below = [*self.discard, rank], self.below[:]
            self.below[rank] += 1
            self.phase = WAITING

    def take(self) -> None:
        """Draw the top card of the discard pile, a match (PF-5)."""
        rank = self.discard[-1]
        self.discard, self.below = self.discard[:-1], self.below[:]
        self.below[rank] -= 1
        self._match(self.actor, rank)
        self.phase = DRAW if self.hands[self.actor] else WAITING

    def roll(self, ranks: int) -> None:
        """Allow the `ranks` of a roll that the deck holds, or to ask if there are none (PF-9, PF-10)."""
        self.fish = ranks
        self.phase = FISH if ranks else ASK

    def take_out(self, rank: int) -> None:
        """Take a card of `rank` out of the deck (PF-9). No shuffle is asked for: it changes no value."""
        self._out_of_deck(rank)
        if self.hands[self.actor] >> rank & 1:
            self._match(self.actor, rank)
        else:
            self._show(rank)
        self._end_turn()
        if not self.size:
            self.phase = WAITING

    def ask(self, other: int, rank: int) -> None:
        """Get a card of `rank`, a match, from another hand (PF-10)."""
        seat = self.actor
        self._match(seat, rank)
        self.hands[other] &= ~(1 << rank)
        self.shown[other] &= ~(1 << rank)
        if self.hands[other] and self.hands[seat]:
            self._end_turn()
        else:
            self.phase = WAITING

    def salvage(self) -> None:
        """Take all matches from the discard pile, and end the turn (PF-15, PF-16)."""
        seat = self.actor
        for rank in RANKS:
            if self.hands[seat] >> rank & 1 and self.below[rank]:
                self.below, self.discard = self.below[:], self.discard[::-1]
                self.below[rank] -= 1
                self.discard.remove(rank)
                self.discard.reverse()
                self._match(seat, rank)
        if self.hands[seat]:
            self._end_turn()
        else:
            self.phase = WAITING

    def give_hand(self, seat: int, ranks: Sequence[int]) -> None:
        """Give a seat a hand from the deck, and lay down its matches (PF-14)."""
        self.deck, self.hands, self.matches = self.deck[:], self.hands[:], self.matches[:]
        hand = 0
        for rank in ranks:
            self.deck[rank] -= 1
            self.matches[seat] += hand >> rank & 1
            hand ^= 1 << rank
        self.size -= len(ranks)
        self.hands[seat] = hand
        self.actor = seat
        self.phase = SALVAGE if hand and self.size else WAITING

    def _out_of_deck(self, rank: int) -> None:
        self.deck = self.deck[:]
        self.deck[rank] -= 1
        self.size -= 1

    def _match(self, seat: int, rank: int) -> None:
        self.hands, self.shown, self.matches = self.hands[:], self.shown[:], self.matches[:]
        self.hands[seat] &= ~(1 << rank)
        self.shown[seat] &= ~(1 << rank)
        self.matches[seat] += 1

    def _show(self, rank: int) -> None:
        self.hands, self.shown = self.hands[:], self.shown[:]
        self.hands[self.actor] |= 1 << rank
        self.shown[self.actor] |= 1 << rank

    def _end_turn(self) -> None:
        """End the turn, unless its player gets a new hand first (PF-16)."""
        if not self.hands[self.turn]:
            self.phase = WAITING
            return
        self.turns += 1
        self.turn = self.actor = (self.turn + 1) % self.seats
        self.fish = 0
        self.phase = DRAW

    def play_on(self) -> None:
        """Make usual moves until chance decides, or the game is over."""
        while DRAW <= self.phase <= SALVAGE and not self.over() and self.usual_move():
            pass

    def usual_move(self) -> bool:
        """Make the move that the sensible bot would make, or one that it finds about as good; none before a draw."""
        hand = self.hands[self.actor]
        if self.phase == DRAW:
            if not self.discard or not hand >> self.discard[-1] & 1:
                return False
            self.take()
        elif self.phase == FISH:
            self.take_out(self.best_fish(self.fish))
        elif self.phase == SALVAGE:
            self.salvage()
        elif self.phase == ASK:
            for other, theirs in enumerate(self.hands):
                both = hand & theirs & self.shown[other]
                if both and other != self.actor:
                    self.ask(other, (both & -both).bit_length() - 1)
                    return True
            return False
        else:  # nobody needs to ask for a shuffle
            self._end_turn()
        return True

    def best_fish(self, ranks: int) -> int:
        """Return which of `ranks` is taken out of the deck: one that matches, or else one with many copies."""
        able = ranks & self.hands[self.actor] or ranks
        return max([rank for rank in RANKS if able >> rank & 1], key=lambda rank: self.deck[rank])


class PlatinumFishValue(ValueFunction):
    """Matches, and how likely the hand is to make more: from the deck, the discard pile and other hands."""

    names = (
        "matches",
        "held",
        "one_held",
        "empty",
        "held_square",
        "held_deck",
        "salvage_by_held",
        "salvage_one",
        "in_deck",
        "by_dice",
        "in_discard",
        "on_top",
        "shown",
        "shared",
        "shared_shown",
        "first_shared",
        "first_shared_shown",
        "roll",
        "next_roll",
        "draw",
        "draw_in_deck",
        "next",
    )
    spreads = ("deck", "one")

    def position(self, state: State) -> Position:
        """Return the position before chance decides again, after usual moves if some are due."""
        position = Position.of(state)
        position.play_on()
        return position

    def settled(self, position: Position) -> Sequence[int] | None:
        """Return the places if the game is over (PF-17)."""
        return placings(position.matches, best="highest") if position.over() else None

    def spread(self, position: Position) -> list[float]:
        """Return the number of cards in the deck for two of the players."""
        return [2 * position.size / position.seats, 1.0]

    def features(self, position: Position) -> list[list[float]]:
        """Return the features of each seat. A seat that waits for a new hand has what such hands have on average."""
        deck, below, shown, size = position.deck, position.below, position.shown, position.size
        top = 1 << position.discard[-1] if position.discard else 0
        in_deck = in_discard = 0
        for rank in RANKS:
            in_deck |= (deck[rank] > 0) << rank
            in_discard |= (below[rank] > 0) << rank
        fresh = CARDS * sum([deck[rank] for rank in ranks_of(in_deck & in_discard)]) / size  # matches for a new hand
        turn, phase = position.turn, position.phase
        if not all(position.hands):  # then the turn ends (PF-16)
            turn, phase = (turn + 1) % position.seats, DRAW
        rows: list[list[float]] = []
        for seat, hand in enumerate(position.hands):
            held = hand.bit_count()
            mine = seat == turn
            follows = (seat - turn) % position.seats == 1
            rolling = mine and phase in (WAITING, DRAW)
            drawing = mine and phase == DRAW
            if not hand:
                rows.append(new_hand(position, seat, mine, follows, fresh))
                continue
            chance = sum([deck[rank] for rank in ranks_of(hand)]) / size
            shared = public = 0
            for other, theirs in enumerate(position.hands):
                if other != seat:
                    shared += (hand & theirs).bit_count()
                    public += (hand & theirs & shown[other]).bit_count()
            lucky = matching_rolls(hand & in_deck) if rolling or follows else 0.0
            rows.append(
                [
                    float(position.matches[seat]),
                    float(held),
                    float(held == 1),
                    0.0,
                    held * held / 10,
                    held * size / 52,
                    fresh / (held + 1),
                    fresh * (held == 1),
                    chance,
                    sum([LIKELY[rank] for rank in ranks_of(hand & in_deck)]),
                    float((hand & in_discard).bit_count()),
                    float(hand & top > 0),
                    float(shown[seat].bit_count()),
                    float(shared),
                    float(public),
                    float(mine * shared),
                    float(mine * public),
                    rolling * lucky,
                    follows * lucky,
                    float(drawing),
                    drawing * chance,
                    float(follows),
                ]
            )
        return rows

    def draws(self, state: State, event: Event, dealer: Dealer, memory: dict[str, Any]) -> Iterator[Draw]:
        """Yield draws from the deck, rolls and new hands (PF-6, PF-8, PF-14).

        The copy nearest the top is fished (PF-9), so the other cards of its rank lie deeper than it did. `below` in the
        memory says how deep. All orders of the deck that agree with it are equally likely, so the next card is equally
        often each of those that may lie on top.
        """
        kind: str = event[0]
        below: list[int] = memory.setdefault(BELOW, [0] * KINDS_OF_CARD)
        if kind == "drew":
            if not memory.get(KNOWN):
                yield self._card(state, event[2] >> 2, below)
            memory[BELOW] = [max(0, number - 1) for number in below]
        elif kind in ("rolled", "searched"):
            yield self._roll(state, event[4])
            memory[KNOWN] = memory.get(KNOWN, False) or kind == "searched"
        elif kind == "fished":
            place = state.deck.index(event[2])
            memory[BELOW] = [number - (place < number) for number in below]
            memory[BELOW][event[2] >> 2] = place
        elif kind == "shuffled":
            memory[BELOW], memory[KNOWN] = [0] * KINDS_OF_CARD, False
        elif kind == "dealt":
            count = len(event[3]) + len(event[4])
            yield self._hand(state, event[1], count, dealer, None if memory.get(KNOWN) else below)
            memory[BELOW] = [max(0, number - count) for number in below]

    def _card(self, state: State, drawn: int, below: list[int]) -> Draw:
        """Return the draw of the card on top of the deck."""
        before = Position.of(state)
        possible: list[tuple[float, list[float]]] = []
        actual: list[float] = []
        for rank in RANKS:
            if before.deck[rank] and not below[rank]:
                position = before.copy()
                position.draw(rank)
                position.play_on()
                values = self.values_of(position)
                possible.append((float(before.deck[rank]), values))
                if rank == drawn:
                    actual = values
        return Draw(actual, possible)

    def _roll(self, state: State, allowed: list[int]) -> Draw:
        """Return the roll of two dice, of which only the usual move matters that it leads to."""
        before = Position.of(state)
        in_deck = sum([1 << rank for rank in RANKS if before.deck[rank]])
        weights: dict[int, float] = {}
        for roll in ROLLS:
            chosen = before.best_fish(roll & in_deck) if roll & in_deck else NONE
            weights[chosen] = weights.get(chosen, 0.0) + 1.0
        ranks = sum([1 << rank for rank in allowed])
        came = before.best_fish(ranks) if ranks else NONE
        possible: list[tuple[float, list[float]]] = []
        actual: list[float] = []
        for chosen, weight in weights.items():
            position = before.copy()
            position.roll(0 if chosen == NONE else 1 << chosen)
            position.play_on()
            values = self.values_of(position)
            possible.append((weight, values))
            if chosen == came:
                actual = values
        return Draw(actual, possible)

    def _hand(self, state: State, seat: int, count: int, dealer: Dealer, below: list[int] | None) -> Draw:
        """Return the deal of a new hand: the die, and the cards too unless their order is known (`below` is None)."""
        before = Position.of(state)
        order = [card >> 2 for card in state.deck]
        possible = []
        for sample in range(6 if below is None else HANDS):
            size = min(max(1 + sample % 6, LEAST), len(order))
            cards = order[:size] if below is None else on_top(order, size, below, dealer)
            possible.append((1.0, self._after_hand(before, seat, cards)))
        return Draw(self._after_hand(before, seat, order[:count]), possible, sampled=below is not None)

    def _after_hand(self, before: Position, seat: int, ranks: list[int]) -> list[float]:
        position = before.copy()
        position.give_hand(seat, ranks)
        position.play_on()
        return self.values_of(position)


def new_hand(position: Position, seat: int, mine: bool, follows: bool, fresh: float) -> list[float]:
    """Return the mean features of a new hand after it has salvaged (PF-14, PF-15), nearly: ranks are taken as
    independent."""
    deck, size = position.deck, position.size
    matches = held = chance = dice = shared = public = 0.0
    none = 1.0  # the chance that a roll matches nothing
    for rank in RANKS:
        count = deck[rank]
        if not count:
            continue
        odd, pairs = in_new_hand(count, size)
        matches += pairs
        if position.below[rank]:
            matches += odd
            continue
        held += odd
        if count > 1:
            chance += odd * (count - 1) / size
            dice += odd * LIKELY[rank]
            none *= 1 - odd * LIKELY[rank]
        for other, theirs in enumerate(position.hands):
            if other != seat and theirs >> rank & 1:
                shared += odd
                public += odd * (position.shown[other] >> rank & 1)
    return [
        position.matches[seat] + matches,
        held,
        0.0,
        1.0,
        held * held / 10,
        held * size / 52,
        fresh / (held + 1),
        0.0,
        chance,
        dice,
        0.0,
        0.0,
        0.0,
        shared,
        public,
        mine * shared,
        mine * public,
        mine * (1 - none),
        follows * (1 - none),
        float(mine),
        mine * chance,
        float(follows),
    ]


@cache
def in_new_hand(count: int, size: int) -> tuple[float, float]:
    """Return the chance that a new hand keeps a card of a rank, and how many pairs of it are laid down on average, if
    `count` of `size` cards in the deck have it."""
    odd = pairs = 0.0
    for face in DIE:
        cards = min(face, size)
        for held in range(1, min(count, cards) + 1):
            chance = comb(count, held) * comb(size - count, cards - held) / comb(size, cards) / len(DIE)
            odd += chance * (held % 2)
            pairs += chance * (held // 2)
    return odd, pairs


@cache
def ranks_of(bits: int) -> list[int]:
    """Return the ranks that `bits` have."""
    return [rank for rank in RANKS if bits >> rank & 1]


@cache
def matching_rolls(ranks: int) -> float:
    """Return the chance that a roll allows one of `ranks`, given as bits."""
    return sum([1 for roll in ROLLS if roll & ranks]) / len(ROLLS)


def on_top(deck: list[int], size: int, below: list[int], dealer: Dealer) -> list[int]:
    """Return `size` random ranks as they may lie on top of the deck, where the first `below` cards lack a rank."""
    left = deck[:]
    ranks: list[int] = []
    for depth in range(size):
        able = [rank for rank in left if below[rank] <= depth]
        rank = able[dealer.integers("", [len(able)])[0]]
        left.remove(rank)
        ranks.append(rank)
    return ranks
