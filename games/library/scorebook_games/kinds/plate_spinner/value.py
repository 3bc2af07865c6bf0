"""The value function of Plate Spinner.

In the last round, it is reckoned with all ways in which the round may end. Before, it looks ahead to the next GO: which
plates will still turn, and what will be drafted (`value_outlook`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, Final

from scorebook_games.contract import Dealer, Event
from scorebook_games.kinds.plate_spinner.catalogue import STAR
from scorebook_games.kinds.plate_spinner.rules import ABOVE_STAR
from scorebook_games.kinds.plate_spinner.state import SPIN, YELLOW, State, count, go
from scorebook_games.kinds.plate_spinner.value_last_round import last_values
from scorebook_games.kinds.plate_spinner.value_outlook import EARLIER, ORDER, Outlook, Position, held_at
from scorebook_games.kinds.plate_spinner.value_putting import MOST_DICE, throws
from scorebook_games.value import Draw, ValueFunction

# Imagined rolls and orders with which one is compared, multiples of 6: in most rounds, for a market that may have the
# star plate, and in the last round, in which most is decided.
EARLY: Final = 6
LATE: Final = 12
LAST: Final = 24
EXACT_SEATS: Final = 3  # so many seats are compared with all their orders
TURNED: Final = "turned"  # memory: the state before a market is turned up, and the market


# What a seat holds at a GO counts, each with one weight for when few rounds follow and another for when many do.
PARTS: Final = (
    "printed",
    "sets",
    "yellow",
    "most_yellow",
    "coloured",
    "dice",
    "short",
    "spare",
    "trouble",
    "bombs",
)
AT_YELLOW: Final = PARTS.index("yellow")
FEW_ROUNDS: Final = 1.0
MANY_ROUNDS: Final = 3.0


def earliness(left: float) -> float:
    """Return how much a position counts as early while so many rounds are left: 0 if few are, 1 if many are."""
    return min(1.0, max(0.0, (left - FEW_ROUNDS) / (MANY_ROUNDS - FEW_ROUNDS)))


class PlateSpinnerValue(ValueFunction):
    """What each seat will hold at the next GO, in expectation, and how many rounds follow."""

    modules = ("value.py", "value_last_round.py", "value_outlook.py", "value_putting.py", "value_race.py")
    names = (*[f"late_{part}" for part in PARTS], *[f"early_{part}" for part in PARTS])
    spreads = ("late", "early", "left", "open", "spinning")

    def position(self, state: State) -> Position:
        """Return the position."""
        return Position.of(state)

    def values(self, state: State, memory: Mapping[str, Any] | None = None) -> list[float]:
        """Return the value of `state` for each seat. A market is drawn with the rolls that follow at once."""
        if memory and TURNED in memory:
            state = memory[TURNED][0]
        return self.values_of(Position.of(state, memory))

    def known(self, position: Position) -> list[float] | None:
        """Return the values in the last round, which come from all ways in which it may end."""
        if position.left or position.final or not position.holdings:
            return super().known(position)
        return last_values(position)

    def settled(self, position: Position) -> Sequence[int] | None:
        """Return the places if the game is over (PS-27)."""
        return self.rules.standing(position.state)[1] if position.final else None

    def spread(self, position: Position) -> list[float]:
        """Return how near the end is, and how much depends on the present round.

        The more seats there are, the surer is a lead over each of them.
        """
        seats = position.state.seats
        doubt = sum([each.doubt for each in position.outlook]) / seats
        early = earliness(position.left)
        share = 2 / seats
        return [share * each for each in (1 - early, early, position.left, doubt * doubt, float(any(position.races)))]

    def features(self, position: Position) -> list[list[float]]:
        """Return the features of each seat: what it is likely to hold at the next GO."""
        held = [expected(outlook) for outlook in position.outlook]
        yellow = [parts[AT_YELLOW] for parts in held]
        for seat, parts in enumerate(held):
            most = max(yellow[:seat] + yellow[seat + 1 :])
            parts[AT_YELLOW + 1] = min(1.0, max(-1.0, yellow[seat] - most))
        early = earliness(position.left)
        return [[(1 - early) * part for part in parts] + [early * part for part in parts] for parts in held]

    def draws(self, state: State, event: Event, dealer: Dealer, memory: dict[str, Any]) -> Iterator[Draw]:
        """Yield rolls and markets (PS-8, PS-9)."""
        kind: str = event[0]
        if kind == "rolled":
            yield self._roll(state, event, dealer, memory)
        elif kind == "turned":
            memory[TURNED] = state.copy(), event[1] + event[2]
        elif kind == "go":
            before, market = memory.pop(TURNED)
            yield self._go(before, [STAR] if STAR in market else market, event[2], dealer)
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
        memory[EARLIER] = held_at(state), before
        before.ready = tuple([bool(each and each[0]) for each in before.endings()])
        drawn = tuple([order.index(seat) for seat in seats])
        memory[ORDER] = drawn, before.ready, ()
        if not any(before.ready):
            return
        if exact := state.seats <= EXACT_SEATS:
            ranks = list(permutations(seats))
        else:
            ranks = [tuple(dealer.shuffle("", seats)) for _ in range(samples(before))]
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
        number = samples(before)
        if exact := dice <= MOST_DICE and len(throws(dice)) <= number:
            pools = throws(dice)
        else:
            pools = [(1.0, pool) for pool in spread_rolls(dice, number, dealer)]
        possible = [(weight, self._after_roll(before, seat, rest + pool)) for weight, pool in pools]
        return Draw(self._after_roll(before, seat, rest + shown), possible, sampled=not exact)

    def _after_roll(self, before: Position, seat: int, pool: int) -> list[float]:
        position = before.copy()
        position.race(seat, pool)
        return self.values_of(position)

    def _go(self, state: State, market: Sequence[int], pools: Sequence[int], dealer: Dealer) -> Draw:
        """Return the market that is turned up in `state` and the roll of all dice. The star plate is as likely as its
        places say (PS-7), and nothing else matters then (PS-23)."""
        least, most = ABOVE_STAR[state.seats]
        at = state.plates_at
        first = max(least, at)
        star = min(most + 1, max(first, at + state.seats)) - first  # places of the star plate that are turned up now
        others = most + 1 - first - star
        plates = [plate for plate in state.plates[at:] if plate != STAR]
        rims = state.rims_pack[state.rims_at :]
        before = at_go(state)
        possible: list[tuple[float, list[float]]] = []
        if star:
            ending = Position(before, [STAR], last=True)
            rolls = [spread_rolls(own.dice, LAST, dealer) for own in ending.holdings]
            possible += [(star / LAST, self._after_go(ending, each)) for each in zip(*rolls, strict=True)]
        if others:
            dice = [state.player[seat] + state.neutral[seat] for seat in range(state.seats)]
            number = LATE if star else EARLY
            for each in zip(*[spread_rolls(dice[seat], number, dealer) for seat in range(state.seats)], strict=True):
                imagined = some(plates, state.seats, dealer) + some(rims, state.seats - 1, dealer)
                possible.append((others / number, self._after_go(Position(before, imagined, last=False), each)))
        return Draw(self._after_go(Position(before, market, last=STAR in market), pools), possible, sampled=True)

    def _after_go(self, before: Position, pools: Sequence[int]) -> list[float]:
        position = before.copy()
        for seat, pool in enumerate(pools):
            position.race(seat, pool)
        return self.values_of(position)


def samples(position: Position) -> int:
    """Return how many imagined rolls one is compared with."""
    return EARLY if position.left else LAST


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


def expected(outlook: Outlook) -> list[float]:
    """Return what a seat is likely to hold, in the order of `PARTS`; `most_yellow` is 0 until others are known."""
    counts, doubts = [0.0] * 4, [0.0] * 4
    points = trouble = bombs = 0.0
    size = 2.0
    pieces, dice, _ = outlook
    for (printed, takes, hard, bomb, _, colours), chance in pieces:
        if chance:
            points += chance * printed
            trouble += chance * hard
            bombs += chance * bomb
            size += chance * takes
            doubt = chance * (1 - chance)
            for colour in colours:
                counts[colour] += chance
                doubts[colour] += doubt
    spare = dice - size
    return [
        points,
        expected_sets(counts, doubts),
        counts[YELLOW],
        0.0,
        counts[0] + counts[1] + counts[2],
        dice,
        min(0.0, spare),
        max(0.0, spare),
        trouble,
        bombs,
    ]


def expected_sets(counts: Sequence[float], doubts: Sequence[float]) -> float:
    """Return the points that sets of red, blue and green are likely to bring, as the square of a random number."""
    (red, blue, green, _), (red_doubt, blue_doubt, green_doubt, _) = counts, doubts
    return red * red + blue * blue + green * green + red_doubt + blue_doubt + green_doubt
