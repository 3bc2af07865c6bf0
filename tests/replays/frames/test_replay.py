"""Frames: the position after each event of a game, from a viewpoint."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from scorebook_games.cards import card_of
from scorebook_games.frames.replay import Frame, frames, score_axis
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.kinds.palace.presentation import PalaceMarker
from scorebook_games.presentation.base import Few
from tests.replays.random_games import entries, opening, random_game

VIEWERS: list[visibility.Viewpoint] = [None, 0, 1, visibility.ALL]


@pytest.fixture(
    scope="module",
    params=[
        ("chinese_ten", 3),
        ("palace", 3),
        ("plate_spinner", 3),
        ("plates", 2),
        ("platinum_fish", 3),
    ],
    ids=["chinese_ten", "palace", "plate_spinner", "plates", "platinum_fish"],
)
def game(request: pytest.FixtureRequest) -> list[RecordedEvent]:
    kind, seats = request.param
    return random_game(kind, seats)


def cards(*texts: str) -> list[int]:
    return [card_of(text) for text in texts]


def ten(*events: list[Any], hands: list[list[int]], spots: list[int], deck: list[int]) -> list[RecordedEvent]:
    """Return a game of Chinese Ten with this deal and these events."""
    return entries(opening("chinese_ten", len(hands)), ["dealt", hands, spots, deck], *events)


def marks(made: list[Frame]) -> list[tuple[int, str]]:
    return [(frame.version, mark.kind) for frame in made for mark in frame.marks]


@pytest.mark.parametrize(
    "viewer", [*(pytest.param(each, marks=pytest.mark.slow) for each in VIEWERS[:-1]), VIEWERS[-1]]
)
def test_every_event_but_the_opening_has_a_frame(game: list[RecordedEvent], viewer: visibility.Viewpoint) -> None:
    made = frames(game, viewer)
    assert [frame.version for frame in made] == [entry.version for entry in game[1:]]
    assert [frame.ms for frame in made] == [entry.ms for entry in game[1:]]


@pytest.mark.parametrize("viewer", [None, 0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_frame_holds_what_its_viewer_observed_then(game: list[RecordedEvent], viewer: visibility.Viewpoint) -> None:
    fold = Fold(game[0].event)
    made = frames(game, viewer)
    for entry, frame in zip(game[1:], made, strict=True):
        fold.apply(entry.event)
        assert frame.observation == visibility.observation(fold, viewer)
        assert frame.event == visibility.readable_event(fold.rules, visibility.redact(fold.rules, entry.event, viewer))


def test_a_frame_for_one_seat_is_the_same_whatever_the_others_hold() -> None:
    """The other hand and the order of the deck are changed. All frames of seat 0 are the same, until these cards
    appear."""
    mine, spots = cards("9S", "KH"), cards("AS", "2S", "JS", "QS")
    event = ["captured", 0, card_of("9S"), 0, card_of("AS")]
    one = ten(event, hands=[mine, cards("3D", "4D")], spots=spots, deck=cards("5C", "6C"))
    other = ten(event, hands=[mine, cards("7C", "8C")], spots=spots, deck=cards("6C", "5C"))
    assert one != other
    assert frames(one, 0) == frames(other, 0)
    assert frames(one, visibility.ALL) != frames(other, visibility.ALL)


def test_all_eyes_see_every_hand_in_one_place() -> None:
    made = frames(random_game("chinese_ten", 2), visibility.ALL)
    hands = made[0].observation["hands"]
    assert [len(hand) for hand in hands] == [20, 20]
    assert "by_seat" not in made[0].observation
    plates = frames(random_game("plates", 3), visibility.ALL)
    assert [len(seat["primary"]) for seat in plates[0].observation["seats"]] == [10, 10, 10]


def test_frames_are_plain_json(game: list[RecordedEvent]) -> None:
    for frame in frames(game, visibility.ALL):
        json.dumps([frame.event, frame.observation, frame.parts, frame.scores])


def test_scores_of_chinese_ten_are_the_points_of_the_piles() -> None:
    made = frames(random_game("chinese_ten", 3), None)
    assert made[0].scores == [0, 0, 0]
    assert made[-1].scores == made[-1].observation["outcome"]["scores"]
    assert score_axis("chinese_ten").best == "highest"


def test_scores_of_plates_are_the_cards_left() -> None:
    made = frames(random_game("plates", 2), None)
    assert made[0].scores == [18, 18]
    placed = made[1]
    laid = len(placed.event["primary"]) + len(placed.event["revealed"])
    assert placed.scores[placed.event["seat"]] == 18 - laid
    axis = score_axis("plates")
    assert (axis.best, axis.goal) == ("lowest", "the fewest points win")  # PL-22: cards are no points


def test_scores_of_palace_are_the_cards_left() -> None:
    made = frames(random_game("palace", 3), None)
    assert made[0].scores == [9, 9, 9]
    assert made[-1].scores == made[-1].observation["outcome"]["scores"]
    assert score_axis("palace") == replace(score_axis("plates"), goal="the first with none wins")  # PA-22


def test_all_eyes_see_the_hands_of_palace_in_one_place() -> None:
    made = frames(random_game("palace", 3), visibility.ALL)
    assert [len(seat["hand"]) for seat in made[0].observation["seats"]] == [6, 6, 6]


def palace_marks(
    *moments: tuple[dict[str, Any], int, int], place: int | None = None, top: str = "9", ace: str = "threat"
) -> list[str]:
    """Return the kinds of the marks after the last of these moments. A moment is an event, with the numbers of cards in
    the pile and of cleared cards."""
    marker, made = PalaceMarker(), []
    for event, pile, cleared in moments:
        seats = [{"place": place, "cards": 0 if place else 5}, {"place": None, "cards": 5}]
        after = {"pile": [f"{top}S"] * pile, "cleared": ["9H"] * cleared, "seats": seats}
        made = marker.marks(event, {**after, "current": top, "options": {"ace": ace}})
    return [mark.kind for mark in made]


def test_great_piles_and_races_of_palace_are_marked() -> None:
    """A pile of ten, a throw and a call out of turn, and a player without cards are marked."""
    drew = {"type": "drew", "seat": 0}
    for kind in ("took", "kept", "failed"):
        assert palace_marks((drew, 10, 0), ({"type": kind, "seat": 1}, 0, 0)) == ["take"]
        assert palace_marks((drew, 9, 0), ({"type": kind, "seat": 1}, 0, 0)) == []
    for kind in ("played", "threw", "risked", "turned"):
        assert "clear" in palace_marks((drew, 9, 4), ({"type": kind, "seat": 1}, 0, 14))
        assert "clear" not in palace_marks((drew, 9, 5), ({"type": kind, "seat": 1}, 0, 14))
    assert palace_marks(({"type": "threw", "seat": 1}, 3, 0)) == ["race"]
    assert palace_marks(({"type": "called", "seat": 1, "owner": 0}, 0, 0)) == ["race"]
    assert palace_marks(({"type": "played", "seat": 0}, 3, 0), place=1) == ["out"]


def test_an_ace_over_a_great_pile_is_marked_as_a_threat() -> None:
    """An Ace that plays as a 2 is no threat (PA-10)."""
    for kind in ("played", "threw", "risked", "turned"):
        event = {"type": kind, "seat": 0}
        assert "threat" in palace_marks((event, 10, 0), top="A")
        assert "threat" not in palace_marks((event, 9, 0), top="A")
        assert "threat" not in palace_marks((event, 10, 0), top="A", ace="reset")
    assert palace_marks(({"type": "drew", "seat": 0}, 10, 0), top="A") == []


def test_who_is_nearly_out_is_told_once_and_again_after_taking_cards() -> None:
    few = Few()
    counts = [[3, 9], [2, 9], [1, 9], [8, 2], [2, 1], [0, 1]]
    assert [[mark.seat for mark in few.marks(cards)] for cards in counts] == [[], [0], [], [1], [0], []]
    assert Few().marks([1])[0].parts == [{"seat": 0}, " has 1 card left"]


def test_a_capture_of_25_points_is_marked_and_one_of_20_is_not() -> None:
    spots = cards("AS", "KS", "JS", "QS")
    deal: dict[str, Any] = {"hands": [cards("9S", "KH"), cards("3D", "4D")], "spots": spots, "deck": []}
    ace = ten(["captured", 0, card_of("9S"), 0, card_of("AS")], **deal)
    king = ten(["captured", 0, card_of("KH"), 1, card_of("KS")], **deal)
    assert marks(frames(ace, None)) == [(3, "capture")]
    assert marks(frames(king, None)) == []


def test_two_flips_in_one_turn_are_marked_and_one_is_not() -> None:
    deal: dict[str, Any] = {
        "hands": [cards("9S", "TH"), cards("9D", "4D")],
        "spots": cards("AS", "2S", "3S", "QS"),
        "deck": cards("8C", "7C", "KC", "KD"),
    }
    events = [
        ["captured", 0, card_of("9S"), 0, card_of("AS")],
        ["took", 0, card_of("8C"), 1, card_of("2S")],
        ["took", 0, card_of("7C"), 2, card_of("3S")],
    ]
    assert marks(frames(ten(*events[:2], **deal), None)) == [(3, "capture")]
    assert marks(frames(ten(*events, **deal), None)) == [(3, "capture"), (5, "chain")]


def test_the_lead_is_marked_when_it_passes_on_not_when_it_is_first_won_or_shared() -> None:
    game = ten(
        ["captured", 0, card_of("8D"), 0, card_of("2S")],  # 10 : 0, the first lead
        ["placed", 0, card_of("5C"), 0],
        ["captured", 1, card_of("8C"), 1, card_of("2H")],  # 10 : 10, shared
        ["placed", 1, card_of("6C"), 1],
        ["captured", 0, card_of("KD"), 2, card_of("KS")],  # 30 : 10, the same leader
        ["placed", 0, card_of("3C"), 2],
        ["captured", 1, card_of("9C"), 3, card_of("AS")],  # 30 : 35, another leader
        hands=[cards("8D", "KD", "7D"), cards("8C", "9C", "7C")],
        spots=cards("2S", "2H", "KS", "AS"),
        deck=cards("5C", "6C", "3C", "4C"),
    )
    made = frames(game, None)
    assert marks(made) == [(9, "capture"), (9, "lead")]
    assert made[-1].marks[1].parts == [{"seat": 1}, " takes the lead"]


def test_rounds_and_cleared_plates_are_marked() -> None:
    game = random_game("plates", 2, options={"rounds": 2})
    made = frames(game, None)
    rounds = [frame.version for frame in made if frame.event["type"] == "dealt"]
    clears = [frame.version for frame in made if frame.event["type"] == "cleared"]
    assert len(rounds) == 2
    assert clears
    assert [version for version, kind in marks(made) if kind == "round"] == rounds
    assert [version for version, kind in marks(made) if kind == "clear"] == clears


def fish_game(*events: list[Any], searcher: str = "dealer") -> list[RecordedEvent]:
    """Return a game of Platinum Fish in which seat 0 has 6 9 K and seat 1 has 2 3 4."""
    deck = cards("6S", "9S", "KS", "2S", "3S", "4S", "8S", "6H", "9H", "KH", "3H", "5H")
    deal = [["dealt", 0, 3, [], cards("6S", "9S", "KS")], ["dealt", 1, 3, [], cards("2S", "3S", "4S")]]
    opened = opening("platinum_fish", 2, {"searcher": searcher})
    return entries(opened, ["stacked", deck], *deal, ["turned", card_of("8S")], *events)


def test_three_matches_in_one_turn_are_marked() -> None:
    """The rule is PF-7."""
    drawn = [["drew", 0, card_of(f"{rank}H"), card_of(f"{rank}S")] for rank in "69K"]
    assert marks(frames(fish_game(*drawn[:2]), None)) == []
    assert marks(frames(fish_game(*drawn), None)) == [(8, "streak")]


def test_a_card_got_by_asking_is_marked_and_a_refusal_is_not() -> None:
    """The rule is PF-10."""
    turn = [["drew", 0, card_of("6H"), card_of("6S")], ["rolled", 0, 1, 1, []]]
    got = fish_game(*turn, ["asked", 0, 1, 2, card_of("3S"), -1])
    refused = fish_game(*turn, ["asked", 0, 1, 8, -1, -1])
    assert marks(frames(got, None)) == [(8, "got")]
    assert marks(frames(refused, None)) == []


def test_all_eyes_see_the_deck_that_one_player_searches() -> None:
    """The rule is PF-12."""
    game = fish_game(["drew", 0, card_of("6H"), card_of("6S")], ["searched", 0, 5, 4, [4, 8]], searcher="player")
    seen = {viewpoint: frames(game, viewpoint)[-1].observation for viewpoint in (None, 0, 1, visibility.ALL)}
    assert seen[0]["fish"] == seen[visibility.ALL]["fish"] == ["5", "9"]
    assert seen[0]["deck_order"] == seen[visibility.ALL]["deck_order"] == ["9H", "KH", "3H", "5H"]
    assert seen[None]["deck_order"] is seen[1]["deck_order"] is seen[1]["fish"] is None


def test_scores_of_platinum_fish_are_the_matches() -> None:
    made = frames(random_game("platinum_fish", 4), None)
    assert made[0].scores == [0, 0, 0, 0]
    assert made[-1].scores == made[-1].observation["outcome"]["scores"]
    assert score_axis("platinum_fish").best == "highest"


def test_a_flipped_card_names_the_spots_that_take_it_or_all_of_them() -> None:
    """The rules are CT-8 and CT-9."""
    deal: dict[str, Any] = {"hands": [cards("6S", "KH"), cards("3D", "4D")], "spots": cards("5S", "5H", "KS", "4S")}
    two = ten(["flipped", 0, card_of("5D")], deck=cards("5D"), **deal)
    none = ten(["flipped", 0, card_of("2D")], deck=cards("2D"), **deal)
    assert frames(two, None)[-1].offers == [1, 2]
    assert frames(none, None)[-1].offers == [1, 2, 3, 4]
    assert frames(two, None)[0].offers == []


def test_an_event_that_the_viewer_may_not_see_has_no_frame_and_leaves_its_version_out() -> None:
    game = random_game("chinese_ten", 2)[:4]
    hidden = [*game[:3], RecordedEvent(4, 4000, ["@secret"]), RecordedEvent(5, 5000, [ev.ATTEMPT, 2, "worker_lost"])]
    assert [frame.version for frame in frames(hidden, None)] == [2, 3, 5]


def test_a_log_without_events_has_no_frames() -> None:
    assert frames([], None) == []
    assert frames(random_game("plates", 2)[:1], None) == []
