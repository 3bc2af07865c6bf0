"""The value function of Palace."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from math import exp, sqrt
from operator import mul
from typing import Any, Final

from scorebook_games.cards import ACE, JACK, KING, QUEEN, TEN
from scorebook_games.contract import Dealer, Event, placings
from scorebook_games.kinds.palace.decide import worst
from scorebook_games.kinds.palace.rules import pack_of
from scorebook_games.kinds.palace.state import (
    CHOOSE,
    DRAWN,
    EMPTY,
    GONE,
    JOKER,
    LOOK,
    NO_CARD,
    NOBODY,
    OVER,
    PALACE,
    PLAY,
    RANK_COUNT,
    REFILL,
    SET,
    TWO,
    WILDS,
    PalaceState,
)
from scorebook_games.value import EVEN, LEAST_SPREAD, Draw, ValueFunction, expectation, once

RANKS: Final = range(RANK_COUNT)
ORDINARY: Final = (2, 3, 4, 5, 6, 7, 8, JACK, QUEEN, KING)  # lowest first
CLEARING: Final = (TEN, JOKER)
STRENGTH: Final = (10, 11, 0, 1, 2, 3, 4, 5, 6, 12, 7, 8, 9, 13)  # by rank, as in the sensible plan
LOWEST: Final = (2, 3)  # a set of these is played before a long pile is cleared with a wild card
LONG: Final = 10  # cards of a pile that the sensible bot clears with a wild card
NOTHING: Final = [0] * RANK_COUNT
NONE: Final = -1
SURE: Final = 0.99  # how sure each usual move is of which the end of a game depends
MOVES: Final = 100  # usual moves that are played on at most: two players who lead aces at each other never end
LEAVES: Final = 36  # positions that a value at the end of a game is the mean of, at most
LATE: Final = 6  # cards of the stack for each seat; with fewer, it becomes late in the game
MANY: Final = 8  # cards that are a large hand at the end
CACHED: Final = 1 << 12  # hands whose worth is remembered
REMEMBERED: Final = 256  # positions whose value is remembered

RETURNED: Final = "returned"  # memory: the places in the stack of cards that were turned up and went back
KNOWN: Final = "known"  # memory: whether the stack is known to hold only wild cards

STAGES: Final = ("early", "late", "end")
# The features of cards: how many ordinary ranks and cards, their strength, then the wild cards.
ZONE: Final = ("distinct", "ordinary", "high", "aces", "twos", "tens", "jokers", "any_ace", "any_two", "any_clearing")
AT_STACK: Final = ("excess", "due", "turn", "pile", "blocked_pile")  # while the stack lasts
AT_END: Final = (
    "end_turn",
    "end_pile",
    "end_blind_pile",
    "end_fit",
    "end_unders",
    "end_empty",
    "end_looking",
    "end_known",
    "end_few",
    "end_waits",
    "end_one_under",
    "end_many",
)
NO_STACK: Final = [0.0] * len(AT_STACK)
NO_END: Final = [0.0] * len(AT_END)


class Position:
    """What of a state can matter, with ranks for cards. It makes and plays moves without checking them.

    `hands[seat][rank]` counts the seat's cards, `piled` those of the discard pile, and `hidden` those that nobody has
    seen, in the stack and in under palaces. `stack` is the number of cards in the stack. `due` cards are to be drawn by
    `drawer`. `upper` has ranks, and `known` the rank of a last face-down card that everybody has seen. The rest is as
    in `PalaceState`. A copy shares lists with its original until one of them changes.
    """

    __slots__ = (
        "calls",
        "chanced",
        "current",
        "direction",
        "drawer",
        "due",
        "fits",
        "fresh",
        "hands",
        "held",
        "hidden",
        "known",
        "last",
        "left_starts",
        "made",
        "must",
        "out",
        "owed",
        "phase",
        "piled",
        "plays_on",
        "resets",
        "reverses",
        "run",
        "seats",
        "size",
        "stack",
        "thrower",
        "thrown",
        "top",
        "turn",
        "turns",
        "uncalled",
        "unders",
        "upper",
    )

    hands: list[list[int]]
    held: list[int]
    upper: list[list[int]]
    unders: list[int]
    known: list[int]
    hidden: list[int]
    piled: list[int]
    out: list[int]
    fits: list[list[int]]
    seats: int
    stack: int
    due: int
    drawer: int
    size: int  # of the discard pile
    last: int  # turn that the game can have
    phase: int
    turn: int
    turns: int
    direction: int
    current: int
    top: int
    run: int
    must: int
    owed: int
    chanced: int
    thrower: int
    thrown: int
    fresh: int
    uncalled: int
    resets: bool
    reverses: bool
    calls: bool
    plays_on: bool  # for places (PA-23)
    left_starts: bool
    made: int  # usual moves, which players may not make

    @classmethod
    def of(cls, state: PalaceState) -> Position:
        """Return the position of a state. After a play, cards may be due (PA-15)."""
        new = cls()
        new.seats, new.phase, new.turn, new.turns = state.seats, state.phase, state.turn, state.turns
        new.direction, new.last, new.fits = state.direction, state.turn_limit, state.fits
        new.resets, new.reverses, new.calls = state.resets, state.reverses, state.calls
        new.plays_on = state.play_on
        new.left_starts = state.options["start"] == "left"
        new.hands = [[len(cards) for cards in hand] for hand in state.hands]
        new.held = state.held[:]
        new.upper = [[card >> 2 for card in cards] for cards in state.upper]
        new.unders = state.unders[:]
        new.known = [NONE] * state.seats
        new.hidden = [0] * RANK_COUNT
        for card in state.stack[state.at :]:
            new.hidden[card >> 2] += 1
        for seat, cards in enumerate(state.under):
            for card in cards:
                if card != GONE:
                    if state.known[seat]:
                        new.known[seat] = card >> 2
                    else:
                        new.hidden[card >> 2] += 1
        new.stack = len(state.stack) - state.at
        new.piled = [0] * RANK_COUNT
        for card in state.pile:
            new.piled[card >> 2] += 1
        new.size = len(state.pile)
        new.current, new.top, new.run = state.current, state.top, state.run
        new.must, new.owed = state.must, state.owed
        new.chanced = state.chanced >> 2 if state.chanced != NO_CARD else NONE
        new.thrower, new.thrown, new.fresh = state.thrower, state.thrown, state.fresh
        new.uncalled, new.out = state.uncalled, state.out[:]
        new.due, new.drawer, new.made = 0, NOBODY, 0
        if new.stack:
            for seat, held in enumerate(new.held):
                if held < REFILL:
                    new.due, new.drawer = min(REFILL - held, new.stack), seat
        return new

    def copy(self) -> Position:
        """Return an independent copy."""
        new = Position()
        new.seats, new.phase, new.turn, new.turns = self.seats, self.phase, self.turn, self.turns
        new.direction, new.last, new.fits = self.direction, self.last, self.fits
        new.resets, new.reverses, new.calls = self.resets, self.reverses, self.calls
        new.plays_on, new.left_starts = self.plays_on, self.left_starts
        new.hands, new.held, new.upper = self.hands, self.held, self.upper
        new.unders, new.known = self.unders, self.known
        new.hidden, new.stack, new.piled, new.size = self.hidden, self.stack, self.piled, self.size
        new.current, new.top, new.run, new.must, new.owed = self.current, self.top, self.run, self.must, self.owed
        new.chanced, new.thrower, new.thrown, new.fresh = self.chanced, self.thrower, self.thrown, self.fresh
        new.uncalled, new.out, new.due, new.drawer = self.uncalled, self.out, self.due, self.drawer
        new.made = self.made
        return new

    def draw(self, rank: int) -> None:
        """Let the seat that refills its hand draw a card of `rank` (PA-15)."""
        seat = self.drawer
        self._reveal(rank)
        self.stack -= 1
        self.due -= 1
        self._add(seat, rank)
        if seat == self.thrower and rank == self.thrown:
            self.fresh += 1

    def chance(self, rank: int) -> None:
        """Draw a card of `rank` unseen (PA-9)."""
        self._reveal(rank)
        self.stack -= 1
        self.chanced = rank
        self.phase = DRAWN
        self._close_window()

    def turn_up(self, rank: int, declared: int = 1) -> None:
        """Turn up a face-down card of `rank`. It is played, or comes into the hand with the pile (PA-19 to PA-21)."""
        seat = self.turn
        if self.known[seat] == NONE:
            self._reveal(rank)
        if rank not in self.fits[self.current]:
            if self.unders[seat] == 1:
                self.known = self.known[:]
                self.known[seat] = rank
            else:
                self._take_under(seat)
                self._add(seat, rank)
            self.take()
            return
        self._take_under(seat)
        clears = self._put(rank, 1)
        self._leave(seat, declared)
        if self.unders[seat] < 2:
            self._go_on(seat, rank, clears)
            return
        self._close_window()
        self.thrown = rank
        self.phase = LOOK
        self.owed = int(self._grants(rank, clears))
        self.must = int(self.owed and not clears)

    def look(self, rank: int) -> None:
        """Look at a face-down card of `rank`, which comes into the hand (PA-20)."""
        seat, thrown = self.turn, self.thrown
        self._reveal(rank)
        self._take_under(seat)
        self._add(seat, rank)
        if self.owed:
            self.owed = 0
            self.phase = PLAY
            self._close_window()
            return
        self._pass_turn(seat)
        self.thrower, self.thrown, self.fresh = seat, thrown, int(rank == thrown)

    def fits_chanced(self) -> bool:
        """Return whether the chanced card may be played."""
        return self.chanced in self.fits[self.current]

    def answer(self) -> None:
        """Play the chanced card if it fits, else keep it with the pile (PA-9)."""
        fits = self.fits_chanced()
        seat, rank, self.chanced = self.turn, self.chanced, NONE
        if fits:
            self._put(rank, 1)
            self._pass_turn(seat)
        else:
            self._add(seat, rank)
            self.take()

    def take(self) -> None:
        """Take the pile and end the turn (PA-8)."""
        seat = self.turn
        self._take_pile(seat)
        self._pass_turn(seat)

    def play(self, rank: int, count: int) -> None:
        """Play hand cards (PA-6)."""
        seat = self.turn
        clears = self._discard(seat, rank, count)
        if not self.held[seat]:
            self._leave(seat)
        self._go_on(seat, rank, clears)
        self._refill(seat)

    def throw(self) -> None:
        """Throw all that may be thrown (PA-16)."""
        seat, rank, count = self.thrower, self.thrown, self.fresh
        clears = self._discard(seat, rank, count)
        if clears:
            self._close_window()
            self.turn = seat
        else:
            self.fresh = 0
            if rank == JOKER:
                self._give_turn(seat)
        if not self.held[seat]:
            self._leave(seat)
        self._refill(seat)

    def call(self) -> None:
        """Call out the first player who did not declare the last card (PA-24)."""
        owner = (self.uncalled & -self.uncalled).bit_length() - 1
        self.uncalled &= ~(1 << owner)
        self._take_pile(owner)

    def _reveal(self, rank: int) -> None:
        """Let somebody see an unseen card of `rank`."""
        self.hidden = self.hidden[:]
        self.hidden[rank] -= 1

    def _take_under(self, seat: int) -> None:
        self.unders, self.known = self.unders[:], self.known[:]
        self.unders[seat] -= 1
        self.known[seat] = NONE

    def _add(self, seat: int, rank: int) -> None:
        self.hands, self.held = self.hands[:], self.held[:]
        self.hands[seat] = hand = self.hands[seat][:]
        hand[rank] += 1
        self.held[seat] += 1

    def _discard(self, seat: int, rank: int, count: int) -> bool:
        self.hands, self.held = self.hands[:], self.held[:]
        self.hands[seat] = hand = self.hands[seat][:]
        hand[rank] -= count
        self.held[seat] -= count
        return self._put(rank, count)

    def _put(self, rank: int, count: int) -> bool:
        """Put cards on the pile, and return whether they clear it (PA-11, PA-13, PA-25)."""
        if rank == JOKER and self.reverses:
            self.direction = -self.direction
            self.top, self.run = JOKER, 0
        else:
            run = count + (self.run if rank == self.top else 0)
            if run >= SET or rank in (TEN, JOKER):
                self._empty_pile()
                return True
            self.current = self.top = rank
            self.run = run
        self.piled = self.piled[:]
        self.piled[rank] += count
        self.size += count
        return False

    def _empty_pile(self) -> None:
        self.piled, self.size, self.run = NOTHING, 0, 0
        self.current = self.top = EMPTY

    def _take_pile(self, seat: int) -> None:
        self.hands, self.held = self.hands[:], self.held[:]
        self.hands[seat] = [a + b for a, b in zip(self.hands[seat], self.piled, strict=True)]
        self.held[seat] += self.size
        self._empty_pile()

    def _close_window(self) -> None:
        self.thrower, self.thrown, self.fresh = NOBODY, EMPTY, 0

    def _grants(self, rank: int, clears: bool) -> bool:
        """Return whether a play grants another one (PA-11 to PA-13)."""
        return clears or rank == TWO or (rank == ACE and self.resets)

    def _go_on(self, seat: int, rank: int, clears: bool) -> None:
        out = seat in self.out
        if not out and self._grants(rank, clears):
            self._close_window()
            self.must = int(not clears)
            return
        self._pass_turn(seat)
        if not out and not clears:
            self.thrower, self.thrown = seat, rank

    def _pass_turn(self, seat: int) -> None:
        self._close_window()
        self.must = self.owed = 0
        self.turns += 1
        self.phase = PLAY
        self._give_turn(seat)

    def _give_turn(self, seat: int) -> None:
        turn = (seat + self.direction) % self.seats
        while turn in self.out:
            turn = (turn + self.direction) % self.seats
        self.turn = turn
        self.uncalled &= ~(1 << turn)

    def _refill(self, seat: int) -> None:
        """Wait for cards of the stack, or take up the upper palace (PA-15, PA-18)."""
        if self.stack:
            if self.held[seat] < REFILL:
                self.due, self.drawer = min(REFILL - self.held[seat], self.stack), seat
        elif not self.held[seat] and self.upper[seat]:
            for rank in self.upper[seat]:
                self._add(seat, rank)
            self.upper = self.upper[:]
            self.upper[seat] = []

    def _leave(self, seat: int, declared: int = 1) -> None:
        """Let a seat without cards leave the game (PA-22), or be called out if it did not declare the last (PA-24)."""
        if self.upper[seat]:
            return
        if not self.unders[seat]:
            self.out = [*self.out, seat]
            self.uncalled &= ~(1 << seat)
        elif self.unders[seat] == 1 and self.calls and not declared:
            self.uncalled |= 1 << seat

    def over(self) -> bool:
        """Return whether the game is over (PA-22, PA-23)."""
        if self.phase == OVER or (self.turns >= self.last and self.phase == PLAY):
            return True
        return bool(self.out) and (not self.plays_on or len(self.out) + 1 >= self.seats)

    def usual_move(self) -> bool:
        """Make the move that the sensible bot would make; return False if chance comes first."""
        if self.due or self.phase == LOOK:
            return False
        if self.phase == CHOOSE:
            self.choose()
        elif self.phase == DRAWN:
            self.answer()
        elif self.uncalled:
            self.call()
        elif self.fresh:
            self.throw()
        elif not self.held[self.turn]:
            if self.known[self.turn] == NONE:
                return False
            self.turn_up(self.known[self.turn], 1)
        else:
            rank, count = self.best()
            if count:
                self.play(rank, count)
            elif self.stack and (self.current != ACE or self.resets):
                return False
            else:
                self.take()
        return True

    def best(self) -> tuple[int, int]:
        """Return the rank and number of cards that the sensible bot would play; no cards if none may be played."""
        hand = self.hands[self.turn]
        fits = self.fits[self.current]
        if hand[ACE] + hand[TWO] + hand[TEN] + hand[JOKER] == self.held[self.turn]:
            first = CLEARING if hand[TEN] >= hand[JOKER] else CLEARING[::-1]
            for rank in (*first, TWO, ACE):
                if hand[rank] and rank in fits:
                    return rank, hand[rank]
            return NONE, 0
        rank, clears = self._ordinary(hand, fits)
        if self.size >= LONG and not (clears and rank in LOWEST):
            for wild in CLEARING:
                if hand[wild] and wild in fits:
                    return wild, 1
        if rank != NONE:
            return rank, hand[rank]
        for wild in (ACE, TWO, *CLEARING):
            if hand[wild] and wild in fits:
                return wild, 1
        return NONE, 0

    def _ordinary(self, hand: list[int], fits: list[int]) -> tuple[int, bool]:
        """Return the lowest ordinary rank that clears the pile, else the lowest that may be played, and whether it
        clears."""
        found = NONE
        for rank in ORDINARY:
            count = hand[rank]
            if count:
                fit = rank in fits
                if found == NONE and fit:
                    found = rank
                fourth = count >= SET or (rank == self.top and count + self.run >= SET)
                if fourth and (fit or self.current != ACE):
                    return rank, True
        return found, False

    def choose(self) -> None:
        """Let everybody who has not chosen lay the three strongest cards face up (PA-2, PA-4)."""
        self.hands, self.held, self.upper = self.hands[:], self.held[:], self.upper[:]
        for seat, hand in enumerate(self.hands):
            if not self.upper[seat]:
                ranks = sorted([rank for rank in RANKS for _ in range(hand[rank])], key=STRENGTH.__getitem__)[-PALACE:]
                self.hands[seat] = left = hand[:]
                for rank in ranks:
                    left[rank] -= 1
                self.held[seat] -= PALACE
                self.upper[seat] = ranks
        self.turn = 0 if self.left_starts else worst([[rank << 2 for rank in ranks] for ranks in self.upper])
        self.phase = PLAY

    def play_on(self) -> None:
        """Make usual moves until chance decides, or the game is over."""
        for made in range(MOVES):
            if self.over() or not self.usual_move():
                self.made += made
                return
        self.made += MOVES

    def key(self) -> tuple[Any, ...]:
        """Return all that distinguishes positions of one game after the stack is gone."""
        lists = (self.held, self.unders, self.known, self.hidden, self.piled, self.out, *self.hands, *self.upper)
        return (
            self.made,
            self.phase,
            self.turn,
            self.turns,
            self.direction,
            self.last,
            self.current,
            self.top,
            self.run,
            self.must,
            self.owed,
            self.thrower,
            self.thrown,
            self.fresh,
            self.uncalled,
            self.chanced,
            self.resets,
            self.reverses,
            self.calls,
            self.plays_on,
            *map(tuple, lists),
        )

    def waits(self) -> bool:
        """Return whether a face-down card comes next that nobody has seen, once the stack is gone."""
        if self.phase != PLAY:
            return self.phase == LOOK
        return not (self.held[self.turn] or self.uncalled or self.fresh) and self.known[self.turn] == NONE

    def outcomes(self) -> list[tuple[float, Position]]:
        """Return what the next face-down card may lead to after usual moves, with weights."""
        move = Position.look if self.phase == LOOK else Position.turn_up
        found = []
        for rank, count in enumerate(self.hidden):
            if count:
                position = self.copy()
                move(position, rank)
                position.play_on()
                found.append((float(count), position))
        return found


def worth_of_zone(weights: Sequence[float], place: int) -> Callable[[tuple[int, ...]], list[float]]:
    """Return what cards in hand (`place` 0) or in the upper palace (1) are worth by stage, weighted and remembered."""
    count = len(ZONE)
    starts = [count * (2 * stage + place) for stage in range(len(STAGES))]
    parts = [weights[start : start + count] for start in starts]
    return lru_cache(CACHED)(
        lambda ranks: [sum(map(mul, each, zone(counted(ranks) if place else ranks))) for each in parts]
    )


class PalaceValue(ValueFunction):
    """Cards by their worth, and who is to move with what; at the end of a game, what may be turned up next."""

    names = (
        *[f"{stage}_{place}_{name}" for stage in STAGES for place in ("hand", "upper") for name in ZONE],
        *AT_STACK,
        *AT_END,
    )
    spreads = (*STAGES, "unders")
    by_share = True

    def position(self, state: PalaceState) -> Position:
        """Return the position before chance decides again, after usual moves if some are due."""
        position = Position.of(state)
        position.play_on()
        return position

    def settled(self, position: Position) -> Sequence[int] | None:
        """Return the places if the game is over (PA-22, PA-23)."""
        if not position.over():
            return None
        out = position.out
        if out and not position.plays_on:
            return [1 if seat == out[0] else 2 for seat in range(position.seats)]
        ranked = []
        for seat in range(position.seats):
            cards = position.held[seat] + len(position.upper[seat]) + position.unders[seat]
            cards += position.due * (seat == position.drawer) + (position.chanced != NONE and seat == position.turn)
            ranked.append(out.index(seat) - position.seats if seat in out else cards)
        return placings(ranked, best="lowest")

    def spread(self, position: Position) -> list[float]:
        """Return which stage it is, and the share of face-down cards that is left at the end.

        Unless the rest play on, all others tie when one is out (PA-23). So the more seats there are, the more duels
        are drawn.
        """
        unders = 0.0 if position.stack else sum(position.unders) / (PALACE * position.seats)
        wider: float = 1.0 if position.plays_on else sqrt(position.seats / 2)
        return [wider * each for each in (*stages(position), unders)]

    def features(self, position: Position) -> list[list[float]]:
        """Return the features of each seat."""
        rows = []
        parts = stages(position)
        for seat, hand in enumerate(position.hands):
            cards = [*zone(tuple(hand)), *zone(counted(tuple(position.upper[seat])))]
            row = [part * each for part in parts for each in cards]
            if position.stack:
                rows.append([*row, *at_stack(position, seat), *NO_END])
            else:
                rows.append([*row, *NO_STACK, *at_end(position, seat)])
        return rows

    @once
    def _worths(self) -> list[Callable[[tuple[int, ...]], list[float]]]:
        """What cards in hand and in the upper palace are worth by stage, weighted and remembered."""
        return [worth_of_zone(self.weights, 0), worth_of_zone(self.weights, 1)]

    @once
    def _at_stack(self) -> list[float]:
        """The weights of `AT_STACK`."""
        return self.weights[-len(AT_STACK) - len(AT_END) : -len(AT_END)]

    @once
    def _at_end(self) -> list[float]:
        """The weights of `AT_END`."""
        return self.weights[-len(AT_END) :]

    def strengths(self, position: Position) -> list[float]:
        """Return w·f for each seat. It is much faster than `features`."""
        in_hand, in_upper = self._worths
        parts = stages(position)
        situation = at_stack if position.stack else at_end
        weights = self._at_stack if position.stack else self._at_end
        found = []
        for seat, hand in enumerate(position.hands):
            strength = sum(map(mul, parts, in_hand(tuple(hand)))) + sum(map(mul, weights, situation(position, seat)))
            if position.upper[seat]:
                strength += sum(map(mul, parts, in_upper(tuple(position.upper[seat]))))
            found.append(strength)
        return found

    def values_of(self, position: Position) -> list[float]:
        """Return the value of a position for each seat. If only one can win (PA-23), their chances sum to 1."""
        if position.over() and position.made:
            sure = SURE**position.made
            return [EVEN + sure * (each - EVEN) for each in super().values_of(position)]
        if position.plays_on or position.seats == 2 or position.over():
            return super().values_of(position)
        scale = sqrt(max(LEAST_SPREAD, sum(map(mul, self.spread_weights, self.spread(position)))))
        strengths = self.strengths(position)
        best = max(strengths)
        odds = [exp(2 * (strength - best) / scale) for strength in strengths]
        whole = sum(odds)
        loser = EVEN * (position.seats - 2) / (position.seats - 1)
        return [loser + (1 - loser) * each / whole for each in odds]

    def values(self, state: PalaceState, memory: Mapping[str, Any] | None = None) -> list[float]:
        """Return the value of `state` for each seat."""
        return self.expected(self.position(state))

    def expected(self, position: Position) -> list[float]:
        """Return the value of a position. Once the stack is gone, it is the mean over face-down cards to come."""
        if position.stack or position.over():
            return self.values_of(position)
        key = position.key()
        found = self._remembered.get(key)
        if found is None:
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            found = self._remembered[key] = self._mean(position, LEAVES)
        return found

    @once
    def _remembered(self) -> dict[tuple[Any, ...], list[float]]:
        """Values of `expected`: nothing else decides a value, whatever was computed before."""
        return {}

    def _mean(self, position: Position, leaves: int) -> list[float]:
        """Return the mean value over what comes next, and so on while these are no more positions than `leaves`."""
        branches = RANK_COUNT - position.hidden.count(0)
        if branches > leaves or position.over() or not position.waits():
            return self.values_of(position)
        return expectation([(weight, self._mean(child, leaves // branches)) for weight, child in position.outcomes()])

    def draws(self, state: PalaceState, event: Event, dealer: Dealer, memory: dict[str, Any]) -> Iterator[Draw]:
        """Yield cards of the stack (PA-9, PA-15), and face-down cards when somebody sees them (PA-19, PA-20).

        All cards that nobody has seen are equally likely, except that those which were turned up and went back (PA-3)
        lie in the stack. A pile that starts empty tells everybody that the stack holds only wild cards. Then nothing
        counts as luck, which is fair and too rare to matter.
        """
        if not memory:
            memory[KNOWN] = len(state.stack) + (2 * PALACE + PALACE) * state.seats == len(pack_of(state.options))
            memory[RETURNED] = returned_places(state, dealer)
        if memory[KNOWN]:
            return
        kind: str = event[0]
        if kind == "drew":
            yield from self._from_stack(state, event[1], event[2], memory[RETURNED])
        elif kind == "chanced":
            yield from self._from_stack(state, NOBODY, event[2:], memory[RETURNED])
        elif kind in ("looked", "turned", "failed") and not state.known[event[1]]:
            move = Position.look if kind == "looked" else partial(Position.turn_up, declared=event[5])
            before = Position.of(state)
            yield self._card(before, move, event[3] >> 2, [float(count) for count in before.hidden])

    def _from_stack(
        self, state: PalaceState, drawer: int, cards: Sequence[int], returned: Collection[int]
    ) -> Iterator[Draw]:
        """Yield the draws of cards from the stack, one after the other; NOBODY draws a chanced one."""
        before = Position.of(state)
        move = Position.chance if drawer == NOBODY else Position.draw
        before.due, before.drawer = 0 if drawer == NOBODY else len(cards), drawer
        for place, card in enumerate(cards, state.at):
            lying = [state.stack[each] >> 2 for each in returned if each >= place]
            yield self._card(before, move, card >> 2, in_stack(before, lying))
            move(before, card >> 2)

    def _card(
        self, before: Position, move: Callable[[Position, int], None], came: int, weights: Sequence[float]
    ) -> Draw:
        """Return the draw of a card by `move`, where each rank has a weight."""
        possible = []
        actual: list[float] = []
        for rank, weight in enumerate(weights):
            if weight:
                position = before.copy()
                move(position, rank)
                position.play_on()
                values = self.expected(position)
                possible.append((weight, values))
                if rank == came:
                    actual = values
        return Draw(actual, possible)


def returned_places(state: PalaceState, dealer: Dealer) -> set[int]:
    """Return where in the stack the cards lie that were turned up before the first and went back (PA-3).

    With several packs or jokers, others may look alike. Then a lot says which one it was.
    """
    places = set()
    for card in state.turned:
        able = [place for place, other in enumerate(state.stack) if other == card]
        places.add(able[dealer.integers("", [len(able)])[0]])
    return places


def in_stack(position: Position, lying: Sequence[int]) -> list[float]:
    """Return for each rank how likely it is the next card of the stack, times any number.

    Cards of the ranks `lying` are known to be in the stack. The others that nobody has seen may also be in under
    palaces.
    """
    weights = [float(count) for count in position.hidden]
    if lying:
        share = (position.stack - len(lying)) / (sum(position.hidden) - len(lying))
        for rank in RANKS:
            known = lying.count(rank)
            weights[rank] = known + (weights[rank] - known) * share
    return weights


def stages(position: Position) -> list[float]:
    """Return how far it is early in the game, late, or at its end when the stack is gone."""
    if not position.stack:
        return [0.0, 0.0, 1.0]
    early = min(1.0, position.stack / (LATE * position.seats))
    return [early, 1.0 - early, 0.0]


@lru_cache(CACHED)
def zone(counts: tuple[int, ...]) -> list[float]:
    """Return the features of cards, given as their number by rank, in the order of `ZONE`."""
    distinct = high = ordinary = 0
    for rank in ORDINARY:
        count = counts[rank]
        if count:
            distinct += 1
            ordinary += count
            high += count * STRENGTH[rank]
    wild = [float(counts[rank]) for rank in WILDS]
    aces, twos, tens, jokers = wild
    return [
        float(distinct),
        float(ordinary),
        high / 10,
        *wild,
        float(aces > 0),
        float(twos > 0),
        float(tens + jokers > 0),
    ]


def counted(ranks: Sequence[int]) -> tuple[int, ...]:
    """Return the number of cards of each rank."""
    return tuple([ranks.count(rank) for rank in RANKS])


def at_stack(position: Position, seat: int) -> list[float]:
    """Return the features of a seat that come from the table while the stack lasts, in the order of `AT_STACK`."""
    mine = seat == position.turn
    hand, pile = position.hands[seat], mine * position.size / 10
    blocked = mine and not any(hand[rank] for rank in position.fits[position.current])
    return [
        max(0.0, position.held[seat] - REFILL - position.stack / position.seats),
        float(position.due * (seat == position.drawer)),
        float(mine),
        pile,
        pile if blocked else 0.0,
    ]


def at_end(position: Position, seat: int) -> list[float]:
    """Return the features of a seat that come from the table once the stack is gone, in the order of `AT_END`."""
    mine = seat == position.turn
    pile = mine * position.size / 10
    held, unders = position.held[seat], position.unders[seat]
    fit = 0.0
    if mine and not held:
        hidden = position.hidden
        fit = sum([hidden[rank] for rank in position.fits[position.current]]) / (sum(hidden) or 1)
    return [
        float(mine),
        pile,
        pile * (1 - fit) if mine and not held else 0.0,
        fit,
        float(unders),
        float(not held),
        float(mine and position.phase == LOOK),
        float(position.known[seat] != NONE),
        float(0 < held <= 2),
        float(unders == 1 and not held and not position.upper[seat] and not mine),
        float(unders <= 1),
        float(max(0, held - MANY)),
    ]
