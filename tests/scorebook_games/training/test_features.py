"""Feature hashing: the numbers that a trained bot must compute again, so they may never change."""

from __future__ import annotations

from math import log1p
from zlib import crc32

from scorebook_games.training.features import move_features, observation_features


def place(token: str, size: int = 4096) -> int:
    return crc32(token.encode()) % size


def test_facts_become_places_in_the_vector() -> None:
    found = observation_features({"phase": "play", "turn": 1, "options": {"packs": 2}}, 1, 4096)
    assert found == {
        place("phase=play"): 1.0,
        place("turn:"): log1p(1) / 4,
        place("turn=1"): 1.0,
        place("turn=me"): 1.0,
    }


def test_each_seat_sees_its_own_entry_first() -> None:
    seats = [{"cards": 3}, {"cards": 7}, {"cards": 9}]
    mine = observation_features({"seats": seats}, 1, 4096)
    assert mine[place("seats.0.cards=7")] == 1.0
    assert mine[place("seats.2.cards=3")] == 1.0


def test_a_list_counts_equal_things_and_names_the_last() -> None:
    found = observation_features({"pile": ["7S", "7S", "KD"]}, 0, 4096)
    assert (found[place("pile=7S")], found[place("pile=KD")], found[place("pile$=KD")]) == (2.0, 1.0, 1.0)


def test_a_move_is_its_text_its_words_and_its_letters() -> None:
    assert set(move_features("play 77", 4096)) == {place(token) for token in ("play 77", "0 play", "1 77", "play 7")}
