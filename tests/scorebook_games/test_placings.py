"""What the places of a game say is asked at one place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scorebook_games.placings import letter_against, result_mark, share_against, winners, without_gaps

ROOT = Path(__file__).parents[2]
PACKAGES = ("config", "games", "replays", "tournaments")
HOME = "games/library/scorebook_games/placings.py"


@pytest.mark.parametrize(("placings", "first"), [((2, 1), [1]), ((1, 1, 3), [0, 1]), ((), [])])
def test_who_won_is_who_has_the_first_place(placings: tuple[int, ...], first: list[int]) -> None:
    assert winners(placings) == first


@pytest.mark.parametrize(("mine", "theirs", "share", "letter"), [(1, 2, 1, "W"), (2, 2, 0.5, "D"), (3, 1, 0, "L")])
def test_of_two_players_the_better_place_wins(mine: int, theirs: int, share: float, letter: str) -> None:
    assert (share_against(mine, theirs), letter_against(mine, theirs)) == (share, letter)


@pytest.mark.parametrize(
    ("mine", "others", "mark"), [(1, [2], "W"), (1, [1], "D"), (2, [1, 3], "2"), (None, [1], "–"), (1, [None], "–")]
)
def test_a_result_in_a_list_is_a_letter_for_two_and_a_place_for_more(
    mine: int | None, others: list[int | None], mark: str
) -> None:
    assert result_mark(mine, others) == mark


def test_whoever_shares_a_place_takes_up_the_next_ones() -> None:
    assert without_gaps([1, 1, 2]) == [1, 1, 3]


def test_no_other_module_compares_a_place_with_the_first_or_makes_letters_of_places() -> None:
    found = []
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name == HOME or "migrations" in path.parts or "kinds" in path.parts:
            continue
        source = path.read_text(encoding="utf-8")
        if "placing" in source or '"WL"' in source or '"WDL"' in source:
            asked = filter(asks_who_won, ast.walk(ast.parse(source)))
            found += [f"{name}: {ast.unparse(node)}" for node in asked]
    assert found == []


def asks_who_won(node: ast.AST) -> bool:
    """Return whether an expression is `placing == 1`, or `"WL"[…]`."""
    match node:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=1)]):
            return "placing" in ast.unparse(left)
        case ast.Subscript(value=ast.Constant(value="WL" | "WDL" | "DWL")):
            return True
    return False
