"""The state of a game of Plate Spinner, and how events change it."""

from __future__ import annotations

from typing import Any, Final

from scorebook_games.contract import Event
from scorebook_games.kinds.plate_spinner.catalogue import COLOURS, FIRST_RIM, STAR, START, Catalogue, Item, load
from scorebook_games.kinds.plate_spinner.fillings import DICE, PRESENT, Filling

NO_RIM: Final = -1
STARTING: Final = 2  # the starting plates of a seat, which are the first that it holds
STARTING_DICE: Final = 3
PLAYER_DICE: Final = 10  # that a player may have
NEUTRAL_DICE: Final = 5  # in the game
YELLOW: Final = COLOURS.index("yellow")
MOST_YELLOW: Final = 6  # points
SET_POINTS: Final = (0, 1, 4, 9, 16, 25, 36)

# The phases of a game. NOBODY is before the start, between rounds, and before the event of the end.
NOBODY: Final = 0
SPIN: Final = 1
DRAFT: Final = 2
ATTACH: Final = 3
COLOUR: Final = 4
OVER: Final = 5
PHASES: Final = ("waiting", "spinning", "drafting", "attaching", "colouring", "over")


class State:
    """The state of a game.

    A *pool* holds a seat's unassigned dice: how many show 1 … 6, in 4 bits each, the ones lowest. For each seat,
    `held[seat]` lists the plates in front of it, its starting plates first. `rims[seat]` and `fillings[seat]` are
    parallel to it: a rim or NO_RIM, and a filling for each group of plate and rim. `needed[seat]` is the number of free
    places on its starting plates, and `_room[seat]`, while it spins, the sum of the `room` of its fillings.
    `meeples[seat]` is its meeple, 0 for none; `meeple` is the lowest one left, `seats` if none is left. `racing` lists
    the seats that spin. `order[turn]` drafts, and takes `picks` more items; `loose` are its rims that have no plate
    yet. `plates_at` and `rims_at` are the numbers of plates and rims that have been turned up.
    """

    __slots__ = (
        "_room",
        "catalogue",
        "discard",
        "fillings",
        "held",
        "items",
        "last_round",
        "loose",
        "market",
        "meeple",
        "meeples",
        "moves",
        "needed",
        "neutral",
        "order",
        "phase",
        "picks",
        "plates",
        "plates_at",
        "player",
        "pools",
        "racing",
        "rims",
        "rims_at",
        "rims_pack",
        "roll_limit",
        "roll_ms",
        "rolls",
        "round",
        "seats",
        "star_colour",
        "termination",
        "turn",
        "turn_limit",
    )

    def __init__(self, seats: int, roll_limit: int, roll_ms: int, turn_limit: int) -> None:
        self.seats: int = seats
        self.roll_limit: int = roll_limit
        self.roll_ms: int = roll_ms
        self.turn_limit: int = turn_limit
        self.catalogue: Catalogue | None = None
        self.items: list[Item] = []
        self.plates: list[int] = []
        self.plates_at: int = 0
        self.rims_pack: list[int] = []
        self.rims_at: int = 0
        self.market: list[int] = []
        self.discard: list[int] = []
        self.player: list[int] = [STARTING_DICE] * seats
        self.neutral: list[int] = [0] * seats
        self.pools: list[int] = [0] * seats
        self.held: list[list[int]] = [[] for _ in range(seats)]
        self.rims: list[list[int]] = [[] for _ in range(seats)]
        self.fillings: list[list[list[Filling]]] = [[] for _ in range(seats)]
        self.needed: list[int] = [0] * seats
        self._room: list[int] = [0] * seats
        self.rolls: list[int] = [0] * seats
        self.meeples: list[int] = [0] * seats
        self.meeple: int = 1
        self.racing: list[int] = []
        self.order: list[int] = []
        self.turn: int = 0
        self.picks: int = 0
        self.loose: list[int] = []
        self.star_colour: int = -1
        self.round: int = 0
        self.last_round: bool = False
        self.moves: int = 0
        self.phase: int = NOBODY
        self.termination: str = ""

    def copy(self) -> State:
        """Return an independent copy. Packs, items and fillings are shared, because nothing changes them."""
        twin = State(self.seats, self.roll_limit, self.roll_ms, self.turn_limit)
        twin.catalogue, twin.items = self.catalogue, self.items
        twin.plates, twin.plates_at = self.plates, self.plates_at
        twin.rims_pack, twin.rims_at = self.rims_pack, self.rims_at
        twin.market, twin.discard = self.market[:], self.discard[:]
        twin.player, twin.neutral, twin.pools = self.player[:], self.neutral[:], self.pools[:]
        twin.held = [held[:] for held in self.held]
        twin.rims = [rims[:] for rims in self.rims]
        twin.fillings = [[groups[:] for groups in plates] for plates in self.fillings]
        twin.needed, twin._room, twin.rolls = self.needed[:], self._room[:], self.rolls[:]
        twin.meeples, twin.meeple, twin.racing = self.meeples[:], self.meeple, self.racing[:]
        twin.order, twin.turn, twin.picks, twin.loose = self.order[:], self.turn, self.picks, self.loose[:]
        twin.star_colour, twin.round, twin.last_round = self.star_colour, self.round, self.last_round
        twin.moves, twin.phase, twin.termination = self.moves, self.phase, self.termination
        return twin

    def plain(self) -> dict[str, Any]:
        """Return all facts of the state as plain data."""
        return {
            "options": [self.seats, self.roll_limit, self.roll_ms, self.turn_limit],
            "catalogue": [self.catalogue.version, self.catalogue.hash] if self.catalogue else None,
            "plates": self.plates[self.plates_at :],
            "rims_pack": self.rims_pack[self.rims_at :],
            "market": self.market[:],
            "discard": self.discard[:],
            "player": self.player[:],
            "neutral": self.neutral[:],
            "pools": self.pools[:],
            "held": [held[:] for held in self.held],
            "rims": [rims[:] for rims in self.rims],
            "fillings": [[[list(group.dice) for group in plate] for plate in plates] for plates in self.fillings],
            "needed": self.needed[:],
            "rolls": self.rolls[:],
            "meeples": self.meeples[:],
            "meeple": self.meeple,
            "racing": self.racing[:],
            "order": self.order[:],
            "turn": self.turn,
            "picks": self.picks,
            "loose": self.loose[:],
            "star_colour": self.star_colour,
            "round": self.round,
            "last_round": self.last_round,
            "moves": self.moves,
            "phase": self.phase,
            "termination": self.termination,
        }


def present(pool: int) -> int:
    """Return which values a pool holds, as bits 0 … 5."""
    return PRESENT[pool & 4095] | PRESENT[pool >> 12] << 3


def count(pool: int) -> int:
    """Return how many dice a pool holds."""
    return DICE[pool & 4095] + DICE[pool >> 12]


def pool_text(pool: int) -> str:
    """Return the dice of a pool as moves name them, such as `1335`."""
    return "".join([str(value) * (pool >> 4 * value - 4 & 15) for value in (1, 2, 3, 4, 5, 6)])


def pool_of(text: str) -> int:
    """Return the pool of the dice in `text`, which has at most 15 of a value."""
    return sum([text.count(str(value)) << 4 * value - 4 for value in (1, 2, 3, 4, 5, 6)])


def free_plates(state: State, seat: int) -> list[int]:
    """Return the plates of a seat that can get a rim: no starting plates and none with a rim (PS-21)."""
    rims = state.rims[seat]
    return [plate for place, plate in enumerate(state.held[seat]) if place >= STARTING and rims[place] == NO_RIM]


def tally(state: State, seat: int) -> tuple[int, list[int]]:
    """Return a seat's (points printed on plates and rims, number of plates by colour as in COLOURS) (PS-24 to
    PS-26)."""
    printed, counts = 0, [0, 0, 0, 0]
    for plate, rim in zip(state.held[seat], state.rims[seat], strict=True):
        item = state.items[plate]
        printed += item.points
        colour = item.colour
        if colour:
            counts[COLOURS.index(colour)] += 1
        elif plate == STAR and state.star_colour >= 0:
            counts[state.star_colour] += 1
        if rim != NO_RIM:
            printed += state.items[rim].points
            if state.items[rim].colour != colour:
                counts[COLOURS.index(state.items[rim].colour)] += 1
    return printed, counts


def scores(state: State) -> list[tuple[int, int]]:
    """Return (score, yellow plates) of each seat (PS-24). Yellow plates break a tie (PS-27)."""
    return scores_of([tally(state, seat) for seat in range(state.seats)])


def scores_of(tallies: list[tuple[int, list[int]]]) -> list[tuple[int, int]]:
    """Return `scores` from the `tally` of each seat."""
    most = max([counts[YELLOW] for _, counts in tallies], default=0)
    found: list[tuple[int, int]] = []
    for printed, counts in tallies:
        sets = sum([SET_POINTS[min(number, 6)] for number in counts[:YELLOW]])
        bonus = MOST_YELLOW if counts[YELLOW] == most > 0 else 0
        found.append((printed + sets + bonus, counts[YELLOW]))
    return found


def apply(state: State, event: Event) -> None:
    """Change `state` by one event. Simple and total: never checks, never draws."""
    kind: str = event[0]
    if kind == "assigned":
        assign(state, event)
    elif kind == "rolled":
        seat: int = event[1]
        rolled: int = event[2]
        shown: int = event[3]
        state.pools[seat] += shown - rolled
        state.rolls[seat] += 1
        state.moves += 1
    elif kind == "grabbed":
        state.meeples[event[1]] = event[2]
        state.meeple += 1
        leave_race(state, event[1])
    elif kind == "finished":
        leave_race(state, event[1])
    elif kind == "broke":
        smash(state, event[1], event[2], event[3])
    elif kind == "drafted":
        draft(state, event[1], event[2], event[3])
    elif kind == "attached":
        attach(state, event[1], event[2], event[3])
    elif kind == "discarded":
        state.discard += event[2]
        state.loose = []
        next_drafter(state)
    elif kind == "turned":
        turn_up(state, event[1], event[2])
    elif kind == "go":
        go(state, event[1], event[2])
    elif kind == "coloured":
        state.star_colour = event[2]
        state.moves += 1
        state.phase = NOBODY
    elif kind == "set":
        set_up(state, event)
    elif kind == "ended":
        state.phase = OVER
        state.racing = []
        state.termination = event[1]


def set_up(state: State, event: Event) -> None:
    """Set starting plates and both packs (PS-6, PS-7)."""
    state.catalogue = load(event[1])
    state.items = state.catalogue.items
    state.plates, state.rims_pack = event[3], event[4]
    for seat in range(state.seats):
        state.held[seat] = [START + 2 * seat, START + 2 * seat + 1]
        state.rims[seat] = [NO_RIM, NO_RIM]
        state.fillings[seat] = [empty(state, plate, NO_RIM) for plate in state.held[seat]]


def empty(state: State, plate: int, rim: int) -> list[Filling]:
    """Return the empty fillings of a plate and its rim; the rim's groups follow the plate's (PS-4)."""
    groups = state.items[plate].empty
    return groups[:] if rim == NO_RIM else groups + state.items[rim].empty


def room_of(fillings: list[list[Filling]]) -> int:
    """Return the sum of the `room` of a seat's fillings."""
    return sum([filling.room for groups in fillings for filling in groups])


def turn_up(state: State, plates: list[int], rims: list[int]) -> None:
    """Turn up a market. If the star plate comes, only it stays, and the rest leaves the game (PS-8, PS-22, PS-23)."""
    state.plates_at += len(plates)
    state.rims_at += len(rims)
    if STAR in plates:
        state.last_round = True
        state.market = [STAR]
        state.discard += [plate for plate in plates if plate != STAR]
    else:
        state.market = plates + rims


def go(state: State, number: int, pools: list[int]) -> None:
    """Begin a round: all dice come back and are rolled (PS-9, PS-15), and the meeples lie in the middle (PS-22)."""
    state.round = number
    state.pools = pools[:]
    state.meeple = 1
    state.meeples = [0] * state.seats
    state.rolls = [0] * state.seats
    state.racing = list(range(state.seats))
    state.phase = SPIN
    for seat, plates in enumerate(state.held):
        fillings = [empty(state, plate, rim) for plate, rim in zip(plates, state.rims[seat], strict=True)]
        state.fillings[seat] = fillings
        state._room[seat] = room_of(fillings)
        state.needed[seat] = sum([state.items[plate].needed for plate in plates[:STARTING]])


def assign(state: State, event: Event) -> None:
    """Move a die from the pool to a group (PS-9)."""
    seat: int = event[1]
    value: int = event[2]
    group: int = event[4]
    place: int = event[5]
    at = state.held[seat].index(event[3])
    groups = state.fillings[seat][at]
    before = groups[group]
    groups[group] = after = before.after(8 * place + value)
    state._room[seat] += after.room - before.room
    state.pools[seat] -= 1 << 4 * value - 4
    if at < STARTING:
        state.needed[seat] -= 1
    state.moves += 1


def leave_race(state: State, seat: int) -> None:
    """End the spinning of a seat. After the last one, drafting begins (PS-12, PS-19, PS-23)."""
    state.moves += 1
    state.racing = [other for other in state.racing if other != seat]
    if state.racing:
        return
    if state.last_round:
        state.order = [state.meeples.index(1)] if 1 in state.meeples else []
    else:
        with_meeple = [state.meeples.index(meeple) for meeple in range(1, state.meeple)]
        state.order = with_meeple + [other for other in range(state.seats) if not state.meeples[other]]
    state.turn = -1
    next_drafter(state)


def next_drafter(state: State) -> None:
    """Let the next seat draft two items, or one if it is the last; nobody if the market is empty (PS-8, PS-19)."""
    state.turn += 1
    if state.turn < len(state.order) and state.market:
        state.phase = DRAFT
        state.picks = 1 if state.last_round or state.turn == state.seats - 1 else 2
    else:
        state.phase = NOBODY


def smash(state: State, seat: int, plates: list[int], rims: list[int]) -> None:
    """Move plates and rims to the discard pile. Their dice stay with the owner (PS-13, PS-15)."""
    held = state.held[seat]
    for plate in plates:
        at = held.index(plate)
        for filling in state.fillings[seat].pop(at):
            state.pools[seat] += filling.pool
        held.pop(at)
        state.rims[seat].pop(at)
    state.discard += plates + rims


def draft(state: State, seat: int, item: int, dice: int) -> None:
    """Take an item and its dice from the market (PS-19, PS-20).

    Next comes a rim's plate, a colour, or the next seat.
    """
    state.moves += 1
    state.market.remove(item)
    state.picks = state.picks - 1 if state.market else 0
    if item >= FIRST_RIM:
        state.loose.append(item)
        state.neutral[seat] += dice
    else:
        state.held[seat].append(item)
        state.rims[seat].append(NO_RIM)
        state.fillings[seat].append(empty(state, item, NO_RIM))
        state.player[seat] += dice
    if item == STAR:
        state.phase = COLOUR
    elif state.picks == 0 and state.loose:
        state.phase = ATTACH
    elif state.picks == 0:
        next_drafter(state)


def attach(state: State, seat: int, rim: int, plate: int) -> None:
    """Attach a rim to a plate for the rest of the game (PS-21)."""
    state.moves += 1
    place = state.held[seat].index(plate)
    state.rims[seat][place] = rim
    state.fillings[seat][place] += state.items[rim].empty
    state.loose.remove(rim)
    if not state.loose:
        next_drafter(state)
