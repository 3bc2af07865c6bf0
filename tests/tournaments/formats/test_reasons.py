"""Why two meet, in the language of whoever reads it (tournaments.formats.reasons)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.utils import translation

from scorebook_games.presentation.coded_text import is_sentence, text
from tournaments.formats import reasons

STORED = json.loads(
    json.dumps(
        [
            reasons.slot_match(
                reasons.semi_final(), reasons.seed(1), reasons.seeded_source(reasons.winner_of("W1.2"), 5)
            ),
            reasons.was_postponed(),
        ]
    )
)


def test_a_stored_reason_is_codes_and_parameters_alone() -> None:
    assert STORED[1] == ["was_postponed", {}]
    assert STORED[0] == [
        "slot_match",
        {
            "stage": ["semi_final", {}],
            "one": ["seed", {"number": 1}],
            "two": ["seeded_source", {"source": ["winner_of", {"slot": "W1.2"}], "seed": 5}],
        },
    ]


def test_it_is_read_in_the_language_of_the_reader() -> None:
    assert text(STORED) == "Semi-final: seed 1 against the winner of W1.2 (seed 5). It was postponed."
    with translation.override("de"):
        assert (
            text(STORED) == "Halbfinale: Setznummer 1 – Gewinner von W1.2 (Setznummer 5). Die Begegnung war verschoben."
        )


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (1, "Both have 1 point,"),
        (0.5, "Both have ½ point,"),
        (10 / 3, "Both have 3⅓ points,"),
        (0.01, "Both have 0.01 "),
    ],
)
def test_points_are_written_as_in_the_standings(points: float, said: str) -> None:
    assert str(reasons.same_points(points)).startswith(said)


def test_a_code_of_a_later_version_does_not_stop_a_page() -> None:
    assert text([["from_the_future", {"x": 1}]]) == (
        "This version of Scorebook does not know the text from_the_future."
    )


@pytest.mark.parametrize(
    "value",
    [
        "Both have 2 points.",
        ["from_the_future", {}],
        ["same_points", {}],
        ["same_points", {"points": "two"}],
        ["same_points", {"points": 10**12}],
        ["same_points", {"points": 2, "more": 1}],
        ["slot_match_again", {"stage": ["from_the_future", {}]}],
        ["in_group", {"letter": "Otto has not paid."}],
        ["final_table", {"left": 4, "seeds": 4}],
        ["final_table", {"left": 4, "seeds": [None]}],
    ],
)
def test_a_value_from_outside_is_no_sentence_unless_code_and_parameters_are_known(value: Any) -> None:
    assert not is_sentence(value)


def test_a_stored_reason_is_a_sentence() -> None:
    assert all(is_sentence(each) for each in STORED)
