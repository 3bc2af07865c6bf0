"""Why events followed from the rules: each reason cites a clause of its kind's own rules."""

from __future__ import annotations

from typing import Any

import pytest

from scorebook_games.conformance.page import clauses_of
from scorebook_games.frames.replay import frames
from scorebook_games.gamelog.visibility import ALL, PUBLIC
from scorebook_games.presentation.sentences import EventContext
from scorebook_games.registry import KINDS
from tests.replays.random_games import random_game


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_reason_cites_a_clause_and_the_public_reads_no_other(kind: str) -> None:
    game = random_game(kind, 2)
    reasons = {frame.version: frame.why for frame in frames(game, ALL) if frame.why}
    assert len({game[version - 1].event[0] for version in reasons}) > 2
    assert {why.clause for why in reasons.values()} <= set(clauses_of(KINDS[kind].rules_page))
    assert all(frame.why in (None, reasons.get(frame.version)) for frame in frames(game, PUBLIC))


def clause(kind: str, event: dict[str, Any], after: dict[str, Any], **before: Any) -> str:
    why = KINDS[kind].presentation.reason(EventContext({"seat": 0, **event}, before, after))
    return why.clause if why else ""


@pytest.mark.parametrize(
    ("event", "after", "before", "cited"),
    [
        ({"type": "drew", "mate": None}, {"deck": 5, "hand_counts": [4]}, {}, "PF-6"),
        ({"type": "drew", "mate": "7S"}, {"deck": 5, "hand_counts": [3]}, {}, "PF-7"),
        ({"type": "drew", "mate": "7S"}, {"deck": 5, "hand_counts": [0]}, {}, "PF-16"),
        ({"type": "drew", "mate": None}, {"deck": 0, "hand_counts": [4]}, {}, "PF-17"),
        ({"type": "dealt"}, {}, {"phase": "setting_up", "matches": [[]]}, "PF-1"),
        ({"type": "dealt"}, {}, {"phase": "setting_up", "matches": [["7S", "7H"]]}, "PF-4"),
        ({"type": "dealt"}, {}, {"phase": "waiting", "matches": [[]], "discard": []}, "PF-14"),
    ],
)
def test_platinum_fish_says_what_follows_a_card_and_why_a_hand_is_dealt(
    event: dict[str, Any], after: dict[str, Any], before: dict[str, Any], cited: str
) -> None:
    assert clause("platinum_fish", event, after, **before) == cited


@pytest.mark.parametrize(
    ("event", "cited"),
    [
        ({"type": "placed", "primary": ["9S"] * 3, "revealed": ["9H"], "clears": True}, "PL-12"),
        ({"type": "placed", "primary": ["9S"] * 3, "revealed": [], "clears": True}, "PL-13"),
        ({"type": "placed", "primary": ["9S"], "revealed": [], "clears": False}, ""),
        ({"type": "added", "primary": ["9S"] * 3, "clears": True}, "PL-12"),
        ({"type": "added", "primary": ["9S"] * 2, "clears": True}, "PL-13"),
    ],
)
def test_plates_tells_four_in_one_play_from_four_that_its_player_may_clear(event: dict[str, Any], cited: str) -> None:
    assert clause("plates", event, {"plate": ["9S"] * 4}) == cited


@pytest.mark.parametrize(
    ("kind_of_event", "place", "again"), [("played", None, True), ("played", 1, False), ("risked", None, False)]
)
def test_palace_says_that_a_player_plays_again_only_if_so(kind_of_event: str, place: int | None, again: bool) -> None:
    """PA-9 and PA-22: after a chanced card, or the last one, nothing is played again."""
    event = {"type": kind_of_event, "seat": 0, "cards": ["TS"], "card": "TS", "clears": True}
    why = KINDS["palace"].presentation.reason(EventContext(event, {}, {"seats": [{"place": place}]}))
    assert why is not None
    assert ("plays again" in why.words, why.clause) == (again, "PA-11")


@pytest.mark.parametrize("start", ["worst", "left"])
def test_palace_says_who_starts_by_its_option(start: str) -> None:
    """PA-4"""
    why = KINDS["palace"].presentation.reason(EventContext({"type": "laid"}, {}, {"options": {"start": start}}))
    assert why is not None
    assert ("worst" in why.words) == (start == "worst")


def test_three_matches_in_one_turn_are_marked_for_whoever_is_on_turn() -> None:
    """PF-16: an asked player may get matches in another one's turn."""
    marker = KINDS["platinum_fish"].presentation.marker()
    after = {"turn": 0, "turns": 4, "scores": [0, 0]}
    got = [marker.marks({"type": "salvaged", "seat": seat, "mate": "7H"}, after) for seat in (0, 1, 1, 1, 0, 0)]
    assert [[(mark.kind, mark.seat) for mark in marks] for marks in got] == [[]] * 5 + [[("streak", 0)]]
