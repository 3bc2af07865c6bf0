"""Platinum Fish, clause by clause (rules.md) and example by example."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scorebook_games.cards import RANKS, card_of, card_text, packs
from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import SEED, DealerInstead, Table, finish, play
from scorebook_games.contract import Event, IllegalMove, OptionError, Outcome
from scorebook_games.kinds.platinum_fish import DRAW, POSSIBLE, TEXTS, PlatinumFish, State

RULES = PlatinumFish()


class Rigged:
    """A dealer with prepared dice and deck. It records the labels that it is asked for."""

    def __init__(self, dice: Sequence[int] = (), order: Sequence[int] = ()) -> None:
        self.rolls = list(dice)
        self.order = list(order)
        self.labels: list[str] = []

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        raise AssertionError(f"{label}: no number is drawn in this game, {bounds}.")

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        self.labels.append(label)
        assert sorted(self.order) == sorted(items)
        return self.order

    def dice(self, label: str, count: int) -> list[int]:
        self.labels.append(label)
        return [self.rolls.pop(0) for _ in range(count)]


def cards(text: str) -> list[int]:
    """Return cards from `"6S KH"`, or from `"6 K"` if suits do not matter; these have one suit."""
    return [card_of(word if len(word) == 2 else word + "S") for word in text.split()]


def table(
    hands: Sequence[str], *, deck: str, discard: str = "", searcher: str = "dealer", turn_limit: int = 1000
) -> State:
    """Return a position in which seat 0 draws: hands by seat, deck from the top, discard pile from the bottom."""
    options = RULES.resolve(len(hands), {"searcher": searcher, "turn_limit": turn_limit})
    state = RULES.initial(len(hands), options)
    RULES.apply(state, ["stacked", [*cards(" ".join(hands)), *cards(deck)]])
    for seat, hand in enumerate(hands):
        RULES.apply(state, ["dealt", seat, 3, [], cards(hand)])
    for card in cards(discard):
        state.discard.append(card)
        state.in_discard[card >> 2] += 1
    state.phase = DRAW
    return state


def move(state: State, text: str, *dice: int, order: str = "") -> list[Event]:
    """Let the player to act play `text`, after which `dice` are rolled, and return the applied events."""
    dealer = Rigged(dice, cards(order))
    events = RULES.decide(state, state.actor, RULES.parse_move(state, text), dealer)
    for event in events:
        RULES.apply(state, event)
    assert dealer.rolls == []
    return events


def begin(seats: int, dice: Sequence[int], order: str) -> tuple[list[Event], State, Rigged]:
    """Begin a game with the deck in `order`, the top first, and return the applied events."""
    state = RULES.initial(seats, RULES.resolve(seats, {}))
    first = cards(order)
    left = packs(2)
    for card in first:
        left.remove(card)
    dealer = Rigged(dice, [*first, *left])
    events = RULES.start(state, dealer)
    for event in events:
        RULES.apply(state, event)
    return events, state, dealer


def legal(state: State, seat: int | None = None) -> list[str]:
    """Return the legal moves of `seat`, or of the player to act."""
    return [TEXTS[action] for action in RULES.legal_actions(state, state.actor if seat is None else seat)]


def refusal(state: State, text: str, seat: int | None = None) -> IllegalMove:
    """Return why the seat to act, or `seat`, may not play `text`."""
    with pytest.raises(IllegalMove) as caught:
        RULES.decide(state, state.actor if seat is None else seat, RULES.parse_move(state, text), Rigged())
    return caught.value


def hand(state: State, seat: int) -> str:
    """Return the ranks in the hand of `seat`."""
    return " ".join(card[0] for card in RULES.observation(state, seat)["hand"])


def ranks(held: Sequence[int]) -> str:
    """Return the ranks of `cards`, as in `A 2 T`."""
    return " ".join(RANKS[rank] for rank in held)


def whose(state: State) -> tuple[str, int]:
    """Return the phase and the seat to act."""
    seen = RULES.observation(state, None)
    return seen["phase"], seen["to_act"][0]


# Set-up


def test_each_player_rolls_and_is_dealt_that_many_cards_and_three_at_least() -> None:
    """PF-1: seat by seat, hands dealt whole from the top."""
    events, state, dealer = begin(3, [5, 1, 3], "A 2 3 4 5 6 7 8 9 T J Q")
    assert [event[:3] for event in events[1:4]] == [["dealt", 0, 5], ["dealt", 1, 1], ["dealt", 2, 3]]
    assert [hand(state, seat) for seat in range(3)] == ["A 2 3 4 5", "6 7 8", "9 T J"]
    assert dealer.labels == ["deal", "die/seat0/1", "die/seat1/1", "die/seat2/1"]


def test_every_pair_of_a_dealt_hand_is_laid_down_and_an_odd_card_kept() -> None:
    """PF-2: of three of a rank the first two, of four all."""
    events, state, _ = begin(2, [6, 5], "7S 7H 9S 7D 9D 2S KS KH KD KC 4S")
    assert [card_text(card) for card in events[1][3]] == ["7S", "7H", "9S", "9D"]
    assert hand(state, 0) == "2 7"
    assert RULES.observation(state, None)["matches"][1] == [["KS", "KH"], ["KD", "KC"]]
    assert hand(state, 1) == "4"


def test_the_top_card_starts_the_discard_pile_and_the_dealers_left_begins() -> None:
    """PF-3."""
    events, state, _ = begin(2, [3, 3], "A 2 3 4 5 6 JD")
    assert events[-1] == ["turned", card_of("JD")]
    assert RULES.observation(state, None)["discard"] == ["JD"]
    assert whose(state) == ("draw", 0)
    assert len(state.deck) == 104 - 7


def test_hands_that_are_laid_down_whole_are_replaced_when_all_are_dealt_and_nobody_salvages() -> None:
    """PF-4: in seat order, before the first discard, again if need be."""
    order = "7S 7H 9S 9H A 2 3 5S 5H 8S 8H 6S 6H TS TH JS JH 2D 4S QS KD KH 9D"
    events, state, dealer = begin(3, [4, 2, 4, 4, 4, 2], order)
    assert [event[1] for event in events if event[0] == "dealt"] == [0, 1, 2, 0, 0, 2]
    assert events[-1] == ["turned", card_of("9D")]
    assert dealer.labels[4:] == ["die/seat0/2", "die/seat0/3", "die/seat2/2"]
    assert [hand(state, seat) for seat in range(3)] == ["2 4", "A 2 3", "Q"]
    assert whose(state) == ("draw", 0)
    assert RULES.observation(state, None)["scores"] == [5, 0, 3]


# A turn


def test_the_top_of_the_discard_pile_may_be_taken_only_for_a_match() -> None:
    """PF-5."""
    state = table(["6 9 K", "2 3 4"], deck="5 8", discard="K 9")
    assert legal(state) == ["draw deck", "draw discard"]
    state = table(["6 9 K", "2 3 4"], deck="5 8", discard="9 4")
    assert legal(state) == ["draw deck"]
    assert (refusal(state, "draw discard").clause, refusal(state, "draw discard").code) == ("PF-5", "no_match")
    state = table(["6 9 K", "2 3 4"], deck="5 8")
    assert legal(state) == ["draw deck"]
    assert refusal(state, "draw discard").code == "no_discard"


@pytest.mark.parametrize("text", ["fish 6", "ask 1 2", "decline", "salvage 6", "stop", "shuffle", "pass"])
def test_a_turn_begins_with_a_draw_and_with_nothing_else(text: str) -> None:
    """PF-5."""
    state = table(["6 9 K", "2 3 4"], deck="5 8 6", discard="9")
    assert refusal(state, text).code == "must_draw"
    assert refusal(state, "draw deck", seat=1).code == "not_your_move"


def test_a_drawn_card_is_shown_and_without_a_match_it_goes_on_the_discard_pile() -> None:
    """PF-6."""
    state = table(["6 9 K", "2 3 4"], deck="5H 8", discard="9")
    events = move(state, "draw deck", 3, 3)
    assert events[0] == ["drew", 0, card_of("5H"), -1]
    assert all(RULES.redact(events[0], viewer) == events[0] for viewer in (0, 1, None))
    assert RULES.observation(state, None)["discard"] == ["9S", "5H"]
    assert events[1][0] == "rolled"


def test_a_match_in_the_draw_step_starts_the_turn_over() -> None:
    """PF-7: from the deck or the discard pile, as often as it happens, and it is one turn."""
    state = table(["6 9 K Q", "2 3 4"], deck="6H KH 5 8", discard="9H")
    for text in ("draw discard", "draw deck", "draw deck"):
        assert whose(state) == ("draw", 0)
        assert len(move(state, text)) == 1
    assert RULES.observation(state, None)["matches"][0] == [["9H", "9S"], ["6H", "6S"], ["KH", "KS"]]
    assert (state.turns, hand(state, 0)) == (0, "Q")


@pytest.mark.parametrize(
    ("a", "b", "possible"),
    [(1, 1, "A 2"), (3, 4, "3 4 7"), (4, 6, "4 6 T"), (5, 6, "5 6 J"), (6, 6, "6 J Q K"), (2, 1, "A 2 3")],
)
def test_two_dice_allow_three_ranks_at_most_and_a_twelve_each_face_card(a: int, b: int, possible: str) -> None:
    """PF-8."""
    state = table(["6 9 K", "2 3 4"], deck="8S " + " ".join(RANKS[:13]))
    events = move(state, "draw deck", a, b)
    assert events[1][:4] == ["rolled", 0, a, b]
    assert ranks(POSSIBLE[7 * a + b]) == possible
    assert legal(state) == [f"fish {rank}" for rank in possible.split()]


def test_a_possible_rank_in_the_deck_must_be_taken_the_copy_nearest_the_top() -> None:
    """PF-9: the order of the rest does not change, and nobody is told where the card lay."""
    state = table(["6 9 K", "2 3 4"], deck="8 5 4H 7 4D 3H 2")
    move(state, "draw deck", 3, 4)
    assert legal(state) == ["fish 3", "fish 4", "fish 7"]
    wrong = refusal(state, "fish 5")
    assert (wrong.clause, wrong.sentence.endswith("Take a card out of the deck: 3 or 4 or 7.")) == ("PF-9", True)
    for text in ("decline", "ask 1 4", "draw deck", "stop"):
        assert refusal(state, text).code == "must_fish"
    [event] = move(state, "fish 4")
    assert event == ["fished", 0, card_of("4H"), -1]
    assert [card_text(card) for card in state.deck] == ["5S", "7S", "4D", "3H", "2S"]


def test_where_the_deck_holds_no_possible_rank_one_opponent_may_be_asked_for_any_rank() -> None:
    """PF-10: held by the asker or not; and nobody need be asked."""
    state = table(["6 9 K", "2 3 4", "9H Q"], deck="8 T J", discard="5")
    move(state, "draw deck", 1, 1)
    assert whose(state) == ("ask", 0)
    assert len(legal(state)) == 1 + 2 * 13
    assert {f"ask {seat} {rank}" for seat in (1, 2) for rank in RANKS[:13]} | {"decline"} == set(legal(state))
    assert refusal(state, "ask 0 9").code == "own_seat"
    assert refusal(state, "ask 4 9").code == "no_such_seat"
    assert refusal(state, "draw deck").code == "must_ask"
    other = state.copy()
    assert move(other, "decline") == [["declined", 0]]
    assert whose(other) == ("draw", 1)
    assert move(state, "ask 1 9") == [["asked", 0, 1, 8, -1, -1]]
    assert (whose(state), hand(state, 0)) == (("draw", 1), "6 9 K")


def test_an_asked_card_changes_hands_before_all_eyes() -> None:
    """PF-10, PF-11: with a match it is laid down, without one it stays."""
    state = table(["6 9 K", "2 3 9H"], deck="8 T J")
    move(state, "draw deck", 1, 1)
    other = state.copy()
    [event] = move(state, "ask 1 9")
    assert RULES.readable(RULES.redact(event, None))["card"] == "9H"
    assert RULES.observation(state, None)["matches"] == [[["9H", "9S"]], []]
    move(other, "ask 1 2")
    assert RULES.observation(other, 1)["shown"] == [["2S"], []]
    assert [hand(other, seat) for seat in (0, 1)] == ["2 6 9 K", "3 9"]


def test_the_roll_step_ends_the_turn_match_or_not() -> None:
    """PF-11."""
    for fishes, kept in (("fish 9", "6 K"), ("fish 4", "4 6 9 K")):
        state = table(["6 9 K", "2 3 4"], deck="8 9H 4H 2")
        move(state, "draw deck", 5, 4)
        move(state, fishes)
        assert (hand(state, 0), whose(state), state.turns) == (kept, ("draw", 1), 1)


# Who searches


def test_with_the_dealer_searching_all_hear_which_ranks_there_are_and_nobody_is_asked_for_a_shuffle() -> None:
    """PF-12."""
    state = table(["6 9 K", "2 3 4"], deck="8 9H 4H 2")
    events = move(state, "draw deck", 5, 4)
    assert RULES.readable(RULES.redact(events[1], None))["fish"] == ["4", "9"]
    assert RULES.observation(state, 1)["fish"] == ["4", "9"]
    assert [RULES.observation(state, viewer)["deck_order"] for viewer in (0, 1, None)] == [None] * 3
    move(state, "fish 9")
    assert whose(state) == ("draw", 1)


def test_a_player_who_searches_sees_the_whole_deck_while_choosing_and_nobody_else_does() -> None:
    """PF-12: not which of the ranks there are, either."""
    state = table(["6 9 K", "2 3 4", "5"], deck="8 9H 4H 2", searcher="player")
    events = move(state, "draw deck", 5, 4)
    assert events[1] == ["searched", 0, 5, 4, [3, 8]]
    assert RULES.redact(events[1], 0) == events[1]
    assert RULES.redact(events[1], 1) == RULES.redact(events[1], None) == ["searched", 0, 5, 4, None]
    assert RULES.observation(state, 0)["deck_order"] == ["9H", "4H", "2S"]
    for viewer in (1, 2, None):
        seen = RULES.observation(state, viewer)
        assert (seen["deck_order"], seen["fish"], seen["ranks"]) == (None, None, ["4", "5", "9"])
    move(state, "fish 4")
    assert RULES.observation(state, 0)["deck_order"] is None


def test_the_opponents_are_asked_from_the_rollers_left_whether_the_deck_must_be_shuffled() -> None:
    """PF-12: once the taken card is on the table; the first who asks for it ends the questions."""
    state = table(["2 3", "6 9 K", "5 7"], deck="8 A 5H 4H 2 3", searcher="player")
    move(state, "draw deck", 1, 1)
    for text in ("fish A", "pass", "pass", "draw deck"):
        move(state, text, *([5, 4] if text == "draw deck" else []))
    assert whose(state) == ("fish", 1)
    move(state, "fish 4")
    assert whose(state) == ("shuffle", 2)
    assert legal(state) == ["shuffle", "pass"]
    assert legal(state, 0) == legal(state, 1) == []
    assert refusal(state, "draw deck").code == "must_shuffle"
    move(state, "pass")
    assert whose(state) == ("shuffle", 0)
    [event] = move(state, "shuffle", order="3 2")
    assert RULES.redact(event, 0) == RULES.redact(event, None) == ["shuffled", 0, [None, None]]
    assert [card_text(card) for card in state.deck] == ["3S", "2S"]
    assert whose(state) == ("draw", 2)


def test_every_shuffle_and_every_roll_draws_from_a_label_of_its_own() -> None:
    """PF-12, and docs/reference/common-rules.md, Chance."""

    class Listening(DealerInstead):
        def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
            labels.append(label)
            return super().shuffle(label, items)

        def dice(self, label: str, count: int) -> list[int]:
            labels.append(label)
            return super().dice(label, count)

    labels: list[str] = []
    dealer = Listening(SEED)
    state = RULES.initial(3, RULES.resolve(3, {"searcher": "player"}))
    events = RULES.start(state, dealer)
    while True:
        for event in events:
            RULES.apply(state, event)
        if not RULES.to_act(state):
            break
        events = RULES.decide(state, state.actor, RULES.legal_actions(state, state.actor)[0], dealer)
    assert len(set(labels)) == len(labels)
    assert sum(label.startswith("shuffle/") for label in labels) > 5
    assert sum(label.startswith("roll/") for label in labels) > 5


def test_where_the_deck_holds_no_possible_rank_it_is_not_shown_and_no_shuffle_is_asked() -> None:
    """PF-12: and everybody is told so."""
    state = table(["6 9 K", "2 3 4"], deck="8 T J", searcher="player")
    events = move(state, "draw deck", 1, 1)
    assert events[1] == ["rolled", 0, 1, 1, []]
    assert RULES.observation(state, 1)["fish"] == []
    assert RULES.observation(state, 0)["deck_order"] is None
    move(state, "decline")
    assert whose(state) == ("draw", 1)


def test_the_shuffle_comes_before_the_new_hand_of_a_player_who_searched() -> None:
    """PF-12: the match is on the table, the hand is dealt from the shuffled deck, PF-14 and PF-15 follow."""
    state = table(["6", "2 3 4"], deck="8 6H T J Q", searcher="player")
    move(state, "draw deck", 3, 3)
    [event] = move(state, "fish 6")
    assert event == ["fished", 0, card_of("6H"), card_of("6S")]
    assert (RULES.observation(state, None)["scores"], whose(state)) == ([1, 0], ("shuffle", 1))
    passed = state.copy()
    events = move(state, "shuffle", 2, order="J Q T")
    assert [event[0] for event in events] == ["shuffled", "dealt", "ended"]
    events = move(passed, "pass", 1)
    assert [event[0] for event in events] == ["passed", "dealt", "ended"]


def test_nothing_is_asked_once_the_game_is_over() -> None:
    """PF-12, PF-17."""
    state = table(["6 9 K", "2 3 4"], deck="8 9H", searcher="player")
    move(state, "draw deck", 5, 4)
    assert move(state, "fish 9")[-1] == ["ended", "rules"]
    assert RULES.to_act(state) == []


def test_cards_shown_to_all_and_then_in_a_hand_are_known_and_dealt_hands_are_private() -> None:
    """PF-13."""
    state = table(["6 9 K", "2 3 4"], deck="8 T 5H Q 7 J 2H", discard="A")
    seen = RULES.observation(state, None)
    assert (seen["hand"], seen["hand_counts"], seen["shown"]) == (None, [3, 3], [[], []])
    assert RULES.observation(state, 1)["hand"] == ["2S", "3S", "4S"]
    move(state, "draw deck", 4, 1)
    move(state, "fish 5")
    assert RULES.observation(state, None)["shown"] == [["5H"], []]
    move(state, "draw deck", 4, 4)  # neither a 4 nor an 8 in the deck
    move(state, "ask 0 5")
    assert RULES.observation(state, None)["shown"] == [[], ["5H"]]
    deal: Event = ["dealt", 1, 4, cards("7S 7H"), cards("2 3")]
    assert RULES.redact(deal, 1) == deal
    assert RULES.redact(deal, 0) == RULES.redact(deal, None) == ["dealt", 1, 4, cards("7S 7H"), [None, None]]


# An empty hand


def test_an_empty_hand_is_replaced_by_as_many_cards_as_a_die_says_three_at_least() -> None:
    """PF-14: matches in it are laid down, and if that empties it, it happens again."""
    state = table(["6", "2 3 4"], deck="6H 7S 7H 9S 9H 2 A K Q J", discard="5")
    events = move(state, "draw deck", 4, 1)
    assert [event[:3] for event in events[1:]] == [["dealt", 0, 4], ["dealt", 0, 1]]
    assert [card_text(card) for card in events[1][3]] == ["7S", "7H", "9S", "9H"]
    assert hand(state, 0) == "A 2 K"
    assert len(state.deck) == 2
    assert whose(state) == ("salvage", 0)


def test_a_new_hand_may_take_its_matches_from_anywhere_in_the_discard_pile_one_at_a_time() -> None:
    """PF-15: the copy nearest the top; `stop` is always legal and always needed."""
    state = table(["6", "2 3 4"], deck="6H A 2 K Q J", discard="KD 2H KH 5 AH")
    move(state, "draw deck", 3)
    assert legal(state) == ["salvage A", "salvage 2", "salvage K", "stop"]
    assert refusal(state, "salvage 5").code == "card_not_held"
    assert refusal(state, "draw deck").code == "must_salvage"
    [event] = move(state, "salvage K")
    assert event == ["salvaged", 0, card_of("KH"), card_of("KS")]
    assert RULES.observation(state, None)["discard"] == ["KD", "2H", "5S", "AH"]
    assert refusal(state, "salvage K").code == "card_not_held"
    move(state, "salvage A")
    assert legal(state) == ["salvage 2", "stop"]
    move(state, "stop")
    assert (whose(state), hand(state, 0)) == (("draw", 1), "2")


def test_stop_is_needed_also_when_nothing_matches() -> None:
    """PF-15, PF-18."""
    state = table(["6", "2 3 4"], deck="6H A 2 K Q J", discard="5")
    move(state, "draw deck", 3)
    assert legal(state) == ["stop"]
    assert refusal(state, "salvage A").code == "not_in_discard"


def test_a_hand_that_salvaging_empties_is_replaced_again() -> None:
    """PF-15, PF-14."""
    state = table(["6", "2 3 4"], deck="6H 7S 7H A 2 K Q J", discard="AH 2H")
    move(state, "draw deck", 2)
    events = move(state, "salvage A", 1)
    assert [event[:3] for event in events[1:]] == [["dealt", 0, 1]]
    assert (whose(state), legal(state)) == (("salvage", 0), ["salvage 2", "stop"])


@pytest.mark.parametrize("way", ["draw deck", "draw discard", "fish 6", "ask 1 6"])
def test_a_new_hand_in_ones_own_turn_ends_it(way: str) -> None:
    """PF-16, PF-7: however the hand became empty."""
    state = table(
        ["6", "2 3 6C"], deck={"draw deck": "6H", "fish 6": "8 6D"}.get(way, "8 9") + " A 2 K Q J", discard="6D"
    )
    if way not in ("draw deck", "draw discard"):
        move(state, "draw deck", 3 if way == "fish 6" else 6, 3 if way == "fish 6" else 4)
    events = move(state, way, 3)
    assert events[1][:3] == ["dealt", 0, 3]
    assert whose(state) == ("salvage", 0)
    move(state, "stop")
    assert (whose(state), state.turns) == (("draw", 1), 1)


def test_a_new_hand_in_an_opponents_turn_lets_that_turn_go_on_to_its_end() -> None:
    """PF-16."""
    state = table(["6 9 K", "4 5", "9H"], deck="8 T 2 3 Q J", discard="2H")
    move(state, "draw deck", 1, 4)
    assert whose(state) == ("ask", 0)
    events = move(state, "ask 2 9", 3)
    assert [event[:2] for event in events] == [["asked", 0], ["dealt", 2]]
    assert whose(state) == ("salvage", 2)
    move(state, "salvage 2")
    assert state.turns == 0
    assert move(state, "stop") == [["stopped", 2]]
    assert (whose(state), state.turns) == (("draw", 1), 1)


def test_a_card_that_empties_both_hands_gives_the_asked_player_a_new_hand_first() -> None:
    """PF-16: the asker's match, the asked player's hand and salvage, the asker's, and the turn is over."""
    state = table(["9", "4 5", "9H"], deck="8 T 2 3 Q J A 7 6", discard="2H AH")
    move(state, "draw deck", 4, 4)
    events = move(state, "ask 2 9", 3)
    assert [event[:2] for event in events] == [["asked", 0], ["dealt", 2]]
    assert RULES.observation(state, None)["scores"] == [1, 0, 0]
    move(state, "salvage 2")
    events = move(state, "stop", 2)
    assert [event[:2] for event in events] == [["stopped", 2], ["dealt", 0]]
    assert (whose(state), hand(state, 0)) == (("salvage", 0), "A J Q")
    move(state, "salvage A")
    move(state, "stop")
    assert (whose(state), state.turns) == (("draw", 1), 1)


# The end


@pytest.mark.parametrize(
    ("deck", "moves", "kinds", "scores"),
    [
        ("6H", ["draw deck"], ["drew", "ended"], (1, 0)),
        ("8", ["draw deck"], ["drew", "ended"], (0, 0)),
        ("8 9H", ["draw deck", "fish 9"], ["fished", "ended"], (1, 0)),
        ("8 4H", ["draw deck", "fish 4"], ["fished", "ended"], (0, 0)),
    ],
)
def test_the_last_card_of_the_deck_ends_the_game_when_its_effect_is_complete(
    deck: str, moves: list[str], kinds: list[str], scores: tuple[int, int]
) -> None:
    """PF-17: no roll, no new hand, no salvage."""
    state = table(["6 9", "2 3 4"], deck=deck)
    for text in moves:
        events = move(state, text, *([5, 4] if text == "draw deck" and len(moves) > 1 else []))
    assert [event[0] for event in events] == kinds
    assert RULES.outcome(state) == Outcome("rules", scores, (1, 2) if scores[0] else (1, 1))
    assert RULES.to_act(state) == []


def test_a_deal_that_takes_exactly_the_last_card_ends_the_game() -> None:
    """PF-17: its matches are laid down, and nothing more is done."""
    state = table(["6", "2 3 4"], deck="6H 7S 7H A", discard="AH")
    events = move(state, "draw deck", 3)
    assert [event[0] for event in events] == ["drew", "dealt", "ended"]
    assert RULES.outcome(state) == Outcome("rules", (2, 0), (1, 2))
    state = table(["6", "2 3 4"], deck="6H 7S 7H 8S 8H")
    events = move(state, "draw deck", 4)
    assert [event[0] for event in events] == ["drew", "dealt", "ended"]


def test_the_deck_may_run_out_while_the_game_is_set_up() -> None:
    """PF-17, PF-4: every hand comes in pairs until no card is left; there is no first discard."""
    order = sorted(packs(2), key=lambda card: (card >> 2, card))
    state = RULES.initial(2, RULES.resolve(2, {}))
    events = RULES.start(state, Rigged([4] * 30, order))
    for event in events:
        RULES.apply(state, event)
    assert events[-1] == ["ended", "rules"]
    assert "turned" not in [event[0] for event in events]
    assert RULES.outcome(state) == Outcome("rules", (50, 2), (1, 2))


def test_the_most_matches_win_and_ties_share_the_place() -> None:
    """PF-17."""
    state = table(["6 9", "2 3", "4 5"], deck="8 7")
    state.laid = [cards("6 6"), cards("2 2"), []]
    assert RULES.standing(state) == ((1, 1, 0), (1, 1, 3))


def test_the_turn_limit_ends_the_game_as_it_stands() -> None:
    """docs/reference/common-rules.md, Safeguard; a turn that starts over is one turn (PF-7)."""
    state = table(["6 9 K", "2 3 4"], deck="6H 9H 8 9D 4H 2 T", turn_limit=1)
    for text in ("draw deck", "draw deck"):
        move(state, text)
    move(state, "draw deck", 5, 4)
    assert move(state, "fish 9") == [["fished", 0, card_of("9D"), -1], ["ended", "turn_limit"]]
    assert RULES.outcome(state) == Outcome("turn_limit", (2, 0), (1, 2))


def test_a_turn_limit_waits_for_the_new_hand_that_the_turn_ends_with() -> None:
    """PF-16 and docs/reference/common-rules.md, Safeguard."""
    state = table(["6", "2 3 4"], deck="6H A 2 K Q J", discard="5", turn_limit=1)
    assert [event[0] for event in move(state, "draw deck", 3)] == ["drew", "dealt"]
    assert move(state, "stop") == [["stopped", 0], ["ended", "turn_limit"]]


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("searcher", ["dealer", "player"])
def test_a_game_has_fewer_than_104_turns_and_ends_with_its_deck(seats: int, searcher: str) -> None:
    """PF-17."""
    for number in range(10):
        state, log = finish(Table("platinum_fish", seats, (("searcher", searcher),)), number)
        assert state.turns < 104
        assert state.deck == []
        assert log[-1] == ["ended", "rules"]


# What a platform may not give away


def test_legal_moves_are_told_to_their_own_seat_and_a_forced_move_is_asked_for() -> None:
    """PF-18: a lone `draw deck` tells what the hand lacks, so it is never made unasked by these rules."""
    state = table(["6 9 K", "2 3 4"], deck="5 8 6", discard="4")
    assert legal(state) == ["draw deck"]
    assert legal(state, 1) == []
    assert RULES.to_act(state) == [0]
    assert refusal(state, "draw discard", seat=1).sentence == refusal(state, "draw deck", seat=1).sentence


def test_no_event_of_a_whole_game_tells_the_public_a_hand_or_the_deck() -> None:
    """PF-13, PF-18."""
    _, log = finish(Table("platinum_fish", 4, (("searcher", "player"),)), 3)
    for event in log:
        seen = RULES.redact(event, None)
        if event[0] in ("stacked", "shuffled"):
            assert set(seen[-1]) == {None}
        elif event[0] == "dealt":
            assert set(seen[4]) <= {None}
            assert len(seen[4]) == len(event[4])
        elif event[0] == "searched":
            assert seen[4] is None
        else:
            assert seen == event


# Options and notation


def test_the_options_are_who_searches_and_the_turn_limit() -> None:
    """PF-12."""
    assert RULES.resolve(2, {}) == {"searcher": "dealer", "turn_limit": 1000}
    with pytest.raises(OptionError) as caught:
        RULES.resolve(2, {"searcher": "nobody"})
    assert "dealer, player" in caught.value.sentence
    with pytest.raises(OptionError):
        RULES.resolve(7, {})


def test_the_whole_notation_is_accepted_exactly_where_it_is_legal() -> None:
    """docs/reference/common-rules.md, Moves are text: all 110 strings at every node of two games."""
    for searcher in ("dealer", "player"):
        for node in play(Table("platinum_fish", 3, (("searcher", searcher),)), 1):
            for action, text in enumerate(TEXTS):
                allowed = action in RULES.legal_actions(node.state, node.seat)
                try:
                    RULES.decide(node.state, node.seat, RULES.parse_move(node.state, text), SeedDealer(SEED))
                    assert allowed
                except IllegalMove:
                    assert not allowed


# Worked examples


def test_worked_example_1_a_match_with_the_discard_pile_starts_the_turn_over() -> None:
    """PF-5, PF-7."""
    state = table(["6 9 K", "2 3 4"], deck="5 8", discard="9H")
    assert "draw discard" in legal(state)
    move(state, "draw discard")
    assert (hand(state, 0), whose(state)) == ("6 K", ("draw", 0))
    assert RULES.observation(state, None)["scores"] == [1, 0]


def test_worked_example_2_a_drawn_6_matches_and_a_drawn_2_is_discarded() -> None:
    """PF-6, PF-7."""
    state = table(["6 9 K", "3 4"], deck="6H 2 5 8")
    move(state, "draw deck")
    events = move(state, "draw deck", 4, 4)
    assert RULES.observation(state, None)["discard"] == ["2S"]
    assert [event[0] for event in events] == ["drew", "rolled"]


def test_worked_example_3_only_ranks_in_the_deck_may_be_fished() -> None:
    """PF-9."""
    state = table(["6 9 K", "2 5"], deck="8 4 T 7 Q")
    move(state, "draw deck", 3, 4)
    assert legal(state) == ["fish 4", "fish 7"]


def test_worked_example_4_a_double_six_and_only_a_queen_left() -> None:
    """PF-8, PF-9."""
    state = table(["6 9 K", "2 5"], deck="8 4 T 7 Q")
    move(state, "draw deck", 6, 6)
    assert legal(state) == ["fish Q"]


def test_worked_example_5_none_in_the_deck_so_any_opponent_for_any_rank() -> None:
    """PF-10."""
    state = table(["6 9 K", "2 5", "3"], deck="8 4 T 7 Q")
    move(state, "draw deck", 5, 6)
    assert set(legal(state)) == {"decline", *[f"ask {seat} {rank}" for seat in (1, 2) for rank in "A23456789TJQK"]}


def test_worked_example_6_who_gives_their_last_card_rolls_for_a_hand_and_may_salvage() -> None:
    """PF-16, PF-15."""
    state = table(["6 9 K", "9H"], deck="8 4 T 7 Q 2", discard="4H")
    move(state, "draw deck", 5, 6)
    assert move(state, "ask 1 9", 2)[1][:3] == ["dealt", 1, 2]
    assert legal(state) == ["salvage 4", "stop"]
    move(state, "stop")
    assert whose(state) == ("draw", 1)
    assert state.turns == 1


def test_worked_example_7_two_cards_left_where_four_must_be_dealt() -> None:
    """PF-14, PF-17."""
    state = table(["6", "2 3 4"], deck="6H 7S 7H")
    events = move(state, "draw deck", 4)
    assert events[1:] == [["dealt", 0, 4, cards("7S 7H"), []], ["ended", "rules"]]
    assert RULES.outcome(state) == Outcome("rules", (2, 0), (1, 2))
