"""The tables counted before the start are those that are played, as long as nobody is missing and nothing is drawn."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tournaments.simulated_competition import competition, large_ones_slow
from tournaments.formats import FORMATS

COUNTED = [name for name, format in FORMATS.items() if name not in ("ladder", "arena") and not format.by_teams]
TIMES: dict[str, dict[str, Any]] = {"knockout": {"third_place": True}, "groups": {"third_place": True, "meetings": 2}}


def played(name: str, entrants: int, table_size: int, settings: dict[str, Any], *, short: bool) -> list[int]:
    going = competition(name, entrants, table_size, short=short, **settings)
    going.to_the_end()
    return [len(answer.tables) for answer in going.answers]


@pytest.mark.some(8)
@pytest.mark.parametrize("short", [False, True], ids=["full", "short"])
@pytest.mark.parametrize("table_size", large_ones_slow([2, 3, 4, 5], 3))
@pytest.mark.parametrize("most", large_ones_slow([9, 16], 9))
@pytest.mark.parametrize("name", COUNTED)
def test_the_tables_of_each_round_are_those_that_are_played(name: str, most: int, table_size: int, short: bool) -> None:
    counted = 0
    for entrants in (2, 3, 4, 5, 7, 9) if most == 9 else (12, 16):
        chosen: list[dict[str, Any]] = [{}, TIMES.get(name, {})]
        for settings in chosen:
            if FORMATS[name].why_unplayable(entrants, table_size, settings):
                continue
            counted += 1
            wanted = played(name, entrants, table_size, settings, short=short)
            assert FORMATS[name].table_counts(entrants, table_size, settings, short=short) == wanted, (
                entrants,
                settings,
            )
    # Double elimination is for two at a table, and two groups of five take ten.
    nowhere = (name == "double_elimination" and table_size > 2) or (name, table_size, most) == ("groups", 5, 9)
    assert (counted == 0) == nowhere


@pytest.mark.parametrize("name", ["ladder", "arena"])
def test_nobody_knows_how_much_is_played_where_people_choose(name: str) -> None:
    assert FORMATS[name].table_counts(12, 2, {}, short=False) == []


@pytest.mark.parametrize("entrants", [64, 200])
@pytest.mark.parametrize("name", ["knockout", "double_elimination", "groups"])
def test_large_fields_are_counted_without_being_played(name: str, entrants: int) -> None:
    found = FORMATS[name].table_counts(entrants, 2, {}, short=False)
    assert all(found)
    if name != "groups":
        assert sum(found) == (entrants - 1) * (2 if name == "double_elimination" else 1)
