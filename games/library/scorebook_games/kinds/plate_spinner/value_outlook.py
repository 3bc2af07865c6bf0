"""A state of Plate Spinner as its value function looks at it: who grabs when, what survives, and what is drafted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from operator import mul
from typing import Any, Final, NamedTuple

from scorebook_games.kinds.plate_spinner.catalogue import FIRST_RIM, STAR, Item
from scorebook_games.kinds.plate_spinner.rules import ABOVE_STAR
from scorebook_games.kinds.plate_spinner.state import (
    COLOUR,
    DRAFT,
    NEUTRAL_DICE,
    OVER,
    SET_POINTS,
    SPIN,
    YELLOW,
    State,
)
from scorebook_games.kinds.plate_spinner.value_putting import MORE
from scorebook_games.kinds.plate_spinner.value_race import Holding, Piece, Race, Stop, piece, trouble

STEPS: Final = range(MORE + 1)
ITEM: Final = 4.0  # points that the second item of a drafter is worth
PLACE: Final = 1.2  # points that a better place in the drafting order is worth
THREAT: Final = (0.9, 0.5, 0.3, 0.2, 0.12)  # the chance that somebody who needs so many dice grabs in a beat
HASTE: Final = 0.7  # how often a player grabs early if nothing is at stake
EARLIER: Final = "earlier"  # memory: a position of the round, and when it was
ORDER: Final = "order"  # memory: the rank of each seat in the beat that is taken, and which of them have moved


class Position:
    """A state as the value function looks at it. What differs between imagined outcomes is given beside the state.

    `market` is what lies there to be drafted, `left` how many more markets will follow on average. `picks` lists for
    each seat, and for each place in the drafting order, what it is likely to take. `races` has a race for each seat
    that spins, else None. `rank` are places in the order of the beat that is taken, if it is known, and `moved` the
    seats that have had their turn in it.
    """

    __slots__ = ("_outlook", "final", "holdings", "left", "market", "moved", "picks", "races", "rank", "ready", "state")

    def __init__(self, state: State, market: Sequence[int], *, last: bool, earlier: Position | None = None) -> None:
        """`earlier` is a position of this round, since which nothing broke or was drafted."""
        self.state = state
        self.final = state.phase == OVER
        self._outlook: list[Outlook] | None = None
        self.left = 0.0
        if not last and not self.final:
            turned = state.seats if market and not state.market else 0  # those of an imagined market
            self.left = markets_left(state, state.plates_at + turned)
        self.market = market
        self.holdings: list[Holding] = []
        self.picks: list[list[list[int]]] = [[] for _ in range(state.seats)]
        self.races: list[Race | None] = [None] * state.seats
        self.rank: Sequence[int] | None = None
        self.ready: Sequence[bool] = ()
        self.moved: Sequence[int] = ()
        if earlier:
            self.holdings, self.picks = earlier.holdings, earlier.picks
        elif state.items:
            self.holdings = [Holding.of(state, seat) for seat in range(state.seats)]
            self.shop()

    def shop(self) -> None:
        """Work out what each seat is likely to draft."""
        if not self.market:
            return
        state, seats = self.state, self.state.seats
        worths = [draft_worths(state, own, self.market, self.left) for own in self.holdings]
        if state.phase >= DRAFT:
            left = list(self.market)
            for place in range(state.turn, len(state.order)):
                seat = state.order[place]
                number = state.picks if place == state.turn else 1 if place == seats - 1 else 2
                taken = sorted(left, key=worths[seat].__getitem__, reverse=True)[:number]
                self.picks[seat] = [taken] * seats
                left = [item for item in left if item not in taken]
            return
        for seat in range(seats):
            rivals = [each for other, each in enumerate(worths) if other != seat]
            mine = sorted(self.market, key=worths[seat].__getitem__, reverse=True)
            theirs = sorted(self.market, key=lambda item: -sum([each[item] for each in rivals]))
            for place in range(seats):
                gone = theirs[: 2 * place]
                self.picks[seat].append([item for item in mine if item not in gone][: 1 if place == seats - 1 else 2])

    @classmethod
    def of(cls, state: State, memory: Mapping[str, Any] | None = None) -> Position:
        """Return the position of a state, in the beat that the memory knows of."""
        earlier = None
        if memory and EARLIER in memory and state.phase == SPIN:
            at, position = memory[EARLIER]
            earlier = position if at == held_at(state) else None
        new = cls(state, state.market, last=state.last_round, earlier=earlier)
        if memory and ORDER in memory:
            new.rank, new.ready, new.moved = memory[ORDER]
        if state.phase == SPIN:
            for seat in state.racing:
                new.race(seat, state.pools[seat])
        return new

    def race(self, seat: int, pool: int) -> None:
        """Let a seat spin with these unassigned dice."""
        state = self.state
        last = state.phase == SPIN and (state.meeple >= state.seats or state.rolls[seat] >= state.roll_limit)
        self.races[seat] = self.holdings[seat].race(state.fillings[seat], pool, last=last)

    def copy(self) -> Position:
        """Return a position that may get other races and another rank."""
        new = Position(self.state, self.market, last=True, earlier=self)
        new.left, new.races = self.left, self.races[:]
        new.rank, new.ready, new.moved = self.rank, self.ready, self.moved
        return new

    @property
    def outlook(self) -> list[Outlook]:
        """What each seat is likely to hold at the next GO (`outlooks`)."""
        if self._outlook is None:
            self._outlook = outlooks(self)
        return self._outlook

    # -- who grabs when

    def endings(self) -> list[list[float]]:
        """Return for each seat the chances that it has grabbed within 0, 1, 2 … more beats, if nobody hinders it."""
        found: list[list[float]] = []
        for seat, race in enumerate(self.races):
            if race is None:
                found.append([])
                continue
            full, start, eager = race.full, race.start, self.eagerness(seat, race)
            if eager >= 1.0 and start[0] >= 1.0:
                ended = [1.0] * len(STEPS)
            else:
                eager *= HASTE
                ended = [0.0, *[full[step] + (start[step] - full[step]) * eager for step in STEPS[1:]]]
            if seat in self.moved:
                ended = [0.0, *ended[:-1]]
            elif self.ready:
                ended = [1.0] * len(STEPS) if self.ready[seat] else [0.0, *ended[1:]]
            found.append(ended)
        return found

    def eagerness(self, seat: int, race: Race) -> float:
        """Return how ready a seat is to let break what is unfilled: 1 if it grabs now."""
        state = self.state
        meeple = state.meeple if state.phase == SPIN else 1
        if race.full[0] >= 1:
            return 1.0
        calm = 1.0
        for other, rival in enumerate(self.races):
            if rival is not None and other != seat:
                calm *= 1 - THREAT[min(rival.free, len(THREAT) - 1)]
        danger = 1.0 - calm ** (1 + race.missing / 2)
        cost = race.cost
        if self.is_last():
            prize = self.star_worth(seat) if meeple == 1 else 0.0
            return 1.0 if cost < danger * prize else prize / (cost + prize + 1.0)
        if meeple < state.seats - 1:
            return 1.0 if cost < danger * PLACE else PLACE / 2 / (cost + PLACE)
        return 1.0 if cost < danger * (cost + ITEM) else ITEM / (cost + ITEM)

    def is_last(self) -> bool:
        """Return whether the star plate lies in the market."""
        return STAR in self.market

    def star_worth(self, seat: int) -> float:
        """Return the most that the star plate can count for a seat."""
        colours = self.holdings[seat].colours
        best = max([SET_POINTS[min(number + 1, 6)] - SET_POINTS[min(number, 6)] for number in colours[:YELLOW]])
        most = max([own.colours[YELLOW] for own in self.holdings])
        if colours[YELLOW] < most <= colours[YELLOW] + 1 or not most:
            best = max(best, 6)
        return float(best)

    def places(self, ended: Sequence[Sequence[float]]) -> list[list[float]]:
        """Return for each seat the chance of each place in the drafting order."""
        state, seats = self.state, self.state.seats
        if state.phase >= DRAFT:
            return [[float(place == order) for place in range(seats)] for order in self._order()]
        if seats == 2:
            first = self._ahead(0, 1, ended)
            return [[first, 1 - first], [1 - first, first]]
        found = []
        for seat in range(seats):
            chance = [1.0]
            for other in range(seats):
                if other != seat:
                    ahead = self._ahead(other, seat, ended)
                    chance = [a * (1 - ahead) + b * ahead for a, b in zip([*chance, 0.0], [0.0, *chance], strict=True)]
            found.append(chance)
        return found

    def _order(self) -> list[int]:
        order = self.state.order
        return [order.index(seat) if seat in order else self.state.seats for seat in range(self.state.seats)]

    def _ahead(self, one: int, other: int, ended: Sequence[Sequence[float]]) -> float:
        """Return the chance that seat `one` drafts before seat `other`."""
        first, second = ended[one], ended[other]
        if first and second:
            chance = before_one = before_other = 0.0
            for step in STEPS:
                ends, rival = first[step] - before_one, second[step] - before_other
                same = 0.5
                if not step and self.rank:
                    same = float(self.rank[one] < self.rank[other])
                chance += ends * (1 - second[step] + same * rival)
                before_one, before_other = first[step], second[step]
            return chance + (1 - before_one) * (1 - before_other) / 2
        if not first and not second:
            meeples, seats = self.state.meeples, self.state.seats
            return float((meeples[one] or seats, one) < (meeples[other] or seats, other))
        if first:
            return 0.0 if self.state.meeples[other] else 1.0
        return 1.0 if self.state.meeples[one] else 0.0

    def survivals(self, seat: int, ended: Sequence[Sequence[float]]) -> list[float]:
        """Return for each plate of a seat the chance that it survives the round."""
        race = self.races[seat]
        if race is None:
            return [1.0] * len(self.holdings[seat].plates)
        if race.decided:
            return [each[0] for each in race.fill]
        first, later = self.stops(seat, ended)
        full = first.full + later.full
        times = [a + b for a, b in zip(first.times, later.times, strict=True)]
        return [full + sum(map(mul, times, each)) if each[-1] else 0.0 for each in race.fill]

    def stops(self, seat: int, ended: Sequence[Sequence[float]]) -> tuple[Stop, Stop]:
        """Return how a seat that spins stops: with the first meeple, or in another way."""
        race, rank = self.races[seat], self.rank
        assert race
        lead, later = Stop(), Stop()
        meeple = self.state.meeple if self.state.phase == SPIN else 1
        if meeple >= self.state.seats:
            later.times[0] = 1.0
            return lead, later
        own, full = ended[seat], race.full
        moved = seat in self.moved
        if moved:
            full = (full[0], *full[:-1])
        others = [other for other, each in enumerate(ended) if each and other != seat]
        clock = self._clock(seat, ended)
        done = own_before = clock_before = 0.0  # `done`: it has stopped because all was filled
        free_before = 1.0  # no rival has grabbed
        for step in STEPS:
            ends, strikes, rolls = own[step] - own_before, clock[step] - clock_before, step - moved
            sooner = after = 0.5  # in a beat in which a rival grabs, it grabs before that, or has rolled before that
            if not step and rank:
                sooner = float(not any(ended[other][0] and rank[other] < rank[seat] for other in others))
                after = self._moves_first(seat, ended)
            free = 1.0
            for other in others:
                free *= 1 - ended[other][step]
            first = free + sooner * (free_before - free) if meeple == 1 else 0.0
            rest = max(0.0, 1 - clock_before - first)
            by_full = min(ends, max(0.0, full[step] - done))
            done += by_full
            if first:
                lead.full += by_full * first
                lead.add(rolls, full[step], (ends - by_full) * first)
            if rest:
                later.full += by_full * rest
                later.add(rolls, full[step], (ends - by_full) * rest)
            if strikes:
                waits = max(0.0, min(1 - own[step], full[step] - done))  # all is filled, but its turn comes too late
                later.full += waits * strikes
                struck = (1 - own[step] - waits) * strikes
                later.add(rolls, full[step], struck * (1 - after))
                later.add(rolls + 1, full[step], struck * after)
            own_before, clock_before, free_before = own[step], clock[step], free
        later.add(MORE + 1, full[-1], (1 - own_before) * (1 - clock_before))
        return lead, later

    def _clock(self, seat: int, ended: Sequence[Sequence[float]]) -> list[float]:
        """Return the chances that the others have taken all meeples within 0, 1, 2 … more beats."""
        rivals = [each for other, each in enumerate(ended) if each and other != seat]
        meeples = self.state.seats - (self.state.meeple if self.state.phase == SPIN else 1)
        if len(rivals) != meeples:
            return [0.0] * len(STEPS)
        found = list(rivals[0])
        for each in rivals[1:]:
            found = [a * b for a, b in zip(found, each, strict=True)]
        return found

    def _moves_first(self, seat: int, ended: Sequence[Sequence[float]]) -> float:
        """Return whether a seat may roll in the present beat before the last meeple goes."""
        rank = self.rank or ()
        if seat in self.moved:
            return 0.0
        return float(any(ended[other] and rank[other] > rank[seat] for other in range(len(rank)) if other != seat))


def held_at(state: State) -> tuple[int, int]:
    """Return the round and the number of plates at the table: while a round is spun, what is held changes with them."""
    return state.round, sum(map(len, state.held))


def markets_left(state: State, turned: int) -> float:
    """Return how many more markets are likely to come after `turned` plates (PS-7)."""
    least, most = ABOVE_STAR[state.seats]
    return max(0.5, ((max(least, turned) + most) / 2 - turned) / state.seats)


def draft_worths(state: State, own: Holding, market: Sequence[int], left: float) -> dict[int, float]:
    """Return what a usual player thinks of each item in the market."""
    if len(market) == 1:
        return {market[0]: 0.0}
    free = sum([each.bare for each in own.plates])
    at_stake = sum(own.worths)
    die = min(1.6, 0.4 * max(1.0, left))
    found = {}
    for number in market:
        item = state.items[number]
        gained = min(item.dice, own.more)
        if number >= FIRST_RIM:
            gained = int(item.neutral and sum(state.neutral) < NEUTRAL_DICE)
            if not free and state.phase == DRAFT and state.picks < 2:
                found[number] = gained * die - 1.0
                continue
        short = max(0, item.needed - own.room - gained)
        found[number] = (
            item.points
            + sum([added(own.colours, colour) for colour in piece_of(item).colours], 0.0)
            + gained * die
            - 1.3 * short
            - 0.6 * trouble(item)
            - 0.12 * at_stake * item.bomb
        )
    return found


def added(colours: Sequence[int], colour: int) -> float:
    """Return what one more plate of a colour adds, less if it may break again."""
    number = min(colours[colour], 5)
    return 1.8 if colour == YELLOW else 0.75 * (SET_POINTS[number + 1] - SET_POINTS[number])


@cache
def piece_of(item: Item) -> Piece:
    """Return what an item of the market counts for."""
    return piece(None, item) if item.id.startswith("R") else piece(item, None)


class Outlook(NamedTuple):
    """What a seat is likely to hold at the next GO: pieces with their chances, and dice.

    `doubt` is how uncertain its plates are, in points.
    """

    pieces: list[tuple[Piece, float]]
    dice: float
    doubt: float


def outlooks(position: Position) -> list[Outlook]:
    """Return what each seat is likely to hold."""
    state = position.state
    items = state.items
    ended = position.endings()
    orders = position.places(ended)
    drafting = state.order[state.turn] if DRAFT <= state.phase <= COLOUR else -1
    found = []
    for seat, own in enumerate(position.holdings):
        chances_left = position.survivals(seat, ended)
        pieces = list(zip(own.plates, chances_left, strict=True))
        doubt = 0.0
        if position.races[seat]:
            for chance, at_stake in zip(chances_left, own.worths, strict=True):
                if 0 < chance < 1:
                    doubt += at_stake * math.sqrt(chance * (1 - chance))
        dice = float(own.dice)
        if seat == drafting:
            pieces += [(piece_of(items[rim]), 1.0) for rim in state.loose]
        for place, picks in zip(orders[seat], position.picks[seat], strict=False):
            if place > 0:
                for number in picks:
                    item = items[number]
                    pieces.append((piece_of(item), place))
                    dice += place * (min(item.dice, own.more) + item.neutral)
        found.append(Outlook(pieces, dice, doubt))
    return found
