"""A move that the rules refuse is explained in the language of the reader."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from scorebook_games.contract import IllegalMove, OptionError, RulesError
from scorebook_games.gamelog.pacing import BlankDealer
from scorebook_games.registry import KINDS


def refused(kind: str, text: str) -> RulesError:
    """Return the error for a move of seat 0 before the deal."""
    rules = KINDS[kind].rules
    state = rules.initial(2, rules.resolve(2, {}))
    with pytest.raises(RulesError) as caught:
        rules.decide(state, 0, rules.parse_move(state, text), BlankDealer())
    return caught.value


def test_one_refusal_reads_in_the_language_of_each_reader() -> None:
    error = IllegalMove("empty_spot", "CT-6", "Spot {spot} is empty.", spot=2)
    with override("de"):
        assert (str(error), error.sentence) == ("Feld 2 ist leer.", "Feld 2 ist leer.")
    assert (str(error), error.sentence) == ("Spot 2 is empty.", "Spot 2 is empty.")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_notation_and_a_refusal_of_each_kind_are_translated(kind: str) -> None:
    moves = {"chinese_ten": "lay K", "palace": "take", "plates": "take", "platinum_fish": "draw deck"}
    errors = [refused(kind, text) for text in ("no move", moves.get(kind, "grab"))]
    with override("de"):
        german = [error.sentence for error in errors]
    assert german[0].startswith("Ein Zug wird so geschrieben: ")
    assert german[1] in (
        "Jetzt ist niemand dran.",
        "Niemand ist dran: Es wird nicht gespielt.",
        "Niemand ist dran: Es wird keine Runde gespielt.",
    )
    assert "{" not in "".join(error.sentence for error in errors)


def test_a_value_of_an_option_is_refused_with_its_range() -> None:
    with pytest.raises(OptionError) as caught:
        KINDS["plates"].resolve(2, {"rounds": 99})
    assert caught.value.sentence == "Option rounds must be a whole number from 1 to 20, not 99."
    with override("de"):
        assert caught.value.sentence == "Die Option rounds muss eine ganze Zahl von 1 bis 20 sein, nicht 99."


def test_a_text_with_braces_and_no_values_stays_as_it_is() -> None:
    assert OptionError("zone", "Write {hour}.").sentence == "Write {hour}."
