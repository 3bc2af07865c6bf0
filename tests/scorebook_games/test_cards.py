"""Cards as small ints."""

from __future__ import annotations

import pytest

from scorebook_games.cards import ACE, JACK, JOKER, JOKER_RANK, KING, QUEEN, TEN, card_of, card_text, packs, rank_of


def test_every_card_has_a_text_of_its_own_and_is_found_by_it() -> None:
    """docs/reference/common-rules.md, Cards."""
    written = [card_text(card) for card in range(52)]
    assert len(set(written)) == 52
    assert [card_of(text) for text in written] == list(range(52))
    assert (written[0], written[36], written[51]) == ("AS", "TS", "KC")


def test_a_joker_prints_as_two_stars() -> None:
    """docs/reference/common-rules.md, Cards."""
    assert card_text(JOKER) == "**"
    assert card_of("**") == JOKER
    assert rank_of(JOKER) == JOKER_RANK


def test_ranks_run_from_ace_to_king() -> None:
    ranks = [rank_of(card_of(text)) for text in ("AH", "TD", "JC", "QS", "KH")]
    assert ranks == [ACE, TEN, JACK, QUEEN, KING] == [0, 9, 10, 11, 12]


@pytest.mark.parametrize("text", ["", "A", "1S", "10S", "as", "*S", "*", "***", "SA", "A S", "AX"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a card|not found"):
        card_of(text)


def test_packs_hold_every_card_as_often_as_there_are_packs() -> None:
    three = packs(3, jokers=2)
    assert len(three) == 3 * 54
    assert all(three.count(card) == 3 for card in range(52))
    assert three.count(JOKER) == 6
    assert packs(1) == list(range(52))
