"""Each cell of `table.txt` for a page is a real request. `test_matrix` sends those to the API."""

from __future__ import annotations

from tests.permissions.platform import PAGES, Platform, of_each_group
from tests.permissions.platform import platform as platform  # the fixture
from tests.permissions.table_rows import Row
from tests.permissions.test_matrix import check_answers, check_answers_of_a_private_club
from tests.permissions.test_matrix import nobody_has_asked_before as nobody_has_asked_before  # the fixture


@of_each_group(PAGES)
def test_each_person_is_answered_by_a_page_as_the_table_says(platform: Platform, group: list[Row]) -> None:
    check_answers(platform, group)


@of_each_group(row for row in PAGES if row.private)
def test_a_private_club_is_not_there_for_others_and_as_it_was_for_its_own(platform: Platform, group: list[Row]) -> None:
    check_answers_of_a_private_club(platform, group)
