"""Palace, clause by clause (rules.md) and example by example."""

from __future__ import annotations

import random
from typing import Any

import pytest

from scorebook_games.cards import RANKS, card_of, packs
from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import SEED, DealerInstead, Table, play
from scorebook_games.contract import Event, IllegalMove, MalformedMove, OptionError, Outcome
from scorebook_games.kinds.palace import ACTIONS, GONE, MOVES, WILDS, Palace, PalaceState, put, worst

RULES = Palace()
DEALER = SeedDealer(SEED)


def cards(text: str) -> list[int]:
    """Return cards from `"6S KH"`, or from `"6 K *"` if suits do not matter; these have one suit."""
    return [card_of("**" if word[0] == "*" else word if len(word) == 2 else word + "S") for word in text.split()]


def table(
    *,
    hands: list[str],
    pile: str = "",
    stack: str = "",
    upper: list[str] | None = None,
    under: list[str] | None = None,
    turn: int = 0,
    **options: Any,
) -> PalaceState:
    """Return a position in which seat `turn` is to play. Palaces are full unless given; `_` is a gap."""
    seats = len(hands)
    state = RULES.initial(seats, RULES.resolve(seats, options))
    below = [
        [GONE if word == "_" else cards(word)[0] for word in three.split()] for three in under or ["4 4 4"] * seats
    ]
    RULES.apply(state, ["dealt", below, [cards(hand) for hand in hands], [], None, cards(stack)])
    state.unders = [sum(card != GONE for card in three) for three in below]
    state.upper = [cards(three) for three in upper or ["5 5 5"] * seats]
    for card in cards(pile):
        put(state, [card], card >> 2, 0)
    state.direction = 1
    RULES.apply(state, ["laid", state.upper, turn])
    return state


def last_cards(held: str, below: str = "4 4 4", **more: Any) -> PalaceState:
    """Return a position near the end: no stack, seat 0 has only `held` and `below`, the two others three kings each."""
    full = {"hands": [held, "K K K", "K K K"], "under": [below, "4 4 4", "4 4 4"], "upper": ["", "", ""]}
    return table(**{**full, **more})


def move(state: PalaceState, text: str, seat: int | None = None) -> list[Event]:
    """Let `seat`, or the seat on turn, play `text`, and return the applied events."""
    mover = state.turn if seat is None else seat
    events = RULES.decide(state, mover, RULES.parse_move(state, text), DEALER)
    for event in events:
        RULES.apply(state, event)
    return events


def legal(state: PalaceState, seat: int | None = None) -> list[str]:
    """Return the legal moves of `seat`, or of the seat on turn."""
    return [MOVES[action] for action in RULES.legal_actions(state, state.turn if seat is None else seat)]


def refusal(state: PalaceState, text: str, seat: int | None = None) -> IllegalMove:
    """Return why `seat`, or the seat on turn, may not play `text`."""
    with pytest.raises(IllegalMove) as caught:
        RULES.decide(state, state.turn if seat is None else seat, RULES.parse_move(state, text), DEALER)
    return caught.value


def hand(state: PalaceState, seat: int) -> str:
    """Return the ranks in a hand, in order."""
    return "".join(RANKS[rank] * len(held) for rank, held in enumerate(state.hands[seat]))


def pile(state: PalaceState) -> str:
    """Return the ranks of the pile from the bottom up."""
    return "".join(RANKS[card >> 2] for card in state.pile)


def kinds(events: list[Event]) -> list[str]:
    return [event[0] for event in events]


# Cards and deal


@pytest.mark.parametrize(("seats", "usual"), [(2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_one_pack_serves_two_players_each_with_two_jokers(seats: int, usual: int) -> None:
    """PA-1."""
    assert RULES.resolve(seats, {})["packs"] == usual
    state = RULES.initial(seats, RULES.resolve(seats, {}))
    [[_, under, hands, _, card, stack]] = RULES.start(state, DEALER)
    everything = [each for heap in [*under, *hands, stack] for each in heap] + [card]
    assert sorted(everything) == sorted(packs(usual, 2))


def test_jokers_may_be_left_out() -> None:
    """PA-1."""
    state = RULES.initial(2, RULES.resolve(2, {"jokers": False}))
    assert sorted(numbers(RULES.start(state, DEALER)[0])) == list(range(52))


def numbers(event: Event) -> list[int]:
    """Return the cards of a deal."""
    return [card for heap in [*event[1], *event[2], event[5], [event[4]]] for card in heap if card is not None]


def test_packs_with_fewer_than_nine_cards_each_and_one_to_turn_up_are_refused() -> None:
    """PA-1 (ruling)."""
    assert RULES.resolve(5, {"packs": 1, "jokers": False})["packs"] == 1  # 52 cards for 46
    for jokers in (True, False):
        with pytest.raises(OptionError) as caught:
            RULES.resolve(6, {"packs": 1, "jokers": jokers})  # 54 for 55
        assert caught.value.option == "packs"
        assert "55" in caught.value.sentence


def test_each_seat_is_dealt_three_face_down_cards_and_then_six() -> None:
    """PA-2."""
    options = RULES.resolve(2, {})
    [[_, under, hands, turned, card, stack]] = RULES.start(RULES.initial(2, options), DEALER)
    order = DEALER.shuffle("deal", packs(1, 2))
    assert [under[0], hands[0], under[1], hands[1]] == [order[0:3], order[3:9], order[9:12], order[12:18]]
    assert (len(turned), len(stack)) == (0, 54 - 18 - 1)
    assert [card, *stack] == order[18:]


def choosing() -> PalaceState:
    state = RULES.initial(2, RULES.resolve(2, {}))
    RULES.apply(
        state, ["dealt", [cards("4 4 4")] * 2, [cards("9 K Q Q 3 *"), cards("3 3 4 4 5 6")], [], cards("7")[0], []]
    )
    return state


def test_all_choose_at_once_and_nobody_sees_a_choice_before_the_last_is_made() -> None:
    """PA-2 (ruling)."""
    state = choosing()
    assert RULES.to_act(state) == RULES.awaited(state) == [0, 1]
    assert {"palace 9QK", "palace QQK", "palace 3Q*"} <= set(legal(state, 0))
    assert "palace KKK" not in legal(state, 0)
    events = move(state, "palace 9QK", 0)
    assert kinds(events) == ["chose"]
    assert RULES.redact(events[0], 1) == ["chose", 0, [None, None, None]]
    assert RULES.observation(state, 1)["seats"][0]["upper"] == ["??", "??", "??"]
    assert RULES.observation(state, 0)["seats"][0]["upper"] == ["9S", "QS", "KS"]
    assert RULES.to_act(state) == [1]
    assert refusal(state, "palace 3Q*", 0).clause == "PA-2"
    assert kinds(move(state, "palace 334", 1)) == ["chose", "laid"]
    assert RULES.observation(state, None)["seats"][0]["upper"] == ["9S", "QS", "KS"]
    assert hand(state, 0) == "3Q*"
    assert refusal(state, "palace 3Q*").clause == "PA-2"


def test_nothing_else_can_be_done_before_the_choice_and_only_with_cards_that_are_held() -> None:
    """PA-2."""
    state = choosing()
    assert refusal(state, "play 9", 0).clause == "PA-2"
    assert refusal(state, "palace KKK", 0).code == "card_not_held"


class Stacked(DealerInstead):
    """A dealer that turns up given cards: each shuffle makes the next of `stacks`."""

    def __init__(self, *stacks: str) -> None:
        super().__init__(SEED)
        self.stacks = [cards(stack) for stack in stacks]
        self.labels: list[str] = []

    def shuffle(self, label: str, items: Any) -> list[int]:
        self.labels.append(label)
        return [*([12] * 18 if label == "deal" else []), *self.stacks[len(self.labels) - 1]]


def test_the_card_on_top_of_the_stack_starts_the_pile() -> None:
    """PA-3."""
    dealer = Stacked("9 2 A")
    assert RULES.start(RULES.initial(2, RULES.resolve(2, {})), dealer)[0][3:] == [[], cards("9")[0], cards("2 A")]


@pytest.mark.parametrize("wild", ["A", "2", "T", "*"])
def test_a_wild_card_goes_back_and_the_stack_is_shuffled_until_another_comes(wild: str) -> None:
    """PA-3."""
    dealer = Stacked(f"{wild} 9 2", f"2 9 {wild}", f"9 {wild} 2")
    event = RULES.start(RULES.initial(2, RULES.resolve(2, {})), dealer)[0]
    assert event[3:] == [cards(f"{wild} 2"), cards("9")[0], cards(f"{wild} 2")]
    assert dealer.labels == ["deal", "deal/again1", "deal/again2"]


def test_where_the_stack_has_wild_cards_alone_the_pile_starts_empty() -> None:
    """PA-3 (ruling)."""
    event = RULES.start(RULES.initial(2, RULES.resolve(2, {})), Stacked("A 2", "2 A"))[0]
    assert event[3:] == [cards("A"), None, cards("2 A")]
    state = RULES.initial(2, RULES.resolve(2, {}))
    RULES.apply(state, event)
    assert RULES.observation(state, None)["current"] is None


@pytest.mark.parametrize(
    ("upper", "starts"),
    [
        (["2 4 3", "K Q 9"], 1),  # fewest wild cards
        (["K 9 9", "Q J J"], 1),  # the lowest highest card
        (["K Q 3", "K J 9"], 1),  # then the lowest next one
        (["K J 4", "K J 3"], 1),  # then the third
        (["A K 3", "2 Q J"], 1),  # wild cards are not compared
        (["5 5 5", "4 4 4", "4 4 4"], 1),  # then the first
        (["A 2 T", "* * A"], 0),
    ],
)
def test_the_worst_upper_palace_starts(upper: list[str], starts: int) -> None:
    """PA-4."""
    assert worst([cards(three) for three in upper]) == starts


def test_the_first_from_the_dealers_left_starts_where_the_option_says_so() -> None:
    """PA-4."""
    for start, leader in (("worst", 1), ("left", 0)):
        state = RULES.initial(2, RULES.resolve(2, {"start": start}))
        state.upper[0] = cards("K K K")
        hands = [[], cards("3 3 3 4 4 4")]
        RULES.apply(state, ["dealt", [cards("4 4 4")] * 2, hands, [], None, []])
        assert move(state, "palace 333", 1)[-1][2] == leader


def test_play_goes_clockwise() -> None:
    """PA-4."""
    state = table(hands=["3 3", "3 3", "3 3"], stack="")
    turns = []
    for _ in range(4):
        turns.append(state.turn)
        move(state, "play 3" if len(turns) < 4 else "take")
    assert turns == [0, 1, 2, 0]


# A turn


@pytest.mark.parametrize("current", "3456789JQK")
def test_ordinary_cards_go_on_equal_and_lower_ones_and_wild_cards_on_any(current: str) -> None:
    """PA-5, PA-6."""
    ordinary = "3456789JQK"
    state = table(hands=["A 2 3 4 5 6 7 8 9 T J Q K *", "3"], pile=current)
    higher = ordinary[ordinary.index(current) :]
    assert legal(state) == [*[f"play {rank}" for rank in RANKS if rank in higher or rank in "A2T*"], "take"]
    for rank in ordinary[: ordinary.index(current)]:
        assert refusal(state, f"play {rank}").clause == "PA-6"


def test_no_turn_may_be_skipped() -> None:
    """PA-6: play, take or chance."""
    state = table(hands=["3 3 3", "3"], pile="9", stack="4 4")
    assert legal(state) == ["chance", "take"]
    assert refusal(state, "pass").clause == "PA-16"


def test_any_number_of_one_rank_may_be_played_and_only_the_rank_counts() -> None:
    """PA-6."""
    state = table(hands=["8 8 8 5", "9 3"], pile="7 7")
    assert legal(state) == ["play 8", "play 88", "play 888", "take"]
    assert refusal(state, "play 8888").code == "card_not_held"
    move(state, "play 888")
    assert "play 9" in legal(state)


@pytest.mark.parametrize("current", ["", "9 2"])
def test_anything_may_be_played_on_an_empty_pile_and_on_a_2(current: str) -> None:
    """PA-6."""
    state = table(hands=["3 K", "3"], pile=current)
    assert legal(state)[:2] == ["play 3", "play K"]


def test_four_of_a_rank_may_be_played_on_anything_but_a_threatening_ace() -> None:
    """PA-7."""
    state = table(hands=["3 3 3 3 3 4", "3"], pile="K", packs=2)
    assert legal(state) == ["play 3333", "play 33333", "take"]
    assert refusal(state, "play 333").clause == "PA-6"
    threatened = table(hands=["3 3 3 3 4", "3"], pile="A")
    assert legal(threatened) == ["take"]
    assert refusal(threatened, "play 3333").clause == "PA-10"


def test_the_whole_pile_may_be_taken_instead_of_a_play() -> None:
    """PA-8."""
    state = table(hands=["K", "3 5"], pile="4 9 J")
    assert move(state, "take") == [["took", 0, 3]]
    assert hand(state, 0) == "49JK"
    assert (state.turn, legal(state)) == (1, ["play 3", "play 5"])
    assert refusal(state, "take").clause == "PA-8"


def test_who_chances_sees_the_top_of_the_stack_alone() -> None:
    """PA-9."""
    state = table(hands=["3 3 3", "3"], pile="9", stack="J 5")
    event = move(state, "chance")[0]
    assert event == ["chanced", 0, card_of("JS")]
    assert RULES.redact(event, 1) == ["chanced", 0, None]
    assert RULES.observation(state, 0)["seats"][0]["drawn"] == "JS"
    assert RULES.observation(state, 1)["seats"][0]["drawn"] == "??"
    assert (legal(state), legal(state, 1)) == (["play drawn", "keep"], [])
    assert refusal(state, "play 3").clause == "PA-9"
    assert move(state, "play drawn") == [["risked", 0, card_of("JS"), 0]]
    assert (pile(state), hand(state, 0), state.turn) == ("9J", "333", 1)


def test_a_chanced_card_that_may_not_be_played_is_kept_with_the_pile() -> None:
    """PA-9."""
    state = table(hands=["K K K", "3"], pile="9", stack="5 6")
    move(state, "chance")
    assert legal(state) == ["keep"]
    assert refusal(state, "play drawn").clause == "PA-9"
    assert move(state, "keep") == [["kept", 0, 1]]
    assert (pile(state), hand(state, 0), state.turn) == ("", "59KKK", 1)


def test_on_an_empty_pile_a_chance_costs_the_card_alone_and_an_empty_stack_offers_none() -> None:
    """PA-9."""
    state = table(hands=["K K K", "3 3 3"], stack="5")
    move(state, "chance")
    move(state, "keep")
    assert hand(state, 0) == "5KKK"
    assert "chance" not in legal(state)
    assert refusal(state, "chance").clause == "PA-9"
    for text in ("keep", "play drawn"):
        assert refusal(state, text).clause == "PA-9"


@pytest.mark.parametrize(
    ("pile_before", "drawn", "pile_after"),
    [("9", "T", ""), ("9", "*", ""), ("9 9 9", "9", ""), ("9", "2", "92"), ("9", "A", "9A")],
)
def test_the_turn_ends_with_the_chanced_card_whatever_it_is(pile_before: str, drawn: str, pile_after: str) -> None:
    """PA-9 (ruling)."""
    state = table(hands=["K K K", "3 3 3"], pile=pile_before, stack=f"{drawn} 4 4")
    move(state, "chance")
    move(state, "play drawn")
    assert (pile(state), state.turn) == (pile_after, 1)
    assert ("play 3" in legal(state)) == (drawn != "A")
    assert hand(state, 0) == "KKK"


# Special cards


def test_a_threatening_ace_is_answered_by_an_ace_a_chance_or_taking_the_pile() -> None:
    """PA-10."""
    state = table(hands=["9 A K", "A A 2 T * K", "A 3 3"], pile="J", stack="4 5 A 6")
    move(state, "play A")
    assert legal(state) == ["play A", "play AA", "chance", "take"]
    for text in ("play 2", "play T", "play *", "play K"):
        assert refusal(state, text).clause == "PA-10"
    move(state, "play A")
    move(state, "chance")
    assert legal(state) == ["keep"]
    move(state, "keep")
    assert (hand(state, 2), pile(state), state.turn) == ("AAA335J", "", 0)
    assert "play 9" in legal(state)


def test_a_chanced_ace_may_answer_an_ace() -> None:
    """PA-10 (ruling)."""
    state = table(hands=["9 9 9", "K K K"], pile="A", stack="A 5")
    move(state, "chance")
    move(state, "play drawn")
    assert legal(state) == ["chance", "take"]


def test_nobody_need_play_an_ace_and_who_takes_the_pile_ends_the_turn() -> None:
    """PA-10."""
    state = table(hands=["A 3", "K"], pile="9 A")
    assert legal(state) == ["play A", "take"]
    move(state, "take")
    assert (hand(state, 0), state.turn) == ("AA39", 1)


def test_an_ace_plays_as_a_2_where_the_option_says_so() -> None:
    """PA-10, PA-12."""
    state = table(hands=["A 3 K 4", "K"], pile="9", ace="reset")
    move(state, "play A")
    assert (state.turn, legal(state)) == (0, ["play 3", "play 4", "play K"])
    assert refusal(state, "take").clause == "PA-12"
    state = table(hands=["K K K", "3 3 3"], pile="9", stack="A 5", ace="reset")
    move(state, "chance")
    move(state, "play drawn")
    assert legal(state) == ["play 3", "play 33", "play 333", "chance", "take"]


@pytest.mark.parametrize("card", ["T", "*"])
def test_tens_and_jokers_clear_the_pile_and_their_player_plays_again(card: str) -> None:
    """PA-11, PA-14."""
    state = table(hands=[f"{card} 3 4 5", "K"], pile="9 K", stack="7")
    assert move(state, f"play {card}") == [["played", 0, cards(card), 1, 0]]
    assert (pile(state), state.turn, legal(state)) == ("", 0, ["play 3", "play 4", "play 5", "chance"])
    assert RULES.observation(state, None)["cleared"] == ["9S", "KS", "**" if card == "*" else "TS"]


def test_after_a_2_the_same_player_goes_on_and_may_not_take_the_pile() -> None:
    """PA-12."""
    state = table(hands=["2 3 K 4", "K"], pile="9", stack="5")
    move(state, "play 2")
    assert (state.turn, legal(state)) == (0, ["play 3", "play 4", "play K", "chance"])
    assert refusal(state, "take").clause == "PA-12"
    move(state, "play 3")
    assert state.turn == 1


def test_after_a_2_the_player_may_chance_and_any_card_may_be_played() -> None:
    """PA-12, PA-9: a card that is kept costs the pile."""
    for answer, left in (("play drawn", ""), ("keep", "29")):
        state = table(hands=["2 8 K 4", "K"], pile="9", stack="3 5")
        move(state, "play 2")
        move(state, "chance")
        assert legal(state) == ["play drawn", "keep"]
        move(state, answer)
        assert state.turn == 1
        assert all(rank in hand(state, 0) for rank in left)


def test_a_2_with_no_hand_and_no_stack_brings_the_palace_into_play() -> None:
    """PA-12 (ruling), PA-18."""
    state = table(hands=["2", "K"], pile="9", upper=["7 8 9", "5 5 5"])
    assert kinds(move(state, "play 2")) == ["played", "raised"]
    assert (state.turn, legal(state)) == (0, ["play 7", "play 8", "play 9"])
    state = table(hands=["2", "K"], pile="9", upper=["", "5 5 5"])
    move(state, "play 2")
    assert (state.turn, legal(state)) == (0, ["turn 0", "turn 1", "turn 2"])


def test_a_face_down_2_is_followed_by_the_look_and_then_by_the_card_looked_at() -> None:
    """PA-12 (ruling), PA-20."""
    state = last_cards("", "2 3 4", pile="9")
    move(state, "turn 0")
    assert legal(state) == ["turn 1", "turn 2"]
    move(state, "turn 2")
    assert (state.turn, legal(state)) == (0, ["play 4"])
    assert refusal(state, "take").clause == "PA-12"


def test_four_in_a_row_clear_the_pile_for_whoever_completes_them() -> None:
    """PA-13."""
    state = table(hands=["6 6 9", "6 6 K 9"], pile="4 6")
    move(state, "play 6")
    assert move(state, "play 66")[0][3] == 1
    assert (pile(state), state.turn) == ("", 1)


def test_four_aces_in_a_row_clear_and_nobody_picks_up() -> None:
    """PA-13 (ruling)."""
    state = table(hands=["A A 9", "A A 9"], pile="4")
    move(state, "play AA")
    move(state, "play AA")
    assert (pile(state), state.turn, legal(state)) == ("", 1, ["play 9"])


def test_the_card_turned_up_at_the_start_counts_for_four_in_a_row() -> None:
    """PA-13 (ruling), PA-3."""
    state = RULES.initial(2, RULES.resolve(2, {}))
    RULES.apply(state, ["dealt", [cards("4 4 4")] * 2, [cards("6 6 6"), cards("9")], [], cards("6")[0], []])
    RULES.apply(state, ["laid", [cards("5 5 5")] * 2, 0])
    assert move(state, "play 666")[0][3] == 1


def test_another_card_between_breaks_a_row() -> None:
    """PA-13."""
    state = table(hands=["2 6 6", "9"], pile="6 6")
    move(state, "play 2")
    assert move(state, "play 66")[0][3] == 0


def test_a_granted_play_may_come_from_the_under_palace() -> None:
    """PA-14."""
    state = last_cards("T", "_ 4 4", pile="9")
    move(state, "play T")
    assert legal(state) == ["turn 1", "turn 2"]


# Refilling


def test_a_hand_below_three_is_refilled_and_a_larger_one_is_not() -> None:
    """PA-15."""
    state = table(hands=["8 8 4", "9 9 9 9"], pile="7", stack="5 6 J Q")
    assert move(state, "play 88")[1] == ["drew", 0, cards("5 6")]
    assert hand(state, 0) == "456"
    assert kinds(move(state, "play 9")) == ["played"]


def test_what_is_drawn_is_seen_by_its_owner_alone() -> None:
    """PA-15, PA-2."""
    event: Event = ["drew", 0, cards("5 6")]
    assert RULES.redact(event, 0) == event
    assert RULES.redact(event, 1) == RULES.redact(event, None) == ["drew", 0, [None, None]]


def test_a_hand_is_refilled_in_mid_turn_too_before_the_next_play() -> None:
    """PA-15."""
    for wild in ("2", "T"):
        state = table(hands=[f"{wild} 4 4", "9"], pile="7", stack="3 6")
        assert kinds(move(state, f"play {wild}")) == ["played", "drew"]
        assert "play 3" in legal(state)


def test_a_stack_that_runs_out_refills_as_far_as_it_goes() -> None:
    """PA-15."""
    state = table(hands=["8 8 4", "9"], pile="7", stack="5")
    move(state, "play 88")
    assert (hand(state, 0), state.at) == ("45", 1)


# The quick throw


def test_a_drawn_card_of_the_rank_just_played_may_be_thrown_before_the_next_player_moves() -> None:
    """PA-16."""
    state = table(hands=["8 8 4", "9 9 9"], pile="7", stack="8 8 6 J")
    move(state, "play 88")
    assert RULES.to_act(state) == [0, 1]
    assert RULES.awaited(state) == [1]
    assert legal(state, 0) == ["throw 8", "throw 88", "pass"]
    assert legal(state, 1) == ["play 9", "play 99", "play 999", "chance", "take"]
    assert kinds(move(state, "throw 8", 0)) == ["threw", "drew"]
    assert legal(state, 0) == ["throw 8", "pass"], "what was not thrown may still be"
    assert (pile(state), hand(state, 0)) == ("7888", "468")


def test_only_cards_drawn_at_the_end_of_the_turn_may_be_thrown() -> None:
    """PA-16: an 8 that was held back may not be thrown."""
    state = table(hands=["8 8 4", "9 9 9"], pile="7", stack="8 6 J")
    move(state, "play 8")
    assert legal(state, 0) == ["throw 8", "pass"]
    assert refusal(state, "throw 88", 0).clause == "PA-16"
    assert refusal(state, "throw 4", 0).clause == "PA-16"
    state = table(hands=["8 8 4", "9 9 9"], pile="7", stack="6 J")
    move(state, "play 8")
    assert legal(state, 0) == []
    assert refusal(state, "throw 8", 0).clause == "PA-16"


def test_a_card_drawn_in_mid_turn_may_not_be_thrown() -> None:
    """PA-16."""
    state = table(hands=["2 8 9", "9 9 9"], pile="7", stack="8 6 J")
    move(state, "play 2")
    move(state, "play 8")
    assert legal(state, 0) == []


def test_the_next_players_move_closes_the_window() -> None:
    """PA-16."""
    for text in ("play 9", "take", "chance"):
        state = table(hands=["8 8 4", "9 9 9"], pile="7", stack="8 6 J")
        move(state, "play 88")
        move(state, text)
        assert legal(state, 0) == ([] if state.turn == 1 else legal(state))
        assert "throw 8" not in legal(state, 0)
        assert refusal(state, "throw 8", 0).clause == "PA-16"


def test_a_pass_leaves_no_trace() -> None:
    """PA-16: an event for the pass would show the others that a throw was possible."""
    state = table(hands=["8 8 4", "9 9 9"], pile="7", stack="8 6 J")
    move(state, "play 88")
    assert move(state, "pass", 0) == []
    assert refusal(state, "pass", 1).clause == "PA-16"


def test_nobody_but_its_owner_is_told_that_a_throw_is_possible() -> None:
    """PA-16: the others only know that the player who drew might throw."""
    seen = []
    for stack in ("8 6 J", "9 6 J"):
        state = table(hands=["8 8 4", "9 9 9", "9 9 9"], pile="7", stack=stack, packs=1)
        move(state, "play 88")
        for viewer in (1, 2, None):
            assert RULES.to_act_seen(state, viewer) == RULES.observation(state, viewer)["to_act"] == [0, 1]
        seen.append(
            [RULES.observation(state, viewer) for viewer in (1, 2, None)] + [legal(state, 1), RULES.awaited(state)]
        )
        assert RULES.to_act_seen(state, 0) == ([0, 1] if stack[0] == "8" else [1])
    assert seen[0] == seen[1]


def test_after_a_turn_without_a_draw_nobody_thinks_of_a_throw() -> None:
    """PA-16."""
    state = table(hands=["8 8 4 5 6", "9 9 9"], pile="7", stack="8 6 J")
    move(state, "play 8")
    assert RULES.to_act_seen(state, None) == [1]
    assert RULES.observation(state, None)["thrown"] is None


def test_a_throw_that_clears_brings_the_turn_back_to_its_owner() -> None:
    """PA-16, PA-13."""
    state = table(hands=["8 8 4", "9 9 9"], pile="7 8", stack="8 6 J")
    move(state, "play 88")
    assert move(state, "throw 8", 0)[0] == ["threw", 0, cards("8"), 1, 0]
    assert (pile(state), state.turn, hand(state, 0)) == ("", 0, "46J")
    assert legal(state) == ["play 4", "play 6", "play J"]
    assert legal(state, 1) == []


def test_who_throws_may_throw_again_what_is_drawn() -> None:
    """PA-16."""
    state = table(hands=["8 4 5", "9 9 9"], pile="7", stack="8 8 J")
    for _ in range(2):
        move(state, "play 8" if state.turn == 0 else "throw 8", 0)
    assert legal(state, 0) == ["throw 8", "pass"]
    move(state, "throw 8", 0)
    assert (pile(state), hand(state, 0), legal(state, 0)) == ("7888", "45J", [])


def test_a_thrown_ace_leaves_the_threat() -> None:
    """PA-16, PA-10."""
    state = table(hands=["A 4 5", "9 9 9"], pile="7", stack="A J 3")
    move(state, "play A")
    move(state, "throw A", 0)
    assert legal(state) == ["chance", "take"]


# The palace


def test_palace_cards_may_not_be_touched_while_there_are_hand_cards_or_a_stack() -> None:
    """PA-17."""
    state = table(hands=["8", "9"], upper=["", ""], pile="7")
    assert refusal(state, "turn 0").clause == "PA-17"
    state = table(hands=["8 8 8", "9 9 9"], pile="7", stack="J")
    assert kinds(move(state, "play 888")) == ["played", "drew"], "the stack comes before the palace"


def test_the_upper_palace_comes_into_the_hand_when_hand_and_stack_are_gone() -> None:
    """PA-18."""
    state = table(hands=["8", "9"], upper=["J Q K", "5 5 5"], pile="7")
    assert move(state, "play 8")[1] == ["raised", 0, cards("J Q K")]
    assert (hand(state, 0), state.upper[0], state.turn) == ("JQK", [], 1)
    assert legal(state, 0) == []


def test_a_face_down_card_is_turned_up_by_position_and_seen_by_all() -> None:
    """PA-19."""
    state = last_cards("", "7 _ 9", pile="8")
    assert legal(state) == ["turn 0", "turn 2", "take"]
    assert refusal(state, "turn 1").clause == "PA-19"
    event = move(state, "turn 2")[0]
    assert event == ["turned", 0, 2, card_of("9S"), 0, 0]
    assert RULES.redact(event, None) == event
    assert (pile(state), state.turn) == ("89", 1)
    assert RULES.observation(state, 1)["seats"][0]["under"] == ["??", None, None]


def test_a_face_down_card_that_may_not_be_played_is_kept_with_the_pile() -> None:
    """PA-19."""
    state = last_cards("", "7 9 9", pile="8 J")
    assert move(state, "turn 0") == [["failed", 0, 0, card_of("7S"), 2, 0]]
    assert (hand(state, 0), state.unders[0], state.turn) == ("78J", 2, 1)
    move(state, "play K")
    move(state, "take")
    assert refusal(state, "turn 1").clause == "PA-17"


@pytest.mark.parametrize(("card", "stands"), [("A", True), ("2", False), ("T", False), ("*", False), ("K", False)])
def test_a_threatening_ace_is_met_by_an_ace_from_under_alone(card: str, stands: bool) -> None:
    """PA-19, PA-10."""
    state = last_cards("", f"{card} 9 9", pile="A")
    assert (move(state, "turn 0")[0][0] == "turned") == stands


def test_a_face_down_10_clears_and_the_same_player_goes_on_after_the_look() -> None:
    """PA-19, PA-20."""
    state = last_cards("", "T 4 9", pile="8")
    assert move(state, "turn 0")[0][4] == 1
    assert legal(state) == ["turn 1", "turn 2"]
    move(state, "turn 1")
    assert (state.turn, legal(state)) == (0, ["play 4"])


def test_the_player_looks_at_one_of_two_cards_left_and_nobody_else_sees_it() -> None:
    """PA-20."""
    state = last_cards("", "9 J 4", pile="8")
    move(state, "turn 0")
    assert (RULES.to_act(state), RULES.awaited(state)) == ([0], [0])
    assert refusal(state, "take").clause == "PA-20"
    assert refusal(state, "turn 0").clause == "PA-20"
    assert refusal(state, "turn 1 last").clause == "PA-24"
    event = move(state, "turn 1")[0]
    assert event == ["looked", 0, 1, card_of("JS")]
    assert RULES.redact(event, 1) == ["looked", 0, 1, None]
    assert (hand(state, 0), state.turn, legal(state, 0)) == ("J", 1, [])


def test_the_card_looked_at_may_be_thrown_or_the_pile_taken_instead_of_playing_it() -> None:
    """PA-20, PA-16."""
    state = last_cards("", "9 9 4", pile="8")
    move(state, "turn 0")
    move(state, "turn 1")
    assert RULES.to_act(state) == [0, 1]
    assert RULES.to_act_seen(state, 2) == [0, 1]
    move(state, "play K")
    move(state, "take")
    assert legal(state) == ["play 9"], "an empty pile"
    state = last_cards("", "9 J 4", pile="8")
    move(state, "turn 0")
    move(state, "turn 1")
    move(state, "play K")
    move(state, "play K")
    assert legal(state) == ["take"]


def test_before_a_card_is_turned_up_the_pile_may_be_taken() -> None:
    """PA-19, PA-20 (ruling)."""
    state = last_cards("", "_ 9 4", pile="8 J")
    move(state, "take")
    assert hand(state, 0) == "8J"


def test_no_card_is_looked_at_when_one_is_left() -> None:
    """PA-20, PA-21."""
    state = last_cards("", "_ 9 4", pile="8")
    move(state, "turn 1")
    assert (state.turn, state.unders[0], hand(state, 0)) == (1, 1, "")


def test_the_last_face_down_card_wins_if_it_may_be_played() -> None:
    """PA-21, PA-22."""
    state = last_cards("", "_ 9 _", pile="8")
    assert kinds(move(state, "turn 1")) == ["turned", "ended"]
    outcome = RULES.outcome(state)
    assert outcome is not None
    assert outcome.scores[0] == 0


def test_the_last_face_down_card_goes_back_if_not_and_all_know_it() -> None:
    """PA-21."""
    state = last_cards("", "_ 7 _", pile="8 J")
    move(state, "turn 1")
    assert (hand(state, 0), state.unders[0]) == ("8J", 1)
    for viewer in (0, 1, None):
        assert RULES.observation(state, viewer)["seats"][0]["under"] == [None, "7S", None]
    move(state, "play K")
    move(state, "take")
    move(state, "play 8")
    assert refusal(state, "turn 1", 0).code == "not_your_turn"


# The end


@pytest.mark.parametrize("card", ["K", "2", "T", "A", "*"])
def test_the_first_without_cards_wins_at_once_even_with_a_wild_card(card: str) -> None:
    """PA-22."""
    state = last_cards(card, "_ _ _", pile="8")
    assert kinds(move(state, f"play {card}")) == ["played", "ended"]
    assert RULES.outcome(state) == Outcome("rules", (0, 6, 6), (1, 2, 2))
    assert RULES.to_act(state) == RULES.awaited(state) == []


def test_all_but_the_winner_share_the_second_place() -> None:
    """PA-23."""
    state = last_cards("K", "_ _ _", pile="8", hands=["K", "9 9 9 9", "3"])
    move(state, "play K")
    assert RULES.outcome(state) == Outcome("rules", (0, 7, 4), (1, 2, 2))


def test_the_rest_may_play_on_for_their_places() -> None:
    """PA-23."""
    more: dict[str, Any] = {"hands": ["K", "A A", "9"], "under": ["_ _ _", "4 4 4", "_ _ _"], "placings": "play_on"}
    state = last_cards("K", pile="8", **more)
    assert kinds(move(state, "play K")) == ["played"]
    assert (RULES.outcome(state), state.turn) == (None, 1)
    assert RULES.observation(state, 2)["seats"][0]["place"] == 1
    assert RULES.standing(state)[1] == (1, 3, 2), "as it stands: who is out, then fewest cards"
    move(state, "take")
    assert kinds(move(state, "play 9")) == ["played", "ended"]
    assert RULES.outcome(state) == Outcome("rules", (0, 7, 0), (1, 3, 2))


@pytest.mark.parametrize(
    ("card", "left", "free"), [("T", "", True), ("2", "82", True), ("A", "8A", False), ("Q", "8Q", False)]
)
def test_the_effect_of_a_last_card_stands_and_the_next_player_moves(card: str, left: str, free: bool) -> None:
    """PA-23 (ruling)."""
    more: dict[str, Any] = {"hands": [card, "3 3", "9"], "under": ["_ _ _", "4 4 4", "4 4 4"], "placings": "play_on"}
    state = last_cards(card, pile="8", **more)
    move(state, f"play {card}")
    assert (pile(state), state.turn) == (left, 1)
    assert ("play 3" in legal(state)) == free


def test_a_reversing_last_card_turns_play_round() -> None:
    """PA-23 (ruling), PA-25."""
    more: dict[str, Any] = {"hands": ["*", "3 3", "9"], "under": ["_ _ _", "4 4 4", "4 4 4"], "placings": "play_on"}
    state = last_cards("*", pile="8", joker="reverse", **more)
    move(state, "play *")
    assert state.turn == 2
    move(state, "play 9")
    assert state.turn == 1, "seat 0 is out"


# Alternate rules


def called(**more: Any) -> PalaceState:
    """Return a position of three seats with calls: seat 0 is to play with two eights and one face-down card."""
    return last_cards("8 8", "_ 4 _", pile="7", last_card_call=True, **more)


def test_a_play_that_leaves_one_face_down_card_may_be_declared() -> None:
    """PA-24."""
    state = called()
    assert legal(state) == ["play 8", "play 88", "play 88 last", "take"]
    assert refusal(state, "play 8 last").clause == "PA-24"
    move(state, "play 88 last")
    assert (RULES.to_act(state), legal(state, 2)) == ([1], [])
    assert refusal(state, "call 0", 2).clause == "PA-24"


def test_without_the_option_nothing_is_declared_or_called() -> None:
    """PA-24."""
    state = last_cards("8 8", "_ 4 _", pile="7")
    assert refusal(state, "play 88 last").clause == "PA-24"
    move(state, "play 88")
    assert legal(state, 2) == []


def test_who_did_not_declare_may_be_called_out_and_takes_the_pile() -> None:
    """PA-24."""
    state = called()
    move(state, "play 88")
    assert RULES.to_act(state) == RULES.to_act_seen(state, None) == [1, 2]
    assert RULES.awaited(state) == [1]
    assert (legal(state)[-1], legal(state, 2)) == ("call 0", ["call 0"])
    assert legal(state, 0) == []
    assert refusal(state, "call 0", 0).clause == "PA-24"
    assert move(state, "call 0", 2) == [["called", 2, 0, 3]]
    assert (hand(state, 0), pile(state), state.turn) == ("788", "", 1)
    assert refusal(state, "call 0").clause == "PA-24", "only the first call counts"


def test_a_call_is_too_late_when_the_owners_next_turn_starts() -> None:
    """PA-24."""
    state = called()
    for text in ("play 88", "play K", "take"):
        move(state, text)
    assert state.turn == 0
    assert legal(state, 1) == legal(state, 2) == []


def test_a_play_that_grants_another_must_be_declared_too() -> None:
    """PA-24."""
    state = last_cards("2", "_ 4 _", pile="7", last_card_call=True)
    assert legal(state) == ["play 2", "play 2 last", "take"]
    move(state, "play 2")
    assert RULES.to_act(state) == [0, 1, 2]
    move(state, "call 0", 1)
    assert (state.turn, hand(state, 0), legal(state)) == (0, "27", ["play 2", "play 7"])


def test_with_two_face_down_cards_a_turn_offers_the_declaration_whatever_the_card() -> None:
    """PA-24 (ruling)."""
    for card, begins in (("9", "turned"), ("3", "failed")):
        state = last_cards("", f"_ {card} 4", pile="7", last_card_call=True)
        assert legal(state) == ["turn 1", "turn 2", "turn 1 last", "turn 2 last", "take"]
        assert move(state, "turn 1 last")[0][0] == begins
        assert RULES.to_act(state) == [1]
    state = last_cards("", "9 9 4", pile="7", last_card_call=True)
    assert legal(state) == ["turn 0", "turn 1", "turn 2", "take"]
    assert refusal(state, "turn 0 last").clause == "PA-24"


def test_a_turn_without_the_declaration_can_be_called_only_if_the_card_was_played() -> None:
    """PA-24."""
    state = last_cards("", "_ 9 4", pile="7", last_card_call=True)
    move(state, "turn 1")
    assert legal(state, 2) == ["call 0"]
    state = last_cards("", "_ 3 4", pile="7", last_card_call=True)
    move(state, "turn 1")
    assert legal(state, 2) == []


def test_a_throw_is_declared_where_it_leaves_one_face_down_card() -> None:
    """PA-24, PA-20."""
    state = last_cards("", "9 9 4", pile="7", last_card_call=True)
    move(state, "turn 0")
    move(state, "turn 1")
    assert legal(state, 0) == ["throw 9", "throw 9 last", "pass"]
    move(state, "throw 9", 0)
    assert RULES.to_act(state) == [1, 2]
    assert legal(state, 2) == ["call 0"]


def test_a_call_leaves_the_turn_the_throw_and_the_owed_play_and_ends_the_threat() -> None:
    """PA-24 (ruling)."""
    under = ["_ 4 _", "9 9 4", "4 4 4"]
    state = last_cards("A", hands=["A", "", "K K K"], under=under, pile="7", last_card_call=True)
    move(state, "play A")
    assert legal(state, 2) == ["call 0"]
    move(state, "call 0", 2)
    assert (legal(state), state.turn) == (["turn 0", "turn 1", "turn 2"], 1), "nothing threatens"
    state = last_cards("8", hands=["8", "", "K K K"], under=under, pile="7", last_card_call=True)
    for text in ("play 8", "turn 0"):
        move(state, text)
    assert legal(state) == ["turn 1", "turn 2", "call 0"], "a look can wait for a call"
    move(state, "turn 1")
    assert RULES.to_act(state) == [1, 2]
    move(state, "call 0")
    assert (hand(state, 0), legal(state, 1)) == ("789", ["throw 9", "throw 9 last", "pass"])
    move(state, "throw 9", 1)
    assert (pile(state), state.turn) == ("9", 2)


def test_callers_come_last_clockwise_from_the_seat_on_turn() -> None:
    """PA-24 (ruling), PA-16."""
    state = table(
        hands=["K", "K K", "8", "K K"],
        under=["4 4 4"] * 2 + ["_ 4 _", "4 4 4"],
        upper=[""] * 4,
        turn=2,
        last_card_call=True,
    )
    move(state, "play 8")
    assert RULES.to_act(state) == [3, 0, 1]
    move(state, "play K")
    assert RULES.to_act(state) == [0, 1, 3]


def test_a_throw_that_clears_undeclared_can_still_be_called_in_the_turn_that_it_brings_back() -> None:
    """PA-24 (ruling of this page): the turn that the throw brings is not the owner's next turn."""
    state = last_cards("", "9 9 4", pile="9 9", last_card_call=True, packs=2)
    move(state, "turn 0")
    move(state, "turn 1")
    assert move(state, "throw 9", 0)[0][3] == 1
    assert RULES.to_act(state) == [0, 1, 2]
    assert kinds(move(state, "turn 2")) == ["turned", "ended"]


def reversing(hands: list[str], **more: Any) -> PalaceState:
    return table(hands=hands, joker="reverse", **more)


def test_a_reversing_joker_leaves_the_current_card_and_turns_play_round() -> None:
    """PA-25."""
    state = reversing(["* 3 3", "K 3", "9 8"], pile="9")
    move(state, "play *")
    assert (state.turn, RULES.observation(state, None)["current"], pile(state)) == (2, "9", "9*")
    assert legal(state) == ["play 9", "take"]
    move(state, "play 9")
    assert state.turn == 1


def test_several_jokers_turn_play_round_once() -> None:
    """PA-25 (ruling)."""
    state = reversing(["* * 3", "K 3", "9 8"], pile="9")
    move(state, "play **")
    assert state.turn == 2


def test_a_joker_answers_an_ace_and_sends_the_threat_back() -> None:
    """PA-25."""
    state = reversing(["A 3 3", "* 3 3", "9 8 7"], pile="9", stack="4 4 4")
    move(state, "play A")
    assert legal(state) == ["play *", "chance", "take"]
    move(state, "play *")
    assert (state.turn, legal(state)) == (0, ["chance", "take"])


def test_a_chanced_or_turned_up_joker_answers_an_ace_too() -> None:
    """PA-25."""
    state = reversing(["A 3 3", "4 3 3", "9 8 7"], pile="9", stack="5 * 4")
    move(state, "play A")
    move(state, "chance")
    move(state, "play drawn")
    assert (state.turn, legal(state)) == (0, ["chance", "take"])
    state = last_cards("", "* 4 4", pile="A", joker="reverse")
    assert move(state, "turn 0")[0][0] == "turned"


def test_a_pile_of_jokers_has_no_current_card_and_may_be_taken() -> None:
    """PA-25 (ruling)."""
    state = reversing(["* 3 3", "K 3", "3 8"])
    move(state, "play *")
    assert legal(state) == ["play 3", "play 8", "take"]


def test_a_reversing_joker_breaks_a_row() -> None:
    """PA-13, PA-25."""
    state = reversing(["* 3", "K 3", "9 9 8"], pile="9 9")
    move(state, "play *")
    assert move(state, "play 99")[0][3] == 0
    assert RULES.observation(state, None)["run"] == 2


def test_reversing_jokers_never_clear() -> None:
    """PA-13, PA-25."""
    state = reversing(["* * * * 3", "K 3", "9 9 8"], pile="9")
    assert move(state, "play ****")[0][3] == 0


def test_a_joker_on_a_2_of_the_same_turn_ends_the_turn() -> None:
    """PA-25, PA-12."""
    state = reversing(["2 * 3", "K 3", "3 8"], pile="9")
    move(state, "play 2")
    move(state, "play *")
    assert (state.turn, legal(state)) == (2, ["play 3", "play 8", "take"])


def test_a_thrown_joker_reverses_again() -> None:
    """PA-25, PA-16."""
    state = reversing(["* 3 3", "K 3 4", "9 8 4"], pile="9", stack="* 4 5")
    move(state, "play *")
    assert state.turn == 2
    turns = state.turns
    move(state, "throw *", 0)
    assert (state.turn, state.turns) == (1, turns)
    assert legal(state, 2) == []


# Options


def test_the_turn_limit_counts_how_often_the_turn_passes_to_another_seat() -> None:
    """Options, turn_limit: an owed play is the same turn, and the hand is refilled before the end."""
    state = table(hands=["2 8 9", "K K K"], pile="7", stack="8 6 J Q", turn_limit=1)
    assert kinds(move(state, "play 2")) == ["played", "drew"]
    assert kinds(move(state, "play 8")) == ["played", "drew", "ended"]
    assert RULES.outcome(state) == Outcome("turn_limit", (9, 9), (1, 1))
    assert legal(state, 0) == []


@pytest.mark.parametrize("texts", [["take"], ["chance", "keep"], ["chance", "play drawn"], ["play 8"]])
def test_every_end_of_a_turn_counts_for_the_turn_limit(texts: list[str]) -> None:
    """Options, turn_limit."""
    state = table(hands=["8 8 9", "K K K"], pile="7", stack="9 6 J Q", turn_limit=1)
    for text in texts:
        assert RULES.outcome(state) is None
        events = move(state, text)
    assert events[-1] == ["ended", "turn_limit"]


def test_the_palace_ends_turns_too() -> None:
    """Options, turn_limit: the look belongs to the turn."""
    state = last_cards("", "9 J 4", pile="8", turn_limit=1)
    assert kinds(move(state, "turn 0")) == ["turned"]
    assert kinds(move(state, "turn 1")) == ["looked", "ended"]
    for under, texts in (("_ 9 4", ["turn 1"]), ("3 9 4", ["turn 0"])):
        state = last_cards("", under, pile="8", turn_limit=1)
        assert move(state, texts[0])[-1] == ["ended", "turn_limit"]


def test_at_the_turn_limit_players_already_out_keep_their_places() -> None:
    """Options, turn_limit."""
    more: dict[str, Any] = {
        "hands": ["K", "A A", "9"],
        "under": ["_ _ _", "4 4 4", "_ _ 4"],
        "placings": "play_on",
        "turn_limit": 2,
    }
    state = last_cards("K", pile="8", **more)
    move(state, "play K")
    assert move(state, "take")[-1] == ["ended", "turn_limit"]
    assert RULES.outcome(state) == Outcome("turn_limit", (0, 7, 2), (1, 3, 2))


def test_the_usual_options() -> None:
    """Options."""
    assert RULES.resolve(4, {}) == {
        "packs": 2,
        "jokers": True,
        "start": "worst",
        "ace": "threat",
        "joker": "clear",
        "placings": "winner",
        "last_card_call": False,
        "turn_limit": 2000,
    }


# Moves


@pytest.mark.parametrize(
    "text",
    ["palace KQ9", "palace 99", "play", "play 89", "play 10", "turn 3", "call 6", "throw", "Take", "play 8 last "],
)
def test_a_text_outside_the_notation_is_malformed(text: str) -> None:
    """Moves: ranks stand in order, two cards of one rank are one choice."""
    with pytest.raises(MalformedMove) as caught:
        RULES.parse_move(choosing(), text)
    assert "palace 9QK" in caught.value.sentence
    assert len(ACTIONS) == len(MOVES)


@pytest.mark.parametrize("event", [["drew", 0, [1]], ["raised", 0, [1]], ["laid", [], 0], ["ended", "rules"]])
def test_no_move_begins_with_an_event_that_only_follows(event: Event) -> None:
    with pytest.raises(ValueError, match="No move begins"):
        RULES.action_of(choosing(), event)


def test_another_seat_may_not_move_and_after_the_end_nobody() -> None:
    """PA-6, PA-22."""
    state = last_cards("K", "_ _ _", pile="8")
    assert "another player" in refusal(state, "play K", 1).sentence
    move(state, "play K")
    assert refusal(state, "play K", 1).clause == "PA-22"
    with pytest.raises(IllegalMove):
        RULES.decide(state, 0, -1, DEALER)


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_no_random_game_breaks_what_must_hold_at_every_moment(seats: int) -> None:
    """PA-3, PA-11, PA-13, PA-15, PA-17, PA-18: what is never on a pile, and when a palace may be played from."""
    given = (("joker", random.Random(seats).choice(["clear", "reverse"])), ("last_card_call", True))
    for number in range(3):
        for node in play(Table("palace", seats, given), number):
            state: PalaceState = node.state
            left = len(state.stack) - state.at
            assert state.run < 4
            assert state.current not in (9, 13)
            for seat in range(seats):
                assert state.held[seat] == sum(map(len, state.hands[seat]))
                if state.phase > 1 and left:
                    assert state.held[seat] >= 3
                    assert (len(state.upper[seat]), state.unders[seat]) == (3, 3)
                if state.phase > 1 and not state.held[seat]:
                    assert not state.upper[seat]
            assert state.fresh <= state.drawn


# The worked examples


def test_worked_example_1_what_may_go_on_an_8() -> None:
    """PA-6."""
    state = table(hands=["8 8 J 3", "9"], pile="8", stack="4")
    assert legal(state) == ["play 8", "play 88", "play J", "chance", "take"]


def test_worked_example_2_two_sixes_on_two() -> None:
    """PA-13."""
    state = table(hands=["6 6 9", "9"], pile="6 6")
    move(state, "play 66")
    assert (pile(state), state.turn) == ("", 0)


def test_worked_example_3_a_10_draws_back_up_and_plays_again() -> None:
    """PA-11, PA-15."""
    state = table(hands=["T 4 5", "9"], pile="9", stack="8 8")
    assert kinds(move(state, "play T")) == ["played", "drew"]
    assert (pile(state), hand(state, 0), state.turn) == ("", "458", 0)


def test_worked_example_4_the_threat_is_passed_on() -> None:
    """PA-10, PA-13."""
    state = table(hands=["A 9", "A A 9", "9 8"], pile="9")
    move(state, "play A")
    move(state, "play AA")
    assert legal(state) == ["take"]
    move(state, "take")
    assert (hand(state, 2), state.turn) == ("AAA899", 0)
    state = table(hands=["A 9", "A A 9", "A 9 8"], pile="9")
    for text in ("play A", "play AA", "play A"):
        move(state, text)
    assert (pile(state), state.turn) == ("", 2)


def test_worked_example_5_a_chance_on_a_queen() -> None:
    """PA-9."""
    state = table(hands=["3 3 3", "3 3 3"], pile="Q", stack="9 4")
    move(state, "chance")
    assert legal(state) == ["keep"]
    move(state, "keep")
    assert hand(state, 0) == "3339Q"
    state = table(hands=["3 3 3", "3 3 3"], pile="Q", stack="2 4")
    move(state, "chance")
    assert legal(state) == ["play drawn", "keep"]
    move(state, "play drawn")
    assert "play 3" in legal(state, 1)


def test_worked_example_6_a_quick_throw() -> None:
    """PA-16."""
    state = table(hands=["8 8 4", "9 9 9"], pile="7", stack="8 6 J")
    assert move(state, "play 88")[1] == ["drew", 0, cards("8 6")]
    assert legal(state, 0) == ["throw 8", "pass"]
    assert move(state, "throw 8", 0)[1] == ["drew", 0, cards("J")]


def test_worked_example_7_a_look_and_a_throw_leave_one_card_down() -> None:
    """PA-19 to PA-21."""
    state = last_cards("", "9 9 4", pile="5")
    move(state, "turn 0")
    move(state, "turn 1")
    assert legal(state, 0) == ["throw 9", "pass"]
    move(state, "throw 9", 0)
    assert (pile(state), state.unders[0], hand(state, 0), state.turn) == ("599", 1, "", 1)


def test_worked_example_8_a_4_on_a_king_goes_back() -> None:
    """PA-21."""
    state = last_cards("", "_ _ 4", pile="K")
    move(state, "turn 2")
    assert (hand(state, 0), state.under[0][2]) == ("K", card_of("4S"))


def test_worked_example_9_the_palace_without_a_wild_card_starts() -> None:
    """PA-4."""
    assert worst([cards("K Q 9"), cards("2 4 3")]) == 0
    assert all(card >> 2 not in WILDS for card in cards("K Q 9"))
