"""The worlds of Plate Spinner: only the order of the two packs is hidden (PS-18)."""

from __future__ import annotations

import random
from typing import Any

from scorebook_games.kinds.plate_spinner.catalogue import COLOURS, FIRST_RIM, ITEMS, PLATES, STAR, load
from scorebook_games.kinds.plate_spinner.fillings import Filling
from scorebook_games.kinds.plate_spinner.rules import ABOVE_STAR, ITEM_NUMBERS
from scorebook_games.kinds.plate_spinner.state import NO_RIM, PHASES, STARTING, State, empty, pool_of, room_of
from scorebook_games.search.chance import shuffled
from scorebook_games.search.worth import Observation


class PlateSpinnerWorlds:
    """The worlds of one observation.

    Every order of the cards not turned up is equally likely, with the star plate within its bounds (PS-7).
    """

    def __init__(self, seen: Observation) -> None:
        self.known = known_state(seen)
        gone = {*self.known.market, *self.known.loose, *self.known.discard}
        gone.update(*self.known.held, *self.known.rims)
        self.plates = [plate for plate in range(PLATES) if plate not in gone]
        self.rims = [rim for rim in range(FIRST_RIM, ITEMS) if rim not in gone]
        turned = PLATES + 1 - seen["plates_left"]
        least, most = ABOVE_STAR[self.known.seats]
        self.least, self.most = max(least, turned) - turned, most - turned

    def sample(self, rng: random.Random) -> State:
        """Return a state with both packs in random order."""
        state = self.known.copy()
        state.plates, state.rims_pack = shuffled(self.plates, rng.random), shuffled(self.rims, rng.random)
        if not state.last_round:
            state.plates.insert(self.least + int(rng.random() * (self.most - self.least + 1)), STAR)
        return state


def known_state(seen: Observation) -> State:
    """Return all that is seen, without the packs.

    Of the drafting order only the rest is seen, and nothing else matters.
    """
    options, players = seen["options"], seen["players"]
    state = State(seen["seats"], options["roll_limit"], options["roll_ms"], options["turn_limit"])
    state.catalogue = load(seen["catalogue"]["version"])
    state.items = state.catalogue.items
    for seat, player in enumerate(players):
        place_player(state, seat, player)
    state.phase = PHASES.index(seen["phase"])
    state.round, state.last_round, state.moves = seen["round"], seen["last_round"], seen["moves"]
    state.racing = [seat for seat, player in enumerate(players) if player["spinning"]]
    state.meeple = 1 + max(state.meeples)
    coming = seen["order"]
    if coming:
        gone = [] if state.last_round else [seat for seat in range(state.seats) if seat not in coming]
        state.order, state.turn = [*gone, *coming], len(gone)
    state.picks = seen["picks"]
    state.market, state.loose = numbers(seen["market"]), numbers(seen["loose"])
    state.discard = [ITEM_NUMBERS[item] for item in seen["discard"]]
    return state


def numbers(items: list[dict[str, Any]]) -> list[int]:
    """Return the numbers of items."""
    return [ITEM_NUMBERS[item["id"]] for item in items]


def place_player(state: State, seat: int, player: dict[str, Any]) -> None:
    """Set what lies in front of a seat."""
    state.player[seat], state.neutral[seat] = player["player_dice"], player["neutral_dice"]
    state.pools[seat] = pool_of(player["dice"])
    state.rolls[seat] = player["rolls"]
    state.meeples[seat] = player["meeple"] or 0
    for plate in player["plates"]:
        number = ITEM_NUMBERS[plate["id"]]
        rim = ITEM_NUMBERS[plate["rim"]["id"]] if plate["rim"] else NO_RIM
        state.held[seat].append(number)
        state.rims[seat].append(rim)
        groups = empty(state, number, rim)
        state.fillings[seat].append([filled(each, dice) for each, dice in zip(groups, plate["filled"], strict=True)])
        if number == STAR and plate["colour"]:
            state.star_colour = COLOURS.index(plate["colour"])
    state.needed[seat] = sum([group.free for plate in state.fillings[seat][:STARTING] for group in plate])
    state._room[seat] = room_of(state.fillings[seat])


def filled(group: Filling, dice: list[int | None]) -> Filling:
    """Return the filling of a group with these dice, None for a free slot."""
    return group.group.filling(tuple([value or 0 for value in dice]))
