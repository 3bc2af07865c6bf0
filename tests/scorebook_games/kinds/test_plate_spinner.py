"""Plate Spinner, clause by clause (rules.md) and example by example.

Positions are made of invented plates where a clause asks for a certain one: `table` puts them in the place of the
catalogue's own, in a state of its own.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import SEED, DealerInstead, Table, finish, legal_texts, play
from scorebook_games.contract import RULES as BY_RULES
from scorebook_games.contract import TURN_LIMIT, Event, IllegalMove, MalformedMove, OptionError, Outcome, fold
from scorebook_games.kinds.plate_spinner import PlateSpinner, State
from scorebook_games.kinds.plate_spinner.catalogue import FIRST_RIM, ITEM_IDS, NEWEST, STAR, Item, load
from scorebook_games.kinds.plate_spinner.rules import POOLS, throw
from scorebook_games.kinds.plate_spinner.state import count, pool_of, pool_text, scores

RULES = PlateSpinner()
DEALER = SeedDealer(SEED)
NUMBERS = {item: number for number, item in enumerate(ITEM_IDS)}
PAIR = {"kind": "same", "dice": 2}
RUN = {"kind": "run", "dice": 3}


def slots(*written: str) -> dict[str, Any]:
    return {"kind": "slots", "slots": list(written)}


def total(dice: int, least: int) -> dict[str, Any]:
    return {"kind": "sum", "dice": dice, "total": least}


def plate(**changes: Any) -> dict[str, Any]:
    """Return a plate or rim: red, 1 point, any one die, with `changes`."""
    return {"colour": "red", "points": 1, "needs": [slots("any")], **changes}


def table(
    *hands: str,
    dice: str = "",
    items: dict[str, dict[str, Any]] | None = None,
    market: str = "P31 P32 P33 R21 R22",
    last_round: bool = False,
    **options: int,
) -> State:
    """A round that has just begun. Of each seat the plates in front of it beside its starting ones, `P1 P2/R3` (with a
    rim); `dice` are what the seats see, a space between. `items` are what those ids are to be."""
    seats = len(hands)
    state = RULES.initial(seats, RULES.resolve(seats, options))
    catalogue = load(NEWEST)
    everything = {NUMBERS[name] for hand in hands for words in hand.split() for name in words.split("/")}
    shown = [NUMBERS[name] for name in market.split()]
    packs = [number for number in range(81) if number not in everything and number not in shown]
    up = [number for number in shown if number <= STAR], [number for number in shown if number >= FIRST_RIM]
    plates = up[0] + [number for number in packs if number <= STAR]
    rims = up[1] + [number for number in packs if number >= FIRST_RIM]
    RULES.apply(state, ["set", NEWEST, catalogue.hash, plates, rims])
    state.items = state.items[:]
    for name, entry in (items or {}).items():
        state.items[NUMBERS[name]] = Item({"id": name, **entry})
    for seat, hand in enumerate(hands):
        for words in hand.split():
            name, _, rim = words.partition("/")
            state.held[seat].append(NUMBERS[name])
            state.rims[seat].append(NUMBERS[rim] if rim else -1)
    RULES.apply(state, ["turned", *up])
    state.last_round = last_round
    pools = [pool_of(text) for text in dice.split()] if dice else [pool_of("111")] * seats
    state.player = [count(pool) for pool in pools]
    RULES.apply(state, ["go", 1, pools])
    return state


EASY = {name: {"letter": name[0], "needs": [slots("any")]} for name in ITEM_IDS[41:51]}  # starting plates that take any


def move(state: State, seat: int, text: str) -> list[Event]:
    """Let `seat` play `text`, and return the applied events."""
    events = RULES.decide(state, seat, RULES.parse_move(state, text), DEALER)
    for event in events:
        RULES.apply(state, event)
    return events


def moves(state: State, seat: int, *texts: str) -> list[Event]:
    """Play these moves, and return the events of the last one."""
    return [move(state, seat, text) for text in texts][-1]


def legal(state: State, seat: int, verb: str = "") -> set[str]:
    """Return the legal moves of a seat that begin with `verb`."""
    return {text for text in legal_texts(RULES, state, seat) if text.startswith(verb)}


def refused(state: State, seat: int, text: str) -> tuple[str, str]:
    """Return (code, clause) of the refusal of a move that is not legal."""
    with pytest.raises(IllegalMove) as caught:
        RULES.decide(state, seat, RULES.parse_move(state, text), DEALER)
    return caught.value.code, caught.value.clause


def held(state: State, seat: int) -> list[str]:
    return [ITEM_IDS[item] for item in state.held[seat]]


def started(seats: int, number: int = 0) -> tuple[State, list[Event]]:
    """Return a game after its set-up."""
    state = RULES.initial(seats, RULES.resolve(seats, {}))
    log = RULES.start(state, SeedDealer(number.to_bytes(32, "big")))
    for event in log:
        RULES.apply(state, event)
    return state, log


def fill_and_grab(state: State, seat: int) -> list[Event]:
    """Fill both starting plates of the `EASY` kind, and grab a meeple."""
    a, b = held(state, seat)[:2]
    text = pool_text(state.pools[seat])
    return moves(state, seat, f"assign {text[0]} {a} 0.0", f"assign {text[1]} {b} 0.0", "grab")


# Set-up


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_each_player_begins_with_three_dice_and_the_two_plates_of_a_letter(seats: int) -> None:
    """PS-6, PS-2: the fifth player has a separate pair."""
    state, _ = started(seats)
    assert [held(state, seat) for seat in range(seats)] == [[f"{a}1", f"{a}2"] for a in "ABCDE"[:seats]]
    assert state.player == [3] * seats
    assert [count(pool) for pool in state.pools] == [3] * seats


@pytest.mark.parametrize(("seats", "least", "most"), [(2, 18, 22), (3, 28, 32), (4, 35, 39), (5, 35, 39)])
def test_the_star_plate_lies_as_deep_as_the_number_of_players_says(seats: int, least: int, most: int) -> None:
    """PS-7: exactly the places of the range occur; both packs are shuffled as a whole."""
    found = set()
    for number in range(80):
        _, log = started(seats, number)
        plates, rims = log[0][3], log[0][4]
        found.add(plates.index(STAR))
        assert sorted(plates) == list(range(41))
        assert sorted(rims) == list(range(51, 81))
    assert found == set(range(least, most + 1))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_market_has_a_plate_for_each_player_and_one_rim_fewer(seats: int) -> None:
    """PS-8, PS-1: meeples 1 to n - 1 are in the middle, too."""
    state, log = started(seats)
    assert log[1] == ["turned", log[0][3][:seats], log[0][4][: seats - 1]]
    assert state.market == log[1][1] + log[1][2]
    assert RULES.observation(state, None)["meeples"] == list(range(1, seats))


def test_the_first_event_names_the_catalogue_and_its_hash() -> None:
    _, log = started(2)
    assert log[0][:3] == ["set", NEWEST, load(NEWEST).hash]
    assert [event[0] for event in log] == ["set", "turned", "go"]


# Spinning


def test_on_go_everybody_rolls_all_dice_and_all_may_act() -> None:
    """PS-9."""
    state, log = started(4)
    assert [count(pool) for pool in log[-1][2]] == [3, 3, 3, 3]
    assert RULES.to_act(state) == [0, 1, 2, 3]


def test_any_of_the_unassigned_dice_may_be_rolled_again_and_no_others() -> None:
    """PS-9: the rolls are exactly the choices of some of the dice; dice of one value are the same choice."""
    state = table("", "", dice="335 111")
    assert legal(state, 0, "roll") == {"roll 3", "roll 5", "roll 33", "roll 35", "roll 335"}
    assert refused(state, 0, "roll 555") == ("dice_not_free", "PS-9")
    rolled = move(state, 0, "roll 35")[0]
    assert rolled[:3] == ["rolled", 0, pool_of("35")]
    assert state.pools[0] == pool_of("3") + rolled[3]


def test_an_assigned_die_stays() -> None:
    """PS-9: it is neither rolled again nor moved."""
    state = table("", "", dice="335 111", items=EASY)
    move(state, 0, "assign 5 A1 0.0")
    assert legal(state, 0, "roll") == {"roll 3", "roll 33"}
    assert refused(state, 0, "assign 5 A2 0.0") == ("dice_not_free", "PS-9")
    assert state.fillings[0][0][0].dice == (5,)


def test_fifteen_dice_have_some_seventeen_hundred_rolls_and_a_view_lists_one() -> None:
    """PS-20, and Moves on the rules page: a view gives the unassigned dice."""
    state = table("", "", dice="111222333445566 111", items=EASY)
    assert len(legal(state, 0, "roll")) == 4 * 4 * 4 * 3 * 3 * 3 - 1
    listed = [RULES.move_text(state, action) for action in RULES.listed_actions(state, 0)]
    assert [text for text in listed if text.startswith("roll")] == ["roll 111222333445566"]
    assert {text for text in listed if not text.startswith("roll")} == legal(state, 0, "assign")
    assert RULES.observation(state, 0)["players"][0]["dice"] == "111222333445566"


def test_actions_by_lot_are_legal_and_every_one_comes_up() -> None:
    state = table("P1", "", dice="1336 111", items={**EASY, "P1": plate(needs=[slots("=6", "odd")])})
    rng = random.Random(3)
    drawn = {RULES.sample_action(state, 0, rng.random) for _ in range(3000)}
    assert drawn == set(RULES.legal_actions(state, 0))


# PS-10: what fits where


def fits(need: dict[str, Any], *before: str, dice: str = "123456") -> set[str]:
    """Return the assigns to group 0 of a plate with this need, after some assigns."""
    state = table("P1", "", dice=f"{dice}{''.join(text[0] for text in before)} 1", items={"P1": plate(needs=[need])})
    for text in before:
        move(state, 0, f"assign {text[0]} P1 {text[2:]}")
    return {text.replace("assign ", "").replace(" P1 ", "@") for text in legal(state, 0, "assign") if " P1 " in text}


@pytest.mark.parametrize(
    ("slot", "values"),
    [
        ("=5", "5"),
        (">=4", "456"),
        ("<=3", "123"),
        ("odd", "135"),
        ("even", "246"),
        ("any", "123456"),
        (">=2", "23456"),
        ("<=5", "12345"),
    ],
)
def test_a_slot_takes_one_die_of_its_sort(slot: str, values: str) -> None:
    """PS-4, PS-10."""
    assert fits(slots(slot)) == {f"{value}@0.0" for value in values}


def test_a_group_of_equal_dice_takes_any_and_then_its_value_until_it_is_full() -> None:
    """PS-4, PS-10: `same`."""
    assert fits(PAIR) == {f"{value}@0" for value in "123456"}
    assert fits(PAIR, "4@0") == {"4@0"}
    assert fits(PAIR, "4@0", "4@0") == set()


def test_a_run_takes_different_values_that_lie_close_enough_together() -> None:
    """PS-4, PS-10: `run`, values within k - 1 of each other, in any order."""
    assert fits(RUN, "4@0") == {"2@0", "3@0", "5@0", "6@0"}
    assert fits(RUN, "4@0", "2@0") == {"3@0"}
    assert fits(RUN, "4@0", "3@0") == {"2@0", "5@0"}
    assert fits(RUN, "4@0", "3@0", "5@0") == set()


def test_a_sum_takes_what_can_still_reach_its_total() -> None:
    """PS-4, PS-10: `sum`, three dice that total 14."""
    need = total(3, 14)
    assert fits(need) == {"2@0", "3@0", "4@0", "5@0", "6@0"}
    assert fits(need, "3@0") == {"5@0", "6@0"}
    assert fits(need, "3@0", "5@0") == {"6@0"}
    assert fits(need, "6@0", "6@0") == {"2@0", "3@0", "4@0", "5@0", "6@0"}


def test_of_free_slots_written_alike_the_lowest_is_offered_and_of_equal_groups_both() -> None:
    """Moves, PS-10."""
    assert fits(slots("odd", "even", "odd"), dice="14") == {"1@0.0", "4@0.1"}
    assert fits(slots("odd", "even", "odd"), "3@0.0", dice="14") == {"4@0.1", "1@0.2"}
    state = table("P1", "", dice="55 1", items={"P1": plate(needs=[PAIR, PAIR])})
    assert legal(state, 0, "assign 5 P1") == {"assign 5 P1 0", "assign 5 P1 1"}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("assign 1 P1 0.1", ("not_the_lowest_slot", "PS-10")),
        ("assign 1 P1 0.2", ("die_does_not_fit", "PS-10")),
        ("assign 1 P1 0.3", ("no_such_slot", "PS-4")),
        ("assign 1 P1 0", ("slot_not_named", "PS-10")),
        ("assign 1 P1 1.0", ("no_slots", "PS-10")),
        ("assign 1 P1 2", ("no_such_group", "PS-4")),
        ("assign 6 P1 0.2", ("dice_not_free", "PS-9")),
        ("assign 1 P2 0.0", ("not_your_plate", "PS-9")),
        ("draft P31", ("spinning_is_on", "PS-9")),
        ("colour red", ("spinning_is_on", "PS-9")),
    ],
)
def test_a_die_in_the_wrong_place_is_refused_with_the_reason(text: str, answer: tuple[str, str]) -> None:
    """PS-10, PS-4, PS-9."""
    state = table("P1", "P2", dice="1155 1", items={"P1": plate(needs=[slots("odd", "odd", "even"), PAIR])})
    assert refused(state, 0, text) == answer


def test_a_full_slot_and_a_full_group_are_called_so() -> None:
    """PS-10."""
    state = table("P1", "", dice="1155 1", items={"P1": plate(needs=[slots("odd", "even"), PAIR])})
    moves(state, 0, "assign 1 P1 0.0", "assign 5 P1 1", "assign 5 P1 1")
    assert refused(state, 0, "assign 1 P1 0.0") == ("slot_is_full", "PS-10")
    assert refused(state, 0, "assign 1 P1 1") == ("group_is_full", "PS-10")


def test_the_groups_of_a_rim_count_on_after_those_of_its_plate() -> None:
    """PS-4, and `assign` on the rules page."""
    items = {"P1": plate(needs=[slots("=1"), PAIR]), "R1": plate(needs=[slots("even")], neutral=False)}
    state = table("P1/R1", "", dice="112 1", items=items)
    assert legal(state, 0, "assign 2 P1") == {"assign 2 P1 1", "assign 2 P1 2.0"}


def test_only_the_group_is_looked_at_and_not_whether_the_dice_suffice() -> None:
    """PS-10."""
    state = table("P1", "", dice="1 1", items={"P1": plate(needs=[{"kind": "same", "dice": 4}])})
    assert "assign 1 P1 0" in legal(state, 0)


def test_example_1_twins_and_an_even_die() -> None:
    """Worked example 1; PS-4, PS-10."""
    items = {"P1": plate(needs=[PAIR, slots("even")])}
    state = table("P1", "", dice="554 1", items=items)
    moves(state, 0, "assign 5 P1 0", "assign 5 P1 0", "assign 4 P1 1.0")
    assert sum(filling.free for filling in state.fillings[0][2]) == 0
    state = table("P1", "", dice="35 1", items=items)
    move(state, 0, "assign 5 P1 0")
    assert legal(state, 0, "assign 3 P1") == set()


# Leaving the race


def test_example_2_an_unfilled_breakable_plate_may_be_abandoned_a_starting_plate_may_not() -> None:
    """Worked example 2; PS-11, PS-13."""
    state = table("P1", "", dice="111 111", items={**EASY, "P1": plate(needs=[PAIR])})
    move(state, 0, "assign 1 A1 0.0")
    assert "grab" not in legal(state, 0)
    assert refused(state, 0, "grab") == ("starting_plates_unfilled", "PS-11")
    assert moves(state, 0, "assign 1 A2 0.0", "grab")[1:2] == [["broke", 0, [NUMBERS["P1"]], [], []]]
    assert held(state, 0) == ["A1", "A2"]


def test_a_filled_plate_stays_and_the_lowest_meeple_is_taken() -> None:
    """PS-11."""
    state = table("P1", "", "", dice="111 111 111", items={**EASY, "P1": plate()})
    move(state, 0, "assign 1 P1 0.0")
    assert fill_and_grab(state, 0) == [["grabbed", 0, 1]]
    assert fill_and_grab(state, 2)[0] == ["grabbed", 2, 2]
    assert held(state, 0) == ["A1", "A2", "P1"]


def test_who_has_grabbed_is_finished_with_the_phase() -> None:
    """PS-12."""
    state = table("", "", "", items=EASY)
    fill_and_grab(state, 1)
    assert RULES.to_act(state) == [0, 2]
    assert legal(state, 1) == set()
    assert refused(state, 1, "roll 1") == ("you_are_finished", "PS-12")


def test_example_3_after_the_last_meeple_the_third_may_assign_and_not_roll() -> None:
    """Worked example 3; PS-12, PS-13."""
    state = table("", "", "P1 P2", dice="111 111 11233", items={**EASY, "P1": plate(), "P2": plate(needs=[PAIR])})
    fill_and_grab(state, 0)
    assert "roll 112" in legal(state, 2)
    fill_and_grab(state, 1)
    assert legal(state, 2, "roll") == set()
    assert refused(state, 2, "roll 1") == ("time_is_up", "PS-12")
    assert refused(state, 2, "grab") == ("no_meeple_left", "PS-12")
    assert "finish" in legal(state, 2)
    events = moves(state, 2, "assign 1 P2 0", "assign 1 P2 0", "finish")
    assert events == [["finished", 2], ["broke", 2, [NUMBERS["P1"]], [], []]]
    assert held(state, 2) == ["C1", "C2", "P2"]


def test_starting_plates_never_break_and_rims_break_with_their_plate_for_good() -> None:
    """PS-13: both go to the discard pile, which all can see."""
    items = {**EASY, "P1": plate(needs=[PAIR]), "R1": plate(neutral=False)}
    state = table("P1/R1", "", dice="1 111", items=items)
    fill_and_grab(state, 1)
    assert move(state, 0, "finish")[1] == ["broke", 0, [NUMBERS["P1"]], [NUMBERS["R1"]], []]
    assert held(state, 0) == ["A1", "A2"]
    assert state.rims[0] == [-1, -1]
    assert RULES.observation(state, None)["discard"] == ["P1", "R1"]


def test_an_unfilled_rim_breaks_its_plate() -> None:
    """PS-4, PS-13: a rim adds its groups to those of its plate."""
    items = {**EASY, "P1": plate(), "R1": plate(needs=[slots("=6")], neutral=False)}
    state = table("P1/R1", "", dice="111 111", items=items)
    move(state, 0, "assign 1 P1 0.0")
    assert fill_and_grab(state, 0)[1] == ["broke", 0, [NUMBERS["P1"]], [NUMBERS["R1"]], []]


def test_example_4_a_bomb_takes_all_but_the_starting_plates_and_the_dice_stay() -> None:
    """Worked example 4; PS-14, PS-15."""
    items = {**EASY, "P1": plate(needs=[PAIR], bomb=True), "P2": plate(), "R1": plate(neutral=True)}
    state = table("P1 P2/R1", "", dice="1234 111", items=items)
    moves(state, 0, "assign 3 P2 0.0", "assign 4 P2 1.0")
    broke = fill_and_grab(state, 0)[1]
    assert broke == ["broke", 0, [NUMBERS["P1"], NUMBERS["P2"]], [NUMBERS["R1"]], [NUMBERS["P1"]]]
    assert held(state, 0) == ["A1", "A2"]
    assert state.player[0] == 4
    assert count(state.pools[0]) == 2  # those that lay on the plates; two more lie on the starting plates


def test_a_bomb_that_is_filled_does_not_go_off() -> None:
    """PS-14."""
    items = {**EASY, "P1": plate(bomb=True), "P2": plate(needs=[PAIR]), "P3": plate()}
    state = table("P1 P2 P3", "", dice="1111 111", items=items)
    moves(state, 0, "assign 1 P1 0.0", "assign 1 P3 0.0")
    assert fill_and_grab(state, 0)[1] == ["broke", 0, [NUMBERS["P2"]], [], []]
    assert held(state, 0) == ["A1", "A2", "P1", "P3"]


def test_all_dice_return_for_the_next_round_and_every_plate_is_spun_again() -> None:
    """PS-15, PS-22."""
    state = table("P1", "", dice="1112 111", items={**EASY, "P1": plate()}, market="P31 P32 P33")
    move(state, 0, "assign 2 P1 0.0")
    fill_and_grab(state, 0)
    moves(state, 1, "finish")
    moves(state, 0, "draft P31", "draft P32")
    events = move(state, 1, "draft P33")
    assert [event[0] for event in events] == ["drafted", "turned", "go"]
    assert state.round == 2
    assert count(state.pools[0]) == state.player[0] + state.neutral[0]
    assert all(filling.free == filling.group.dice for plates in state.fillings for f in plates for filling in f)


def test_who_has_rolled_to_the_limit_rolls_no_more_and_may_finish() -> None:
    """PS-16: the roll on GO is not counted."""
    state = table("", "", dice="1 111", roll_limit=10)
    for _ in range(10):
        assert "finish" in legal(state, 0)  # one die for two starting plates: trapped
        move(state, 0, f"roll {pool_text(state.pools[0])}")
    assert refused(state, 0, "roll " + pool_text(state.pools[0])) == ("roll_limit", "PS-16")
    assert "finish" in legal(state, 0)
    assert state.rolls[0] == 10


def test_finish_is_offered_to_nobody_who_may_roll_or_grab() -> None:
    """PS-16."""
    state = table("", "", dice="111 111", items=EASY)
    assert "finish" not in legal(state, 0)
    assert refused(state, 0, "finish") == ("may_go_on", "PS-16")
    moves(state, 0, "assign 1 A1 0.0", "assign 1 A2 0.0")
    assert {"grab", "roll 1"} == legal(state, 0)


def test_who_has_no_dice_left_for_the_starting_plates_finishes() -> None:
    """PS-16: no unassigned dice left and starting plates unfilled."""
    state = table("P1", "", dice="111 111", items={**EASY, "P1": plate(needs=[slots("any", "odd", "=1")])})
    moves(state, 0, "assign 1 P1 0.0", "assign 1 P1 0.1", "assign 1 P1 0.2")
    assert legal(state, 0) == {"finish"}


def test_who_is_trapped_may_finish_and_may_go_on() -> None:
    """PS-16: fewer unassigned dice than free places on the starting plates."""
    state = table("P1", "", dice="111 111", items={**EASY, "P1": plate(needs=[slots("any", "odd")])})
    move(state, 0, "assign 1 P1 0.0")
    assert "finish" not in legal(state, 0)
    move(state, 0, "assign 1 P1 0.1")
    assert {"finish", "roll 1", "assign 1 A1 0.0"} <= legal(state, 0)


def test_meeples_that_nobody_can_take_stay_and_the_others_play_on() -> None:
    """PS-16, PS-19: who finishes without a meeple drafts after the others, in seat order."""
    state = table("", "", "", "", dice="1 1 111 111", items=EASY)
    move(state, 1, "finish")
    move(state, 0, "finish")
    fill_and_grab(state, 3)
    assert "roll 1" in legal(state, 2)
    fill_and_grab(state, 2)
    assert state.order == [3, 2, 0, 1]


# Drafting


def drafting(*hands: str, market: str = "P31 P32 P33 R21 R22", **more: Any) -> State:
    """Return a position in which all have grabbed in seat order and the last has finished, with all plates filled."""
    seats = len(hands)
    state = table(*hands, market=market, dice=more.pop("dice", " ".join(["111"] * seats)), **more)
    for seat in range(seats - 1):
        RULES.apply(state, ["grabbed", seat, seat + 1])
    RULES.apply(state, ["finished", seats - 1])
    return state


def test_each_drafts_two_items_in_the_order_of_the_meeples_and_the_last_what_is_left() -> None:
    """PS-19."""
    state = table("", "", "", items=EASY)
    fill_and_grab(state, 2)
    fill_and_grab(state, 0)
    moves(state, 1, "finish")
    seats = []
    while state.phase == 2 and state.round == 1:
        [seat] = RULES.to_act(state)
        seats.append(seat)
        assert legal(state, seat) == {f"draft {ITEM_IDS[item]}" for item in state.market}
        move(state, seat, f"draft {ITEM_IDS[min(state.market)]}")
        while state.phase == 3:
            [seat] = RULES.to_act(state)
            move(state, seat, min(legal(state, seat)))
    assert seats == [2, 2, 0, 0, 1]


def test_only_the_seat_whose_turn_it_is_drafts_from_the_market() -> None:
    """PS-19."""
    state = drafting("", "", "")
    assert refused(state, 1, "draft P31") == ("not_your_turn", "PS-19")
    assert refused(state, 0, "draft P1") == ("not_in_the_market", "PS-19")
    assert refused(state, 0, "grab") == ("drafting_is_on", "PS-19")


def test_a_plate_brings_the_dice_that_it_shows() -> None:
    """PS-20."""
    state = drafting("", "", items={"P31": plate(dice=2), "P32": plate(dice=0)}, market="P31 P32 R21")
    assert move(state, 0, "draft P31")[0] == ["drafted", 0, NUMBERS["P31"], 2]
    assert move(state, 0, "draft P32")[0] == ["drafted", 0, NUMBERS["P32"], 0]
    assert state.player[0] == 5


def test_example_5_nobody_has_more_than_ten_player_dice() -> None:
    """Worked example 5; PS-20, PS-1."""
    state = drafting("", "", items={"P31": plate(dice=2)}, dice="111111111 1", market="P31 P32 R21")
    assert move(state, 0, "draft P31")[0] == ["drafted", 0, NUMBERS["P31"], 1]
    assert state.player[0] == 10


def test_a_rim_brings_a_neutral_die_beyond_the_ten_while_one_is_left() -> None:
    """PS-20: also when the rim is then discarded."""
    items = {"R21": plate(neutral=True)}
    state = drafting("", "", items=items, dice="1111111111 1", market="P31 P32 R21")
    state.neutral[1] = 4
    assert moves(state, 0, "draft R21")[0] == ["drafted", 0, NUMBERS["R21"], 1]
    assert (state.player[0], state.neutral[0]) == (10, 1)
    state = drafting("", "", items=items, market="P31 P32 R21")
    state.neutral[1] = 5
    assert moves(state, 0, "draft R21")[0] == ["drafted", 0, NUMBERS["R21"], 0]


def test_a_rim_goes_under_a_free_plate_of_the_players_choice_after_both_items_are_taken() -> None:
    """PS-21: a plate has one rim at most and a starting plate none; a plate just drafted may get it."""
    state = drafting("P1 P2/R1", "", "")
    move(state, 0, "draft R21")
    assert legal(state, 0, "attach") == set()
    move(state, 0, "draft P33")
    assert legal(state, 0) == {"attach R21 P1", "attach R21 P33"}
    assert refused(state, 0, "attach R21 P2") == ("rim_waits", "PS-21")
    assert refused(state, 0, "attach R21 A1") == ("rim_waits", "PS-21")
    move(state, 0, "attach R21 P33")
    assert RULES.to_act(state) == [1]
    assert state.rims[0] == [-1, -1, -1, NUMBERS["R1"], NUMBERS["R21"]]


def test_of_two_rims_for_one_plate_the_player_chooses_and_the_other_is_discarded() -> None:
    """PS-21."""
    state = drafting("P1", "", "")
    moves(state, 0, "draft R21", "draft R22")
    assert legal(state, 0) == {"attach R21 P1", "attach R22 P1"}
    assert move(state, 0, "attach R22 P1")[1:] == [["discarded", 0, [NUMBERS["R21"]]]]
    assert state.discard == [NUMBERS["R21"]]


def test_two_rims_go_under_two_plates_one_after_the_other() -> None:
    """PS-21: a rim for which there is a plate must be used."""
    state = drafting("P1 P2", "", "")
    moves(state, 0, "draft R21", "draft R22")
    assert len(legal(state, 0)) == 4
    move(state, 0, "attach R22 P1")
    assert legal(state, 0) == {"attach R21 P2"}


def test_a_rim_without_a_plate_is_discarded_at_once_and_its_die_stays() -> None:
    """PS-21, PS-20."""
    state = drafting("", "", "", items={"R21": plate(neutral=True)})
    moves(state, 0, "draft R21")
    assert move(state, 0, "draft R22")[1:] == [["discarded", 0, [NUMBERS["R21"], NUMBERS["R22"]]]]
    assert state.neutral[0] == 1
    assert RULES.to_act(state) == [1]


def test_after_the_drafting_the_market_is_filled_again_and_the_meeples_go_back() -> None:
    """PS-22."""
    state = drafting("", "", market="P31 P32 R21")
    moves(state, 0, "draft P31", "draft P32")
    events = move(state, 1, "draft R21")
    assert [event[0] for event in events] == ["drafted", "discarded", "turned", "go"]
    assert len(events[2][1]) == 2
    assert len(events[2][2]) == 1
    assert RULES.observation(state, None)["meeples"] == [1]
    assert state.meeples == [0, 0]


def test_when_the_rims_run_out_the_market_is_smaller_and_its_emptying_ends_the_drafting() -> None:
    """PS-8, PS-13: broken rims do not come back."""
    state = drafting("", "", "", market="P31 P32 P33")  # the rims have run out: three items for two, two and one
    moves(state, 0, "draft P31", "draft P32")
    state.rims_at = 29
    state.discard += range(51, 70)
    events = move(state, 1, "draft P33")
    assert [event[0] for event in events] == ["drafted", "turned", "go"]
    assert [event[1] for event in events[:1]] == [1]  # seat 2 finds nothing
    assert events[1][2] == state.rims_pack[29:]
    assert len(events[1][2]) == 1
    assert len(state.market) == 4


# The end


def test_turning_stops_at_the_star_plate_and_all_else_leaves_the_market() -> None:
    """PS-8, PS-23."""
    state = drafting("", "", market="P31 P32 R21")
    state.plates = [plate for plate in state.plates if plate != STAR]
    state.plates.insert(state.plates_at + 1, STAR)
    before = state.plates[state.plates_at]
    moves(state, 0, "draft P31", "draft P32")
    events = move(state, 1, "draft R21")
    assert events[2] == ["turned", [before, STAR], []]
    assert RULES.observation(state, None)["last_round"] is True
    assert state.market == [STAR]
    assert before in state.discard


def test_in_the_last_round_only_meeple_1_drafts_and_then_says_the_colour() -> None:
    """PS-23, PS-26."""
    state = table("", "", "", items=EASY, last_round=True, market="STAR")
    fill_and_grab(state, 1)
    fill_and_grab(state, 2)
    move(state, 0, "finish")
    assert RULES.to_act(state) == [1]
    assert legal(state, 1) == {"draft STAR"}
    move(state, 1, "draft STAR")
    assert legal(state, 1) == {"colour red", "colour blue", "colour green", "colour yellow"}
    assert refused(state, 1, "draft P1") == ("colour_waits", "PS-26")
    assert move(state, 1, "colour green")[1:] == [["ended", BY_RULES]]
    assert RULES.outcome(state) == Outcome(BY_RULES, (0, 1, 0), (2, 1, 2))
    assert refused(state, 1, "colour red") == ("game_over", "PS-23")


def test_the_choice_of_a_colour_is_told_by_its_event_and_no_move_by_another() -> None:
    """PS-26."""
    state = table("", "")
    assert RULES.action_of(state, ["coloured", 1, 2]) == (1, RULES.parse_move(state, "colour green"))
    with pytest.raises(ValueError, match="No move begins with 'ended'"):
        RULES.action_of(state, ["ended", BY_RULES])


def test_without_meeple_1_nobody_gets_the_star_plate() -> None:
    """PS-23."""
    state = table("", "", dice="1 1", last_round=True, market="STAR")
    move(state, 0, "finish")
    assert move(state, 1, "finish") == [["finished", 1], ["ended", BY_RULES]]
    assert all(STAR not in plates for plates in state.held)


def test_plates_may_break_in_the_last_round() -> None:
    """PS-23, PS-13."""
    state = table("P1", "", dice="1 1", last_round=True, market="STAR")
    move(state, 1, "finish")
    assert [event[0] for event in move(state, 0, "finish")] == ["finished", "broke", "ended"]


def scored(*hands: str, items: dict[str, dict[str, Any]]) -> list[tuple[int, int]]:
    """Return (score, yellow plates) of each seat."""
    return scores(table(*hands, items=items))


def of_colour(colour: str, number: int, first: int = 1) -> dict[str, dict[str, Any]]:
    """Return so many plates of a colour, without points."""
    return {f"P{first + place}": plate(colour=colour, points=0) for place in range(number)}


@pytest.mark.parametrize("colour", ["red", "blue", "green"])
def test_sets_of_a_colour_count_their_square_up_to_36(colour: str) -> None:
    """PS-24."""
    found = []
    for number in range(8):
        items = of_colour(colour, number)
        found.append(scored(" ".join(items), "", items=items)[0][0])
    assert found == [0, 1, 4, 9, 16, 25, 36, 36]


def test_printed_points_of_plates_and_rims_count() -> None:
    """PS-24."""
    items = {"P1": plate(colour="yellow", points=5), "R1": plate(colour="yellow", points=3, neutral=False)}
    assert scored("P1/R1", "", items=items) == [(5 + 3 + 6, 1), (0, 0)]


def test_every_player_who_ties_for_most_yellow_plates_gets_six() -> None:
    """PS-24: if that is at least one."""
    items = of_colour("yellow", 5)
    assert [score for score, _ in scored("P1 P2", "P3 P4", "P5", items=items)] == [6, 6, 0]
    assert [score for score, _ in scored("", "", "", items={})] == [0, 0, 0]


def test_example_6_a_rim_of_another_colour_counts_for_both_and_the_star_as_chosen() -> None:
    """Worked example 6; PS-24, PS-25, PS-26."""
    items = {**of_colour("red", 1), **of_colour("blue", 1, 2), "R1": plate(colour="blue", points=0, neutral=False)}
    state = table("P1/R1 P2", "", items=items, last_round=True, market="STAR")
    RULES.apply(state, ["drafted", 0, STAR, 0])
    RULES.apply(state, ["coloured", 0, 1])
    assert scores(state)[0] == (1 + 9, 0)


def test_a_rim_of_its_plates_own_colour_counts_once() -> None:
    """PS-25."""
    items = {**of_colour("red", 1), "R1": plate(colour="red", points=0, neutral=False)}
    assert scored("P1/R1", "", items=items)[0] == (1, 0)


def test_a_star_plate_without_a_choice_has_no_colour() -> None:
    """PS-26: the turn limit ends the game before a colour is chosen."""
    state = table("", "", items=EASY, last_round=True, market="STAR", turn_limit=5)
    fill_and_grab(state, 0)
    move(state, 1, "finish")
    assert move(state, 0, "draft STAR")[1:] == [["ended", TURN_LIMIT]]
    assert RULES.outcome(state) == Outcome(TURN_LIMIT, (0, 0), (1, 1))
    assert held(state, 0) == ["A1", "A2", "STAR"]


def test_a_tie_goes_to_more_yellow_plates_and_is_shared_after_that() -> None:
    """PS-27."""
    items = {
        "P1": plate(colour="yellow", points=1),
        "P2": plate(colour="yellow", points=1),
        "P3": plate(colour="red", points=1),
        "P4": plate(colour="red", points=4),
    }
    state = table("P1 P2", "P3 P4", "", "", items=items)
    assert RULES.standing(state) == ((8, 9, 0, 0), (2, 1, 3, 3))
    items["P4"] = plate(colour="red", points=3)
    state = table("P1 P2", "P3 P4", "", "", items=items)
    assert RULES.standing(state) == ((8, 8, 0, 0), (1, 2, 3, 3))


def test_plates_held_unfilled_when_the_turn_limit_strikes_still_count() -> None:
    """PS-27, docs/reference/common-rules.md, Safeguard."""
    state = table("P1", "", items={"P1": plate(points=4)}, turn_limit=1)
    assert move(state, 0, "roll 1")[1:] == [["ended", TURN_LIMIT]]
    assert RULES.outcome(state) == Outcome(TURN_LIMIT, (5, 0), (1, 2))


def test_a_game_that_ends_by_the_rules_on_its_last_move_ends_by_the_rules() -> None:
    """Options, turn_limit."""
    state = table("", "", dice="1 1", last_round=True, market="STAR", turn_limit=2)
    move(state, 0, "finish")
    assert move(state, 1, "finish")[-1] == ["ended", BY_RULES]


# Chance, views, moves


def test_dice_depend_on_round_seat_and_how_often_it_has_rolled_and_on_nothing_else() -> None:
    """PS-9: games of one deal roll the same dice, however the others play."""
    first, second = [table("", "") for _ in range(2)]
    move(second, 1, "roll 1")
    assert move(first, 0, "roll 111") == move(second, 0, "roll 111")


def test_a_throw_is_one_number_whose_digits_in_base_six_are_the_dice() -> None:
    """docs/explanation/fairness.md."""

    class Fixed(DealerInstead):
        def integers(self, label: str, bounds: Any) -> list[int]:
            assert (label, list(bounds)) == ("roll", [6**4])
            return [0 + 6 * 2 + 36 * 2 + 216 * 5]

    assert pool_text(throw(Fixed(SEED), "roll", 4)) == "1336"
    assert [len(pools) for pools in POOLS] == [1, 6, 36, 216, 1296]
    assert all(count(pool) == dice for dice, pools in enumerate(POOLS) for pool in pools)


@pytest.mark.parametrize("dice", range(1, 16))
def test_the_digits_of_one_number_are_the_dice_however_many(dice: int) -> None:
    """PS-9; docs/explanation/fairness.md: each digit in base six, plus one."""
    number = SeedDealer(SEED).integers("roll", [6**dice])[0]
    digits = [number // 6**place % 6 + 1 for place in range(dice)]
    assert pool_text(throw(SeedDealer(SEED), "roll", dice)) == "".join(map(str, sorted(digits)))


def test_everything_but_the_order_of_the_packs_is_open_to_all() -> None:
    """PS-18."""
    state, log = started(3)
    seen = [RULES.observation(state, viewer) for viewer in (None, 0, 1, 2)]
    for viewer, each in zip((None, 0, 1, 2), seen, strict=True):
        assert each.pop("seat") == viewer
    assert all(each == seen[0] for each in seen)
    assert RULES.redact(log[0], 0) == [*log[0][:3], [None] * 41, [None] * 30]
    assert [RULES.redact(event, 1) for event in log[1:]] == log[1:]


def test_a_view_shows_each_plate_with_its_requirement_its_rim_and_its_dice() -> None:
    """PS-18."""
    items = {"P1": plate(needs=[slots("odd", "even"), PAIR]), "R1": plate(colour="blue", neutral=True)}
    state = table("P1/R1", "", dice="1246 1", items=items)
    moves(state, 0, "assign 2 P1 0.1", "assign 4 P1 1")
    [_, _, shown] = RULES.observation(state, 1)["players"][0]["plates"]
    assert shown["filled"] == [[None, 2], [4], [None]]
    assert shown["free"] == 3
    assert shown["needs"] == [slots("odd", "even"), PAIR]
    assert (shown["rim"]["id"], shown["rim"]["dice"]) == ("R1", 1)


@pytest.mark.parametrize(
    "text",
    [
        "roll",
        "roll 31",
        "roll 7",
        "roll 1 3",
        "roll " + "1" * 16,
        "assign 5 P17",
        "assign 7 P17 0",
        "assign 5 P41 0",
        "assign 5 R1 0",
        "assign 5 P17 0.4",
        "assign 5 P17 0.",
        "draft",
        "draft P99",
        "attach P1 R1",
        "attach R1",
        "colour pink",
        "Grab",
        "finish ",
    ],
)
def test_what_is_no_move_is_malformed(text: str) -> None:
    state, _ = started(2)
    with pytest.raises(MalformedMove) as caught:
        RULES.parse_move(state, text)
    assert caught.value.sentence == RULES.spec.notation


@pytest.mark.parametrize(
    "options", [{"roll_limit": 9}, {"roll_limit": 501}, {"roll_ms": -1}, {"roll_ms": 5001}, {"turn_limit": 0}]
)
def test_options_out_of_their_range_are_refused(options: dict[str, int]) -> None:
    """Options; PS-16, PS-17."""
    with pytest.raises(OptionError):
        RULES.resolve(3, options)


def test_the_defaults_of_the_options_are_those_of_the_rules() -> None:
    """Options."""
    assert RULES.resolve(2, {}) == {"roll_limit": 60, "roll_ms": 700, "turn_limit": 20000}


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_random_game_keeps_to_the_counts_of_the_rules(seats: int) -> None:
    """PS-1, PS-12, PS-19, PS-20, PS-21, PS-23."""
    for number in range(4):
        state, log = finish(Table("plate_spinner", seats), number)
        assert fold(RULES, seats, RULES.resolve(seats, {}), log).plain() == state.plain()
        gos = [index for index, event in enumerate(log) if event[0] == "go"]
        for first, after in zip(gos, [*gos[1:], len(log)], strict=True):
            of_round = log[first:after]
            grabs = [event[2] for event in of_round if event[0] == "grabbed"]
            assert grabs == list(range(1, 1 + len(grabs)))
            assert len(grabs) < seats
            drafts = [event[1] for event in of_round if event[0] == "drafted"]
            assert all(drafts.count(seat) <= 2 for seat in range(seats))
        assert sum(event[0] == "coloured" for event in log) <= 1


def test_the_engine_takes_moves_in_the_order_of_the_log_whoever_they_come_from() -> None:
    """PS-17: seats that spin may act in any order."""
    seen = set()
    for node in play(Table("plate_spinner", 4), 1):
        seen.add((len(RULES.to_act(node.state)) > 1, node.seat == min(RULES.to_act(node.state))))
    assert (True, False) in seen


def test_a_bundle_ends_with_anything_but_an_assign_and_only_rolls_are_paced() -> None:
    """PS-17: nobody rolls again before `roll_ms` have passed since their last roll, also after GO."""
    state = table("", "", items=EASY, roll_ms=450)
    for text, ends, limit in [
        ("assign 1 A1 0.0", False, 0),
        ("roll 11", True, 450),
        ("grab", True, 0),
        ("finish", True, 0),
    ]:
        action = RULES.parse_move(state, text)
        assert (RULES.ends_bundle(state, action), RULES.pace_limit(state, 0, action)) == (ends, limit)
    assert RULES.starts_pace(["go", 1, [1, 1]], 1)
    assert RULES.starts_pace(["rolled", 1, 1, 16], 1)
    assert not RULES.starts_pace(["rolled", 0, 1, 16], 1)
    assert not RULES.starts_pace(["assigned", 1, 1, 43, 0, 1], 1)
    assert RULES.awaited(state) == RULES.to_act_seen(state, None) == [0, 1]
