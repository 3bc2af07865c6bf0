"""The reasons of pairings, in the language of the reader (tournaments.formats.reasons)."""

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
    ("points", "sentence"),
    [
        (1, "Both have 1 point,"),
        (0.5, "Both have ½ point,"),
        (10 / 3, "Both have 3⅓ points,"),
        (0.01, "Both have 0.01 "),
    ],
)
def test_points_are_written_as_in_the_standings(points: float, sentence: str) -> None:
    assert str(reasons.same_points(points)).startswith(sentence)


def test_a_code_of_a_later_version_does_not_stop_a_page() -> None:
    assert text([["from_the_future", {"x": 1}]]) == (
        "This version of Scorebook does not know the text from_the_future."
    )


@pytest.mark.parametrize("params", [{}, {"points": "two"}, {"points": None}, {"points": {"of": 1}}])
def test_parameters_that_its_words_cannot_take_do_not_stop_a_page(params: dict[str, Any]) -> None:
    assert text([["same_points", params]]) == "This version of Scorebook does not know the text same_points."


def nested(depth: int) -> list[Any]:
    """Return `depth` reasons, nested in one another."""
    made: list[Any] = ["seed", {"number": 1}]
    for _ in range(depth - 1):
        made = ["seeded_source", {"source": made, "seed": 1}]
    return made


@pytest.mark.parametrize(
    "value",
    [
        "Both have 2 points.",
        ["from_the_future", {}],
        ["ahead", {"points": 1}],
        ["slot_match_again", {"stage": ["ahead", {"points": 1}]}],
        ["slot_match_again", {"stage": "final"}],
        ["same_points", {}],
        ["same_points", {"points": "two"}],
        ["same_points", {"points": True}],
        ["same_points", {"points": float("nan")}],
        ["same_points", {"points": 10**12}],
        ["same_points", {"points": 2, "more": 1}],
        ["same_points", {"return": 2}],
        ["halves_meet", {"higher": "one", "lower": 2}],
        ["halves_meet", {"higher": 1.5, "lower": 2}],
        ["halves_meet", {"higher": ["seed", {"number": 1}], "lower": 2}],
        ["slot_match_again", {"stage": ["from_the_future", {}]}],
        ["in_group", {"letter": "Otto has not paid."}],
        ["in_group", {"letter": {}}],
        ["final_table", {"left": 4, "seeds": 4}],
        ["final_table", {"left": 4, "seeds": [None]}],
        ["final_table", {"left": 4, "seeds": [1] * 101}],
        ["pairs_met", {"pairs": [[1]]}],
        nested(6),
        nested(900),
    ],
)
def test_a_value_from_outside_is_no_reason_unless_code_and_parameters_are_those_of_a_reason(value: Any) -> None:
    assert not is_sentence(value, reasons.CODES)


@pytest.mark.parametrize("value", [*STORED, nested(5), json.loads('["pairs_met", {"pairs": [[0, 2], [1, 1]]}]')])
def test_a_stored_reason_is_a_reason(value: Any) -> None:
    assert is_sentence(value, reasons.CODES)
