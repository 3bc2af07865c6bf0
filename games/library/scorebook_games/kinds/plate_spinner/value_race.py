"""What a seat of Plate Spinner holds in a round, and how far it has come with its plates, for the value function."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from scorebook_games.kinds.plate_spinner.catalogue import COLOURS, STAR, Item
from scorebook_games.kinds.plate_spinner.fillings import Filling
from scorebook_games.kinds.plate_spinner.state import (
    NO_RIM,
    PLAYER_DICE,
    SET_POINTS,
    STARTING,
    YELLOW,
    State,
    count,
)
from scorebook_games.kinds.plate_spinner.value_putting import (
    ALWAYS,
    MORE,
    NEVER,
    accepted,
    product,
    put_dice,
    shared_chances,
)

REMEMBERED: Final = 512  # holdings, and races of each of them


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


class Count(NamedTuple):
    """What plates count: points without those for most yellow, what the star plate may add to a set, and how many are
    yellow."""

    points: int
    star: int
    yellow: int


class Holding:
    """What a seat has in a round, apart from its dice. `plates` are its pieces but for the starting plates.

    `worths` are their points. `kept` are the places of those that its dice suffice for: bombs first, then by worth per
    die. The others are `dropped`. `room` is the number of dice to spare, and `more` of player dice that may still come.
    `places` has the places in the state of all plates that are to be filled; for each of their groups, `owners` has the
    place of its plate, and `extra` the bonus for a bomb. `races` remembers what `race` has found, `ends` what is left
    in the last round, by the plates that are filled, as bits.
    """

    __slots__ = (
        "colours",
        "dice",
        "dropped",
        "ends",
        "extra",
        "kept",
        "more",
        "owners",
        "places",
        "plates",
        "races",
        "room",
        "worths",
    )

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
        self.dropped = [at for at in range(len(self.plates)) if at not in self.kept]
        self.places = [*range(STARTING), *[STARTING + at for at in self.kept]]
        self.owners = [at for at in self.places for _ in state.fillings[seat][at]]
        self.extra = [0.1 * self.plates[at - STARTING].bomb if at >= STARTING else 0.0 for at in self.owners]
        self.races: dict[tuple[object, ...], Race] = {}
        self.ends: dict[int, Count] = {}

    @staticmethod
    def of(state: State, seat: int) -> Holding:
        """Return what a seat has. It is worked out once for all states in which the seat has the same."""
        key = (
            state.catalogue,
            state.player[seat],
            state.neutral[seat],
            state.star_colour,
            tuple(state.held[seat]),
            tuple(state.rims[seat]),
        )
        found = HOLDINGS.get(key)
        if found is None:
            if len(HOLDINGS) >= REMEMBERED:
                HOLDINGS.clear()
            found = HOLDINGS[key] = Holding(state, seat)
        return found

    def race(self, fillings: Sequence[Sequence[Filling]], pool: int, *, last: bool) -> Race:
        """Return how far a seat has come. It is worked out once, because imagined rolls and moves come again."""
        key = (pool, last, *[filling for groups in fillings for filling in groups])
        found = self.races.get(key)
        if found is None:
            if len(self.races) >= REMEMBERED:
                self.races.clear()
            found = self.races[key] = Race(fillings, self, pool, last=last)
        return found

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


HOLDINGS: Final[dict[tuple[object, ...], Holding]] = {}  # those of `Holding.of`


def worth(each: Piece, colours: Sequence[int]) -> float:
    """Return what a piece counts for its owner: its points, and what its colours add to their sets."""
    total = float(each.points)
    for colour in each.colours:
        number = min(colours[colour], 6)
        total += 2.0 if colour == YELLOW else SET_POINTS[number] - SET_POINTS[max(0, number - 1)]
    return total


class Race:
    """How far a seat that spins has come. All lists are by the number of further rolls.

    `alone` has, for each plate, the chances that it is filled, and `fill` that no bomb breaks it either; `full`, that
    all kept plates are; `start`, that the starting plates are. `decided` says that further rolls change nothing of
    `fill`. `missing` is the number of free places on plates that are kept once the dice are put down, `free` that on
    all before, as others see it. `cost` is what breaks if the seat grabs now.
    """

    __slots__ = ("_after", "_before", "alone", "cost", "decided", "fill", "free", "full", "missing", "own", "start")

    def __init__(self, fillings: Sequence[Sequence[Filling]], own: Holding, pool: int, *, last: bool) -> None:
        """`fillings` are those of the seat's plates, and `pool` is what its unassigned dice show.

        `last` says that it may not roll again.
        """
        groups = [filling for at in own.places for filling in fillings[at]]
        self.own = own
        self.free = sum([filling.free for groups in fillings for filling in groups])
        self._before = groups[:], pool
        left = put_dice(groups, own.owners, own.extra, pool, last=last)
        self._after = groups, left
        dice = count(left)
        self.missing = sum([filling.free for filling in groups])
        start: tuple[float, ...] = ALWAYS
        alone = [ALWAYS] * len(own.plates)
        for at in own.dropped:
            if sum([filling.free for filling in fillings[STARTING + at]]):
                alone[at] = NEVER
        for owner, filling in zip(own.owners, groups, strict=True):
            if filling.free:
                found = shared_chances(filling, dice, self.missing - filling.free)
                if owner < STARTING:
                    start = product(start, found)
                else:
                    alone[owner - STARTING] = product(alone[owner - STARTING], found)
        full = start
        for at in own.kept:
            full = product(full, alone[at])
        if last:
            start, full = (start[0],) * (MORE + 2), (full[0],) * (MORE + 2)
            alone = [(each[0],) * (MORE + 2) for each in alone]
        bombs = [at for at, each in enumerate(own.plates) if each.bomb and alone[at] != ALWAYS]
        fill = alone
        for bomb in bombs:
            fill = [each if at == bomb else product(each, fill[bomb]) for at, each in enumerate(fill)]
        self.start, self.full, self.alone, self.fill = start, full, alone, fill
        self.decided = not [each for each in fill if each[0] != each[-1]]
        lost = range(len(fill)) if any(fill[at][0] < 1 for at in bombs) else own.kept
        self.cost = sum([own.worths[at] for at in lost if fill[at][0] < 1])

    def struck(self, *, moved: bool) -> list[bool]:
        """Return which plates are filled if the seat rolls no more.

        Unless it has `moved` in this beat, it first puts down its dice as one who will roll again.
        """
        own = self.own
        groups, pool = self._before if moved else self._after
        groups = groups[:]
        put_dice(groups, own.owners, own.extra, pool, last=True)
        filled = [at in own.kept or each[0] >= 1 for at, each in enumerate(self.alone)]
        for owner, filling in zip(own.owners, groups, strict=True):
            if owner >= STARTING and filling.free:
                filled[owner - STARTING] = False
        return filled


class Stop:
    """A way in which a seat stops to spin.

    `full` is the chance that all its kept plates are filled then. `times` has for each number of further rolls the
    weight with which what is filled after them counts, in addition to that.
    """

    __slots__ = ("full", "times")

    def __init__(self) -> None:
        self.full = 0.0
        self.times = [0.0] * (MORE + 2)

    def add(self, rolls: int, full: float, chance: float) -> None:
        """Add the chance that the seat stops with what is filled after so many rolls.

        `full` is the chance that everything was filled earlier, so that it would have stopped by itself.
        """
        if chance > 0 and full < 1:
            part = chance / (1 - full)
            self.times[max(0, rolls)] += part
            self.full -= part * full
