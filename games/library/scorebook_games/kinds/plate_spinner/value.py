"""The value function of Plate Spinner.

It looks ahead to the next GO: which plates will still turn, and what will be drafted. Both depend on who grabs when. So
for each seat that spins, a `Race` has the chance that each plate is filled after so many more rolls.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement, permutations
from typing import Any, Final, NamedTuple

from scorebook_games.contract import Dealer, Event
from scorebook_games.kinds.plate_spinner.catalogue import COLOURS, FIRST_RIM, STAR, Item
from scorebook_games.kinds.plate_spinner.fillings import PRESENT, VALUES, Filling, Group, slot_accepts
from scorebook_games.kinds.plate_spinner.rules import ABOVE_STAR
from scorebook_games.kinds.plate_spinner.state import (
    COLOUR,
    DRAFT,
    MOST_YELLOW,
    NEUTRAL_DICE,
    NO_RIM,
    OVER,
    PLAYER_DICE,
    SET_POINTS,
    SPIN,
    STARTING,
    YELLOW,
    State,
    count,
    go,
)
from scorebook_games.value import Draw, ValueFunction

MORE: Final = 6  # rolls to which a race looks ahead
STEPS: Final = range(MORE + 1)
ALWAYS: Final = (1.0,) * (MORE + 2)
NEVER: Final = (0.0,) * (MORE + 2)
MOST_DICE: Final = 6  # with which the chances of a group are computed
# Imagined rolls and orders with which one is compared, multiples of 6: while many rounds follow, while the next may be
# the last, and in the last one, in which most is decided.
EARLY: Final = 6
LATE: Final = 12
LAST: Final = 24
MARKETS: Final = 6  # imagined markets
EXACT_DICE: Final = 2  # so many dice are compared with all their rolls
EXACT_SEATS: Final = 3  # so many seats are compared with all their orders
ITEM: Final = 4.0  # points that the second item of a drafter is worth
PLACE: Final = 1.2  # points that a better place in the drafting order is worth
THREAT: Final = (0.9, 0.5, 0.3, 0.2, 0.12)  # the chance that somebody who needs so many dice grabs in a beat
HASTE: Final = 0.7  # how often a player grabs early if nothing is at stake
TIE: Final = 0.1  # points that a yellow plate is worth because it breaks a tie
HOLDINGS: Final = "holdings"  # memory: what the seats hold in a round, and when
ORDER: Final = "order"  # memory: the rank of each seat in the beat that is taken, and which of them have moved


class Stage(NamedTuple):
    """The points that a seat gains by the end of the game for each thing that it holds at a GO.

    `short` and `spare` are dice: those that its plates want too many, and those that they leave over.
    """

    printed: float
    sets: float
    most_yellow: float
    yellow: float
    coloured: float
    dice: float
    short: float
    spare: float
    trouble: float
    bombs: float


# While some rounds are left, and while few are: least squares fits over 27,000 GOs of 2,500 games (see `guide`).
SOME_LEFT: Final = Stage(0.5, 0.05, 0.0, 1.5, 1.7, 0.6, 1.0, 0.7, -1.8, -2.3)
FEW_LEFT: Final = Stage(0.35, 0.25, 0.0, 3.3, 2.0, 0.9, 1.7, 0.75, -1.9, -1.2)
NONE_LEFT: Final = Stage(1.0, 1.0, MOST_YELLOW / 2, TIE, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
MANY_ROUNDS: Final = 4.0
FEW_ROUNDS: Final = 1.0


@cache
def stage(left: float) -> Stage:
    """Return what things are worth while so many rounds are left; in between, a mean."""
    if not left:
        return NONE_LEFT
    part = min(1.0, max(0.0, (left - FEW_ROUNDS) / (MANY_ROUNDS - FEW_ROUNDS)))
    return Stage(*[few + part * (some - few) for few, some in zip(FEW_LEFT, SOME_LEFT, strict=True)])


class Piece(NamedTuple):
    """What a plate with its rim, or a rim alone, counts for."""

    points: int
    size: int
    trouble: float
    bomb: int
    bare: int  # plates without a rim
    colours: tuple[int, ...]


@cache
def piece(plate: Item | None, rim: Item | None) -> Piece:
    """Return what `plate` with `rim` counts for; without a plate, what the rim adds to one."""
    parts = [each for each in (plate, rim) if each]
    colours = sorted({COLOURS.index(each.colour) for each in parts if each.colour})
    return Piece(
        sum([each.points for each in parts]),
        sum([each.needed for each in parts]),
        sum([trouble(each) for each in parts]),
        int(bool(plate and plate.bomb)),
        (plate is not None) - (rim is not None),
        tuple(colours),
    )


@cache
def trouble(item: Item) -> float:
    """Return roughly how many rolls an item costs beyond the first."""
    total = 0.0
    for group in item.groups:
        if group.kind == "slots":
            total += sum([(1 - accepted(slot) / 6) ** 2 for slot in group.slots])
        elif group.kind == "sum":
            total += max(0.2, (group.total / group.dice - 3.5) * group.dice / 3)
        else:
            total += 0.3 if group.dice == 2 else group.dice - 1.8
    return total


@cache
def accepted(slot: str) -> int:
    """Return how many values a slot takes."""
    return sum([slot_accepts(slot, value) for value in VALUES])


# -- dice


@cache
def choices(filling: Filling, last: bool) -> tuple[str, list[tuple[float, int]]]:
    """Return how a usual player puts dice into a filling.

    First "same" or "run" if such a group is empty, and so wants two alike or two in a row to begin with. Then the
    (worth, code) of the best die by the values that are shown, as bits; the worth is 0 if none is good. `last` says
    that nobody may roll again.
    """
    group = filling.group
    worths = {code: place_worth(group, filling, code) for code in filling.open}
    if last:
        worths = {code: worth + 2 for code, worth in worths.items()}
    best = []
    for shown in range(64):
        able = [(worths[code], code) for code in filling.codes[shown] if worths[code] > 0]
        best.append(max(able, default=(0.0, 0)))
    return group.kind if not filling.dice and group.kind in ("same", "run") else "", best


def place_worth(group: Group, filling: Filling, code: int) -> float:
    """Return how good a place is for a die: the fewer values fit there, the better."""
    value, place = code & 7, code >> 3
    if place:
        worth = 1.05 - accepted(group.slots[place - 1]) / 6
    elif group.kind == "same":
        worth = 0.85
    elif group.kind == "run":
        worth = 0.6
    else:
        mean = (group.total - sum(filling.dice)) / filling.free
        worth = 0.3 + value / 20 if value >= math.ceil(mean) else -1.0
    return worth + 0.01 * (filling.free == 1)


def put_dice(fillings: list[Filling], extra: Sequence[float], pool: int, *, last: bool = False) -> int:
    """Put dice of `pool` into `fillings` as a usual player does, and return the pool that is left.

    `extra` is what the places of each filling are worth more than others.
    """
    able = [(at, *choices(filling, last), extra[at]) for at, filling in enumerate(fillings) if filling.free]
    while pool:
        shown = PRESENT[pool & 4095] | PRESENT[pool >> 12] << 3
        best, chosen, put = 0.0, -1, 0
        for place, (_, begins, found, bonus) in enumerate(able):
            worth, code = found[shown if not begins else beginnings(pool, shown, begins)]
            if worth and worth + bonus > best:
                best, chosen, put = worth + bonus, place, code
        if chosen < 0:
            break
        at, bonus = able[chosen][0], able[chosen][3]
        fillings[at] = filling = fillings[at].after(put)
        if filling.free:
            able[chosen] = at, *choices(filling, last), bonus
        else:
            del able[chosen]
        pool -= 1 << 4 * (put & 7) - 4
    return pool


def beginnings(pool: int, shown: int, begins: str) -> int:
    """Return the values, as bits, of which a pool has two, or which are next to another one."""
    if begins == "run":
        return shown & (shown << 1 | shown >> 1)
    return sum([1 << at for at in range(6) if pool >> 4 * at & 14])


@cache
def throws(dice: int) -> list[tuple[float, int]]:
    """Return every roll of so many dice as a pool, with the number of ways in which it comes."""
    found = []
    for values in combinations_with_replacement(VALUES, dice):
        ways = math.factorial(dice)
        for value in VALUES:
            ways //= math.factorial(values.count(value))
        found.append((float(ways), pool_of(values)))
    return found


def pool_of(values: Sequence[int]) -> int:
    """Return the pool that shows these values."""
    return sum([1 << 4 * value - 4 for value in values])


@cache
def slot_chances(values: int, dice: int) -> tuple[float, ...]:
    """Return the chances that one of `dice` shows one of so many values within 0, 1, 2 … rolls."""
    missed = (1 - values / 6) ** dice
    return tuple([1 - missed**rolls for rolls in range(MORE + 2)])


@cache
def chances(filling: Filling, dice: int) -> tuple[float, ...]:
    """Return the chances that a filling is full within 0, 1, 2 … more rolls of `dice` dice."""
    if not filling.free:
        return ALWAYS
    if dice < filling.free:
        return NEVER
    group = filling.group
    if group.slots:
        found = ALWAYS
        for slot, die in zip(group.slots, filling.dice, strict=True):
            if not die:
                found = product(found, slot_chances(accepted(slot), dice))
        return found
    ways: dict[tuple[Filling, int], float] = {}
    for weight, pool in throws(dice):
        after = [filling]
        left = put_dice(after, (0.0,), pool)
        key = after[0], count(left)
        ways[key] = ways.get(key, 0.0) + weight
    whole = float(6**dice)
    again = ways.pop((filling, dice), 0.0) / whole
    leads = [(weight / whole, chances(*key)) for key, weight in ways.items()]
    rolled = [0.0]
    for rolls in range(MORE + 1):
        rolled.append(again * rolled[rolls] + sum([weight * lead[rolls] for weight, lead in leads]))
    return tuple(rolled)


def product(one: Sequence[float], other: Sequence[float]) -> tuple[float, ...]:
    """Return the products of numbers at the same places."""
    return tuple([a * b for a, b in zip(one, other, strict=True)])


# -- a round


class Holding:
    """What a seat has in a round, apart from its dice. `plates` are its pieces but for the starting plates.

    `kept` are the places of those that its dice suffice for: bombs first, then by worth per die. `worths` are their
    points. `room` is the number of dice to spare, and `more` of player dice that may still come. `picks` lists, for
    each place in the drafting order, what the seat is likely to take. `groups` says for each group that is to be filled
    to which of the plates it belongs, -1 for a starting plate, and `extra` has the bonus of those with a bomb.
    """

    __slots__ = ("colours", "dice", "extra", "groups", "kept", "more", "picks", "plates", "room", "worths")

    def __init__(self, state: State, seat: int) -> None:
        items, rims = state.items, state.rims[seat]
        self.dice = state.player[seat] + state.neutral[seat]
        self.more = PLAYER_DICE - state.player[seat]
        self.plates = [
            piece(items[plate], None if rim == NO_RIM else items[rim])
            for plate, rim in zip(state.held[seat][STARTING:], rims[STARTING:], strict=True)
        ]
        if STAR in state.held[seat] and state.star_colour >= 0:
            at = state.held[seat].index(STAR) - STARTING
            self.plates[at] = self.plates[at]._replace(colours=(state.star_colour,))
        self.colours = [0, 0, 0, 0]
        for owned in self.plates:
            for colour in owned.colours:
                self.colours[colour] += 1
        self.worths = [worth(each, self.colours) for each in self.plates]
        self.room = self.dice - 2 - sum([each.size for each in self.plates])
        self.kept = self._kept()
        self.picks: list[list[int]] = []
        self.groups: list[int] = []
        for at, groups in enumerate(state.fillings[seat]):
            place = at - STARTING
            if place < 0 or place in self.kept:
                self.groups += [max(-1, place)] * len(groups)
        self.extra = [0.1 * self.plates[at].bomb if at >= 0 else 0.0 for at in self.groups]

    def _kept(self) -> list[int]:
        places = range(len(self.plates))
        if self.room >= 0:
            return list(places)
        left, kept = self.dice - 2, []
        for at in sorted(
            places,
            key=lambda at: (not self.plates[at].bomb, -self.worths[at] / max(1, self.plates[at].size)),
        ):
            if self.plates[at].size <= left:
                left -= self.plates[at].size
                kept.append(at)
        return sorted(kept)


def worth(each: Piece, colours: Sequence[int]) -> float:
    """Return what a piece counts for its owner: its points, and what its colours add to their sets."""
    total = float(each.points)
    for colour in each.colours:
        number = min(colours[colour], 6)
        total += 2.0 if colour == YELLOW else SET_POINTS[number] - SET_POINTS[max(0, number - 1)]
    return total


class Race:
    """How far a seat that spins has come. All lists are by the number of further rolls.

    `fill` has, for each plate, the chances that it is filled and that no bomb breaks it; `full`, that all kept plates
    are; `start`, that the starting plates are. `missing` is the number of free places on plates that are kept, `free`
    on all. `cost` is what breaks if the seat grabs now.
    """

    __slots__ = ("cost", "fill", "free", "full", "missing", "start")

    def __init__(self, state: State, seat: int, own: Holding, pool: int | None, *, last: bool) -> None:
        """`pool` is what the seat's unassigned dice show, None if they are not rolled yet."""
        fillings = state.fillings[seat]
        kept = [0, 1, *[STARTING + at for at in own.kept]]
        groups = [filling for at in kept for filling in fillings[at]]
        left = put_dice(groups, own.extra, pool, last=last) if pool else 0
        dice = own.dice if pool is None else count(left)
        first = 1 if pool is None else 0
        self.missing = sum([filling.free for filling in groups])
        self.start: Sequence[float] = ALWAYS
        fill: list[tuple[float, ...]] = [ALWAYS if at in own.kept else NEVER for at in range(len(own.plates))]
        for place, filling in zip(own.groups, groups, strict=True):
            if filling.free:
                share = min(MOST_DICE, max(0, dice - (self.missing - filling.free) // 2))
                found = NEVER if dice < filling.free else chances(filling, share)
                if place < 0:
                    self.start = product(self.start, found)
                else:
                    fill[place] = product(fill[place], found)
        unfilled = [at for at in range(len(fill)) if fill[at][0] < 1]
        for at in set(unfilled).difference(own.kept):
            if not any(filling.free for filling in fillings[STARTING + at]):
                fill[at] = ALWAYS
        full = self.start
        for at in own.kept:
            full = product(full, fill[at])
        bombs = [at for at, each in enumerate(own.plates) if each.bomb and fill[at] != ALWAYS]
        for bomb in bombs:
            fill = [each if at == bomb else product(each, fill[bomb]) for at, each in enumerate(fill)]
        if first:
            self.start, full = (*self.start[1:], 1.0), (*full[1:], 1.0)
            fill = [(*each[1:], each[-1]) for each in fill]
        elif last:
            self.start, full = (self.start[0],) * (MORE + 2), (full[0],) * (MORE + 2)
            fill = [(each[0],) * (MORE + 2) for each in fill]
        self.full: Sequence[float] = full
        self.fill: list[tuple[float, ...]] = fill
        lost = range(len(fill)) if any(fill[at][0] < 1 for at in bombs) else own.kept
        self.cost = sum([own.worths[at] for at in lost if fill[at][0] < 1])
        self.free = self.missing + sum(
            [filling.free for at in range(STARTING, len(fillings)) if at not in kept for filling in fillings[at]]
        )


class Position:
    """A state as the value function looks at it. What differs between imagined outcomes is given beside the state.

    `market` is what lies there to be drafted, `left` how many more markets will follow on average. `races` has a race
    for each seat that spins, else None. `rank` are places in the order of the beat that is taken, if it is known, and
    `moved` the seats that have had their turn in it.
    """

    __slots__ = ("_outlook", "final", "holdings", "left", "market", "moved", "races", "rank", "ready", "soon", "state")

    def __init__(
        self, state: State, market: Sequence[int], *, last: bool, holdings: list[Holding] | None = None
    ) -> None:
        """`holdings` are those of an earlier position of this round, since which nothing broke or was drafted."""
        self.state = state
        self.final = state.phase == OVER
        self._outlook: tuple[list[Outlook], float] | None = None
        self.left = self.soon = 0.0
        if not last and not self.final:
            self.left, self.soon = markets_left(state, state.plates_at + (0 if state.market else state.seats))
        self.market = market
        self.holdings = holdings or ([Holding(state, seat) for seat in range(state.seats)] if state.items else [])
        self.races: list[Race | None] = [None] * state.seats
        self.rank: Sequence[int] | None = None
        self.ready: Sequence[bool] = ()
        self.moved: Sequence[int] = ()
        if not holdings:
            self.shop()

    def shop(self) -> None:
        """Work out what each seat is likely to draft."""
        if not self.market or not self.holdings:
            return
        state, seats = self.state, self.state.seats
        worths = [draft_worths(state, own, self.market, self.left) for own in self.holdings]
        if state.phase >= DRAFT:
            left = list(self.market)
            for place in range(state.turn, len(state.order)):
                seat = state.order[place]
                number = state.picks if place == state.turn else 1 if place == seats - 1 else 2
                taken = sorted(left, key=worths[seat].__getitem__, reverse=True)[:number]
                self.holdings[seat].picks = [taken] * seats
                left = [item for item in left if item not in taken]
            return
        for seat, own in enumerate(self.holdings):
            rivals = [each for other, each in enumerate(worths) if other != seat]
            mine = sorted(self.market, key=worths[seat].__getitem__, reverse=True)
            theirs = sorted(self.market, key=lambda item: -sum([each[item] for each in rivals]))
            for place in range(seats):
                gone = theirs[: 2 * place]
                own.picks.append([item for item in mine if item not in gone][: 1 if place == seats - 1 else 2])

    @classmethod
    def of(cls, state: State, memory: Mapping[str, Any] | None = None) -> Position:
        """Return the position of a state, in the beat that the memory knows of."""
        known = None
        if memory and HOLDINGS in memory and state.phase == SPIN:
            at, known = memory[HOLDINGS]
            known = known if at == held_at(state) else None
        new = cls(state, state.market, last=state.last_round, holdings=known)
        if memory and ORDER in memory:
            new.rank, new.ready, new.moved = memory[ORDER]
        if state.phase == SPIN:
            for seat in state.racing:
                new.race(seat, state.pools[seat])
        return new

    def race(self, seat: int, pool: int | None) -> None:
        """Let a seat spin with these unassigned dice; None if it has yet to roll them at GO."""
        state = self.state
        last = state.phase == SPIN and (state.meeple >= state.seats or state.rolls[seat] >= state.roll_limit)
        self.races[seat] = Race(state, seat, self.holdings[seat], pool, last=last)

    def copy(self) -> Position:
        """Return a position that may get other races and another rank."""
        new = Position(self.state, self.market, last=True, holdings=self.holdings)
        new.left, new.soon, new.races = self.left, self.soon, self.races[:]
        new.rank, new.ready, new.moved = self.rank, self.ready, self.moved
        return new

    @property
    def outlook(self) -> tuple[list[Outlook], float]:
        """What each seat is likely to hold at the next GO (`outlooks`)."""
        if self._outlook is None:
            self._outlook = outlooks(self)
        return self._outlook

    @property
    def samples(self) -> int:
        """How many imagined rolls one is compared with."""
        return (LATE if self.soon else EARLY) if self.left else LAST

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
        if all(each[0] == each[-1] for each in race.fill):
            return [each[0] for each in race.fill]
        own, full, fill = ended[seat], race.full, race.fill
        if seat in self.moved:
            full, fill = (full[0], *full[:-1]), [(each[0], *each[:-1]) for each in fill]
        clock = self._clock(seat, ended)
        sure = 0.0
        weights = [0.0] * (MORE + 2)
        own_before = clock_before = full_before = 0.0
        for step in STEPS:
            ends, strikes = own[step] - own_before, clock[step] - clock_before
            by_full = min(ends, max(0.0, full[step] - full_before))
            sure += by_full * (1 - clock_before)
            weights[step] += (ends - by_full) * (1 - clock_before)
            struck = (1 - own[step]) * strikes
            later = 0.5
            if not step and self.rank:
                later = self._moves_first(seat, ended)
            weights[step] += struck * (1 - later)
            weights[step + 1] += struck * later
            own_before, clock_before, full_before = own[step], clock[step], full[step]
        weights[MORE + 1] += (1 - own_before) * (1 - clock_before)
        weights = [weight / (1 - done) if done < 1 else 0.0 for weight, done in zip(weights, full, strict=True)]
        less = sum([weight * done for weight, done in zip(weights, full, strict=True)])
        return [
            sure - less + sum([a * b for a, b in zip(weights, each, strict=True)]) if each[-1] else 0.0 for each in fill
        ]

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


def markets_left(state: State, turned: int) -> tuple[float, float]:
    """Return how many more markets are likely to come after `turned` plates, and the chance that the next is the last
    (PS-7)."""
    least, most = ABOVE_STAR[state.seats]
    first = max(least, turned)
    left = max(0.5, ((first + most) / 2 - turned) / state.seats)
    return left, min(1.0, max(0, turned + state.seats - first) / max(1, most + 1 - first))


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


class PlateSpinnerValue(ValueFunction):
    """What each seat will hold at the next GO, in expectation, and how many rounds follow."""

    names = ("score", "holdings", "holdings_left")
    spreads = ("left", "more", "open", "spinning")
    alike = True

    def position(self, state: State) -> Position:
        """Return the position."""
        return Position.of(state)

    def values(self, state: State, memory: Mapping[str, Any] | None = None) -> list[float]:
        """Return the value of `state` for each seat."""
        return self.values_of(Position.of(state, memory))

    def settled(self, position: Position) -> Sequence[int] | None:
        """Return the places if the game is over (PS-27)."""
        return self.rules.standing(position.state)[1] if position.final else None

    def spread(self, position: Position) -> list[float]:
        """Return the number of rounds to come, and how much depends on the present one."""
        left = position.left
        return [left, float(left > 0), position.outlook[1], float(any(position.races))]

    def features(self, position: Position) -> list[list[float]]:
        """Return the features of each seat: its points in the last round, and before that what it holds."""
        each = stage(position.left)
        found, yellows = [], []
        for pieces, dice, star in position.outlook[0]:
            counts, doubts = [0.0] * 4, [0.0] * 4
            size = 2.0
            points = each.printed * star + each.dice * dice
            for (printed, takes, hard, bomb, _, colours), chance in pieces:
                if chance:
                    points += chance * (each.printed * printed + each.trouble * hard + each.bombs * bomb)
                    size += chance * takes
                    doubt = chance * (1 - chance)
                    for colour in colours:
                        counts[colour] += chance
                        doubts[colour] += doubt
            spare = dice - size
            points += each.sets * expected_sets(counts, doubts) + each.yellow * counts[YELLOW]
            points += each.coloured * (counts[0] + counts[1] + counts[2])
            points += (each.short if spare < 0 else each.spare) * spare
            found.append(points)
            yellows.append(counts[YELLOW])
        totals = [points + each.most_yellow * lead for points, lead in zip(found, leads(yellows), strict=True)]
        if position.left:
            return [[0.0, total, total * position.left / 10] for total in totals]
        return [[total, 0.0, 0.0] for total in totals]

    def draws(self, state: State, event: Event, dealer: Dealer, memory: dict[str, Any]) -> Iterator[Draw]:
        """Yield rolls and markets (PS-8, PS-9)."""
        kind: str = event[0]
        if kind == "rolled":
            yield self._roll(state, event, dealer, memory)
        elif kind == "turned":
            yield from self._market(state, event, dealer)
        elif kind == "go":
            yield self._go(state, event[2], dealer)
        if kind in ("rolled", "grabbed", "finished") and ORDER in memory:
            rank, ready, moved = memory[ORDER]
            memory[ORDER] = rank, ready, (*moved, event[1])

    def lot(self, state: State, order: Sequence[int], dealer: Dealer, memory: dict[str, Any]) -> Iterator[Draw]:
        """Yield the order in which a beat is taken, if anybody is about to grab."""
        seats = range(state.seats)
        memory.pop(ORDER, None)
        if state.phase != SPIN:
            return
        before = Position.of(state, memory)
        memory[HOLDINGS] = held_at(state), before.holdings
        before.ready = tuple([bool(each and each[0]) for each in before.endings()])
        drawn = tuple([order.index(seat) for seat in seats])
        memory[ORDER] = drawn, before.ready, ()
        if not any(before.ready):
            return
        if exact := state.seats <= EXACT_SEATS:
            ranks = list(permutations(seats))
        else:
            ranks = [tuple(dealer.shuffle("", seats)) for _ in range(before.samples)]
        values = [(1.0, self._after_lot(before, rank)) for rank in ranks]
        actual = values[ranks.index(drawn)][1] if exact else self._after_lot(before, drawn)
        yield Draw(actual, values, sampled=not exact)

    def _after_lot(self, before: Position, rank: Sequence[int]) -> list[float]:
        position = before.copy()
        position.rank = rank
        return self.values_of(position)

    def _roll(self, state: State, event: Event, dealer: Dealer, memory: dict[str, Any]) -> Draw:
        """Return a roll of some dice."""
        _, seat, rolled, shown = event
        before = Position.of(state, memory)
        if before.rank:
            before.moved = (*before.moved, seat)
        rest = state.pools[seat] - rolled
        dice = count(rolled)
        if exact := dice <= EXACT_DICE:
            pools = throws(dice)
        else:
            pools = [(1.0, pool) for pool in spread_rolls(dice, before.samples, dealer)]
        possible = [(weight, self._after_roll(before, seat, rest + pool)) for weight, pool in pools]
        return Draw(self._after_roll(before, seat, rest + shown), possible, sampled=not exact)

    def _after_roll(self, before: Position, seat: int, pool: int) -> list[float]:
        position = before.copy()
        position.race(seat, pool)
        return self.values_of(position)

    def _market(self, state: State, event: Event, dealer: Dealer) -> Iterator[Draw]:
        """Yield what is turned up. The star plate is as likely as its places say (PS-7), and nothing else matters then
        (PS-23)."""
        least, most = ABOVE_STAR[state.seats]
        at = state.plates_at
        first = max(least, at)
        star = min(most + 1, max(first, at + state.seats)) - first  # places of the star plate that are turned up now
        others = most + 1 - first - star
        plates = [plate for plate in state.plates[at:] if plate != STAR]
        rims = state.rims_pack[state.rims_at :]
        state = at_go(state)
        possible = [(float(star), self._after_market(state, [STAR]))] if star else []
        for _ in range(MARKETS if others else 0):
            market = some(plates, state.seats, dealer) + some(rims, state.seats - 1, dealer)
            possible.append((others / MARKETS, self._after_market(state, market)))
        if others:
            market = [STAR] if STAR in event[1] else event[1] + event[2]
            yield Draw(self._after_market(state, market), possible, sampled=True)

    def _after_market(self, state: State, market: list[int]) -> list[float]:
        position = Position(state, market, last=STAR in market)
        for seat in range(state.seats):
            position.race(seat, None)
        return self.values_of(position)

    def _go(self, state: State, pools: Sequence[int], dealer: Dealer) -> Draw:
        """Return the roll of all dice."""
        before = Position(at_go(state), state.market, last=state.last_round)
        rolls = [spread_rolls(own.dice, before.samples, dealer) for own in before.holdings]
        possible = [(1.0, self._after_go(before, [each[sample] for each in rolls])) for sample in range(before.samples)]
        return Draw(self._after_go(before, pools), possible, sampled=True)

    def _after_go(self, before: Position, pools: Sequence[int]) -> list[float]:
        position = before.copy()
        for seat, pool in enumerate(pools):
            position.race(seat, pool)
        return self.values_of(position)


def at_go(state: State) -> State:
    """Return the state when the next round begins, without what is rolled (PS-9)."""
    after = state.copy()
    go(after, state.round + 1, [0] * state.seats)
    return after


def some(items: Sequence[int], number: int, dealer: Dealer) -> list[int]:
    """Return so many random ones of `items`, or all."""
    left = list(items)
    return [left.pop(dealer.integers("", [len(left)])[0]) for _ in range(min(number, len(left)))]


def spread_rolls(dice: int, samples: int, dealer: Dealer) -> list[int]:
    """Return so many rolls of some dice, as pools. Each die shows each value equally often among them."""
    pools = [0] * samples
    for _ in range(dice):
        for at, place in enumerate(dealer.shuffle("", range(samples))):
            pools[at] += 1 << 4 * (place % 6)
    return pools


class Outlook(NamedTuple):
    """What a seat is likely to hold at the next GO: pieces with their chances, dice, and points of the star plate."""

    pieces: list[tuple[Piece, float]]
    dice: float
    star: float


def outlooks(position: Position) -> tuple[list[Outlook], float]:
    """Return what each seat is likely to hold, and how uncertain that is, in points squared."""
    state = position.state
    items, seats = state.items, state.seats
    ended = position.endings()
    orders = position.places(ended)
    drafting = state.order[state.turn] if DRAFT <= state.phase <= COLOUR else -1
    found = []
    uncertain = 0.0
    for seat, own in enumerate(position.holdings):
        chances_left = position.survivals(seat, ended)
        pieces = list(zip(own.plates, chances_left, strict=True))
        if position.races[seat]:
            for chance, at_stake in zip(chances_left, own.worths, strict=True):
                if 0 < chance < 1:
                    uncertain += at_stake * math.sqrt(chance * (1 - chance))
        dice, star = float(own.dice), 0.0
        if seat == drafting:
            pieces += [(piece_of(items[rim]), 1.0) for rim in state.loose]
            star = position.star_worth(seat) if state.phase == COLOUR else 0.0
        for place, picks in zip(orders[seat], own.picks, strict=False):
            if place > 0:
                for number in picks:
                    if number == STAR:
                        prize = position.star_worth(seat)
                        star += place * prize
                        uncertain += prize * math.sqrt(max(0.0, place * (1 - place)))
                    else:
                        item = items[number]
                        pieces.append((piece_of(item), place))
                        dice += place * (min(item.dice, own.more) + item.neutral)
        found.append(Outlook(pieces, dice, star))
    return found, (uncertain / seats) ** 2


def expected_sets(counts: Sequence[float], doubts: Sequence[float]) -> float:
    """Return the points that sets of red, blue and green are likely to bring, as the square of a random number."""
    (red, blue, green, _), (red_doubt, blue_doubt, green_doubt, _) = counts, doubts
    return red * red + blue * blue + green * green + red_doubt + blue_doubt + green_doubt


def leads(yellows: Sequence[float]) -> list[float]:
    """Return how far each seat is ahead in yellow plates, at most one."""
    found = []
    for seat, mine in enumerate(yellows):
        rival = max([other for at, other in enumerate(yellows) if at != seat])
        found.append(max(-1.0, min(1.0, mine - rival)))
    return found
