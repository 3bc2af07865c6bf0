"""The value function of Chinese Ten."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import mul
from typing import Any, Final

from scorebook_games.cards import ACE, TEN
from scorebook_games.contract import Dealer, Event, placings
from scorebook_games.kinds.chinese_ten.rules import (
    ALL_EMPTY,
    CAPTURE,
    COVER,
    HAND,
    HAND_SIZES,
    NOBODY,
    NOTHING,
    OVER,
    State,
)
from scorebook_games.placings import points_share
from scorebook_games.value import Draw, ValueFunction, expectation, once

RANKS: Final = range(NOTHING)
# The rank that captures each rank.
PARTNER: Final = [8 - rank if rank < TEN else rank for rank in RANKS] + [NOTHING]
# What a card of each rank scores together with the card that captures it (CT-1, CT-5), in points.
PAIRS: Final = [25 if ACE in (rank, PARTNER[rank]) else 20 if rank >= TEN else 10 for rank in RANKS] + [0]
# The ranks that capture each other: A and 9 … 4 and 6, then those that capture their own.
COUPLES: Final = [(rank, PARTNER[rank]) for rank in RANKS if rank <= PARTNER[rank]]
# The features of a hand: cards by the points of a capture with them, those points times the number of cards that they
# may capture or its share, the points that nothing is left for, and the number of ranks.
IN_HAND: Final = ("hand_10", "hand_20", "hand_25", "supplied", "balanced", "lone", "ranks")
SORT: Final = {10: 0, 20: 1, 25: 2}


class Position:
    """What of a state can matter, with ranks for cards. It makes and plays moves without checking them.

    `hands[seat][rank]` counts the seat's cards, `deck` those of the deck, `hidden` those of deck and hands, `around`
    those that nobody has captured. `spots` are the ranks that lie on each spot. The rest is as in `State`. A copy
    shares lists with its original until one of them changes.
    """

    __slots__ = (
        "around",
        "cards",
        "deck",
        "hands",
        "hidden",
        "in_hands",
        "most",
        "phase",
        "points",
        "seats",
        "spots",
        "turn",
        "turned",
        "turns",
        "wanted",
    )

    hands: list[list[int]]
    deck: list[int]
    hidden: list[int]
    around: list[int]
    spots: list[list[int]]
    wanted: list[int]
    points: list[int]
    seats: int
    cards: int  # in the deck
    in_hands: int
    most: int  # turns that a game can have
    turn: int
    turns: int
    phase: int
    turned: int  # the rank that waits for a choice, NOTHING for none

    @classmethod
    def of(cls, state: State) -> Position:
        """Return the position of a state."""
        new = cls()
        new.seats, new.turn, new.turns, new.phase = state.seats, state.turn, state.turns, state.phase
        new.hands = [[len(cards) for cards in hand] for hand in state.hands]
        new.in_hands = state.in_hands
        new.most = min(state.turn_limit, HAND_SIZES[state.packs][state.seats] * state.seats)
        new.cards = len(state.deck) - state.at
        new.deck = [0] * (NOTHING + 1)
        for card in state.deck[state.at :]:
            new.deck[card >> 2] += 1
        new.hidden = [sum(each) for each in zip(new.deck, *new.hands, strict=True)]
        new.around = new.hidden[:]
        new.spots = [[card >> 2 for card in spot] for spot in state.spots]
        for spot in new.spots:
            for rank in spot:
                new.around[rank] += 1
        new.turned = state.flipped >> 2 if state.flipped >= 0 else NOTHING
        if state.flipped >= 0:
            new.around[new.turned] += 1
        new.wanted, new.points = state.wanted[:], state.points[:]
        return new

    def copy(self) -> Position:
        """Return an independent copy."""
        new = Position()
        new.hands, new.deck, new.hidden, new.around = self.hands, self.deck, self.hidden, self.around
        new.spots, new.wanted, new.points = self.spots, self.wanted, self.points
        new.seats, new.cards, new.in_hands, new.most = self.seats, self.cards, self.in_hands, self.most
        new.turn, new.turns, new.phase, new.turned = self.turn, self.turns, self.phase, self.turned
        return new

    def take(self, rank: int, spot: int) -> None:
        """Capture the top card of `spot` with a card of `rank` (CT-5)."""
        *under, taken = self.spots[spot]
        self._set_spot(spot, under)
        self.around = around = self.around[:]
        around[rank] -= 1
        around[taken] -= 1
        self.points = points = self.points[:]
        points[self.turn] += PAIRS[rank]
        self._next_card()

    def _set_spot(self, spot: int, ranks: list[int]) -> None:
        self.spots, self.wanted = self.spots[:], self.wanted[:]
        self.spots[spot] = ranks
        self.wanted[spot] = PARTNER[ranks[-1]] if ranks else NOTHING

    def _next_card(self) -> None:
        """Wait for a card of the deck, or end the turn if there is none (CT-8, CT-10)."""
        if self.cards:
            self.phase = NOBODY
        else:
            self._end_turn()

    def _end_turn(self) -> None:
        self.turns += 1
        self.turn = (self.turn + 1) % self.seats
        self.phase = HAND if self.in_hands else NOBODY

    def turn_up(self, rank: int) -> None:
        """Turn up a card of `rank` from the deck. It captures, lies down, or waits for a choice (CT-8, CT-9)."""
        self.deck, self.hidden = self.deck[:], self.hidden[:]
        self.deck[rank] -= 1
        self.hidden[rank] -= 1
        self.cards -= 1
        matches = self.wanted.count(rank)
        if matches == 1:
            self.take(rank, self.wanted.index(rank))
        elif not matches and NOTHING in self.wanted:
            self.lie_down(rank, self.wanted.index(NOTHING))
        else:
            self.turned = rank
            self.phase = CAPTURE if matches else COVER

    def lie_down(self, rank: int, spot: int) -> None:
        """Put the card that was turned up on a spot (CT-9)."""
        self._set_spot(spot, [*self.spots[spot], rank])
        self._end_turn()

    def _play(self, rank: int) -> None:
        """Take a card of `rank` out of the hand whose turn it is."""
        self.hands, self.hidden = self.hands[:], self.hidden[:]
        self.hands[self.turn] = hand = self.hands[self.turn][:]
        hand[rank] -= 1
        self.hidden[rank] -= 1
        self.in_hands -= 1

    def over(self) -> bool:
        """Return whether the last hand card is played, or nothing is left to be captured (CT-11)."""
        return self.phase == OVER or self.turns >= self.most or (not self.cards and self.wanted == ALL_EMPTY)

    def play_on(self) -> None:
        """Make usual moves until a card is to be turned up, or the game is over."""
        while HAND <= self.phase <= COVER and not self.over():
            self.usual_move()

    def usual_move(self) -> None:
        """Make the move that the sensible bot would make, or one that it finds equally good.

        The risk of a card is the number of points that it is likely to bring the others.
        """
        own, wanted, hidden = self.hands[self.turn], self.wanted, self.hidden
        held = self.in_hands - sum(own)
        unseen = held + self.cards
        elsewhere = 1.0 - held / unseen if unseen else 1.0  # the chance that the others do not hold an unseen card
        risks = [PAIRS[rank] * (1.0 - elsewhere ** (hidden[rank] - own[rank])) for rank in wanted]
        if self.phase == HAND:
            spot = best_spot([PAIRS[rank] + risks[spot] if own[rank] else 0.0 for spot, rank in enumerate(wanted)])
            if spot is not None:
                rank = wanted[spot]
                self._play(rank)
                self.take(rank, spot)
                return
            rank = min(
                [rank for rank in RANKS if own[rank]],
                key=lambda each: PAIRS[each] * (1.0 - elsewhere ** (hidden[PARTNER[each]] - own[PARTNER[each]])),
            )
            self._play(rank)
            self._set_spot(place := self._place(risks), [*self.spots[place], rank])
            self._next_card()
            return
        rank, self.turned = self.turned, NOTHING
        if self.phase == CAPTURE:
            self.take(rank, wanted.index(rank))
        else:
            self.lie_down(rank, self._place(risks))

    def _place(self, risks: Sequence[float]) -> int:
        """Return the first empty spot, or else the one with the greatest risk."""
        return self.wanted.index(NOTHING) if NOTHING in self.wanted else risks.index(max(risks))


def best_spot(worth: Sequence[float]) -> int | None:
    """Return the first spot that is worth the most, or None if none is worth anything."""
    most = max(worth)
    return worth.index(most) if most else None


def of_couple(rank: int, ranks: int, partners: int, around: int, partners_around: int) -> list[float]:
    """Return the features of a hand that come from its cards of `rank` and of the rank that captures it.

    `ranks` and `partners` are the numbers of these cards in the hand, and `around` and `partners_around` are the
    numbers of those that nobody has captured.
    """
    pair = PAIRS[rank]
    sides = [(ranks, partners_around - partners, around), (partners, around - ranks, partners_around)]
    if rank == PARTNER[rank]:
        sides = [(ranks, around - ranks, around)]
    cards = [0.0, 0.0, 0.0]
    supplied = balanced = lone = held = 0.0
    for number, supply, alike in sides:
        if number:
            cards[SORT[pair]] += number
            supplied += number * pair * supply / 10
            balanced += number * pair * supply / (supply + alike)
            lone += 0.0 if supply else number * pair
            held += 1.0
    return [*cards, supplied, balanced, lone, held]


def worth_of_couples(weights: Sequence[float]) -> Callable[[int, int, int, int, int], float]:
    """Return `of_couple`, weighted and remembered."""
    return cache(lambda *couple: sum(map(mul, weights, of_couple(*couple))))


class ChineseTenValue(ValueFunction):
    """Points, what the hands are likely to capture, and what lies on the table for whom."""

    names = ("points", *IN_HAND, "best", "every", "flips", "to_flip", "turns_left")
    spreads = ("cards_left", "one")

    def position(self, state: State) -> Position:
        """Return the position before the next card is turned up, after the usual move if one is due."""
        position = Position.of(state)
        position.play_on()
        return position

    def settled(self, position: Position) -> Sequence[int] | None:
        """Return the places if the game is over (CT-13)."""
        return placings(position.points, best="highest") if position.over() else None

    def known(self, position: Position) -> list[float] | None:
        """Return the values once the last turn has only flips to come."""
        if position.over() or position.turns < position.most - 1:
            return super().known(position)
        return after_flips(position)

    def spread(self, position: Position) -> list[float]:
        """Return the number of hand cards that each player has left."""
        return [position.in_hands / position.seats, 1.0]

    def features(self, position: Position) -> list[list[float]]:
        """Return the features of each seat."""
        around = position.around
        rows = []
        for seat, hand in enumerate(position.hands):
            couples = [of_couple(a, hand[a], hand[b], around[a], around[b]) for a, b in COUPLES if hand[a] or hand[b]]
            held = [sum(each) for each in zip(*couples, strict=True)] or [0.0] * len(IN_HAND)
            rows.append([float(position.points[seat]), *held, *on_table(position, seat)])
        return rows

    @once
    def _worth(self) -> Callable[[int, int, int, int, int], float]:
        """`of_couple`, weighted and remembered."""
        return worth_of_couples(self.weights[1 : 1 + len(IN_HAND)])

    def strengths(self, position: Position) -> list[float]:
        """Return w·f for each seat. It is much faster than `features`."""
        worth, around, points = self._worth, position.around, self.weights[0]
        weights = self.weights[1 + len(IN_HAND) :]
        found = []
        for seat, hand in enumerate(position.hands):
            strength = points * position.points[seat] + sum(map(mul, weights, on_table(position, seat)))
            for a, b in COUPLES:
                if hand[a] or hand[b]:
                    strength += worth(a, hand[a], hand[b], around[a], around[b])
            found.append(strength)
        return found

    def draws(self, state: State, event: Event, dealer: Dealer, memory: dict[str, Any]) -> Iterator[Draw]:
        """Yield the draw of a card that is turned up from the deck (CT-8)."""
        if event[0] not in ("took", "placed", "flipped") or state.flipped >= 0:
            return
        before = Position.of(state)
        possible = []
        actual: list[float] = []
        for rank in RANKS:
            if before.deck[rank]:
                position = before.copy()
                position.turn_up(rank)
                position.play_on()
                values = self.values_of(position)
                possible.append((float(before.deck[rank]), values))
                if rank == event[2] >> 2:
                    actual = values
        yield Draw(actual, possible)


def after_flips(position: Position, found: dict[tuple[int, ...], list[float]] | None = None) -> list[float]:
    """Return the mean value over all cards that may still be turned up in the last turn (CT-8).

    A card that captures nothing ends the game, whatever it is. Captures in another order lead to the same position, so
    what is `found` after some is remembered by the cards that are left on each spot.
    """
    places = placings(position.points, best="highest")
    values = [points_share(places, seat) for seat in range(position.seats)]
    if position.over():
        return values
    found = {} if found is None else found
    left = tuple(map(len, position.spots))
    if left not in found:
        deck, wanted, ending = position.deck, position.wanted, position.cards
        possible: list[tuple[float, list[float]]] = []
        for rank in RANKS:
            if deck[rank] and rank in wanted:
                after = position.copy()
                after.turn_up(rank)
                after.play_on()
                possible.append((float(deck[rank]), after_flips(after, found)))
                ending -= deck[rank]
        found[left] = expectation([*possible, (float(ending), values)])
    return found[left]


def on_table(position: Position, seat: int) -> list[float]:
    """Return the features that come from the table: what a seat can capture, when it plays, what a flip brings."""
    wanted, hand = position.wanted, position.hands[seat]
    able = [PAIRS[rank] for rank in wanted if hand[rank]]
    ahead = (seat - position.turn) % position.seats
    flips = 0.0
    if not ahead and position.cards:
        deck = position.deck
        flips = sum([deck[rank] * PAIRS[rank] for rank in set(wanted)]) / position.cards
    return [
        float(max(able, default=0)) if ahead == 1 else 0.0,
        float(sum(able)),
        flips,
        0.0 if ahead else 1.0,
        (position.seats - ahead) / position.seats if position.in_hands else 0.0,
    ]
