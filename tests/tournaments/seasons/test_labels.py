"""Figures and sentences as people write them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import translation

from games.common import labels
from scorebook_games.gamelog.terms import terms_of
from scorebook_games.presentation.text import join_with_and
from scorebook_games.registry import KINDS
from tournaments.seasons import labels as league_labels


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (0.5, "½"),
        (3.5, "3½"),
        (-2, "−2"),
        (-0.25, "−¼"),
        (1 / 3, "⅓"),
        (20.5, "20½"),
        (None, "–"),
        (12.0, "12"),
    ],
)
def test_a_figure_has_vulgar_fractions_and_a_true_minus(value: float | None, written: str) -> None:
    assert league_labels.format_points(value) == written


@pytest.mark.parametrize(("value", "written"), [(17.6, "+18"), (-4.2, "−4"), (0.4, "0"), (-0.4, "0")])
def test_a_change_is_whole_and_signed(value: float, written: str) -> None:
    assert labels.format_change(value) == written


def test_ordinals_know_eleven_to_thirteen() -> None:
    numbers = (1, 2, 3, 4, 11, 12, 13, 21, 102, 113)
    written = "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 113th"
    assert " ".join(labels.ordinal(number) for number in numbers) == written


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0, "no time"),
        (1, "1 second"),
        (90, "1 minute 30 seconds"),
        (100_800, "1 day 4 hours"),
        (90_061, "1 day 1 hour"),
    ],
)
def test_a_span_is_told_in_its_two_greatest_units(seconds: int, written: str) -> None:
    assert labels.duration_label(timedelta(seconds=seconds)) == written


def test_results_are_told_in_words_for_who_cannot_see_them() -> None:
    assert labels.form_label(["W", "D", "–", "2=", "1"]) == "Won, drew, had a bye, came 2nd, came 1st"


def test_german_has_its_own_ordinals_results_and_lists() -> None:
    with translation.override("de"):
        assert labels.form_label(["–", "W", "2="]) == "Freilos, gewonnen, 2. Rang"
        assert labels.number_label(2, "person") == "2 Menschen"
        assert join_with_and(["Martha", "Otto", "Laura"]) == "Martha, Otto und Laura"


def test_the_points_system_is_a_sentence() -> None:
    sentence = league_labels.points_system_text({"system": "placing", "scale": [2, 1, 0], "bye": 1.5})
    assert sentence == (
        "Points for each game, by the places in it: 2 for the 1st and 1 for the 2nd. Tied players split the points. "
        "A bye counts 1½ for the whole match."
    )


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ({"move_seconds": 90}, "1 minute 30 seconds per move; a player whose time runs out forfeits"),
        (
            {"move_seconds": 10, "bank_seconds": 120, "expiry": "random"},
            "10 seconds per move and a bank of 2 minutes; if a player’s time runs out, a random move is played",
        ),
        (
            {"move_days": 2, "playing_from": 8, "playing_to": 22, "weekend_pause": True, "vacation_days": 5},
            "2 days per move, from 8 to 22 o’clock and not on weekends (UTC), plus 5 days of vacation a "
            "year; a player whose time runs out forfeits",
        ),
    ],
)
def test_a_clock_is_told_with_what_stops_it_and_what_it_costs(terms: dict[str, Any], expected: str) -> None:
    assert labels.time_control_text(terms_of(terms).plain()) == expected


def test_terms_are_told_as_they_are_meant() -> None:
    found = dict(
        league_labels.game_term_rows({"bot_pace_ms": 1500, "watch_delay": 120, "sealed": True, "rated": False}, 3)
    )
    assert found == {
        "Clock": "none",
        "When a player leaves": "a built-in bot plays on",
        "Pace of built-in bots": "1.5 s per move, so that people can follow",
        "Spectators see the game": "2 minutes after the players",
        "Results": "secret until all games of the deal are over",
        "Ratings": "do not change",
    }
    assert dict(league_labels.game_term_rows({}, 2))["When a player leaves"] == "the game ends with the present scores"


def test_a_table_of_chinese_ten_shows_the_top_of_each_spot() -> None:
    seen = {"spots": [["4C", "TS"], [], ["AH"], ["QD"]], "deck": 39, "points": [120, 170]}
    shown = KINDS["chinese_ten"].presentation.thumbnail(seen)
    assert shown is not None
    assert [(card.rank, card.suit, card.red) for card in shown.cards] == [
        ("10", "♠", False),
        ("", "", False),
        ("A", "♥", True),
        ("Q", "♦", True),
    ]
    assert shown.words == "On the spots: 10 of spades, an empty spot, ace of hearts, queen of diamonds."
    assert (shown.note, shown.figures) == ("deck 39", ["120", "170"])


def test_a_table_of_plates_shows_the_last_cards_of_the_plate() -> None:
    seats = [{"primary_count": 8}, {"primary_count": 2}]
    shown = KINDS["plates"].presentation.thumbnail(
        {"plate": ["9H", "9D", "5D", "3H", "3C", "3S"], "round": 1, "rounds": 3, "seats": seats}
    )
    assert shown is not None
    assert [card.rank for card in shown.cards] == ["9", "5", "3", "3", "3"]
    assert (shown.note, shown.figures) == ("round 1 of 3, plate 6", ["8 in hand", "2 in hand"])
    empty = KINDS["plates"].presentation.thumbnail({"plate": [], "round": 1, "rounds": 3, "seats": seats})
    assert empty is not None
    assert empty.words == "The plate is empty."


def test_a_table_of_platinum_fish_shows_the_discard_pile_the_dice_and_the_matches() -> None:
    shown = KINDS["platinum_fish"].presentation.thumbnail(
        {"discard": ["9H", "QD"], "dice": [5, 6], "deck": 12, "scores": [1, 7]}
    )
    assert shown is not None
    assert [(card.rank, card.red) for card in shown.cards] == [("Q", True)]
    assert shown.words == "On the discard pile: queen of diamonds."
    assert (shown.note, shown.figures) == ("dice 5 6, deck 12", ["1 match made", "7 matches made"])
    empty = KINDS["platinum_fish"].presentation.thumbnail({"discard": [], "dice": [], "deck": 90, "scores": [0, 0]})
    assert empty is not None
    assert (empty.words, empty.note) == ("The discard pile is empty.", "deck 90")


def test_a_game_without_a_small_table_shows_none() -> None:
    assert KINDS["palace"].presentation.thumbnail({"stack": []}) is None


def test_a_small_board_of_palace_shows_the_top_of_the_pile_jokers_too() -> None:
    seen = {"pile": ["3S", "4S", "5S", "6S", "7H", "**"], "stack": 12, "seats": [{"cards": 9}, {"cards": 2}]}
    shown = KINDS["palace"].presentation.thumbnail(seen)
    assert shown is not None
    assert [each.rank for each in shown.cards] == ["4", "5", "6", "7", "★"]
    assert shown.words.endswith("7 of hearts, joker.")
    assert (shown.note, shown.figures) == ("stack 12, pile 6", ["9 left", "2 left"])
    empty = KINDS["palace"].presentation.thumbnail({**seen, "pile": []})
    assert empty is not None
    assert empty.words == "The pile is empty."
