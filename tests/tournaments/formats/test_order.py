"""The order of a division (tournaments.formats.order): one answer to who stands where, in every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from scorebook_games.chance import SeedDealer
from scorebook_games.presentation.coded_text import text
from tests.tournaments.simulated_competition import MUCH, Competition, by_number, compete, competition, nobody_comes
from tournaments.formats import FORMATS
from tournaments.formats.order import order_as_recorded, standings_in_order
from tournaments.scoring.standings import EntrantStanding


def order(going: Competition) -> list[EntrantStanding]:
    return standings_in_order(going.format, going.entrants, going.history, going.options, SeedDealer(going.seed))


def places(rows: Sequence[EntrantStanding]) -> dict[int, int]:
    return {row.entrant: row.place for row in rows}


def why(rows: Sequence[EntrantStanding]) -> dict[int, str]:
    return {row.entrant: text(row.why) for row in rows}


@pytest.mark.some(5)
@pytest.mark.parametrize(
    ("name", "size"),
    [
        (name, size)
        for name in sorted(FORMATS)
        for size in (2, 4)
        if not FORMATS[name].by_teams and (size == 2 or FORMATS[name].why_unplayable(9, 4, {}) is None)
    ],
)
def test_the_end_of_every_format_has_the_places_of_its_standings(name: str, size: int) -> None:
    """Whatever troubles there were: late entries, withdrawals, absences, no-shows, undone rounds."""
    for seed in range(6):
        going = compete(name, 9, size, seed, MUCH)
        rows = order(going)
        assert places(rows) == going.places
        assert [row.place for row in rows] == sorted(going.places.values())
        assert not [row for row in rows if row.still_in], "nobody is still in when it is over"


def groups() -> Competition:
    """Return two groups of four, played. The lower number wins in the groups, from which two advance."""
    going = competition("groups", 8, advance=2)
    for _ in range(3):
        going.play(by_number)
    return going


def test_in_groups_the_knockout_decides_and_not_the_sum_of_points() -> None:
    """1 won all three matches of its group and the semi-final; 4 won two, the semi-final and the final."""
    going = groups()
    assert {row.entrant for row in order(going) if row.still_in} == {1, 2, 3, 4}
    going.play(lambda seats: [1 if one in (1, 4) else 2 for one in seats])
    going.play(lambda seats: [1 if one == 4 else 2 for one in seats])
    rows = order(going)
    points = {row.entrant: row.points for row in rows}
    assert points[1] == points[4] == 4
    assert [row.entrant for row in rows][:2] == [4, 1]
    assert (why(rows)[4], why(rows)[1]) == ("Won: Final.", "Out: Final.")
    assert why(rows)[8].startswith("Out: Group A. ")


def test_while_groups_are_played_everybody_stands_by_the_place_in_the_group() -> None:
    going = competition("groups", 8, advance=2)
    going.play(by_number)
    rows = order(going)
    assert all(row.still_in for row in rows)
    assert why(rows)[1].startswith("Still in: Group A. ")
    assert places(rows)[1] == places(rows)[2] == 1, "the first of either group"


def test_in_a_ladder_the_rungs_decide_and_not_points() -> None:
    going = competition("ladder", 3)
    going.options = replace(going.options, challenges=((3, 2),))
    going.play(lambda seats: [1 + (one != 3) for one in seats])
    rows = order(going)
    assert [row.entrant for row in rows] == [1, 3, 2]
    assert rows[1].points > rows[0].points
    assert why(rows)[1] == "Place 1 on the ladder, by its matches and declined challenges."


def test_in_a_cup_who_can_still_be_third_stands_behind_the_finalists() -> None:
    going = competition("knockout", 4, third_place=True)
    going.play(by_number)
    rows = order(going)
    assert [(row.entrant, row.place, row.still_in) for row in rows] == [
        (1, 1, True),
        (2, 1, True),
        (3, 3, True),
        (4, 3, True),
    ]


def test_in_a_final_of_four_each_has_a_place_of_its_own() -> None:
    going = competition("knockout", 4, 4)
    going.play(by_number)
    assert places(order(going)) == {1: 1, 2: 2, 3: 3, 4: 4}


def test_the_recorded_places_of_a_finished_division_stand() -> None:
    """An earlier version put 2 before 1. Rows that spoke of the other order say that the place was recorded."""
    going = competition("round_robin", 4)
    going.to_the_end(by_number)
    rows = order_as_recorded(order(going), {1: 2, 2: 1, 3: 3, 4: 4})
    assert [(row.entrant, row.place) for row in rows] == [(2, 1), (1, 2), (3, 3), (4, 4)]
    recorded = "This place was recorded when the season ended."
    assert [why(rows)[entrant] == recorded for entrant in (1, 2, 3, 4)] == [True, True, False, False]
    assert order_as_recorded(order(going), places(order(going))) == order(going)


def test_nobody_has_won_a_final_to_which_nobody_came() -> None:
    going = competition("knockout", 4)
    going.play(by_number)
    going.play(by_number)
    nobody_comes(going, {1, 2})
    rows = order(going)
    assert places(rows) == {1: 1, 2: 1, 3: 3, 4: 3}
    assert (why(rows)[1], why(rows)[2]) == ("Out: Final.", "Out: Final.")
