"""The texts that say how a game ended."""

from __future__ import annotations

import pytest

from games.play import endings

NAMES = ["Martha", "Laura"]


@pytest.mark.parametrize(
    ("termination", "placings", "left", "words"),
    [
        ("rules", [1, 2], [], "Martha wins."),
        ("rules", [1, 1], [], "Martha and Laura share the first place."),
        ("turn_limit", [2, 1], [], "The turn limit was reached. Laura wins."),
        ("resigned", [1, 2], [1], "Laura resigned. Martha wins."),
        ("out_of_time", [1, 2], [1], "Laura ran out of time. Martha wins."),
        ("no_show", [2, 1], [0], "Martha did not show up. Laura wins."),
        ("no_show", [1, 1], [0, 1], "Martha and Laura did not show up. Nobody wins."),
        ("forfeited", [2, 1], [0], "Martha forfeited the game. Laura wins."),
        ("left", [2, 1], [0], "Martha left the game. Laura wins."),
        ("aborted", [], [], "The game was aborted. It has no result."),
        ("adjudicated", [1, 2], [], "Martha wins."),
    ],
)
def test_a_sentence_names_the_cause_and_the_winner(
    termination: str, placings: list[int], left: list[int], words: str
) -> None:
    outcome = {"termination": termination, "scores": [0] * len(placings), "placings": placings}
    assert endings.outcome_sentence(outcome, NAMES, left) == words


def test_of_several_who_left_the_last_one_ended_the_game() -> None:
    outcome = {"termination": "resigned", "scores": [0, 0, 0], "placings": [1, 3, 2]}
    assert endings.outcome_sentence(outcome, [*NAMES, "Otto"], [1, 2]) == "Otto resigned. Martha wins."
