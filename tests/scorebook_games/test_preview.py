"""The small picture of a table: each kind draws what everybody sees, and a kind without one of its own its zones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import Table, by_lot, legal_texts
from scorebook_games.contract import LargeSets
from scorebook_games.kinds.palace.presentation import preview as palace_preview
from scorebook_games.presentation.base import BACK, PREVIEW_SORTS, Presentation, PreviewRow, Zone, small_face
from scorebook_games.registry import KINDS

KINDS_OF_GAME = ("chinese_ten", "palace", "plate_spinner", "plates", "platinum_fish")


def positions(kind: str, moves: int = 60) -> Iterator[dict[str, Any]]:
    """Yield what everybody sees in the course of a game by lot."""
    table, dealer, rng = Table(kind, 2, ()), SeedDealer(b"preview".ljust(32, b".")), random.Random(5)
    rules = table.rules
    state = rules.initial(2, table.options)
    events = rules.start(state, dealer)
    for _move in range(moves):
        for event in events:
            rules.apply(state, event)
        yield rules.observation(state, None)
        if not (seats := rules.to_act(state)):
            return
        seat = rng.choice(seats)
        if isinstance(rules, LargeSets):
            text = rules.move_text(state, by_lot(rules, state, seat, rng))
        else:
            text = rng.choice(sorted(legal_texts(rules, state, seat)))
        events = rules.decide(state, seat, rules.parse_move(state, text), dealer)


@pytest.mark.parametrize("kind", KINDS_OF_GAME)
def test_the_picture_of_each_position_has_the_middle_and_every_seat(kind: str) -> None:
    for seen in positions(kind):
        rows = KINDS[kind].presentation.preview(seen)
        assert {row.seat for row in rows} == {None, 0, 1}
        assert {row.sort for row in rows} <= set(PREVIEW_SORTS)
        assert all(len(row.things) <= 12 for row in rows)


def test_the_picture_of_palace_covers_the_under_palace_and_counts_the_hand() -> None:
    seats = [{"upper": ["2S"], "under": ["??", "??", None], "hand_count": 7}]
    seen = {"stack": 0, "pile": ["5H", "TD"], "cleared": [], "seats": seats}
    stack, pile, _cleared, stands, hand = palace_preview(seen)
    assert [(card.rank, card.suit, card.red) for card in pile.things] == [("5", "♥", True), ("10", "♦", True)]
    assert not stack.things[0].back
    assert [card.back for card in stands.things] == [False, True]
    assert (len(hand.things), hand.total, hand.things[0]) == (5, 7, BACK)


def test_a_kind_that_draws_no_picture_shows_its_zones() -> None:
    class Zoned(Presentation):
        def zones(self, seen: Any) -> list[Zone]:
            return [
                Zone("Stock", "pile", (None,), count=9),
                Zone("", "words", ("hearts",)),
                Zone("", "hand", ("7S",), 1),
            ]

    stock, words, hand = Zoned().preview({})
    assert stock == PreviewRow("pile", [BACK], None, 9)
    assert (words.things[0].rank, hand.seat, hand.things[0].suit) == ("hearts", 1, "♠")


def test_a_joker_is_drawn_as_on_the_table() -> None:
    assert small_face("**").rank == "★"
