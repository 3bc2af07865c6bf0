"""The strong bot in Plate Spinner: the worlds that it samples, and positions with an obvious answer."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from scorebook_games.bots.builtin import BUILTIN_BOTS, MoveRequest
from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import SEED, Node, Table, play, tables
from scorebook_games.contract import fold, listed_actions
from scorebook_games.kinds.plate_spinner import PlateSpinner, State
from scorebook_games.kinds.plate_spinner.catalogue import STAR
from scorebook_games.kinds.plate_spinner.guide import PlateSpinnerGuide, likely, rounds_left
from scorebook_games.kinds.plate_spinner.rules import ABOVE_STAR, ITEM_NUMBERS
from scorebook_games.kinds.plate_spinner.state import ATTACH, COLOUR, DRAFT, NO_RIM, OVER, SPIN, empty, pool_of
from scorebook_games.kinds.plate_spinner.worlds import PlateSpinnerWorlds
from tests.scorebook_games.kinds import permute_plate_spinner

pytestmark = pytest.mark.usefixtures("strong_thinks_fully")
RULES = PlateSpinner()
GUIDE = PlateSpinnerGuide()
TABLES = tables("plate_spinner")


def listed(state: State, seat: int) -> list[str]:
    """Return the moves of a seat as a view lists them and a built-in bot gets them."""
    return [RULES.move_text(state, action) for action in listed_actions(RULES, state, seat)]


def some(table: Table, share: float) -> Iterator[Node]:
    """Yield some nodes of a random game."""
    rng = random.Random(f"some {table}")
    return (node for node in play(table, 1) if rng.random() < share)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_world_shows_every_seat_what_it_was_made_from_with_the_same_moves(table: Table) -> None:
    """PS-18: nothing is hidden but the order of the packs; neither is a card lost."""
    rng = random.Random(f"worlds {table}")
    for node in some(table, 0.08):
        for seat in range(table.seats):
            seen = RULES.observation(node.state, seat)
            world = PlateSpinnerWorlds(seen).sample(rng)
            assert RULES.observation(world, seat) == seen
            assert RULES.legal_actions(world, seat) == RULES.legal_actions(node.state, seat)
            for pack in ("plates", "rims_pack"):
                here, there = node.state.plain()[pack], world.plain()[pack]
                assert len(there) == len(here)
                if not world.last_round:
                    assert (STAR in here) == (STAR in there)
                    assert len(set(there)) == len(there)


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_star_plate_lies_where_it_may_lie(seats: int) -> None:
    """PS-7: at the start within its bounds, and all of them; later below what has been turned up."""
    rng, places = random.Random(seats), set()
    least, most = ABOVE_STAR[seats]
    node = next(play(Table("plate_spinner", seats), 2))
    worlds = PlateSpinnerWorlds(RULES.observation(node.state, 0))
    for _ in range(200):
        places.add(worlds.sample(rng).plates.index(STAR) + seats)
    assert places == set(range(least, most + 1))


@pytest.mark.slow  # `test_strong` asks it of each kind at some moments
@pytest.mark.parametrize("seats", [2, 4])
def test_strong_does_not_peek(seats: int) -> None:
    """PS-18: with other packs under the same history, the same chance gives the same answer."""
    table = Table("plate_spinner", seats)
    rng, compared = random.Random(seats), 0
    for node in some(table, 0.015):
        other = permute_plate_spinner.permuted(seats, table.options, node.log, node.seat, rng)
        if other is None:
            continue
        world = fold(RULES, seats, table.options, other)
        assert strong(node.state, node.seat) == strong(world, node.seat)
        compared += 1
    assert compared > 2


def strong(state: State, seat: int, chance: int = 4) -> str:
    view = MoveRequest("plate_spinner", RULES.observation(state, seat), 9)
    return BUILTIN_BOTS["strong"].move(view, listed(state, seat), random.Random(chance))


def begun(seats: int = 2) -> State:
    """Return a game at its first GO."""
    state = RULES.initial(seats, RULES.resolve(seats, {}))
    for event in RULES.start(state, SeedDealer(SEED)):
        RULES.apply(state, event)
    return state


def give(state: State, seat: int, *plates: str, dice: int = 10, shown: str = "") -> None:
    """Give plates to a seat whose starting plates are filled. It has so many dice; those `shown` are not assigned."""
    state.held[seat] = state.held[seat][:2] + [ITEM_NUMBERS[plate] for plate in plates]
    state.rims[seat] = [NO_RIM] * len(state.held[seat])
    state.fillings[seat] = [empty(state, plate, NO_RIM) for plate in state.held[seat]]
    state.player[seat], state.pools[seat] = dice, pool_of(shown)
    for groups in state.fillings[seat][:2]:
        fill(groups)
    state.needed[seat] = 0
    state.plates = [plate for plate in state.plates if plate not in state.held[seat]]
    state.market = [item for item in state.market if item not in state.held[seat]]


def fill(groups: list[Any]) -> None:
    """Put a die on every place."""
    for number, group in enumerate(groups):
        while groups[number].free:
            groups[number] = groups[number].after(groups[number].open[-1])
        assert group.free >= 0


def last_round(state: State) -> None:
    """The star plate has been turned up (PS-23)."""
    state.last_round, state.market = True, [STAR]
    state.plates = []
    state.plates_at = 0


@pytest.mark.parametrize("chance", range(3))
def test_strong_grabs_the_star_when_all_is_filled(chance: int) -> None:
    """PS-11, PS-23: nothing can be lost any more, and the star plate waits."""
    state = begun()
    give(state, 0, "P1", "P2", shown="1234")
    for groups in state.fillings[0]:
        fill(groups)
    last_round(state)
    assert strong(state, 0, chance) == "grab"


@pytest.mark.parametrize("chance", range(3))
def test_strong_does_not_break_its_plates_while_nobody_can_take_a_meeple_from_it(chance: int) -> None:
    """PS-11, PS-13: alone with a meeple it rolls and assigns as long as it likes."""
    state = begun(3)
    give(state, 0, "P1", "P2", "P3", "P4", shown="111")
    state.racing, state.meeples, state.meeple = [0], [0, 1, 0], 2
    state.pools[0] = pool_of(misfit(state))
    last_round(state)
    assert "grab" in listed(state, 0)
    assert strong(state, 0, chance) != "grab"


def misfit(state: State) -> str:
    """Return three equal dice of the value that the fewest places accept."""

    def takers(value: int) -> int:
        return sum(code & 7 == value for groups in state.fillings[0] for group in groups for code in group.open)

    return str(min(range(1, 7), key=takers)) * 3


def test_strong_names_the_colour_that_counts_most() -> None:
    """PS-24, PS-26: a fourth red plate is worth 7, a second blue one 3."""
    state = begun()
    red, blue = [[item.id for item in state.items[:STAR] if item.colour == name] for name in ("red", "blue")]
    give(state, 0, *red[:3], blue[0], "STAR")
    last_round(state)
    state.market, state.phase, state.racing, state.order, state.turn = [], COLOUR, [], [0], 0
    assert strong(state, 0) == "colour red"


def test_every_seat_has_a_candidate_and_a_habit_among_its_listed_moves() -> None:
    """This holds in every phase, so the search and its playouts never stop."""
    phases = set()
    for table in TABLES:
        for node in some(table, 0.3):
            legal = listed_actions(RULES, node.state, node.seat)
            candidates = GUIDE.candidates(node.state, node.seat)
            assert candidates
            assert set(candidates) <= set(legal)
            assert GUIDE.habit(node.state, node.seat, random.Random(1).random) in legal
            phases.add(node.state.phase)
    assert {SPIN, DRAFT, ATTACH} <= phases


def test_a_search_goes_as_far_as_the_next_go_and_no_further() -> None:
    """A new round depends only on what a seat holds, and its first move is part of it."""
    state = begun()
    assert GUIDE.settled(state)
    [*_, roll] = listed_actions(RULES, state, 0)
    for event in RULES.decide(state, 0, roll, SeedDealer(SEED)):
        RULES.apply(state, event)
    assert not GUIDE.settled(state)
    state.phase = OVER
    assert GUIDE.settled(state)


def test_prospects_add_up_and_favour_who_has_more_plates_of_a_colour_more_dice_and_no_bomb() -> None:
    state = begun()
    plain = [item.id for item in state.items[:STAR] if item.colour == "red" and not item.bomb]
    bomb = next(item.id for item in state.items[:STAR] if item.bomb)
    assert likely(state) == pytest.approx([0.5, 0.5])
    state.player[0] += 2
    assert likely(state)[0] > 0.55
    give(state, 1, *plain[:3], dice=9)
    assert likely(state)[1] > 0.6
    before = likely(state)[1]
    give(state, 1, *plain[:2], bomb, dice=9)
    assert likely(state)[1] < before
    assert sum(likely(state)) == pytest.approx(1)


def test_the_end_is_worth_who_is_left_behind() -> None:
    """PS-27: a tie is half."""
    state = begun(3)
    state.phase = OVER
    assert GUIDE.value(state) == [0.5, 0.5, 0.5]
    give(state, 2, "P1")
    assert GUIDE.value(state) == [0.25, 0.25, 1]


def test_the_rounds_to_come_are_counted_by_what_is_left_above_the_star() -> None:
    """PS-7, PS-22, PS-23: two of some twenty plates a round."""
    state = begun()
    assert rounds_left(state) == pytest.approx(9)
    last_round(state)
    assert rounds_left(state) == 0


def test_the_same_question_and_chance_get_the_same_bundle_and_the_question_stays_as_it_was() -> None:
    state = begun()
    seen = RULES.observation(state, 0)
    dumped = json.dumps(seen)
    view = MoveRequest("plate_spinner", seen, 9)
    assert len({BUILTIN_BOTS["strong"].move(view, listed(state, 0), random.Random(5)) for _ in range(3)}) == 1
    assert json.dumps(seen) == dumped
