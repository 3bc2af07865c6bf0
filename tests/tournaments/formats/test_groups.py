"""Groups with a knockout (docs/reference/formats.md)."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.presentation.coded_text import text
from tests.tournaments.simulated_competition import (
    Competition,
    Trouble,
    by_lot,
    by_number,
    competition,
    large_ones_slow,
)
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, Pairings, Wait
from tournaments.formats.groups import order_tiers, sizes_of
from tournaments.formats.slots import bracket_order


def grouped(going: Competition) -> dict[str, set[int]]:
    """Return group → the entrants who played in it."""
    found: dict[str, set[int]] = defaultdict(set)
    for match in going.matches():
        if match.slot.startswith("Group"):
            found[match.slot].update(match.entrants)
    return dict(found)


def pairs(going: Competition, slot: str) -> Counter[frozenset[int]]:
    return Counter(
        frozenset(pair) for match in going.matches() if match.slot == slot for pair in combinations(match.entrants, 2)
    )


def later(going: Competition) -> list[tuple[str, set[int]]]:
    return [(match.slot, set(match.entrants)) for match in going.matches() if not match.slot.startswith("Group")]


@pytest.mark.some(5)
@pytest.mark.parametrize("entrants", large_ones_slow([8, 9, 10, 11, 12, 16, 23, 40, 65], 23))
@pytest.mark.parametrize("meetings", [1, 2])
def test_in_groups_everybody_meets_everybody(entrants: int, meetings: int) -> None:
    going = competition("groups", entrants, meetings=meetings)
    places = going.to_the_end(by_number)
    groups = grouped(going)
    assert sorted(one for members in groups.values() for one in members) == going.entrants
    for name, members in groups.items():
        assert pairs(going, name) == {frozenset(pair): meetings for pair in combinations(members, 2)}
    assert [places[one] for one in (1, 2)] == [1, 2]
    assert len(going.history) == FORMATS["groups"].rounds(entrants, 2, {"meetings": meetings})


def test_groups_are_shared_out_to_and_fro() -> None:
    going = competition("groups", 12)
    going.to_the_end(by_number)
    assert grouped(going) == {"Group A": {1, 6, 7, 12}, "Group B": {2, 5, 8, 11}, "Group C": {3, 4, 9, 10}}


def test_two_groups_go_on_crosswise() -> None:
    """The first of each group meets the second of the other. The two firsts can meet in the final only."""
    going = competition("groups", 8, third_place=True)
    places = going.to_the_end(by_number)
    assert later(going) == [("W1.1", {1, 3}), ("W1.2", {2, 4}), ("F", {1, 2}), ("3rd", {3, 4})]
    assert {1, 4} <= grouped(going)["Group A"]
    assert places == {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 5, 7: 7, 8: 7}


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 8, 12, 16])
@pytest.mark.parametrize("advance", [2, 3, 4])
def test_those_of_one_group_meet_as_late_as_can_be(count: int, advance: int) -> None:
    tiers = [[tier * count + place for place in range(count)] for tier in range(advance)]
    group = {one: f"Group {one % count}" for tier in tiers for one in tier}
    field = order_tiers(tiers, group)
    assert [sorted(field[i * count : (i + 1) * count]) for i in range(advance)] == tiers, "Seeds stay in their tier."
    assert field[:count] == tiers[0], "The best seeds are the firsts, in their order."
    size = 2 ** (len(field) - 1).bit_length()
    line = {seed: place for place, seed in enumerate(bracket_order(size))}
    rounds = [
        (line[i + 1] ^ line[j + 1]).bit_length()
        for i, j in combinations(range(len(field)), 2)
        if group[field[i]] == group[field[j]]
    ]
    most = (size - 1).bit_length()
    assert min(rounds) > 1, "Not in the first round of the knockout."
    if advance == 2:
        assert min(rounds) >= most - 1
    if advance == 2 and count in (2, 4, 8, 16):
        assert set(rounds) == {most}, "Not before the final."


@given(st.data())
@settings(max_examples=settings().max_examples // 5, deadline=None)
def test_there_is_no_dead_end_whoever_leaves_or_is_away(data: st.DataObject) -> None:
    entrants = data.draw(st.one_of(st.integers(1, 16), st.integers(2, 60)), label="entrants")
    size = data.draw(st.sampled_from([2, 2, 3, 4]))
    chance = random.Random(data.draw(st.integers(0, 10**6), label="troubles"))
    going = competition(
        "groups",
        entrants,
        size,
        short=data.draw(st.booleans()),
        group_size=data.draw(st.integers(2, 5)),
        advance=data.draw(st.integers(1, 3)),
    )
    leaving, missing = data.draw(st.sampled_from([(0.0, 0.2), (0.05, 0.1), (0.5, 0.5)]))
    going.expected = data.draw(st.lists(st.integers(1, 5), max_size=5).map(sorted), label="late")
    trouble = Trouble(leaves=leaving, misses=missing, no_shows=0.1, undone=0.1)
    places = going.to_the_end(by_lot(chance, draws=0.2), trouble, chance)
    assert sorted(places) == going.entrants
    assert min(places.values()) == 1


def test_groups_at_tables_lead_to_a_knockout_at_tables() -> None:
    going = competition("groups", 12, 3, group_size=6, advance=3)
    places = going.to_the_end(by_number)
    assert {len(match.entrants) for match in going.matches()} == {3}
    assert set(grouped(going)) == {"Group A", "Group B"}
    slots = [slot for slot, _ in later(going)]
    assert slots == ["W1.1", "W1.2", "F"]
    assert places[1] == 1


def test_reasons_name_the_group() -> None:
    going = competition("groups", 9)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert {table.slot for table in answer.tables} == {"Group A", "Group B"}
    assert all(text(table.reason).startswith(f"{table.slot}. ") for table in answer.tables)
    assert len(answer.byes) == 1


def test_a_group_that_is_done_waits_for_the_others() -> None:
    going = competition("groups", 9)
    for _ in range(3):
        going.play(by_number)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    why = "Group B has played all its matches, and waits for the others."
    done = [rest for rest in answer.byes if text(rest.reason) == why]
    assert len(done) == 4


def test_for_a_qualifier_who_withdraws_the_next_of_the_group_comes() -> None:
    going = competition("groups", 8)
    for _ in range(3):
        going.play(by_number)
    going.withdraw(1)
    answer = going.play(by_number)
    assert isinstance(answer, Pairings)
    assert [set(table.seats) for table in answer.tables] == [{2, 5}, {3, 4}]
    assert going.to_the_end(by_number) == {2: 1, 3: 2, 4: 3, 5: 3, 1: 5, 6: 6, 7: 7, 8: 7}


def test_who_withdraws_later_gives_a_walkover() -> None:
    going = competition("groups", 8)
    for _ in range(3):
        going.play(by_number)
    going.play(by_number)
    going.withdraw(1)
    assert going.ask() == Finished({2: 1, 1: 2, 3: 3, 4: 3, 5: 5, 6: 5, 7: 7, 8: 7})


def test_knockout_matches_are_postponed_as_in_a_knockout() -> None:
    going = competition("groups", 8)
    for _ in range(3):
        going.play(by_number)
    going.away(1, 2)
    answer = going.play(by_number)
    assert isinstance(answer, Pairings)
    assert answer.tables == ()
    assert {rest.entrant for rest in answer.byes} == {1, 2, 3, 4}
    going.away()
    assert going.to_the_end(by_number)[1] == 1


def test_who_comes_before_the_groups_begin_is_in_one_and_who_comes_later_in_none() -> None:
    going = competition("groups", 8)
    going.enter(9)
    going.play(by_number)
    going.enter(10)
    places = going.to_the_end(by_number)
    assert 9 in grouped(going)["Group A"] | grouped(going)["Group B"]
    assert places[10] == 10


def test_one_group_is_decided_by_its_standings() -> None:
    going = competition("groups", 8)
    going.withdraw(*range(5, 9))
    assert going.to_the_end(by_number) == {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 5, 7: 5, 8: 5}


def test_a_round_that_is_being_played_is_waited_for() -> None:
    going = competition("groups", 8)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    going.write(answer, by_number, over=False)
    assert going.ask() == Wait("Round 1 is still being played.")


def test_sizes_are_as_equal_as_can_be() -> None:
    assert sizes_of(23, 2, 4) == [5, 5, 5, 4, 4]
    assert sizes_of(3, 2, 4) == [3]
    assert sizes_of(12, 6, 4) == [6, 6], "A group fills a table."


def test_what_does_not_make_groups_is_told() -> None:
    why_unplayable = FORMATS["groups"].why_unplayable
    assert why_unplayable(8, 2, {}) is None
    assert (
        why_unplayable(7, 2, {})
        == "Two groups need 8 entrants and there are 7. Invite more, or make the groups smaller."
    )
    assert why_unplayable(4, 2, {"group_size": 2}) == (
        "In groups of 2 at least one entrant must be eliminated. Reduce the qualifiers per group, or make the "
        "groups larger."
    )
    assert why_unplayable(10, 5, {"advance": 2}) == (
        "Fewer than 5 entrants would qualify, too few for a table. Increase the qualifiers per group."
    )
