"""Cells of `table.txt` are real requests.

By default, the first and the last role and those on both sides of each difference in a row are asked, because a role
between two with the same answer shows a fault that they do not show only if it is treated by itself; slow tests ask
all.

A failure prints the cells with other answers, and the rows with these answers. Check them and, if they are right, put
them into the table. `test_rules` checks that the table has every address, and what follows from a row by rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

import pytest

from games.models import Game
from tests.permissions.platform import ROWS, Platform, asked_as, of_each_group, wrong_in
from tests.permissions.platform import platform as platform  # the fixture
from tests.permissions.table_rows import ROLES, Row
from tournaments.clubs import lifecycle as club_lifecycle

IN_PRIVATE: Final = ("anonymous", "stranger", "member")
OF_CLUBS: Final = [row for row in ROWS if row.private]
# The schema has examples from a club of the same name. An invitation shows who invites. Commentators see what they have
# the secret for, and whoever has the link of an email the name of its season.
NAMES_A_CLUB: Final = (
    *("/api/v1/schema/", "/invitations/<invitation_secret>/", "/api/v1/commentary/<commentary>/"),
    *("/commentary/<commentary>/", "/games/<match_over>/commentary/<commentary>/"),
    *("/api/v1/games/<match_over>/commentary/<commentary>/", "/availability/<answers>/"),
)
PUZZLE: Final = "puzzles/<puzzle_kind>/<puzzle_date>/"


@pytest.fixture(autouse=True)
def nobody_has_asked_before(db: None, platform: Platform) -> None:
    platform.nobody_has_asked()


def beside_others(answers: Sequence[str]) -> list[int]:
    """Return the places of the answers that differ from a neighbour."""
    return sorted({place for at in range(1, len(answers)) if answers[at] != answers[at - 1] for place in (at - 1, at)})


def at_edges(row: Row) -> list[str]:
    """Return the first and the last role, and those beside a role with another answer."""
    places = {0, *beside_others(row.answers), len(ROLES) - 1}
    return [role for place, role in enumerate(ROLES) if place in places]


def check_answers(platform: Platform, group: list[Row], roles: Callable[[Row], Iterable[str]]) -> None:
    wrong, answered = [], []
    for row in group:
        cells = asked_as(platform, row, {role: platform.askers[role] for role in roles(row)})
        wrong += wrong_in(cells, dict(zip(ROLES, row.answers, strict=True)))
        found = replace(
            row, answers=tuple(cells[role].outcome if role in cells else row.answer(role) for role in ROLES)
        )
        answered += [found.line()] if found != row else []
    assert not wrong, "\n".join([*wrong, "as they were answered:", *answered])


def answers_in_private(row: Row) -> dict[str, str]:
    assert row.private
    return dict(zip(IN_PRIVATE, (*row.private, row.answer("member")), strict=True))


def at_edges_in_private(row: Row) -> list[str]:
    """Return the roles beside one with another answer; the stranger if there is none."""
    return [IN_PRIVATE[at] for at in beside_others(list(answers_in_private(row).values())) or [1]]


def check_answers_of_a_private_club(
    platform: Platform, group: list[Row], roles: Callable[[Row], Iterable[str]]
) -> None:
    club_lifecycle.change_club(club=platform.world.club, user=platform.world.club.owner, visibility="private")
    wrong, answered = [], []
    for row in group:
        cells = asked_as(platform, row, {role: platform.askers[role] for role in roles(row)})
        expected = answers_in_private(row)
        wrong += wrong_in(cells, expected)
        anonymous, stranger, _member = (cells[role].outcome if role in cells else expected[role] for role in IN_PRIVATE)
        found = replace(row, private=(anonymous, stranger))
        answered += [found.line()] if found != row else []
    assert not wrong, "\n".join([*wrong, "as they were answered:", *answered])


@of_each_group(ROWS)
def test_a_person_is_answered_as_the_table_says(platform: Platform, group: list[Row]) -> None:
    check_answers(platform, group, at_edges)


@pytest.mark.slow
@of_each_group(ROWS)
def test_each_person_is_answered_as_the_table_says(platform: Platform, group: list[Row]) -> None:
    check_answers(platform, group, lambda _row: ROLES)


@of_each_group(OF_CLUBS)
def test_a_private_club_is_not_there_for_others_and_as_it_was_for_its_own(platform: Platform, group: list[Row]) -> None:
    check_answers_of_a_private_club(platform, group, at_edges_in_private)


@pytest.mark.slow
@of_each_group(OF_CLUBS)
def test_a_private_club_is_not_there_for_anybody_else(platform: Platform, group: list[Row]) -> None:
    check_answers_of_a_private_club(platform, group, lambda _row: IN_PRIVATE)


def check_that_no_address_gives_a_game_away(platform: Platform, role: str) -> None:
    """An exercise, a puzzle, faults, ratings and lists are made of such games. Martha, whose exercise it is, played."""
    world = platform.world
    Game.objects.filter(public_id=world.at["over"]).update(audience_club_id=world.club.pk)
    club_lifecycle.change_club(club=world.club, user=world.club.owner, visibility="private")
    secrets = [world.club.name, world.club.slug]
    secrets += Game.objects.filter(audience_club_id=world.club.pk).values_list("public_id", flat=True)
    found = []
    for row in ROWS:
        may_read = row.answer(role) == "200" or PUZZLE in row.address  # a private club shows nobody more than before
        if row.method != "GET" or row.address in NAMES_A_CLUB or not may_read:
            continue
        answer = platform.ask(platform.askers[role], row)
        if PUZZLE in row.address:
            assert answer.outcome == "404", row.address
        body: bytes = getattr(answer.response, "content", b"") if answer.outcome == "200" else b""
        found += [f"{role}, {row.address}: {each}" for each in secrets if each in body.decode("utf-8", "replace")]
    assert found == []


@pytest.mark.slow
@pytest.mark.long  # it asks for every page and every address of the API
def test_no_address_gives_a_game_of_a_private_club_away(platform: Platform) -> None:
    """What was made of a club's games while everybody could see them is hidden with them once the club is private."""
    check_that_no_address_gives_a_game_away(platform, "stranger")


@pytest.mark.slow
def test_no_address_gives_a_game_of_a_private_club_away_to_the_unknown(platform: Platform) -> None:
    check_that_no_address_gives_a_game_away(platform, "anonymous")
