"""The search's guide to Plate Spinner."""

from __future__ import annotations

import math
from functools import cache
from typing import Final

from scorebook_games.contract import Draw, Paced
from scorebook_games.kinds.plate_spinner import PlateSpinner, State
from scorebook_games.kinds.plate_spinner.catalogue import COLOURS, FIRST_RIM, PLATES, Item
from scorebook_games.kinds.plate_spinner.fillings import VALUES, Filling, slot_accepts
from scorebook_games.kinds.plate_spinner.plan import ABOVE_STAR, THREAT, difficulty
from scorebook_games.kinds.plate_spinner.rules import (
    ASSIGN,
    ATTACH_RIM,
    COLOUR_AS,
    DRAFT_ITEM,
    FINISH,
    GRAB,
    ROLL,
    may_finish,
    may_grab,
    may_roll,
)
from scorebook_games.kinds.plate_spinner.state import (
    ATTACH,
    DRAFT,
    NEUTRAL_DICE,
    NO_RIM,
    OVER,
    PLAYER_DICE,
    SET_POINTS,
    SPIN,
    STARTING,
    YELLOW,
    count,
    free_plates,
    present,
    scores,
    tally,
)
from scorebook_games.kinds.plate_spinner.worlds import PlateSpinnerWorlds
from scorebook_games.search.worth import Observation

ASSIGNS: Final = 2  # how many assignments of a die are tried
ITEM: Final = 4.0  # what the second item of a drafter is worth, in points
PLACE: Final = 1.2  # what a better place in the drafting order is worth
UNWANTED: Final = -1.0

# The points that a seat gains by the end, from what it holds at a GO (see `holdings`), while many, some or few rounds
# are left. The weights are rounded from a least squares fit over 27,000 GOs of 2,500 two-player games. `SPREAD` is the
# scale of a logistic curve as wide as the error of the fit.
WEIGHTS: Final = [
    (0.4, 0.0, 0.6, 0.8, 1.0, 0.3, 0.4, -1.2, -2.2, 0.0),
    (0.5, 0.05, 1.5, 1.7, 0.6, 1.0, 0.7, -1.8, -2.3, 0.4),
    (0.35, 0.25, 3.3, 2.0, 0.9, 1.7, 0.75, -1.9, -1.2, 0.5),
]
EARLY: Final = 4.6  # rounds
LATE: Final = 1.3
SPREAD: Final = 6.0
# The spreads of forecasts of games between sensible players, while no, few, some or many rounds are left. With two
# players, luck decides more. Fitted to the GOs of 1,200 such games.
FORECAST_SPREADS: Final = (5.0, 10.0, 12.0, 20.0)
TWO_PLAYERS: Final = 1.8
COLOUR_NUMBERS: Final = {colour: number for number, colour in enumerate(COLOURS)}


class PlateSpinnerGuide:
    """Playouts spin and draft as the sensible plan does, up to the next GO. Then they compare what everybody holds.

    Of the places for dice only the best are tried, and always a roll of all dice and a grab.
    """

    rules: Final = PlateSpinner()
    paced: Final[Paced[State] | None] = rules
    iterations: Final = 120
    horizon: Final = 200
    widening: Final = 8

    def worlds(self, observation: Observation) -> PlateSpinnerWorlds:
        """Return the worlds that agree with `observation`."""
        return PlateSpinnerWorlds(observation)

    def candidates(self, state: State, seat: int) -> list[int]:
        """Return the best few places for a die and one roll, or everything that can be drafted, attached or named."""
        if state.phase != SPIN:
            return self.rules.listed_actions(state, seat)
        found = [action for _, action in wanted(state, seat, chosen(state, seat))[:ASSIGNS]]
        if may_roll(state, seat):
            found.append(ROLL + state.pools[seat])
        if may_grab(state, seat):
            found.append(GRAB)
        return found or [FINISH]

    def habit(self, state: State, seat: int, draw: Draw) -> int:
        """Return roughly what the sensible plan would play."""
        if state.phase == SPIN:
            return spin(state, seat)
        if state.phase == DRAFT:
            return DRAFT_ITEM + draft(state, seat)
        return attach(state, seat) if state.phase == ATTACH else name_colour(state, seat)

    def settled(self, state: State) -> bool:
        """Return whether the game is over or a new round has just begun.

        What follows then depends only on what is held.
        """
        return state.phase == OVER or has_begun(state)

    def value(self, state: State) -> list[float]:
        """Return each seat's chance to win."""
        return final(state) if state.phase == OVER else likely(state)


# -- valuing


def has_begun(state: State) -> bool:
    """Return whether a round is at its GO."""
    if state.phase != SPIN or state.meeple > 1 or any(state.rolls):
        return False
    return all(count(state.pools[seat]) == state.player[seat] + state.neutral[seat] for seat in range(state.seats))


def final(state: State) -> list[float]:
    """Return the share of opponents that each seat beats in a finished game; a tie counts half."""
    found, others = scores(state), state.seats - 1
    return [(sum([other < mine for other in found]) + (found.count(mine) - 1) / 2) / others for mine in found]


def likely(state: State) -> list[float]:
    """Return the mean probability of each seat to beat each other one."""
    return duels(state, rounds_left(state), SPREAD)


def duels(state: State, left: float, spread: float) -> list[float]:
    """Return the mean probability of each seat to beat each other one, with this scale of the logistic curve."""
    points, others = [points_expected(state, seat, left) for seat in range(state.seats)], state.seats - 1
    return [
        sum([1 / (1 + math.exp((other - mine) / spread)) for seat, other in enumerate(points) if seat != own]) / others
        for own, mine in enumerate(points)
    ]


def forecast(state: State) -> list[float] | None:
    """Return the expected share of each seat at a GO, where a roll-out of a review stops; None elsewhere."""
    if not has_begun(state):
        return None
    left = rounds_left(state)
    spread = FORECAST_SPREADS[(left > 0) + (left >= LATE) + (left >= EARLY)]
    return duels(state, left, spread * TWO_PLAYERS if state.seats == 2 else spread)


def rounds_left(state: State) -> float:
    """Return how many rounds with a full market are likely to follow this one."""
    if state.last_round:
        return 0.0
    most = ABOVE_STAR[state.seats] - (PLATES + 1) + len(state.plates) - state.plates_at
    return max(0.5, most / state.seats)


def points_expected(state: State, seat: int, left: float) -> float:
    """Return the points that a seat at a GO is likely to have in the end, relative to the others."""
    early, middle, late = WEIGHTS
    weights = late if left < LATE else middle if left < EARLY else early
    return sum([weight * fact for weight, fact in zip(weights, holdings(state, seat), strict=True)])


def holdings(state: State, seat: int) -> tuple[float, ...]:
    """Return the facts that `WEIGHTS` weighs."""
    items, held = state.items, state.held[seat]
    printed, counts = tally(state, seat)
    dice = state.player[seat] + state.neutral[seat]
    size, hardship, bombs, bare = 2, 0.0, 0, 0
    for at in range(STARTING, len(held)):
        size += size_of(state, seat, at)
        rim = state.rims[seat][at]
        hardship += trouble(items[held[at]]) + (trouble(items[rim]) if rim != NO_RIM else 0.0)
        bombs += items[held[at]].bomb
        bare += rim == NO_RIM
    coloured = counts[0] + counts[1] + counts[2]
    sets = sum([SET_POINTS[min(number, 6)] for number in counts[:YELLOW]])
    spare = dice - size
    return printed, sets, counts[YELLOW], coloured, dice, min(spare, 0), max(spare, 0), hardship, bombs, bare


# -- spinning


@cache
def places(filling: Filling) -> dict[int, float]:
    """Return how good each place of a filling is for a die, by code: the fewer values fit there, the better."""
    group = filling.group
    found = {}
    for code in filling.open:
        value, place = code & 7, code >> 3
        if place:
            worth = 1.05 - sum([slot_accepts(group.slots[place - 1], other) for other in VALUES]) / 6
        elif group.kind == "same":
            worth = 0.85
        elif group.kind == "run":
            worth = 0.6
        else:
            mean = (group.total - sum(filling.dice)) / filling.free
            worth = 0.3 + value / 20 if value >= math.ceil(mean) else UNWANTED
        found[code] = worth + 0.01 * (filling.free == 1)
    return found


def suits(filling: Filling, value: int, pool: int) -> bool:
    """Return whether a die should begin a group of equal or consecutive dice: the pool must have others to go with
    it."""
    kind = filling.group.kind
    if filling.dice or kind in ("slots", "sum"):
        return True
    if kind == "same":
        return pool >> 4 * value - 4 & 15 > 1
    return any(pool >> 4 * other - 4 & 15 for other in (value - 1, value + 1) if 1 <= other <= 6)


def wanted(state: State, seat: int, kept: list[int]) -> list[tuple[float, int]]:
    """Return (worth, action) of the dice to assign to starting plates and to the plates `kept`, the best first.

    If nobody may roll any more, everything that fits is good.
    """
    pool = state.pools[seat]
    shown, is_last = present(pool), not may_roll(state, seat)
    held, fillings = state.held[seat], state.fillings[seat]
    found = []
    for at in (0, 1, *kept):
        bonus = 0.1 * state.items[held[at]].bomb
        for number, filling in enumerate(fillings[at]):
            if not filling.free:
                continue
            worths = places(filling)
            for code in filling.codes[shown]:
                worth = worths[code]
                if is_last or (worth > 0 and suits(filling, code & 7, pool)):
                    found.append((worth + bonus, ASSIGN + 64 * (16 * held[at] + number) + code))
    found.sort(reverse=True)
    return found


def value_of(state: State, seat: int, at: int, colours: list[int]) -> float:
    """Return what a plate with its rim counts: its points, and what its colours add to their sets."""
    item, rim = state.items[state.held[seat][at]], state.rims[seat][at]
    total = float(item.points)
    names = {item.colour}
    if rim != NO_RIM:
        total += state.items[rim].points
        names.add(state.items[rim].colour)
    for colour in names:
        if colour:
            number = min(colours[COLOUR_NUMBERS[colour]], 6)
            total += 2.0 if colour == "yellow" else SET_POINTS[number] - SET_POINTS[max(0, number - 1)]
    return total


def size_of(state: State, seat: int, at: int) -> int:
    """Return how many dice a plate with its rim takes."""
    rim = state.rims[seat][at]
    return state.items[state.held[seat][at]].needed + (state.items[rim].needed if rim != NO_RIM else 0)


def chosen(state: State, seat: int) -> list[int]:
    """Return the places of the plates that the dice suffice for: bombs first, then by worth per die."""
    breakable = range(STARTING, len(state.held[seat]))
    left = state.player[seat] + state.neutral[seat] - 2
    sizes = [size_of(state, seat, at) for at in breakable]
    if sum(sizes) <= left:
        return list(breakable)
    colours = tally(state, seat)[1]
    ranked = sorted(
        [
            (
                not state.items[state.held[seat][at]].bomb,
                -value_of(state, seat, at, colours) / max(1, size),
                at,
                size,
            )
            for at, size in zip(breakable, sizes, strict=True)
        ]
    )
    kept = []
    for _, _, at, size in ranked:
        if size <= left:
            left -= size
            kept.append(at)
    return kept


def free_on(state: State, seat: int, at: int) -> int:
    """Return how many places of a plate are free."""
    return sum([filling.free for filling in state.fillings[seat][at]])


def spin(state: State, seat: int) -> int:
    """Return the assignment of a die to the best place, else a grab or a roll of all dice."""
    kept = chosen(state, seat)
    if best := wanted(state, seat, kept):
        return best[0][1]
    if may_grab(state, seat) and (not may_roll(state, seat) or grabs(state, seat, kept)):
        return GRAB
    if may_finish(state, seat) and not may_roll(state, seat):
        return FINISH
    return ROLL + state.pools[seat] if may_roll(state, seat) else FINISH


def grabs(state: State, seat: int, kept: list[int]) -> bool:
    """Return whether all kept plates are filled, or waiting is likely to cost more than what breaks."""
    missing = sum([free_on(state, seat, at) for at in kept])
    if not missing:
        return True
    breakable = range(STARTING, len(state.held[seat]))
    unfilled = [at for at in breakable if free_on(state, seat, at)]
    bomb = any(state.items[state.held[seat][at]].bomb for at in unfilled)
    lost = list(breakable) if bomb else [at for at in unfilled if at in kept]
    colours = tally(state, seat)[1]
    cost = sum([value_of(state, seat, at, colours) for at in lost])
    calm: float = 1.0
    for other in state.racing:
        if other != seat:
            free = sum([free_on(state, other, at) for at in range(len(state.held[other]))])
            calm *= 1 - THREAT[min(free, len(THREAT) - 1)]
    danger = 1.0 - float(calm ** (1 + missing / 2))
    if state.last_round:
        return cost < danger * (star_worth(state, seat) if state.meeple == 1 else 0.0)
    if state.meeple < state.seats - 1:
        return cost < danger * PLACE
    return cost < danger * (cost + ITEM)


# -- drafting


@cache
def trouble(item: Item) -> float:
    """Return roughly how many rolls an item costs beyond the first."""
    return difficulty([group.plain() for group in item.groups])


def added(colours: list[int], colour: str) -> float:
    """Return what one more plate of a colour adds; half if it may break again, less for yellow."""
    if not colour:
        return 0.0
    number = min(colours[COLOUR_NUMBERS[colour]], 5)
    return 1.8 if colour == "yellow" else 0.75 * (SET_POINTS[number + 1] - SET_POINTS[number])


def draft(state: State, seat: int) -> int:
    """Return the best item, weighing points and colours against dice and danger.

    Dice count only while rounds follow.
    """
    if len(state.market) == 1:
        return state.market[0]
    colours = tally(state, seat)[1]
    breakable = range(STARTING, len(state.held[seat]))
    room = state.player[seat] + state.neutral[seat] - 2 - sum([size_of(state, seat, at) for at in breakable])
    free = len(free_plates(state, seat)) - len(state.loose)
    at_stake = sum([value_of(state, seat, at, colours) for at in breakable])
    die = min(1.6, 0.4 * max(1.0, rounds_left(state)))

    def worth(number: int) -> float:
        item = state.items[number]
        if number >= FIRST_RIM:
            gained = int(item.neutral and sum(state.neutral) < NEUTRAL_DICE)
            if free < 1 and state.picks < 2:
                return gained * die - 1.0
        else:
            gained = min(item.dice, PLAYER_DICE - state.player[seat])
        short = max(0, item.needed - room - gained)
        total = item.points + added(colours, item.colour) + gained * die
        return total - 1.3 * short - 0.6 * trouble(item) - 0.12 * at_stake * item.bomb

    return max(state.market, key=worth)


def attach(state: State, seat: int) -> int:
    """Return where to put a rim: under a plate of another colour that is easy to fill and has no bomb."""
    colours = tally(state, seat)[1]
    best, chosen_action = -math.inf, 0
    for rim in state.loose:
        for plate in free_plates(state, seat):
            under, over = state.items[rim], state.items[plate]
            worth = under.points - trouble(over) - 1.5 * over.bomb
            if under.colour != over.colour:
                worth += added(colours, under.colour)
            if worth > best:
                best, chosen_action = worth, ATTACH_RIM + 64 * (rim - FIRST_RIM) + plate
    return chosen_action


def colour_worth(state: State, seat: int, colour: int) -> float:
    """Return what the star plate would count as this colour."""
    counts = [tally(state, other)[1] for other in range(state.seats)]
    number = counts[seat][colour]
    if colour != YELLOW:
        return float(SET_POINTS[min(number + 1, 6)] - SET_POINTS[min(number, 6)])
    most = max([each[YELLOW] for each in counts])
    return 6.0 if number < most <= number + 1 or most == 0 else 0.0


def star_worth(state: State, seat: int) -> float:
    """Return the most that the star plate can count."""
    return max([colour_worth(state, seat, colour) for colour in range(len(COLOURS))])


def name_colour(state: State, seat: int) -> int:
    """Return the choice of the colour that counts most."""
    return COLOUR_AS + max(range(len(COLOURS)), key=lambda colour: colour_worth(state, seat, colour))
