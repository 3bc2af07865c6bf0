"""Events as sentences, as the list of moves shows them."""

from __future__ import annotations

from typing import Any

import pytest

from scorebook_games.frames.narration import TABLE_NARRATORS, narrate, result_sentence
from scorebook_games.frames.replay import frames
from scorebook_games.gamelog import visibility
from scorebook_games.presentation.base import Presentation
from scorebook_games.presentation.sentences import (
    EventContext,
    card_sign,
    list_segments,
    plain_text,
    seat_segment,
    sentence,
)
from scorebook_games.registry import KINDS, rules_for
from tests.parameters import mostly_slow
from tests.replays.random_games import NAMES, random_game


def narrated(kind: str, event: dict[str, Any], after: dict[str, Any] | None = None, **before: Any) -> str:
    return plain_text(narrate(kind, EventContext(event, before, after or {})), NAMES)


TEN: list[tuple[dict[str, Any], str]] = [
    (
        {"type": "captured", "seat": 0, "card": "9S", "spot": 1, "taken": "AH"},
        "Martha took A♥ with 9♠: 25 points.",
    ),
    (
        {"type": "took", "seat": 1, "card": "TH", "spot": 1, "taken": "TD"},
        "The flipped card, 10♥, took 10♦: 20 points more.",
    ),
    ({"type": "placed", "seat": 1, "card": "7C", "spot": 4}, "The flipped card is 7♣. It goes on spot 4."),
    ({"type": "ended", "termination": "rules"}, "The game is over."),
    ({"type": "ended", "termination": "turn_limit"}, "The turn limit ends the game."),
]


@pytest.mark.parametrize(("event", "words"), TEN)
def test_chinese_ten_is_told_in_words(event: dict[str, Any], words: str) -> None:
    assert narrated("chinese_ten", event) == words


def test_a_laid_card_is_told_with_what_it_covers() -> None:
    """Laura covers the 4, as on the score sheet of CT-7."""
    event = {"type": "laid", "seat": 1, "card": "8H", "spot": 2}
    assert narrated("chinese_ten", event, {"spots": [[], ["4S", "8H"]]}) == "Laura laid 8♥ on spot 2, over 4♠."
    assert narrated("chinese_ten", event, {"spots": [[], ["8H"]]}) == "Laura laid 8♥ on spot 2."


def test_a_flipped_card_that_waits_says_who_chooses_and_why() -> None:
    """CT-8 and CT-9 say so."""
    event = {"type": "flipped", "seat": 0, "card": "5D"}
    two = {"spots": [["5S"], ["5H"], ["KS"], ["QS"]]}
    none = {"spots": [["6S"], ["6H"], ["KS"], ["QS"]]}
    assert narrated("chinese_ten", event, two) == "The flipped card is 5♦. It can go on 2 spots; Martha chooses."
    assert (
        narrated("chinese_ten", event, none)
        == "The flipped card is 5♦. It takes nothing, and no spot is empty; Martha chooses a spot."
    )


def test_the_choice_for_a_flipped_card_is_told_as_a_choice() -> None:
    took = {"type": "took", "seat": 0, "card": "5D", "spot": 2, "taken": "5H"}
    assert narrated("chinese_ten", took, flipped="5D") == "Martha chose spot 2 and took 5♥: 10 points more."
    placed = {"type": "placed", "seat": 0, "card": "5D", "spot": 2}
    assert narrated("chinese_ten", placed, flipped="5D") == "Martha put 5♦ on spot 2."


PLATES: list[tuple[dict[str, Any], str]] = [
    ({"type": "placed", "seat": 0, "primary": ["9S", "9H"], "revealed": []}, "Martha placed 9♠ 9♥."),
    ({"type": "placed", "seat": 0, "primary": [], "revealed": ["9H"]}, "Martha placed 9♥ from the revealed cards."),
    (
        {"type": "placed", "seat": 0, "primary": ["9S"], "revealed": ["9H"]},
        "Martha placed 9♠ and, from the revealed cards, 9♥.",
    ),
    ({"type": "turned", "seat": 1, "position": 2, "card": "3D"}, "Laura turned up an unseen card: 3♦."),
    ({"type": "added", "seat": 1, "primary": ["3S"]}, "Laura added 3♠."),
    ({"type": "added", "seat": 1, "primary": []}, "Laura added nothing."),
    ({"type": "took", "seat": 1, "count": 1}, "Laura took the plate: 1 card."),
    ({"type": "took", "seat": 1, "count": 7}, "Laura took the plate: 7 cards."),
    ({"type": "cleared", "seat": 1, "count": 5}, "Laura cleared the plate: 5 cards leave the round."),
    ({"type": "scored", "cut": False, "points": [21, 0]}, "The round is over. Points: Martha 21 and Laura 0."),
    (
        {"type": "scored", "cut": True, "points": [21, 0]},
        "The turn limit ends the round. Points: Martha 21 and Laura 0.",
    ),
]


@pytest.mark.parametrize(("event", "words"), PLATES)
def test_plates_is_told_in_words(event: dict[str, Any], words: str) -> None:
    assert narrated("plates", event) == words


FISH: list[tuple[dict[str, Any], str]] = [
    ({"type": "stacked", "deck": [None] * 104}, "The deck is shuffled: 104 cards."),
    (
        {"type": "dealt", "seat": 0, "die": 1, "matches": [], "kept": [None, None, None]},
        "Martha rolled 1 for a new hand and was dealt 3 cards.",
    ),
    (
        {"type": "dealt", "seat": 0, "die": 5, "matches": [["7S", "7H"], ["9S", "9S"]], "kept": [None]},
        "Martha rolled 5 for a new hand and was dealt 5 cards, with 2 matches: 7♠ 7♥ and 9♠ 9♠.",
    ),
    ({"type": "turned", "card": "TD"}, "10♦ starts the discard pile."),
    ({"type": "drew", "seat": 1, "card": "6H", "mate": "6S"}, "Laura drew 6♥: a match with 6♠."),
    ({"type": "drew", "seat": 1, "card": "3C", "mate": None}, "Laura drew 3♣, no match: it goes on the discard pile."),
    ({"type": "took", "seat": 1, "card": "6H", "mate": "6S"}, "Laura took 6♥ from the discard pile: a match with 6♠."),
    (
        {"type": "rolled", "seat": 0, "dice": [3, 4], "ranks": ["3", "4", "7"], "fish": ["4", "7"]},
        "Martha rolled 3 and 4. The deck holds 4 and 7.",
    ),
    (
        {"type": "rolled", "seat": 0, "dice": [5, 6], "ranks": ["5", "6", "J"], "fish": []},
        "Martha rolled 5 and 6. The deck holds no 5, no 6 and no jack, so other players may be asked.",
    ),
    (
        {"type": "searched", "seat": 0, "dice": [3, 4], "ranks": ["3", "4", "7"], "fish": None},
        "Martha rolled 3 and 4. The deck holds a possible rank; only the roller sees which.",
    ),
    ({"type": "fished", "seat": 1, "card": "6H", "mate": "6S"}, "Laura fished 6♥ out of the deck: a match with 6♠."),
    ({"type": "fished", "seat": 1, "card": "6H", "mate": None}, "Laura fished 6♥ out of the deck and keeps it."),
    (
        {"type": "asked", "seat": 0, "other": 1, "rank": "8", "card": None, "mate": None},
        "Martha asked Laura for an 8 but got no card.",
    ),
    (
        {"type": "asked", "seat": 0, "other": 1, "rank": "K", "card": "KH", "mate": "KS"},
        "Martha asked Laura for a king and got K♥: a match with K♠.",
    ),
    (
        {"type": "asked", "seat": 0, "other": 1, "rank": "T", "card": "TH", "mate": None},
        "Martha asked Laura for a 10 and got 10♥, which makes no match yet.",
    ),
    ({"type": "declined", "seat": 0}, "Martha asked no player."),
    ({"type": "shuffled", "seat": 1, "deck": [None]}, "Laura asked for a shuffle: the deck is shuffled."),
    ({"type": "passed", "seat": 1}, "Laura did not ask for a shuffle."),
    (
        {"type": "salvaged", "seat": 1, "card": "AH", "mate": "AS"},
        "Laura took A♥ out of the discard pile for the new hand: a match with A♠.",
    ),
    ({"type": "stopped", "seat": 1}, "Laura stopped taking cards from the discard pile."),
    ({"type": "ended", "termination": "rules"}, "The deck is used up: the game is over."),
    ({"type": "ended", "termination": "turn_limit"}, "The turn limit ends the game."),
]


@pytest.mark.parametrize(("event", "words"), FISH)
def test_platinum_fish_is_told_in_words(event: dict[str, Any], words: str) -> None:
    assert narrated("platinum_fish", event) == words


def palace_seen(**changes: Any) -> dict[str, Any]:
    """Return a position of Palace as the public sees it, with `changes`."""
    seat = {"under": ["??", None, "??"], "place": None}
    seen = {
        "options": {"ace": "threat", "placings": "winner"},
        "current": "9",
        "direction": 1,
        "turn": 1,
        "cleared": [],
        "seats": [seat, seat],
    }
    return {**seen, **changes}


PALACE: list[tuple[dict[str, Any], str]] = [
    (
        {"type": "dealt", "turned": [], "card": "7D"},
        "The cards are dealt: three face down and six in hand for each player. 7♦ starts the pile.",
    ),
    (
        {"type": "dealt", "turned": ["2S", "TH"], "card": None},
        "The cards are dealt: three face down and six in hand for each player. Cards turned up and put back: 2♠ 10♥. "
        "The pile starts empty.",
    ),
    ({"type": "chose", "seat": 0, "cards": [None] * 3}, "Martha chose an upper palace."),
    ({"type": "chose", "seat": 0, "cards": ["9S", "**", "KD"]}, "Martha chose for the upper palace: 9♠ joker K♦."),
    ({"type": "laid", "leader": 1}, "The upper palaces are shown. Laura starts."),
    ({"type": "played", "seat": 0, "cards": ["9S", "9H"], "clears": False, "last": False}, "Martha played 9♠ 9♥."),
    (
        {"type": "played", "seat": 0, "cards": ["9S"], "clears": False, "last": True},
        "Martha played 9♠, calling “last card”.",
    ),
    (
        {"type": "threw", "seat": 0, "cards": ["9S"], "clears": False, "last": False},
        "Martha threw in 9♠ before the next player.",
    ),
    ({"type": "risked", "seat": 0, "card": "9S", "clears": False}, "Martha played the chanced 9♠."),
    (
        {"type": "turned", "seat": 0, "position": 1, "card": "9S", "clears": False, "last": False},
        "Martha turned up 9♠ and played it.",
    ),
    (
        {"type": "failed", "seat": 0, "position": 1, "card": "4S", "count": 1, "last": False},
        "Martha turned up 4♠, which may not be played, and took it with the pile of 1 card.",
    ),
    (
        {"type": "failed", "seat": 0, "position": 0, "card": "4S", "count": 3, "last": False},
        "Martha turned up 4♠, which may not be played: it goes back, and Martha takes the pile of 3 cards.",
    ),
    ({"type": "drew", "seat": 0, "cards": [None]}, "Martha drew 1 card."),
    ({"type": "drew", "seat": 0, "cards": ["4S", "5S"]}, "Martha drew 4♠ 5♠."),
    ({"type": "raised", "seat": 0, "cards": ["4S", "5S"]}, "Martha took up the upper palace: 4♠ 5♠."),
    ({"type": "chanced", "seat": 0, "card": None}, "Martha chanced a card."),
    ({"type": "chanced", "seat": 0, "card": "4S"}, "Martha chanced 4♠."),
    ({"type": "kept", "seat": 0, "count": 0}, "Martha kept the chanced card."),
    ({"type": "kept", "seat": 0, "count": 2}, "Martha kept the chanced card and took the pile of 2 cards."),
    ({"type": "took", "seat": 0, "count": 2}, "Martha took the pile of 2 cards."),
    ({"type": "looked", "seat": 0, "card": None}, "Martha looked at a face-down card."),
    ({"type": "looked", "seat": 0, "card": "4S"}, "Martha looked at a face-down card, 4♠."),
    (
        {"type": "called", "seat": 0, "owner": 1, "count": 2},
        "Martha called out Laura, who did not say “last card” and takes the pile of 2 cards.",
    ),
    ({"type": "ended", "termination": "rules"}, "The game is over."),
    ({"type": "ended", "termination": "turn_limit"}, "The turn limit ends the game."),
]


@pytest.mark.parametrize(("event", "words"), PALACE)
def test_palace_is_told_in_words(event: dict[str, Any], words: str) -> None:
    assert narrated("palace", event, palace_seen(), **palace_seen()) == words


@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ({"cleared": ["9S", "9H"]}, " 2 cards go out of the game."),
        ({"direction": -1}, " Play changes direction."),
        ({"current": "A"}, " Laura must answer it or take the pile."),
        ({"current": "A", "options": {"ace": "reset", "placings": "winner"}}, ""),
        (
            {"options": {"ace": "threat", "placings": "play_on"}, "seats": [{"under": [None] * 3, "place": 1}] * 2},
            " Martha has no cards left and takes place 1.",
        ),
    ],
)
def test_a_play_of_palace_is_told_with_what_it_does(changes: dict[str, Any], more: str) -> None:
    """The effects are those of PA-10, PA-11, PA-23 and PA-25."""
    event = {"type": "played", "seat": 0, "cards": ["9S"], "clears": "cleared" in changes, "last": False}
    assert narrated("palace", event, palace_seen(**changes), **palace_seen()) == f"Martha played 9♠.{more}"


TABLE_EVENTS: list[tuple[dict[str, Any], str]] = [
    ({"type": "@left", "seat": 1, "how": "resigned"}, "Laura resigned."),
    ({"type": "@left", "seat": 1, "how": "forfeited"}, "Laura forfeited the game."),
    ({"type": "@taken_over", "seat": 1, "bot": "sensible"}, "The built-in bot “sensible” plays on for Laura."),
    ({"type": "@expired", "seat": 0}, "The clock of Martha ran out."),
    ({"type": "@fault", "seat": 0, "fault": "timeout"}, "Martha took too long."),
    ({"type": "@fault", "seat": 1, "fault": "violation"}, "Laura tried something that the sandbox forbids."),
    ({"type": "@sandboxed", "tier": "A", "policy": "ab"}, ""),
    ({"type": "@charged", "seat": 0, "ms": 4200}, "Martha used 4.2 s of the bank."),
    ({"type": "@abort_offered", "seat": 0}, "Martha proposes to abort the game."),
    ({"type": "@abort_accepted", "seat": 1}, "Laura agrees to abort the game."),
    ({"type": "@abort_declined", "seat": 1}, "Laura plays on, which ends the proposal to abort."),
    ({"type": "@attempt", "attempt": 2, "reason": "worker_lost"}, "Another worker continues the game (attempt 2)."),
    ({"type": "@ended", "termination": "left"}, "The game ends because a player left."),
    ({"type": "@ended", "termination": "resigned"}, "The game ends by resignation."),
    ({"type": "@ended", "termination": "out_of_time"}, "The game ends by time-out."),
    ({"type": "@ended", "termination": "no_show"}, "The game ends by no-show."),
    ({"type": "@ended", "termination": "forfeited"}, "The game ends by forfeit."),
    ({"type": "@ended", "termination": "aborted"}, "The game was aborted."),
]


@pytest.mark.parametrize(("event", "words"), TABLE_EVENTS)
def test_what_the_table_did_is_told_in_every_kind(event: dict[str, Any], words: str) -> None:
    assert narrated("plates", event) == narrated("chinese_ten", event) == words


def test_the_opening_and_what_is_redacted_are_not_told() -> None:
    assert narrated("plates", {"type": "@opened"}) == ""
    assert narrated("plates", {"type": "redacted"}) == ""


@pytest.mark.parametrize(
    ("scores", "placings", "termination", "words"),
    [
        ([120, 90], [1, 2], "rules", "Martha wins with 120."),
        ([90, 90], [1, 1], "rules", "Martha and Laura share the first place with 90."),
        ([90, 30, 90, 90], [1, 4, 1, 1], "rules", "Martha, Otto and Ines share the first place with 90."),
        ([90, 30], [], "aborted", "The game was aborted; nobody is placed."),
        ([203, 180], [1, 2], "resigned", "Martha wins."),
        ([203, 180, 190], [1, 3, 1], "out_of_time", "Martha and Otto share the first place."),
    ],
)
def test_a_result_names_everybody_who_is_first_and_the_score_that_decided(
    scores: list[int], placings: list[int], termination: str, words: str
) -> None:
    outcome = {"scores": scores, "placings": placings, "termination": termination}
    assert plain_text(result_sentence(outcome, Presentation()), NAMES) == words


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_last_step_of_a_game_tells_the_result_and_no_other_does(kind: str) -> None:
    lines = [plain_text(frame.parts, NAMES) for frame in frames(random_game(kind, 2), None)]
    found = [any(words in line for words in ("wins with", "and wins.", "share the first")) for line in lines]
    assert found == [False] * (len(lines) - 1) + [True]


@pytest.mark.some(1)
@pytest.mark.parametrize("games", [2, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", mostly_slow(sorted(KINDS), ["palace", "plates"]))
def test_every_event_of_random_games_is_told_to_everybody(kind: str, games: int) -> None:
    for seed in range(games):
        for viewer in (None, 0, visibility.ALL):
            for frame in frames(random_game(kind, 3, seed=seed), viewer):
                assert plain_text(frame.parts, NAMES).endswith(".")


def test_every_type_of_event_that_an_engine_explains_has_words() -> None:
    for kind in KINDS:
        tellers = KINDS[kind].presentation.narrators
        source = rules_for(kind).__class__.__module__
        seen = {entry.event[0] for seed in range(6) for entry in random_game(kind, 2, seed=seed)} - {"@opened"}
        assert seen <= set(tellers), source
    assert all(name.startswith("@") for name in TABLE_NARRATORS)


def test_a_sentence_keeps_its_parts_apart_and_joins_words() -> None:
    assert sentence("{who} took {count} of {all}.", who=seat_segment(1), count=2, all=["a", "b"]) == [
        {"seat": 1},
        " took 2 of ab.",
    ]
    assert list_segments([["a"], ["b"], ["c"]]) == ["a", ", ", "b", " and ", "c"]


@pytest.mark.parametrize(("text", "sign"), [("TH", "10♥"), ("AS", "A♠"), ("**", "joker")])
def test_a_card_in_plain_text_is_its_rank_and_the_sign_of_its_suit(text: str, sign: str) -> None:
    assert card_sign(text) == sign
