"""Each cell of `table.txt` is a real request: those to the API here, those to pages in `test_matrix_of_pages`.

A failure prints the cells with other answers, and the rows with these answers. Check them and, if they are right, put
them into the table. `test_rules` checks that the table has every address, and what follows from a row by rules.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.permissions.platform import API, Platform, asked_as, of_each_group, wrong_in
from tests.permissions.platform import platform as platform  # the fixture
from tests.permissions.table_rows import ROLES, Row
from tournaments.clubs import lifecycle as club_lifecycle


@pytest.fixture(autouse=True)
def nobody_has_asked_before(db: None, platform: Platform) -> None:
    platform.nobody_has_asked()


def check_answers(platform: Platform, group: list[Row]) -> None:
    wrong, answered = [], []
    for row in group:
        cells = asked_as(platform, row, {role: platform.askers[role] for role in ROLES})
        wrong += wrong_in(cells, dict(zip(ROLES, row.answers, strict=True)))
        found = replace(row, answers=tuple(cell.told for cell in cells.values()))
        answered += [found.line()] if found != row else []
    assert not wrong, "\n".join([*wrong, "as they were answered:", *answered])


def check_answers_of_a_private_club(platform: Platform, group: list[Row]) -> None:
    club_lifecycle.change_club(club=platform.world.club, user=platform.world.club.owner, visibility="private")
    wrong, answered = [], []
    for row in group:
        assert row.private
        cells = asked_as(platform, row, {role: platform.askers[role] for role in ("anonymous", "stranger", "member")})
        expected = dict(zip(cells, (*row.private, row.answer("member")), strict=True))
        wrong += wrong_in(cells, expected)
        found = replace(row, private=(cells["anonymous"].told, cells["stranger"].told))
        answered += [found.line()] if found != row else []
    assert not wrong, "\n".join([*wrong, "as they were answered:", *answered])


@of_each_group(API)
def test_each_person_is_answered_by_the_api_as_the_table_says(platform: Platform, group: list[Row]) -> None:
    check_answers(platform, group)


@of_each_group(row for row in API if row.private)
def test_a_private_club_is_not_there_for_others_and_as_it_was_for_its_own(platform: Platform, group: list[Row]) -> None:
    check_answers_of_a_private_club(platform, group)
