"""Placings, options and errors, which all engines share."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorebook_games.contract import IllegalMove, MalformedMove, Option, OptionError, RulesError, Spec, placings

SPEC = Spec(
    kind="example",
    title="Example",
    rules_version=1,
    seats_min=2,
    seats_max=4,
    options=(
        Option("rounds", "int", 3, "Number of rounds.", minimum=1, maximum=20),
        Option("open", "bool", False, "Whether hands lie open."),
        Option("deck", "choice", "short", "Which deck is used.", choices=("short", "long")),
    ),
    notation="A move is written pass.",
)


@pytest.mark.parametrize(
    ("scores", "highest", "lowest"),
    [
        ([10, 30, 20], (3, 1, 2), (1, 3, 2)),
        ([5, 5], (1, 1), (1, 1)),
        ([7, 9, 9, 1], (3, 1, 1, 4), (2, 3, 3, 1)),
        ([0, -5, 0], (1, 3, 1), (2, 1, 2)),
        ([4], (1,), (1,)),
    ],
)
def test_ties_share_the_better_placing(scores: list[int], highest: tuple[int, ...], lowest: tuple[int, ...]) -> None:
    """docs/reference/common-rules.md, Result."""
    assert placings(scores, best="highest") == highest
    assert placings(scores, best="lowest") == lowest


@given(st.lists(st.integers(-100, 100), min_size=1, max_size=8))
def test_a_placing_is_one_more_than_the_number_of_better_seats(scores: list[int]) -> None:
    """docs/reference/common-rules.md, Result."""
    for seat, place in enumerate(placings(scores, best="highest")):
        assert place == 1 + sum(other > scores[seat] for other in scores)
    assert placings([-score for score in scores], best="lowest") == placings(scores, best="highest")


def test_options_that_are_not_given_have_their_defaults() -> None:
    assert SPEC.resolve(2, {}) == {"rounds": 3, "open": False, "deck": "short"}
    assert SPEC.resolve(4, {"deck": "long", "rounds": 20}) == {"rounds": 20, "open": False, "deck": "long"}


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("rounds", 0, "from 1 to 20, not 0"),
        ("rounds", 21, "from 1 to 20, not 21"),
        ("rounds", True, "a whole number"),
        ("rounds", 2.0, "a whole number"),
        ("open", 1, "true or false, not 1"),
        ("open", "false", "true or false"),
        ("deck", "medium", "one of short, long, not 'medium'"),
        ("jokers", 2, "no option 'jokers'. Its options are: rounds, open, deck"),
    ],
)
def test_a_wrong_option_is_refused_with_what_it_may_be(option: str, value: Any, expected: str) -> None:
    """docs/reference/common-rules.md, Options."""
    with pytest.raises(OptionError) as caught:
        SPEC.resolve(2, {option: value})
    assert caught.value.option == option
    assert expected in caught.value.sentence


@pytest.mark.parametrize("seats", [-1, 0, 1, 5])
def test_a_number_of_players_that_the_kind_does_not_have_is_refused(seats: int) -> None:
    with pytest.raises(OptionError, match="for 2 to 4 players"):
        SPEC.resolve(seats, {})


def test_an_error_has_a_code_a_sentence_and_where_it_applies_a_clause() -> None:
    illegal = IllegalMove("must_capture", "CT-7", "You must capture.")
    assert (illegal.code, illegal.clause, str(illegal)) == ("must_capture", "CT-7", "You must capture.")
    assert MalformedMove("Write pass.").code == "malformed_move"
    assert OptionError("rounds", "No.").code == "bad_option"
    assert all(issubclass(kind, RulesError) for kind in (IllegalMove, MalformedMove, OptionError))
