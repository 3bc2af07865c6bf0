"""A position in words, for readers who do not see the board."""

from __future__ import annotations

from scorebook_games.contract import Event
from scorebook_games.frames.replay import frames
from scorebook_games.gamelog import visibility
from scorebook_games.registry import KINDS
from tests.replays.random_games import NAMES, entries, opening, random_game


def test_platinum_fish_tells_the_dice_what_the_deck_holds_and_what_all_have_seen_of_a_hand() -> None:
    """The rules are PF-8, PF-9 and PF-13."""
    events: list[Event] = [
        ["stacked", [0, 4, 8, 12, 16, 20, 24, 28, 32]],
        ["dealt", 0, 3, [], [0, 4, 8]],
        ["dealt", 1, 3, [], [12, 16, 20]],
        ["turned", 24],
        ["drew", 0, 28, -1],
        ["rolled", 0, 4, 5, [8]],
    ]
    game = entries(opening("platinum_fish", 2), *events)
    facts = dict(KINDS["platinum_fish"].presentation.position(frames(game, None)[-1].observation, NAMES[:2]))
    assert facts == {
        "Deck": "1 card",
        "Discard pile, from the top": "8♠ 7♠",
        "Dice": "4 and 5; possible ranks: 4, 5, 9",
        "Of these in the deck": "9",
        "Martha": "0 matches; in hand: 3 cards",
        "Laura": "0 matches; in hand: 3 cards",
    }
    own = dict(KINDS["platinum_fish"].presentation.position(frames(game, 1)[-1].observation, NAMES[:2]))
    assert own["Laura"] == "0 matches; in hand: 4♠ 5♠ 6♠"


def test_of_a_hand_in_platinum_fish_the_public_is_told_the_cards_that_all_have_seen() -> None:
    """The rule is PF-13."""
    texts = [
        fact.text
        for frame in frames(random_game("platinum_fish", 2), None)
        for fact in KINDS["platinum_fish"].presentation.position(frame.observation, NAMES[:2])
    ]
    assert any("seen by all: " in text for text in texts)
    made = frames(random_game("platinum_fish", 2), visibility.ALL)[-1].observation
    assert not any("seen by all" in fact.text for fact in KINDS["platinum_fish"].presentation.position(made, NAMES[:2]))


def test_one_point_is_one_point() -> None:
    seen = {"spots": [], "deck": 1, "hand": [], "seat": 0, "hand_counts": [1, 2], "points": [1, 2]}
    facts = dict(KINDS["chinese_ten"].presentation.position(seen, NAMES[:2]))
    assert (facts["Martha"], facts["Laura"]) == ("1 point; in hand: 1 card", "2 points; in hand: 2 cards")


def test_of_plates_the_unseen_cards_are_named_once_a_round_has_shown_them() -> None:
    """PL-4, PL-21"""
    seat = {"total": 3, "primary": ["4S"], "primary_count": 1, "revealed": []}

    def told(unseen: list[str | None]) -> str:
        seen = {"round": 1, "rounds": 1, "plate": [], "seats": [{**seat, "unseen": unseen}]}
        return KINDS["plates"].presentation.position(seen, NAMES[:1])[-1].text

    assert told(["??", None, "??", "??"]).endswith("unseen: 3")
    assert told(["3S", None, "TH", None]).endswith("unseen: 3♠ 10♥")
