"""A view says of hidden cards exactly what everybody could know who has watched since the deal."""

from __future__ import annotations

from typing import Any

import pytest

from scorebook_games.cards import RANKS, card_of
from scorebook_games.conformance.play import Table, play
from scorebook_games.contract import Event
from scorebook_games.registry import KINDS


def ranks_of(cards: list[str]) -> set[str]:
    return {card[0] for card in cards}


def after(kind: str, events: list[Event], **options: Any) -> dict[str, Any]:
    """Return what the public sees after `events` of a game of two."""
    rules = KINDS[kind].rules
    state = rules.initial(2, rules.resolve(2, options))
    for event in events:
        rules.apply(state, event)
    return rules.observation(state, None)


def cards(*texts: str) -> list[int]:
    return [card_of(text) for text in texts]


@pytest.mark.parametrize("seats", [2, 6])
def test_a_hand_lacks_what_it_did_not_capture_with(seats: int) -> None:
    """CT-7."""
    table, found = Table("chinese_ten", seats), 0
    for node in play(table, 1):
        lacks = table.rules.observation(node.state, None)["lacks"]
        for owner in range(seats):
            hand = table.rules.observation(node.state, owner)["hand"]
            assert not ranks_of(hand) & set(lacks[owner])
            found += len(lacks[owner])
    assert found


def test_who_lays_a_card_shows_what_would_have_captured() -> None:
    """CT-5, CT-7: a 6 would have taken the 4, a king the king, an 8 the 2s."""
    deal = ["dealt", [cards("9S", "3S"), cards("5S", "5H")], cards("4S", "KH", "2S", "2H"), []]
    assert after("chinese_ten", [deal, ["laid", 0, card_of("9S"), 1]])["lacks"] == ["68K", ""]
    taken = ["captured", 0, card_of("9S"), 1, card_of("AH")]
    assert after("chinese_ten", [deal, taken])["lacks"] == ["", ""]


@pytest.mark.parametrize("searcher", ["dealer", "player"])
def test_hands_and_deck_lack_what_all_have_seen_them_lack(searcher: str) -> None:
    """PF-2, PF-9, PF-10, PF-13."""
    table, found = Table("platinum_fish", 3, (("searcher", searcher),)), [0, 0]
    for number in range(4):
        for node in play(table, number):
            seen = table.rules.observation(node.state, None)
            for owner in range(3):
                hand = ranks_of(table.rules.observation(node.state, owner)["hand"])
                assert not hand & set(seen["lacks"][owner])
                assert not set(seen["asked"][owner]) & set(seen["lacks"][owner])
                assert not ranks_of(seen["shown"][owner]) & set(seen["asked"][owner])
                found[0] += len(seen["lacks"][owner])
            assert not {RANKS[card >> 2] for card in node.state.deck} & set(seen["deck_lacks"])
            found[1] += len(seen["deck_lacks"])
    assert all(found)


def fish(*events: Event) -> dict[str, Any]:
    """Return what the public sees after a deal of 6S 9S to one and 6H KH JH to the other, and `events`."""
    deck = cards("6S", "9S", "6H", "KH", "JH", "2S", "3S", "4S", "2H", "7H")
    deals = [["dealt", 0, 2, [], cards("6S", "9S")], ["dealt", 1, 3, [], cards("6H", "KH", "JH")]]
    return after("platinum_fish", [["stacked", deck], *deals, ["turned", card_of("2S")], *events])


def test_what_was_asked_for_in_vain_is_not_there_and_most_likely_here() -> None:
    """PF-10: seat 0 draws a 3, rolls two aces of which the deck has none, and asks."""
    drew = [["drew", 0, card_of("3S"), -1], ["rolled", 0, 1, 1, [1]], ["fished", 0, card_of("2H"), -1]]
    assert fish(*drew)["deck_lacks"] == "A"
    assert fish(*drew)["lacks"] == ["3", ""]
    asking = [["drew", 0, card_of("3S"), -1], ["rolled", 0, 6, 6, []]]
    vain = fish(*asking, ["asked", 0, 1, 8, -1, -1])
    assert (vain["asked"], vain["lacks"], vain["deck_lacks"]) == (["9", ""], ["3", "9"], "6JQK")
    got = fish(*asking, ["asked", 0, 1, 5, card_of("6H"), card_of("6S")])
    assert (got["asked"], got["lacks"]) == (["", ""], ["36", "6"])


def test_a_new_hand_lacks_only_what_the_deck_lacked() -> None:
    """PF-9, PF-14."""
    asking = [["drew", 0, card_of("3S"), -1], ["rolled", 0, 6, 6, []], ["asked", 0, 1, 8, -1, -1]]
    seen = fish(*asking, ["dealt", 1, 2, [], cards("4S", "2H")])
    assert seen["lacks"] == ["3", "6JQK"]


@pytest.mark.parametrize("seats", [2, 5])
def test_a_taken_plate_is_known_and_what_could_not_be_placed_lies_above(seats: int) -> None:
    """PL-8, PL-9, PL-11."""
    table, found = Table("plates", seats), [0, 0]
    for node in play(table, 2):
        for seat, view in enumerate(table.rules.observation(node.state, None)["seats"]):
            closed = [card_of(text) for text in table.rules.observation(node.state, seat)["seats"][seat]["primary"]]
            for text in view["shown"]:
                closed.remove(card_of(text))
            found[0] += len(view["shown"])
            if view["above"] is not None:
                assert all(card >> 2 > RANKS.index(view["above"]) for card in closed)
                found[1] += 1
    assert all(found)


def test_a_plate_taken_for_a_blind_card_says_nothing_of_the_hand() -> None:
    """PL-18."""
    unseen = [cards("KS", "QS", "JS", "TS"), cards("KH", "QH", "JH", "TH")]
    deal = ["dealt", 1, 1, 0, [cards("9S"), cards("2S", "AH")], [[], []], unseen, []]
    lead = ["placed", 0, cards("9S"), [], 0]
    fell = after("plates", [deal, lead, ["turned", 1, 0, card_of("KH")], ["took", 1, 2]])["seats"][1]
    assert (fell["shown"], fell["above"]) == (["9S", "KH"], None)
    placed = after(
        "plates", [deal, lead, ["turned", 1, 0, card_of("KH")], ["took", 1, 2], ["placed", 1, cards("KH"), [], 0]]
    )
    assert placed["seats"][1]["shown"] == ["9S"]
    took = after("plates", [deal, lead, ["took", 1, 1]])["seats"][1]
    assert (took["shown"], took["above"]) == (["9S"], "9")
