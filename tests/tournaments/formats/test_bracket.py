"""The columns and boxes of a bracket that a page draws (tournaments.formats.bracket)."""

from __future__ import annotations

import random

import pytest

from scorebook_games.chance import SeedDealer
from tests.tournaments.simulated_competition import (
    SEED,
    Competition,
    Trouble,
    by_lot,
    by_number,
    competition,
    large_ones_slow,
    nobody_comes,
)
from tournaments.formats import FORMATS, reasons
from tournaments.formats.base import Finished, Pairings
from tournaments.formats.bracket import (
    BOX_DONE,
    BOX_PLAYING,
    BOX_READY,
    BOX_WAITING,
    Box,
    BoxSide,
    Column,
)


def columns(going: Competition) -> tuple[Column, ...]:
    return FORMATS[going.format].columns(going.entrants, going.history, going.options, SeedDealer(SEED))


def boxes(going: Competition) -> dict[str, Box]:
    return {box.slot: box for column in columns(going) for box in column.boxes}


def names(going: Competition) -> list[tuple[str, str, list[str]]]:
    return [(column.section, str(column.title), [box.slot for box in column.boxes]) for column in columns(going)]


def test_before_the_start_it_shows_the_draw_as_it_would_be() -> None:
    going = competition("knockout", 6, third_place=True)
    assert names(going) == [
        ("upper", "Quarter-final", ["W1.1", "W1.2", "W1.3", "W1.4"]),
        ("upper", "Semi-final", ["W2.1", "W2.2"]),
        ("final", "Final", ["F", "3rd"]),
    ]
    drawn = boxes(going)
    assert drawn["W1.1"] == Box(
        "W1.1",
        reasons.quarter_final(),
        (BoxSide(1, None, 1, "", True), BoxSide(None, reasons.bye())),
        BOX_DONE,
        reasons.bye(),
    )
    assert drawn["W1.2"].sides == (BoxSide(4, None, 4), BoxSide(5, None, 5))
    assert drawn["W1.2"].state == BOX_READY
    assert drawn["W2.1"].sides == (BoxSide(1, None, 1), BoxSide(None, reasons.winner("W1.2")))
    assert drawn["W2.1"].state == BOX_WAITING
    assert drawn["3rd"].sides == (BoxSide(None, reasons.loser("W2.1")), BoxSide(None, reasons.loser("W2.2")))


def test_results_fill_it() -> None:
    going = competition("knockout", 4)
    going.play(by_number)
    drawn = boxes(going)
    assert drawn["W1.1"].sides == (BoxSide(1, None, 1, "1", True), BoxSide(4, None, 4, "0", False))
    assert drawn["W1.1"].state == BOX_DONE
    assert [side.entrant for side in drawn["F"].sides] == [1, 2]
    assert drawn["F"].state == BOX_READY
    going.play(by_number)
    assert boxes(going)["F"].sides[0].won


def test_a_match_that_is_played_shows_as_such() -> None:
    going = competition("knockout", 4)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    going.write(answer, by_number, over=False)
    assert boxes(going)["W1.1"].state == BOX_PLAYING
    assert boxes(going)["F"].state == BOX_WAITING


def test_notes_tell_what_is_not_plain() -> None:
    going = competition("knockout", 8)
    going.away(6)
    going.play(lambda seats: [1, 1] if set(seats) == {4, 5} else by_number(seats))
    assert str(boxes(going)["W1.2"].note) == "drawn once"
    assert boxes(going)["W1.2"].state == BOX_READY
    assert str(boxes(going)["W1.4"].note) == "postponed"
    going.away()
    going.withdraw(6)
    going.play(lambda seats: [1, 1] if set(seats) == {4, 5} else by_number(seats))
    assert str(boxes(going)["W1.2"].note) == "drawn: the better seed advances"
    assert boxes(going)["W1.2"].sides[0].won
    assert str(boxes(going)["W1.4"].note) == "walkover"
    assert boxes(going)["W1.4"].sides == (BoxSide(3, None, 3, "", True), BoxSide(6, None, 6))


def test_a_match_to_which_nobody_came_has_no_winner() -> None:
    going = competition("knockout", 4)
    going.play()
    nobody_comes(going, {1, 4})
    box = boxes(going)["W1.1"]
    assert (str(box.note), box.state) == ("nobody came", BOX_DONE)
    assert not any(side.won for side in box.sides)
    assert boxes(going)["F"].sides[1].won, "Nobody is left to play the final against."


def test_two_draws_are_counted() -> None:
    going = competition("knockout", 2, replays=3)
    for _ in range(2):
        going.play(lambda seats: [1, 1])
    assert str(boxes(going)["F"].note) == "drawn 2 times"


def test_double_elimination_has_an_upper_and_a_lower_bracket() -> None:
    going = competition("double_elimination", 4)
    assert names(going) == [
        ("upper", "Upper bracket, round 1", ["W1.1", "W1.2"]),
        ("upper", "Upper final", ["W2.1"]),
        ("lower", "Lower bracket, round 1", ["L1.1"]),
        ("lower", "Lower final", ["L2.1"]),
        ("final", "Grand final", ["F"]),
        ("final", "Second grand final", ["R"]),
    ]
    drawn = boxes(going)
    assert drawn["L2.1"].sides == (BoxSide(None, reasons.loser("W2.1")), BoxSide(None, reasons.winner("L1.1")))
    assert drawn["R"].sides == (BoxSide(None, reasons.same_again()), BoxSide(None, reasons.same_again()))
    going.to_the_end(by_number)
    assert "R" not in boxes(going), "It was not needed."
    assert boxes(going)["F"].sides[0] == BoxSide(1, None, 1, "1", True)


def test_slots_that_nobody_comes_to_are_left_out() -> None:
    going = competition("double_elimination", 5)
    assert [slot for slot in boxes(going) if slot.startswith("L1")] == ["L1.1"]
    assert boxes(going)["L1.1"].sides == (BoxSide(None, reasons.bye()), BoxSide(None, reasons.loser("W1.2")))


def test_groups_come_before_the_knockout() -> None:
    going = competition("groups", 8)
    assert names(going) == [
        ("groups", "Groups", ["Group A", "Group B"]),
        ("upper", "Semi-final", ["W1.1", "W1.2"]),
        ("final", "Final", ["F"]),
    ]
    drawn = boxes(going)
    assert [side.entrant for side in drawn["Group A"].sides] == [1, 4, 5, 8]
    assert drawn["Group A"].state == BOX_READY
    assert drawn["W1.1"].sides == (BoxSide(None, reasons.seed(1), 1), BoxSide(None, reasons.seed(4), 4))
    for _ in range(3):
        going.play(by_number)
        assert [side.won for side in boxes(going)["Group A"].sides][2:] == [False, False]
    drawn = boxes(going)
    assert [(side.entrant, side.score, side.won) for side in drawn["Group A"].sides] == [
        (1, "3", True),
        (4, "2", True),
        (5, "1", False),
        (8, "0", False),
    ]
    assert drawn["Group A"].state == BOX_DONE
    assert [side.entrant for side in drawn["W1.1"].sides] == [1, 3]


def test_tables_show_who_goes_on_and_what_is_to_come() -> None:
    going = competition("knockout", 8, 4)
    assert names(going) == [("tables", "Round 1", ["W1.1", "W1.2"]), ("tables", "Final", ["F"])]
    assert boxes(going)["F"].sides == (BoxSide(None, reasons.open_place()),) * 4
    answer = going.ask()
    assert isinstance(answer, Pairings)
    going.write(answer, by_number, over=False)
    assert [box.state for box in boxes(going).values()] == [BOX_PLAYING, BOX_PLAYING, BOX_WAITING]
    going.history.clear()
    going.play(by_number)
    assert [(side.entrant, side.score, side.won) for side in boxes(going)["W1.1"].sides] == [
        (1, "3", True),
        (4, "2", True),
        (5, "1", False),
        (8, "0", False),
    ]
    going.play(by_number)
    assert [side.won for side in boxes(going)["F"].sides] == [True, False, False, False]


def test_tables_show_byes() -> None:
    going = competition("knockout", 9, 4)
    going.play(by_number)
    (box,) = [box for box in columns(going)[0].boxes if box.note == reasons.bye()]
    assert [side.entrant for side in box.sides] == [1, 2, 3, 4, 5]


def test_a_final_that_nobody_plays_any_more_is_decided() -> None:
    """docs/reference/formats.md: everything shown follows from the history, including the end of a season."""
    for last in (Competition.withdraw, Competition.away):
        going = competition("knockout", 4)
        going.play(by_number)
        going.away(1)
        going.play(by_number)
        going.away()
        assert boxes(going)["F"].state == BOX_READY
        assert str(boxes(going)["F"].note) == "postponed"
        last(going, 1)
        assert going.ask() == Finished({1: 2, 2: 1, 3: 3, 4: 3})
        final = boxes(going)["F"]
        assert (final.state, str(final.note)) == (BOX_DONE, "walkover")
        assert [(side.entrant, side.won) for side in final.sides] == [(1, False), (2, True)]


def test_a_late_entry_does_not_draw_the_bracket_again() -> None:
    """docs/reference/formats.md: who comes after the draw is placed last, and nothing else moves."""
    for name, places in (("knockout", [1, 2, 3, 3]), ("double_elimination", [1, 2, 3, 4])):
        going = competition(name, 4)
        going.play(by_number)
        before = columns(going)
        for late in range(5, 10):
            going.enter(late)
        assert columns(going) == before
        assert going.to_the_end() == dict(enumerate([*places, 5, 5, 5, 5, 5], start=1))


@pytest.mark.parametrize("name", ["round_robin", "double_round_robin", "ladder", "arena"])
def test_other_formats_have_none(name: str) -> None:
    assert columns(competition(name, 4)) == ()


@pytest.mark.some(7)
@pytest.mark.parametrize(
    ("name", "size"), [("knockout", 2), ("knockout", 4), ("double_elimination", 2), ("groups", 2), ("groups", 3)]
)
@pytest.mark.parametrize("entrants", large_ones_slow([1, 2, 5, 13, 24]))
def test_it_can_be_drawn_at_any_time_and_agrees_with_what_was_played(name: str, size: int, entrants: int) -> None:
    for seed in range(3):
        chance = random.Random(seed)
        going = competition(name, entrants, size, short=bool(seed % 2))
        going.expected = [2, 2, 3]
        while not isinstance(going.play(by_lot(chance, draws=0.1)), Finished):
            going.befall(Trouble(leaves=0.05, misses=0.1), chance)
            drawn = boxes(going)
            for match in going.history[-1].matches:
                assert set(match.entrants) <= {side.entrant for side in drawn[match.slot].sides}
        last = [match.slot for match in going.matches() if not match.slot.startswith("Group")]
        assert {box.slot for box in boxes(going).values() if box.state == BOX_DONE} >= set(last)
