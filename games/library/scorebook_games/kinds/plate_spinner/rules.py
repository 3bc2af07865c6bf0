"""The rules of Plate Spinner: which moves are legal, and what they lead to (rules.md, PS-6 to PS-27).

Actions
-------
GRAB, FINISH; COLOUR_AS + colour; DRAFT_ITEM + item; ATTACH_RIM + 64 * (rim − FIRST_RIM) + plate;
ASSIGN + 64 * (16 * plate + group) + code, with the code of `fillings`; ROLL + the pool of the dice to roll.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from scorebook_games.contract import (
    RULES,
    TURN_LIMIT,
    Dealer,
    Event,
    IllegalMove,
    MalformedMove,
    Option,
    Options,
    Outcome,
    Spec,
)
from scorebook_games.kinds.plate_spinner import observations as plate_spinner_observations
from scorebook_games.kinds.plate_spinner import state as st
from scorebook_games.kinds.plate_spinner.catalogue import (
    COLOURS,
    FIRST_RIM,
    ITEM_IDS,
    ITEMS,
    NEWEST,
    PLATES,
    STAR,
    load,
    looks,
)
from scorebook_games.kinds.plate_spinner.fillings import DICE, PRESENT, ROOM
from scorebook_games.kinds.plate_spinner.state import (
    ATTACH,
    COLOUR,
    DRAFT,
    NEUTRAL_DICE,
    OVER,
    PLAYER_DICE,
    SPIN,
    STARTING,
    State,
)
from scorebook_games.text import gettext_noop as _

GRAB: Final = 0
FINISH: Final = 1
COLOUR_AS: Final = 2
DRAFT_ITEM: Final = 8
ATTACH_RIM: Final = 128
ASSIGN: Final = 1 << 16
ROLL: Final = 1 << 24
# What a seat may do beside assigning dice (`others`).
GRAB_OR_ROLL: Final[list[int]] = [GRAB, ROLL]
FINISH_OR_ROLL: Final[list[int]] = [FINISH, ROLL]
ONLY_ROLL: Final[list[int]] = [ROLL]
ONLY_GRAB: Final[list[int]] = [GRAB]
ONLY_FINISH: Final[list[int]] = [FINISH]

# The lowest and highest number of plates above the star plate, by seats (PS-7).
ABOVE_STAR: Final[dict[int, tuple[int, int]]] = {2: (18, 22), 3: (28, 32), 4: (35, 39), 5: (35, 39)}
AT_ONCE: Final = 4  # pools of up to this many dice are looked up in a table
# The number of rolls of each number of dice: 6 ** dice.
POWERS: Final[list[int]] = [6**dice for dice in range(PLAYER_DICE + NEUTRAL_DICE + 1)]
# A mask for the difference of two pools: a bit shows that a count has borrowed from the next, so one pool is no part of
# the other.
BORROWED: Final = 0x1111110
# The part of `State._room` for dice of some values, by `present`. What is counted there by value adds up to the rest
# after a division by LARGEST, because all plates and rims together have at most 142 places (PS-1 to PS-3).
LARGEST: Final = (1 << ROOM) - 1
ROOM_OF: Final[list[int]] = [
    sum([LARGEST << ROOM * at for at in range(6) if values >> at & 1]) for values in range(1 << 6)
]


def pool_by_digits(number: int, dice: int) -> int:
    """Return the pool of this many dice whose values are the base-6 digits of `number`, each plus one."""
    return sum([1 << 4 * (number // POWERS[place] % 6) for place in range(dice)])


# The pools by the number of dice, up to AT_ONCE, and by the number that has the dice as digits.
POOLS: Final[list[list[int]]] = [
    [pool_by_digits(number, dice) for number in range(POWERS[dice])] for dice in range(AT_ONCE + 1)
]

ITEM_NUMBERS: Final = {item: number for number, item in enumerate(ITEM_IDS)}
ASSIGN_TEXT: Final = re.compile(r"assign ([1-6]) ([A-Z][1-9][0-9]?) ([0-9])(?:\.([0-3]))?")
ATTACH_TEXT: Final = re.compile(r"attach (\S+) (\S+)")
ROLL_TEXT: Final = re.compile(r"roll (1*2*3*4*5*6*)")

SPEC: Final = Spec(
    kind="plate_spinner",
    title="Plate Spinner",
    rules_version=1,
    seats_min=2,
    seats_max=5,
    options=(
        Option(
            "roll_limit",
            "int",
            60,
            "Maximum number of rolls per player and round, without the roll on GO. After that a "
            "player must grab or finish.",
            minimum=10,
            maximum=500,
        ),
        Option(
            "roll_ms",
            "int",
            700,
            "Live games: minimum time between two rolls of a player.",
            minimum=0,
            maximum=5000,
        ),
        Option(
            "turn_limit",
            "int",
            20000,
            "The game ends with the present scores after this number of moves of all players.",
            minimum=1,
            maximum=10**9,
        ),
    ),
    notation=_(
        "A move is written roll 1335 (dice in ascending order), assign 5 P17 0 (to a group of a plate), "
        "assign 5 P17 0.1 (to a slot), grab, finish, draft P17, attach R4 P17 or colour blue."
    ),
)


class PlateSpinner:
    """The rules of Plate Spinner."""

    spec: Spec = SPEC
    paces: tuple[str, ...] = ("beats", "live")

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Return every option with its value. Raises `OptionError`."""
        return SPEC.resolve(seats, options)

    def initial(self, seats: int, options: Options) -> State:
        """Return the state before the set-up."""
        return State(seats, options["roll_limit"], options["roll_ms"], options["turn_limit"])

    def start(self, state: State, dealer: Dealer) -> list[Event]:
        """Return both packs (PS-7), the first market (PS-8) and GO (PS-9)."""
        catalogue = load(NEWEST)
        plates = dealer.shuffle("plates", range(PLATES))
        least, most = ABOVE_STAR[state.seats]
        plates.insert(least + dealer.integers("star", [most - least + 1])[0], STAR)
        rims = dealer.shuffle("rims", range(FIRST_RIM, ITEMS))
        first = next_round(1, plates[: state.seats], rims[: state.seats - 1], state.player, dealer)
        return [["set", catalogue.version, catalogue.hash, plates, rims], *first]

    def to_act(self, state: State) -> list[int]:
        """Return all seats that still spin (PS-9, PS-12), or the seat that drafts (PS-19)."""
        if state.phase == SPIN:
            return state.racing[:]
        return [state.order[state.turn]] if DRAFT <= state.phase <= COLOUR else []

    def to_act_seen(self, state: State, viewer: int | None) -> list[int]:
        """Return `to_act`: everything that decides who may act is open (PS-18)."""
        return self.to_act(state)

    def awaited(self, state: State) -> list[int]:
        """Return all seats that may act. A seat that spins must grab or finish before the game goes on (PS-12)."""
        return self.to_act(state)

    def ends_bundle(self, state: State, action: int) -> bool:
        """Return whether a bundle ends with `action`. All actions except an assignment end it (PS-17)."""
        return not ASSIGN <= action < ROLL

    def pace_limit(self, state: State, seat: int, action: int) -> int:
        """Return `roll_ms` for a roll if the game is live (PS-17), else 0."""
        return state.roll_ms if action >= ROLL else 0

    def starts_pace(self, event: Event, seat: int) -> bool:
        """Return whether `event` rolls dice of `seat`: GO or any other roll (PS-17)."""
        return bool(event[0] == "go" or (event[0] == "rolled" and event[1] == seat))

    def legal_actions(self, state: State, seat: int) -> list[int]:
        """Return every action open to `seat` with every possible roll: some 1,700 with fifteen dice."""
        if state.phase != SPIN:
            return draft_actions(state, seat)
        if seat not in state.racing:
            return []
        actions = assigns(state, seat) + others(state, seat)
        if actions[-1] == ROLL:
            actions[-1:] = rolls(state.pools[seat])
        return actions

    def listed_actions(self, state: State, seat: int) -> list[int]:
        """Return `legal_actions` as a view lists them.

        Of the rolls it has only the one of all unassigned dice, as the last.
        """
        if state.phase != SPIN:
            return draft_actions(state, seat)
        if seat not in state.racing:
            return []
        actions = assigns(state, seat) + others(state, seat)
        if actions[-1] == ROLL:
            actions[-1] += state.pools[seat]
        return actions

    def open_action(self, state: State, seat: int) -> int | None:
        """Return the roll of all unassigned dice, which stands for the roll of any of them; None if none is legal."""
        may = state.phase == SPIN and seat in state.racing and may_roll(state, seat)
        return ROLL + state.pools[seat] if may else None

    def sample_action(self, state: State, seat: int, draw: Callable[[], float]) -> int:
        """Return a random legal action of a seat that may act; `draw` returns numbers from 0 up to 1.

        All rolls together are as likely as any one other action, and all rolls are equally likely.
        """
        if state.phase != SPIN:
            actions = draft_actions(state, seat)
            return actions[int(draw() * len(actions))]
        rest = others(state, seat)
        pool = state.pools[seat]
        present = PRESENT[pool & 4095] | PRESENT[pool >> 12] << 3
        assigning = (state._room[seat] & ROOM_OF[present]) % LARGEST
        place = int(draw() * (assigning + len(rest)))
        if place < assigning:
            return assign_at(state, seat, present, place)
        action = rest[place - assigning]
        return ROLL + some_dice(pool, draw()) if action == ROLL else action

    def decide(self, state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
        """Return the move's own event, then what follows from it. Raises `IllegalMove`."""
        events: list[Event]
        if state.phase == SPIN and seat in state.racing:
            if action >= ROLL:
                dice = action - ROLL
                check_roll(state, seat, dice)
                label = f"roll/round{state.round}/seat{seat}/{state.rolls[seat] + 1}"
                events = [["rolled", seat, dice, throw(dealer, label, DICE[dice & 4095] + DICE[dice >> 12])]]
            elif action >= ASSIGN:
                place, code = (action - ASSIGN) >> 6, action & 63
                check_assign(state, seat, place, code)
                events = [["assigned", seat, code & 7, place >> 4, place & 15, code >> 3]]
            else:
                check_leave(state, seat, action)
                events = leave(state, seat, action)
                if action == FINISH and nobody_drafts(state):
                    return [*events, ["ended", RULES]]
        elif not may_draft(state, seat, action):
            raise refuse_draft(state, seat, action)
        elif state.phase == COLOUR:
            return [["coloured", seat, action - COLOUR_AS], ["ended", RULES]]
        else:
            events = choose(state, seat, action, dealer)
        if state.moves + 1 >= state.turn_limit:
            events.append(["ended", TURN_LIMIT])
        return events

    def apply(self, state: State, event: Event) -> None:
        """Change `state` by one event."""
        st.apply(state, event)

    def action_of(self, state: State, event: Event) -> tuple[int, int]:
        """Return (seat, action) of the decision that `event` begins.

        Raises ValueError if no decision begins with it.
        """
        kind: str = event[0]
        if kind == "rolled":
            return event[1], ROLL + event[2]
        if kind == "assigned":
            return event[1], ASSIGN + 64 * (16 * event[3] + event[4]) + 8 * event[5] + event[2]
        if kind == "grabbed":
            return event[1], GRAB
        if kind == "finished":
            return event[1], FINISH
        if kind == "drafted":
            return event[1], DRAFT_ITEM + event[2]
        if kind == "attached":
            return event[1], ATTACH_RIM + 64 * (event[2] - FIRST_RIM) + event[3]
        if kind == "coloured":
            return event[1], COLOUR_AS + event[2]
        raise ValueError(f"No move begins with {kind!r}.")

    def observation(self, state: State, seat: int | None) -> dict[str, Any]:
        """Return what `seat` may know: everything except the order of the two packs (PS-18)."""
        return plate_spinner_observations.observation(state, seat, self.to_act(state))

    def redact(self, event: Event, seat: int | None) -> Event:
        """Return the set-up without the packs, and any other event whole, because all else is open (PS-18)."""
        return plate_spinner_observations.redact(event)

    def readable(self, event: Event) -> dict[str, Any]:
        """Return `event` with named fields and ids."""
        return plate_spinner_observations.readable(event)

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome: most points win (PS-27). None while the game is on."""
        if state.phase != OVER:
            return None
        points, places = self.standing(state)
        return Outcome(state.termination, points, places)

    def standing(self, state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return (points, placings) as they stand. More yellow plates break a tie (PS-24, PS-27)."""
        if not state.items:
            return (0,) * state.seats, (1,) * state.seats
        found = st.scores(state)
        return (
            tuple([points for points, _ in found]),
            tuple([1 + sum([other > mine for other in found]) for mine in found]),
        )

    def move_text(self, state: State, action: int) -> str:
        """Return the move as a player writes it, such as `assign 5 P17 0.1`."""
        if action >= ROLL:
            return f"roll {st.pool_text(action - ROLL)}"
        if action >= ASSIGN:
            place, code = (action - ASSIGN) >> 6, action & 63
            slot = f".{(code >> 3) - 1}" if code >> 3 else ""
            return f"assign {code & 7} {ITEM_IDS[place >> 4]} {place & 15}{slot}"
        if action >= ATTACH_RIM:
            return f"attach {ITEM_IDS[FIRST_RIM + (action - ATTACH_RIM >> 6)]} {ITEM_IDS[action & 63]}"
        if action >= DRAFT_ITEM:
            return f"draft {ITEM_IDS[action - DRAFT_ITEM]}"
        if action >= COLOUR_AS:
            return f"colour {COLOURS[action - COLOUR_AS]}"
        return "finish" if action else "grab"

    def parse_move(self, state: State, text: str) -> int:
        """Return the action that `text` names. Raises `MalformedMove`."""
        action = parse(text)
        if action is None:
            raise MalformedMove(SPEC.notation)
        return action


def parse(text: str) -> int | None:
    """Return the action that `text` names, or None if it is not a move."""
    if text in ("grab", "finish"):
        return GRAB if text == "grab" else FINISH
    verb, _, rest = text.partition(" ")
    if verb == "colour" and rest in COLOURS:
        return COLOUR_AS + COLOURS.index(rest)
    if verb == "draft" and rest in ITEM_NUMBERS:
        return DRAFT_ITEM + ITEM_NUMBERS[rest]
    if verb == "roll":
        rolled = ROLL_TEXT.fullmatch(text)
        return ROLL + st.pool_of(rest) if rolled and 1 <= len(rest) <= PLAYER_DICE + NEUTRAL_DICE else None
    if put := ASSIGN_TEXT.fullmatch(text):
        plate = ITEM_NUMBERS.get(put[2], FIRST_RIM)
        place = 1 + int(put[4]) if put[4] else 0
        return None if plate >= FIRST_RIM else ASSIGN + 64 * (16 * plate + int(put[3])) + 8 * place + int(put[1])
    if under := ATTACH_TEXT.fullmatch(text):
        rim, plate = ITEM_NUMBERS.get(under[1], 0), ITEM_NUMBERS.get(under[2], FIRST_RIM)
        return ATTACH_RIM + 64 * (rim - FIRST_RIM) + plate if rim >= FIRST_RIM > plate else None
    return None


def throw(dealer: Dealer, label: str, dice: int) -> int:
    """Return a pool of rolled dice, from one number below 6**dice; its base-6 digits plus one are the dice."""
    number = dealer.integers(label, [POWERS[dice]])[0]
    pool = 0
    while dice > AT_ONCE:
        pool += POOLS[AT_ONCE][number % POWERS[AT_ONCE]]
        number //= POWERS[AT_ONCE]
        dice -= AT_ONCE
    return pool + POOLS[dice][number]


def next_round(number: int, plates: list[int], rims: list[int], dice: list[int], dealer: Dealer) -> list[Event]:
    """Return the market of round `number` from the next plates and rims (PS-8), with the star plate the last one
    (PS-22, PS-23), and GO, with so many dice by seat (PS-9)."""
    if STAR in plates:
        plates, rims = plates[: plates.index(STAR) + 1], []
    pools = [throw(dealer, f"go/round{number}/seat{seat}", count) for seat, count in enumerate(dice)]
    return [["turned", plates, rims], ["go", number, pools]]


def nobody_drafts(state: State) -> bool:
    """Return whether the game ends if the next seat finishes: it is the last round, and meeple 1 is left (PS-23)."""
    return state.last_round and state.meeple == 1 and len(state.racing) == 1


def may_roll(state: State, seat: int) -> bool:
    """Return whether a seat that spins may roll again (PS-9, PS-12, PS-16)."""
    return others(state, seat)[-1] == ROLL


def may_grab(state: State, seat: int) -> bool:
    """Return whether a seat that spins may grab: a meeple is left and its starting plates are filled (PS-11)."""
    return others(state, seat)[0] == GRAB


def may_finish(state: State, seat: int) -> bool:
    """Return whether a seat that spins has nothing else to do, or is trapped (PS-12, PS-16)."""
    return others(state, seat)[0] == FINISH


def is_trapped(state: State, seat: int) -> bool:
    """Return whether a seat that spins has too few dice left to fill its starting plates (PS-16)."""
    needed = state.needed[seat]
    return needed > 0 and st.count(state.pools[seat]) < needed


def others(state: State, seat: int) -> list[int]:
    """Return what a seat that spins may do beside assigning dice: GRAB or FINISH first, ROLL for all its rolls last."""
    if state.meeple == state.seats:
        return ONLY_FINISH
    if state.rolls[seat] < state.roll_limit and state.pools[seat]:
        if not state.needed[seat]:
            return GRAB_OR_ROLL
        return FINISH_OR_ROLL if is_trapped(state, seat) else ONLY_ROLL
    return ONLY_FINISH if state.needed[seat] else ONLY_GRAB


def assigns(state: State, seat: int) -> list[int]:
    """Return the assignment of every die to every place that takes it (PS-10)."""
    present = st.present(state.pools[seat])
    actions: list[int] = []
    if present:
        fillings = state.fillings[seat]
        for place, plate in enumerate(state.held[seat]):
            base = ASSIGN + 1024 * plate
            for filling in fillings[place]:
                for code in filling.codes[present]:
                    actions.append(base + code)
                base += 64
    return actions


def assign_at(state: State, seat: int, present: int, place: int) -> int:
    """Return the one of `assigns` at this place; there are more than `place` of them."""
    for at, fillings in enumerate(state.fillings[seat]):
        base = ASSIGN + 1024 * state.held[seat][at]
        for filling in fillings:
            count = filling.counts[present]
            if place < count:
                return base + filling.codes[present][place]
            place -= count
            base += 64
    raise IndexError("There are not so many.")


def parts_of(trio: int) -> list[int]:
    """Return every choice of dice from three of a pool's counts, the empty choice first. Nobody may change the list."""
    found = _PARTS[trio]
    if not found:
        found = [0]
        for shift in (0, 4, 8):
            found = [some + (more << shift) for more in range((trio >> shift & 15) + 1) for some in found]
        _PARTS[trio] = found
    return found


_PARTS: Final[list[list[int]]] = [[]] * 4096  # what `parts_of` has returned


def rolls(pool: int) -> list[int]:
    """Return every choice of dice from a pool except the empty one."""
    lows = parts_of(pool & 4095)
    return [ROLL + low + (high << 12) for high in parts_of(pool >> 12) for low in lows][1:]


def some_dice(pool: int, part: float) -> int:
    """Return one of the choices of `rolls`; `part`, from 0 up to 1, says how far it lies along the list."""
    lows, highs = parts_of(pool & 4095), parts_of(pool >> 12)
    place = 1 + int(part * (len(lows) * len(highs) - 1))
    return lows[place % len(lows)] + (highs[place // len(lows)] << 12)


def draft_actions(state: State, seat: int) -> list[int]:
    """Return the actions open to `seat` outside spinning."""
    if not DRAFT <= state.phase <= COLOUR or state.order[state.turn] != seat:
        return []
    if state.phase == DRAFT:
        return [DRAFT_ITEM + item for item in state.market]
    if state.phase == ATTACH:
        plates = st.free_plates(state, seat)
        return [ATTACH_RIM + 64 * (rim - FIRST_RIM) + plate for rim in state.loose for plate in plates]
    return [COLOUR_AS + colour for colour in range(len(COLOURS))]


def may_draft(state: State, seat: int, action: int) -> bool:
    """Return whether an action is open to `seat` outside spinning."""
    if state.phase == DRAFT:
        return state.order[state.turn] == seat and action - DRAFT_ITEM in state.market
    return action in draft_actions(state, seat)


def check_roll(state: State, seat: int, dice: int) -> None:
    """Raise `IllegalMove` unless `seat` may roll these dice."""
    if state.meeple == state.seats:
        raise IllegalMove("time_is_up", "PS-12", _("The last meeple is gone. Use your dice, then finish."))
    if state.rolls[seat] >= state.roll_limit:
        raise IllegalMove(
            "roll_limit", "PS-16", _("You have rolled {count} times in this round."), count=state.roll_limit
        )
    pool = state.pools[seat]
    rest = pool - dice
    if rest < 0 or (pool ^ dice ^ rest) & BORROWED:
        found = st.pool_text(pool)
        if not found:
            raise IllegalMove("dice_not_free", "PS-9", _("You have no free dice to roll."))
        raise IllegalMove(
            "dice_not_free", "PS-9", _("Your free dice are {dice}. Roll only dice from these."), dice=found
        )


def check_assign(state: State, seat: int, place: int, code: int) -> None:
    """Raise `IllegalMove` unless `seat` may assign this die there."""
    value, plate, group = code & 7, place >> 4, place & 15
    held = state.held[seat]
    if not state.pools[seat] >> 4 * value - 4 & 15:
        raise IllegalMove("dice_not_free", "PS-9", _("You have no free {die}."), die=value)
    if plate not in held:
        raise IllegalMove("not_your_plate", "PS-9", _("{plate} is not yours."), plate=name_of(state, plate))
    groups = state.fillings[seat][held.index(plate)]
    if group >= len(groups):
        raise IllegalMove(
            "no_such_group", "PS-4", _("{plate} has no group {group}."), plate=name_of(state, plate), group=group
        )
    if not groups[group].takes[code]:
        raise refuse_die(name_of(state, plate), group, groups, code)


def name_of(state: State, item: int) -> str:
    """Return the name of a plate or rim, as the table shows it."""
    return looks(state.catalogue.version)[ITEM_IDS[item]]["name"] if state.catalogue else ITEM_IDS[item]


def refuse_die(plate: str, number: int, groups: Sequence[Any], code: int) -> IllegalMove:
    """Return the error for a die that a group of a plate does not take."""
    value, place = code & 7, code >> 3
    filling = groups[number]
    group = filling.group
    if filling.free == 0:
        return IllegalMove("group_is_full", "PS-10", _("This part of {plate} is full."), plate=plate)
    if bool(group.slots) != bool(place):
        if all(other & 7 != value for each in groups for other in each.open):
            sentence = _("{plate} has no place for a {die}.")
            return IllegalMove("die_does_not_fit", "PS-10", sentence, plate=plate, die=value)
        if group.slots:
            return IllegalMove("slot_not_named", "PS-10", _("Say which place of {plate} the die goes to."), plate=plate)
        sentence = _("The dice of this part of {plate} have no places of their own.")
        return IllegalMove("no_slots", "PS-10", sentence, plate=plate)
    if not place:
        sentence = _("A {die} does not fit: this part of {plate} could then never be filled.")
        return IllegalMove("die_does_not_fit", "PS-10", sentence, die=value, plate=plate)
    if place > len(group.slots):
        sentence = _("This part of {plate} has no place {slot}.")
        return IllegalMove("no_such_slot", "PS-4", sentence, plate=plate, slot=place - 1)
    if filling.dice[place - 1]:
        return IllegalMove("slot_is_full", "PS-10", _("This place of {plate} has a die already."), plate=plate)
    alike = [8 * other + value for other in range(1, place) if group.slots[other - 1] == group.slots[place - 1]]
    if any(other in filling.open for other in alike):
        return IllegalMove(
            "not_the_lowest_slot", "PS-10", _("Several free slots need the same. Name the lowest of them.")
        )
    return IllegalMove(
        "die_does_not_fit", "PS-10", _("This place of {plate} does not take a {die}."), plate=plate, die=value
    )


def check_leave(state: State, seat: int, action: int) -> None:
    """Raise `IllegalMove` unless `seat` may grab, or finish."""
    if action == GRAB:
        if state.meeple == state.seats:
            raise IllegalMove("no_meeple_left", "PS-12", _("The last meeple is gone. Use your dice, then finish."))
        if state.needed[seat]:
            sentence = _("Fill your starting plates first: they cannot break.")
            raise IllegalMove("starting_plates_unfilled", "PS-11", sentence)
    elif action != FINISH:
        sentence = _("The plates are spinning: roll dice, put them on your plates, or grab a meeple.")
        raise IllegalMove("spinning_is_on", "PS-9", sentence)
    elif not may_finish(state, seat):
        raise IllegalMove("may_go_on", "PS-16", _("You can still roll or grab, so you cannot finish yet."))


def refuse_draft(state: State, seat: int, action: int) -> IllegalMove:
    """Return the error for an `action` that is not open to `seat` outside spinning."""
    if state.phase == OVER:
        return IllegalMove("game_over", "PS-23", _("The game is over."))
    if state.phase == SPIN:
        return IllegalMove("you_are_finished", "PS-12", _("You have finished this phase. Wait for the others."))
    if state.phase == st.NOBODY:
        return IllegalMove("nobody_to_act", "PS-9", _("Nobody can move now."))
    if state.order[state.turn] != seat:
        return IllegalMove("not_your_turn", "PS-19", _("It is another player's turn."))
    if state.phase == ATTACH:
        return IllegalMove("rim_waits", "PS-21", _("Put your new rim under one of your plates that has no rim."))
    if state.phase == COLOUR:
        return IllegalMove("colour_waits", "PS-26", _("Choose a colour for the star plate."))
    if ATTACH_RIM > action >= DRAFT_ITEM:
        return IllegalMove(
            "not_in_the_market", "PS-19", _("{item} is not in the market."), item=name_of(state, action - DRAFT_ITEM)
        )
    return IllegalMove("drafting_is_on", "PS-19", _("Take something from the market."))


def leave(state: State, seat: int, action: int) -> list[Event]:
    """Return the events of grabbing or finishing, with what breaks (PS-11 to PS-14)."""
    events: list[Event] = [["grabbed", seat, state.meeple] if action == GRAB else ["finished", seat]]
    plates, rims, fillings = state.held[seat], state.rims[seat], state.fillings[seat]
    broken: list[int] = []
    for place in range(STARTING, len(plates)):
        for filling in fillings[place]:
            if filling.free:
                broken.append(place)
                break
    if broken:
        bombs = [plates[place] for place in broken if state.items[plates[place]].bomb]
        if bombs:
            broken = list(range(STARTING, len(plates)))
        gone = [rims[place] for place in broken if rims[place] != st.NO_RIM]
        events.append(["broke", seat, [plates[place] for place in broken], gone, bombs])
    return events


def choose(state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
    """Return the events of drafting or attaching, with the rims left over (PS-19 to PS-21), and the next round if this
    was the last choice (PS-22)."""
    if state.phase == ATTACH:
        rim, dice = FIRST_RIM + (action - ATTACH_RIM >> 6), 0
        events: list[Event] = [["attached", seat, rim, action & 63]]
        loose = [other for other in state.loose if other != rim]
        room, left, ends = -1, len(state.market), True
    else:
        item, left = action - DRAFT_ITEM, len(state.market) - 1
        dice = dice_with(state, seat, item)
        events = [["drafted", seat, item, dice]]
        loose = [*state.loose, item] if item >= FIRST_RIM else state.loose
        room, ends = int(item < FIRST_RIM), state.picks == 1 or not left
    if ends and loose:
        ends = len(st.free_plates(state, seat)) + room == 0
        if ends:
            events.append(["discarded", seat, loose])
    if (
        ends
        and not state.last_round
        and (not left or state.turn == len(state.order) - 1)
        and state.moves + 1 < state.turn_limit
    ):
        counts = [state.player[other] + state.neutral[other] for other in range(state.seats)]
        counts[seat] += dice
        plates = state.plates[state.plates_at : state.plates_at + state.seats]
        rims = state.rims_pack[state.rims_at : state.rims_at + state.seats - 1]
        events += next_round(state.round + 1, plates, rims, counts, dealer)
    return events


def dice_with(state: State, seat: int, item: int) -> int:
    """Return how many dice come with an item: player dice up to ten, or a neutral die while there is one (PS-20)."""
    if item >= FIRST_RIM:
        return int(state.items[item].neutral and sum(state.neutral) < NEUTRAL_DICE)
    return min(state.items[item].dice, PLAYER_DICE - state.player[seat])
