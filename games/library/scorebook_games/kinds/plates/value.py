"""The value function of Plates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import tanh
from typing import Any, Final, NamedTuple

from scorebook_games.contract import Dealer, Event, placings
from scorebook_games.kinds.plates.rules import (
    ACE,
    ADD,
    EMPTY,
    GONE,
    NOBODY,
    PLAY,
    SCORED,
    SET,
    UNSEEN,
    VALUES,
    PlatesState,
    deal,
    leader_of,
)
from scorebook_games.value import Draw, NetworkValue, once

Facts = tuple[int, ...]

RANKS: Final = range(13)
# Cards are counted in one number: four bits for each rank, of which there are at most twelve cards.
BITS: Final = 4
COUNT: Final = 15
ONES: Final = sum([1 << BITS * rank for rank in RANKS])
# By the top of the plate, the bits of the ranks that may be placed on it (PL-8, PL-9).
ABLE: Final = [ONES * COUNT >> BITS * (12 - top) for top in RANKS] + [ONES * COUNT]
LOW: Final = sum([COUNT << BITS * rank for rank in (1, 2, 3, 4)])  # the bits of 2 to 5
DEALS: Final = 4  # imagined deals with which one is compared, each with every seat in every place
NEAR_OUT: Final = 4  # cards
MOVES: Final = 100  # that are played on at most
# By scenario and by the number of unseen cards that a seat has left: which of the hidden cards, from the lowest to the
# highest rank, comes next.
SCENARIOS: Final = [(0.42, 0.80, 0.18, 0.56), (0.58, 0.20, 0.82, 0.44)]
EXACT_ROUNDS: Final = 1  # with fewer rounds to follow, the last unseen card is reckoned with exactly
UNIT: Final = 30.0  # points
MOST: Final = 4.0
REMEMBERED: Final = 1 << 16
REMEMBERED_CARDS: Final = 100


class Position:
    """What of a state can matter, with ranks for cards. It makes and plays moves without checking them.

    Cards are packed (`packed`): all that a seat knows of its own in `hands`, its revealed ones also in `open`, those of
    the plate in `plate`, and in `hidden` all that nobody has seen. `down` is the number of each seat's unseen cards,
    `totals` are the points of scored rounds, and `rounds` is how many rounds follow. In the phase SCORED, `hands` are
    what has been seen of the hands that are left. The rest is as in `PlatesState`.
    """

    __slots__ = (
        "down",
        "hands",
        "hidden",
        "last",
        "limit",
        "open",
        "out",
        "phase",
        "plate",
        "rounds",
        "run",
        "seats",
        "top",
        "totals",
        "turn",
        "turns",
    )

    hands: list[int]
    open: list[int]
    down: list[int]
    totals: list[int]
    hidden: int
    plate: int
    seats: int
    rounds: int
    limit: int  # of turns in a round
    turns: int
    turn: int
    phase: int
    top: int
    run: int
    out: int
    last: int

    @classmethod
    def of(cls, state: PlatesState) -> Position:
        """Return the position of a state."""
        new = cls()
        new.seats, new.turn, new.turns, new.limit = state.seats, state.current, state.turns, state.turn_limit
        new.out, new.last, new.top, new.run, new.phase = state.out, state.last, state.top, state.run, state.phase
        new.rounds = state.rounds - state.round
        new.totals = [sum(points) for points in zip(*state.scores, strict=True)] or [0] * state.seats
        if state.phase not in (PLAY, ADD):
            new.phase = SCORED
            new.hands = new.open = new.down = [0] * state.seats
            new.plate = new.hidden = 0
            return new
        new.open = [packed(cards) for cards in state.revealed]
        new.hands = [packed(cards) + shown for cards, shown in zip(state.primary, new.open, strict=True)]
        unseen = [[card for card in cards if card != GONE] for cards in state.unseen]
        new.down = [len(cards) for cards in unseen]
        new.hidden = packed(state.aside) + sum([packed(cards) for cards in unseen])
        new.plate = packed(state.plate)
        if (state.out != NOBODY and not state.last) or state.turns >= state.turn_limit:
            new.phase = SCORED
        elif state.phase == ADD and len(state.plate) > 1 and state.plate[-1] >> 2 > state.plate[-2] >> 2:
            new._take(new.plate)
        return new

    def copy(self) -> Position:
        """Return an independent copy."""
        new = Position()
        new.hands, new.open, new.down, new.totals = self.hands[:], self.open[:], self.down[:], self.totals
        new.seats, new.rounds, new.limit, new.hidden = self.seats, self.rounds, self.limit, self.hidden
        new.plate, new.top, new.run, new.phase = self.plate, self.top, self.run, self.phase
        new.out, new.last, new.turn, new.turns = self.out, self.last, self.turn, self.turns
        return new

    def facts(self) -> Facts:
        """Return all that the value of the position depends on."""
        cards = *self.hands, *self.open, *self.down, *self.totals, self.hidden, self.plate
        rest = self.rounds, self.limit, self.turns, self.turn, self.phase, self.top, self.run, self.out, self.last
        return *cards, *rest

    def deal(self, dealt: Event) -> None:
        """Begin a round with the hands of a deal (PL-3)."""
        _, _, _, leader, primary, revealed, unseen, aside = dealt
        self.open = [packed(cards) for cards in revealed]
        self.hands = [packed(cards) + shown for cards, shown in zip(primary, self.open, strict=True)]
        self.down = [UNSEEN] * self.seats
        self.hidden = packed(aside) + sum([packed(cards) for cards in unseen])
        self.rounds -= 1
        self.plate = self.run = self.turns = self.last = 0
        self.turn, self.top, self.out, self.phase = leader, EMPTY, NOBODY, PLAY

    def turn_up(self, rank: int) -> None:
        """Turn up an unseen card of `rank`."""
        self.hidden -= 1 << BITS * rank
        self._turned(rank)

    def _turned(self, rank: int) -> None:
        """Let an unseen card stand, or take the plate (PL-17, PL-18)."""
        self.down[self.turn] -= 1
        if rank > self.top:
            self._take(self.plate + (1 << BITS * rank))
        else:
            self.plate += 1 << BITS * rank
            self.run = 1 + self.run if rank == self.top else 1
            self.top, self.phase = rank, ADD

    def show(self, seat: int, rank: int) -> None:
        """Show that one of the unseen cards left to `seat` has this rank (PL-21)."""
        self.hands[seat] += 1 << BITS * rank
        self.hidden -= 1 << BITS * rank
        self.down[seat] -= 1

    def _take(self, cards: int) -> None:
        self.hands[self.turn] += cards
        self.plate = self.run = 0
        self.top, self.phase = EMPTY, PLAY

    def _place(self, rank: int, count: int, clears: bool) -> None:
        """Complete a play with `count` cards of one rank: all of the hand, or one, a revealed one first."""
        seat = self.turn
        cards = count << BITS * rank
        self.hands[seat] = left = self.hands[seat] - cards
        shown = self.open[seat]
        if shown and (same := shown & COUNT << BITS * rank):
            self.open[seat] = shown - min(same, cards)
        if clears:
            self.plate = self.run = 0
            self.top = EMPTY
        elif count:
            self.plate += cards
            self.run = count + self.run if rank == self.top else count
            self.top = rank
        self.phase = PLAY
        self.turns += 1
        if not left and not self.down[seat]:
            self._end_turn(out=True)
        elif not clears:
            self._end_turn(out=False)
        if self.turns >= self.limit:
            self.phase = SCORED

    def _end_turn(self, *, out: bool) -> None:
        """Pass the turn (PL-20)."""
        if self.out != NOBODY:
            self.last -= 1
            if not self.last:
                self.phase = SCORED
        elif out:
            self.out, self.last = self.turn, self.seats - 1
        self.turn = (self.turn + 1) % self.seats

    def play_on(self) -> None:
        """Make usual moves until an unseen card is to be turned up, or the round is over."""
        moves = 0
        while self.phase != SCORED and moves < MOVES and self.usual_move():
            moves += 1

    def outlook(self, scenario: Sequence[float], ranks: Sequence[int]) -> Position:
        """Return the end of the round if `scenario` decides which of the hidden cards, with these `ranks`, come."""
        end = self.copy()
        for _ in range(sum(self.down)):
            left = end.down[end.turn]
            if end.phase == SCORED or end.open[end.turn] or not left:
                break
            end._turned(ranks[int(len(ranks) * scenario[left - 1])])
            end.play_on()
        return end

    def usual_move(self) -> bool:
        """Make the move that the sensible bot would make, or one that it finds about as good.

        Return False, and do nothing, if it would turn up an unseen card.
        """
        seat, top = self.turn, self.top
        able = self.hands[seat] & ABLE[top]
        same = able >> BITS * top & COUNT
        if self.phase == ADD:
            self._place(top, same, top == ACE or same + 1 >= SET or self.run + same >= SET)
        elif self.last and able & COUNT:
            self._place(ACE, able & COUNT, True)
        elif same and self.run + same >= SET:
            self._place(top, same, True)
        elif sets := (able >> 2 | able >> 3) & ONES & ~1:  # the ranks of which there are four or more
            rank = sets.bit_length() // BITS
            self._place(rank, able >> BITS * rank & COUNT, True)
        elif self.down[seat] and not self.open[seat]:
            return False
        elif able > COUNT:
            rank = most_shed(able) if self.last else (able.bit_length() - 1) // BITS
            self._place(rank, able >> BITS * rank & COUNT, False)
        elif able:
            self._place(ACE, 1, True)
        else:
            self._take(self.plate)
        return True


def packed(cards: Iterable[int]) -> int:
    """Return the number of cards of each rank, as one number."""
    return sum([1 << (card & ~3) for card in cards])


@lru_cache(REMEMBERED)
def most_shed(cards: int) -> int:
    """Return the rank, not the Ace, of which packed cards are worth most."""
    return max(RANKS[1:], key=lambda rank: VALUES[rank] * (cards >> BITS * rank & COUNT))


def kinds_of(cards: int) -> int:
    """Return how many ranks packed cards have."""
    return ((cards | cards >> 1 | cards >> 2 | cards >> 3) & ONES).bit_count()


@lru_cache(REMEMBERED)
def points_of(cards: int) -> int:
    """Return what packed cards are worth (PL-5)."""
    return sum([VALUES[rank] * (cards >> BITS * rank & COUNT) for rank in RANKS])


@lru_cache(REMEMBERED)
def ranks_of(cards: int) -> list[int]:
    """Return the ranks of packed cards, from the lowest."""
    return [rank for rank in RANKS for _ in range(cards >> BITS * rank & COUNT)]


@lru_cache(REMEMBERED)
def count_of(cards: int) -> int:
    """Return the number of packed cards."""
    return sum([cards >> BITS * rank & COUNT for rank in RANKS])


def leads(points: Sequence[float]) -> list[float]:
    """Return by how much each seat has less than the mean of all, in units of a round, at most some."""
    mean = sum(points) / len(points)
    return [max(-MOST, min(MOST, (mean - each) / UNIT)) for each in points]


class Card(NamedTuple):
    """What an unseen card may be: its rank, how many there are, the position after it and usual moves, and the values
    there."""

    rank: int
    weight: float
    after: Position
    values: list[float]


class PlatesValue(NetworkValue):
    """What each seat holds, how the round ends if its unseen cards are middling, and the lead."""

    names = (
        "lead",
        "lead_now",
        "points",
        "aces",
        "held",
        "low",
        "kinds",
        "down",
        "open",
        "near_out",
        "known_out",
        "turn",
        "stands",
        "takes",
        "is_out",
        "least",
        "most",
        "ends",
        "ahead",
    )
    spreads = ("last_round", "more", "running", "top", "plate", "mean", "down", "last_turns", "larger")

    def position(self, state: PlatesState) -> Position:
        """Return the position before the next unseen card is turned up, after usual moves if some are due."""
        position = Position.of(state)
        position.play_on()
        return position

    def settled(self, position: Position) -> Sequence[int] | None:
        """Return the places if the last round is over and all hands are shown (PL-22)."""
        if position.rounds or position.phase != SCORED or any(position.down):
            return None
        points = [total + points_of(hand) for total, hand in zip(position.totals, position.hands, strict=True)]
        return placings(points, best="lowest")

    def values_of(self, position: Position) -> list[float]:
        """Return the value of a position. If one unseen card is left, it is the mean over all that it may be."""
        if sum(position.down) != 1 or position.rounds >= EXACT_ROUNDS:
            return super().values_of(position)
        seat = position.down.index(1)
        turned = position.phase != SCORED
        if turned and position.turn != seat:
            return super().values_of(position)
        cards = self._cards(position, seat, turned=turned)
        whole = sum([card.weight for card in cards])
        return [sum([card.weight * card.values[at] for card in cards]) / whole for at in range(position.seats)]

    def spread(self, position: Position) -> list[float]:
        """Return what concerns all seats: the rounds that follow, the plate, and the cards that nobody has seen."""
        running = position.phase != SCORED
        hidden = position.hidden
        return [
            1 / (1 + position.rounds),
            float(position.rounds > 0),
            float(running),
            position.top / len(RANKS) if running else 0.0,
            count_of(position.plate) / 5 if running else 0.0,
            points_of(hidden) / max(1, count_of(hidden)) / 10 if running else 0.0,
            sum(position.down) / 8,
            float(position.last > 0 and running),
            float(position.seats > 2),
        ]

    def features(self, position: Position) -> list[list[float]]:
        """Return the features of each seat. In a round that is over, unseen cards count as what they are on average."""
        hands, down, totals = position.hands, position.down, position.totals
        ranks = ranks_of(position.hidden)
        mean = points_of(position.hidden) / max(1, len(ranks))
        wide = 1 + position.rounds
        if position.phase == SCORED:
            rest = [0.0] * (len(self.names) - 2)
            points = [
                total + points_of(hand) + unseen * mean for total, hand, unseen in zip(totals, hands, down, strict=True)
            ]
            return [[lead, lead / wide**0.5, *rest] for lead in leads(points)]
        ends = []
        for scenario in SCENARIOS:
            end = position.outlook(scenario, ranks)
            ends.append([points_of(hand) + unseen * mean for hand, unseen in zip(end.hands, end.down, strict=True)])
        foreseen = [leads([total + points for total, points in zip(totals, end, strict=True)]) for end in ends]
        hidden = position.hidden
        able = hidden & ABLE[position.top] | hidden & COUNT
        stands = count_of(able) / max(1, len(ranks))
        plate = count_of(position.plate)
        rows: list[list[float]] = []
        for seat, (hand, lead) in enumerate(zip(hands, leads(totals), strict=True)):
            held = count_of(hand)
            aces = hand & COUNT
            mine = seat == position.turn
            each = [end[seat] for end in ends]
            ahead = [after[seat] for after in foreseen]
            rows.append(
                [
                    lead,
                    lead / wide**0.5,
                    points_of(hand - aces) / 50,
                    aces / 2,
                    held / 8,
                    count_of(hand & LOW) / 4,
                    kinds_of(hand) / 6,
                    down[seat] / 3,
                    count_of(position.open[seat]) / 3,
                    float(held + down[seat] <= NEAR_OUT),
                    float(not held),
                    float(mine),
                    mine * stands,
                    mine * plate / 5,
                    float(position.out == seat),
                    min(each) / 80,
                    max(each) / 80,
                    sum(ahead) / len(ends),
                    sum([tanh(each / wide * 4) for each in ahead]) / len(ends),
                ]
            )
        return rows

    def decider(self, state: PlatesState, event: Event) -> int | None:
        """Return the seat whose decision `event` begins; taking the plate because of an unseen card is none (PL-18)."""
        return None if event[0] == "took" and state.phase == ADD else super().decider(state, event)

    def draws(self, state: PlatesState, event: Event, dealer: Dealer, memory: dict[str, Any]) -> Iterator[Draw]:
        """Yield unseen cards that are turned up or shown when a round is scored, and deals (PL-16, PL-21, PL-22).

        Nobody sees or moves a hidden card before that. So every hidden card is equally likely at every hidden place.
        """
        if event[0] == "turned":
            position = Position.of(state)
            yield self._card(position, position.turn, event[3] >> 2, turned=True)[1]
        elif event[0] == "scored":
            position = Position.of(state)
            for seat, cards in enumerate(state.unseen):
                for card in cards:
                    if card != GONE:
                        position, draw = self._card(position, seat, card >> 2, turned=False)
                        yield draw
        elif event[0] == "dealt":
            yield self._deal(Position.of(state), event, dealer)

    def _cards(self, before: Position, seat: int, *, turned: bool) -> list[Card]:
        """Return what an unseen card of `seat` may be, turned up or shown.

        It is worked out once for all unseen cards that the seat may turn up, which are alike.
        """
        facts = *before.facts(), seat, turned
        found = self._remembered.get(facts)
        if found is None:
            if len(self._remembered) >= REMEMBERED_CARDS:
                self._remembered.clear()
            found = self._remembered[facts] = [
                self._came(before, seat, rank, turned=turned) for rank in RANKS if before.hidden >> BITS * rank & COUNT
            ]
        return found

    @once
    def _remembered(self) -> dict[Facts, list[Card]]:
        """The cards of `_cards`, by the facts of the position, the seat, and whether one is turned up."""
        return {}

    def _came(self, before: Position, seat: int, rank: int, *, turned: bool) -> Card:
        after = before.copy()
        if turned:
            after.turn_up(rank)
            after.play_on()
        else:
            after.show(seat, rank)
        return Card(rank, float(before.hidden >> BITS * rank & COUNT), after, self.values_of(after))

    def _card(self, before: Position, seat: int, came: int, *, turned: bool) -> tuple[Position, Draw]:
        """Return the position after an unseen card of `seat` is turned up or shown, and the draw of this card."""
        cards = self._cards(before, seat, turned=turned)
        card = next(card for card in cards if card.rank == came)
        return card.after, Draw(card.values, [(card.weight, card.values) for card in cards])

    def _deal(self, before: Position, dealt: Event, dealer: Dealer) -> Draw:
        """Return the deal of a round.

        Imagined hands are dealt to all seats in turn. So what the seats share matters less in their mean.
        """
        possible = []
        for _ in range(DEALS):
            other = deal(before.seats, dealt[1], dealer)
            found = []
            for _ in range(before.seats):
                other[4:7] = [hands[1:] + hands[:1] for hands in other[4:7]]
                other[3] = leader_of(other[5], other[2])
                found.append(self._after_deal(before, other))
            possible.append((1.0, [sum(values) / before.seats for values in zip(*found, strict=True)]))
        return Draw(self._after_deal(before, dealt), possible, sampled=True)

    def _after_deal(self, before: Position, dealt: Event) -> list[float]:
        position = before.copy()
        position.deal(dealt)
        position.play_on()
        return self.values_of(position)
