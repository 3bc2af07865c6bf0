"""Chinese Ten, clause by clause (rules.md) and example by example."""

from __future__ import annotations

import pytest

from scorebook_games.cards import RANKS, card_of, card_text, packs
from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import SEED, Table, notation, play
from scorebook_games.contract import Event, IllegalMove, MalformedMove, OptionError, Outcome
from scorebook_games.kinds.chinese_ten.rules import HAND_SIZES, POINTS, TAKER, TEXTS, ChineseTen, State

RULES = ChineseTen()
DEALER = SeedDealer(SEED)


def cards(text: str) -> list[int]:
    """Return cards from `"6S KH"`, or from `"6 K"` if suits do not matter; these have one suit."""
    return [card_of(word if len(word) == 2 else word + "S") for word in text.split()]


def table(*, hands: list[str], spots: str, deck: str = "", packs: int = 2, turn_limit: int = 400) -> State:
    """Return a position: hands by seat, four spots, `_` for an empty spot, `4/8` for an 8 that covers a 4."""
    state = RULES.initial(len(hands), RULES.resolve(len(hands), {"packs": packs, "turn_limit": turn_limit}))
    stacks = [[] if spot == "_" else cards(spot.replace("/", " ")) for spot in spots.split()]
    RULES.apply(state, ["dealt", [cards(hand) for hand in hands], [0, 0, 0, 0], cards(deck)])
    state.spots = stacks
    state.wanted = [TAKER[stack[-1]] if stack else 13 for stack in stacks]
    return state


def move(state: State, text: str) -> list[Event]:
    """Let the player to act play `text`, and return the applied events."""
    events = RULES.decide(state, state.turn, RULES.parse_move(state, text), DEALER)
    for event in events:
        RULES.apply(state, event)
    return events


def legal(state: State, seat: int | None = None) -> list[str]:
    """Return the legal moves of `seat`, or of the player to act."""
    return [TEXTS[action] for action in RULES.legal_actions(state, state.turn if seat is None else seat)]


def refusal(state: State, text: str) -> IllegalMove:
    """Return why the seat to act may not play `text`."""
    with pytest.raises(IllegalMove) as caught:
        RULES.decide(state, state.turn, RULES.parse_move(state, text), DEALER)
    return caught.value


def tops(state: State) -> str:
    """Return the open ranks, as in `7 4 T J`, with `_` for an empty spot."""
    return " ".join(card_text(stack[-1])[0] if stack else "_" for stack in state.spots)


# The deal


def test_cards_count_ten_from_ten_up_twenty_for_an_ace_and_five_between() -> None:
    """CT-1."""
    counted = {rank: POINTS[card_of(rank + "H")] for rank in RANKS[:13]}
    assert counted == {"A": 20, **dict.fromkeys("23456789", 5), **dict.fromkeys("TJQK", 10)}


@pytest.mark.parametrize(
    ("packs", "sizes"), [(2, {2: 20, 3: 15, 4: 12, 5: 10, 6: 8}), (1, {2: 13, 3: 9, 4: 7, 5: 6, 6: 5})]
)
def test_hands_are_as_large_as_packs_and_players_say(packs: int, sizes: dict[int, int]) -> None:
    """CT-2."""
    assert HAND_SIZES[packs] == sizes
    for seats, size in sizes.items():
        state = RULES.initial(seats, RULES.resolve(seats, {"packs": packs}))
        RULES.apply(state, RULES.start(state, DEALER)[0])
        assert RULES.observation(state, None)["hand_counts"] == [size] * seats
        assert len(state.deck) == 52 * packs - 4 - seats * size


def test_two_packs_are_the_default_and_three_are_too_many() -> None:
    """CT-2."""
    assert RULES.resolve(2, {}) == {"packs": 2, "turn_limit": 400}
    for wrong in (0, 3):
        with pytest.raises(OptionError) as caught:
            RULES.resolve(2, {"packs": wrong})
        assert "from 1 to 2" in caught.value.sentence


def test_hands_are_dealt_whole_then_the_spots_and_the_rest_is_the_deck() -> None:
    """CT-3, and docs/reference/common-rules.md, Dealing order."""
    state = RULES.initial(3, RULES.resolve(3, {"packs": 1}))
    [[kind, hands, spots, deck]] = RULES.start(state, DEALER)
    assert kind == "dealt"
    assert [card for hand in hands for card in hand] + spots + deck == DEALER.shuffle("deal", packs(1))
    assert [len(hand) for hand in hands] == [9, 9, 9]
    assert len(spots) == 4


def test_seat_0_begins_and_play_goes_clockwise() -> None:
    """CT-4."""
    for seats in (2, 6):
        turns: list[int] = []
        for node in play(Table("chinese_ten", seats), 1):
            if node.events[0][0] in ("captured", "laid"):
                turns.append(node.seat)
        assert turns == [turn % seats for turn in range(len(turns))]
        assert len(turns) > seats


# Capturing and laying down


@pytest.mark.parametrize("card", RANKS[:13])
def test_a_card_captures_what_makes_ten_with_it_or_from_ten_up_its_like(card: str) -> None:
    """CT-5."""
    partner = {"A": "9", "2": "8", "3": "7", "4": "6", "5": "5", "6": "4", "7": "3", "8": "2", "9": "A"}.get(card, card)
    for other in RANKS[:13]:
        state = table(hands=[card, "K"], spots=f"_ _ {other} _", deck="2")
        assert legal(state) == ([f"capture {card} 3"] if other == partner else [f"lay {card}"])


def test_both_cards_of_a_capture_go_to_the_scoring_pile() -> None:
    """CT-5."""
    state = table(hands=["9 K", "K"], spots="A 4 T J", deck="7")
    assert move(state, "capture 9 1")[0] == ["captured", 0, card_of("9S"), 0, card_of("AS")]
    assert state.piles == [cards("9 A"), []]
    assert RULES.observation(state, 1)["points"] == [25, 0]


def test_only_the_top_card_of_a_spot_can_be_captured() -> None:
    """CT-6."""
    state = table(hands=["6 K", "K"], spots="4/8 Q Q Q", deck="2")
    assert legal(state) == [f"lay {rank} {spot}" for rank in "6K" for spot in (1, 2, 3, 4)]
    assert refusal(state, "capture 6 1").clause == "CT-5"


def test_a_captured_card_opens_what_it_covered_and_an_emptied_spot_stays_empty() -> None:
    """CT-6."""
    state = table(hands=["2 Q K", "J J J"], spots="4/8 Q T T", deck="")
    move(state, "capture 2 1")
    assert tops(state) == "4 Q T T"
    move(state, "lay J 3")
    move(state, "capture Q 2")
    assert tops(state) == "4 _ J T"
    assert refusal(table(hands=["2", "2"], spots="_ 8 _ _"), "capture 2 1").clause == "CT-6"


def test_who_can_capture_must() -> None:
    """CT-7."""
    state = table(hands=["6 K Q", "K"], spots="4 K 9 9", deck="2")
    assert sorted(legal(state)) == ["capture 6 1", "capture K 2"]
    for text in ("lay Q", "lay Q 1"):
        error = refusal(state, text)
        assert (error.code, error.clause) == ("must_capture", "CT-7")
        assert error.sentence.endswith(": your 6 takes the card on spot 1.")


def test_a_card_is_laid_in_the_lowest_numbered_empty_spot_unasked() -> None:
    """CT-7."""
    state = table(hands=["2 K", "K"], spots="9 _ 9 _", deck="7")
    assert legal(state) == ["lay 2", "lay K"]
    assert refusal(state, "lay K 2").code == "spot_is_empty"
    assert move(state, "lay K")[0] == ["laid", 0, card_of("KS"), 1]


def test_with_no_empty_spot_a_laid_card_covers_the_spot_that_its_player_names() -> None:
    """CT-7."""
    state = table(hands=["2 2 K", "K"], spots="9 9 9 9", deck="2")
    assert legal(state) == [f"lay {rank} {spot}" for rank in "2K" for spot in (1, 2, 3, 4)]
    assert refusal(state, "lay K").code == "spot_not_named"
    move(state, "lay K 3")
    assert state.spots[2] == cards("9 K")


def test_a_card_that_is_not_held_can_be_neither_played_nor_laid() -> None:
    """CT-5, CT-7."""
    state = table(hands=["2", "6"], spots="4 9 9 9")
    assert refusal(state, "capture 6 1").code == "card_not_held"
    assert refusal(state, "lay 6 1").code == "card_not_held"


def test_of_equal_cards_the_one_dealt_first_is_played() -> None:
    """docs/reference/common-rules.md, Moves are text: two cards of one rank are one choice."""
    state = table(hands=["6D KS 6S", "2"], spots="4 9 9 9", deck="2 2")
    assert legal(state) == ["capture 6 1"]
    assert move(state, "capture 6 1")[0][2] == card_of("6D")


# The flip


def test_a_flipped_card_that_captures_is_taken_and_the_player_flips_again() -> None:
    """CT-8."""
    state = table(hands=["9 K", "K"], spots="A 4 J Q", deck="6H J 2 3")
    events = move(state, "capture 9 1")
    assert [event[0] for event in events] == ["captured", "took", "took", "placed"]
    assert state.piles[0] == cards("9 A 6H 4 J J")
    assert state.points[0] == 25 + 10 + 20
    assert tops(state) == "2 _ _ Q"
    assert state.turn == 1


def test_a_flip_follows_a_lay_down_too() -> None:
    """CT-8."""
    state = table(hands=["K Q", "K"], spots="_ 9 9 8", deck="2 T")
    assert [event[0] for event in move(state, "lay K")] == ["laid", "took", "placed"]
    assert tops(state) == "K 9 9 T"


def test_a_flipped_card_may_take_the_card_that_was_just_laid() -> None:
    """CT-8."""
    state = table(hands=["8 Q", "K"], spots="9/4 J Q/J T", deck="2 6 2")
    assert [event[0] for event in move(state, "lay 8 1")] == ["laid", "took", "took", "flipped"]
    assert tops(state) == "9 J J T"


def test_with_several_spots_the_player_chooses_what_the_flipped_card_takes() -> None:
    """CT-8."""
    state = table(hands=["9 K", "K"], spots="A 3 8 3", deck="7 T")
    assert move(state, "capture 9 1")[-1] == ["flipped", 0, card_of("7S")]
    assert RULES.to_act(state) == [0]
    assert legal(state) == ["flip 2", "flip 4"]
    assert legal(state, 1) == []
    assert refusal(state, "flip 3").clause == "CT-5"
    assert refusal(state, "cover 2").clause == "CT-8"
    assert refusal(state, "lay K").clause == "CT-8"
    events = move(state, "flip 4")
    assert [event[0] for event in events] == ["took", "placed"]
    assert tops(state) == "T 3 8 _"


def test_a_flipped_card_that_captures_nothing_goes_to_the_lowest_empty_spot() -> None:
    """CT-9."""
    state = table(hands=["9 K", "K"], spots="_ A _ J", deck="8")
    assert move(state, "capture 9 2")[-1] == ["placed", 0, card_of("8S"), 0]
    assert tops(state) == "8 _ _ J"


def test_with_no_empty_spot_the_player_chooses_which_the_flipped_card_covers() -> None:
    """CT-9."""
    state = table(hands=["9 K", "K"], spots="J/A 3 8 3", deck="5 T")
    move(state, "capture 9 1")
    assert legal(state) == ["cover 1", "cover 2", "cover 3", "cover 4"]
    assert refusal(state, "flip 1").clause == "CT-9"
    assert refusal(state, "capture K 1").clause == "CT-9"
    assert move(state, "cover 2") == [["placed", 0, card_of("5S"), 1]]
    assert state.spots[1] == cards("3 5")
    assert state.turn == 1


def test_a_flipped_card_that_waits_is_open_to_all() -> None:
    """CT-9."""
    state = table(hands=["9 K", "K"], spots="J/A 3 8 3", deck="5H T")
    event = move(state, "capture 9 1")[-1]
    for viewer in (0, 1, None):
        seen = RULES.observation(state, viewer)
        assert seen["flipped"] == "5H"
        assert seen["deck"] == 1
        assert RULES.redact(event, viewer) == event


def test_an_empty_deck_is_not_flipped() -> None:
    """CT-10."""
    state = table(hands=["9 K", "K Q"], spots="A 3 8 3", deck="")
    assert [event[0] for event in move(state, "capture 9 1")] == ["captured"]
    assert state.turn == 1
    assert [event[0] for event in move(state, "lay K")] == ["laid"]
    assert state.turn == 0


def test_a_deck_that_runs_out_is_not_flipped_again() -> None:
    """CT-10."""
    state = table(hands=["9 K", "K"], spots="A 3 8 3/J", deck="J")
    assert [event[0] for event in move(state, "capture 9 1")] == ["captured", "took"]
    assert state.turn == 1
    assert RULES.outcome(state) is None


def test_a_deck_that_runs_out_by_choice_is_not_flipped_again() -> None:
    """CT-10."""
    state = table(hands=["9 K", "K"], spots="A 3 8 3", deck="7")
    move(state, "capture 9 1")
    assert [event[0] for event in move(state, "flip 2")] == ["took"]
    assert state.turn == 1


# The end


def test_the_game_ends_when_the_last_turn_of_the_last_hand_card_is_complete() -> None:
    """CT-11."""
    state = table(hands=["9", "K"], spots="A 3 8 Q", deck="2 4 6 J J")
    move(state, "capture 9 1")
    assert RULES.outcome(state) is None
    events = move(state, "lay K")
    assert [event[0] for event in events] == ["laid", "took", "placed", "ended"]
    assert RULES.outcome(state) == Outcome("rules", (35, 10), (1, 2))
    assert RULES.to_act(state) == []


def test_the_last_turn_waits_for_the_choice_about_its_flipped_card() -> None:
    """CT-11."""
    state = table(hands=["9", "K"], spots="9/A J J J", deck="2 5 3 3")
    move(state, "capture 9 1")
    move(state, "cover 1")
    assert move(state, "lay K 1")[-1][0] == "flipped"
    assert RULES.outcome(state) is None
    assert move(state, "cover 4")[-1] == ["ended", "rules"]


def test_a_capture_that_leaves_no_deck_and_no_table_ends_the_game_at_once() -> None:
    """CT-11: with hand cards left, and after unequal numbers of turns."""
    state = table(hands=["6 K", "K Q", "K Q"], spots="_ 4 _ J", deck="J")
    events = move(state, "capture 6 2")
    assert [event[0] for event in events] == ["captured", "took", "ended"]
    outcome = RULES.outcome(state)
    assert outcome is not None
    assert (outcome.termination, outcome.scores) == ("rules", (30, 0, 0))


def test_an_empty_table_with_cards_in_the_deck_ends_nothing() -> None:
    """CT-11: a turned-up card that is not yet placed still belongs to the deck."""
    state = table(hands=["6 K", "K Q"], spots="_ 4 _ _", deck="J")
    assert [event[0] for event in move(state, "capture 6 2")] == ["captured", "placed"]
    assert RULES.outcome(state) is None
    assert tops(state) == "J _ _ _"


def test_cards_left_over_count_for_nobody() -> None:
    """CT-12."""
    state = table(hands=["9 A A", "A A A"], spots="A A A A", deck="A A A A", turn_limit=1)
    move(state, "capture 9 1")
    outcome = RULES.outcome(state)
    assert outcome is not None
    assert outcome.scores == (25, 0)


def test_a_view_shows_spots_piles_and_points_and_the_viewers_own_hand() -> None:
    """CT-12."""
    state = table(hands=["2H 9D KS", "KD 7C QH"], spots="4C/8C Q T T", deck="9H 3C")
    move(state, "capture 2 1")
    seen = {viewer: RULES.observation(state, viewer) for viewer in (0, 1, None)}
    for view in seen.values():
        assert view["spots"] == [["4C"], ["QS"], ["TS"], ["TS"]]
        assert view["piles"] == [["2H", "8C"], []]
        assert view["points"] == [10, 0]
        assert view["hand_counts"] == [2, 3]
        assert view["deck"] == 1
        assert view["flipped"] == "9H"
        assert "3C" not in str(view)
    assert seen[0]["hand"] == ["9D", "KS"]
    assert seen[1]["hand"] == ["7C", "QH", "KD"]
    assert seen[None]["hand"] is None
    assert "KD" not in str(seen[0])
    assert "9D" not in str(seen[1])


def test_the_deal_shows_each_seat_its_own_hand_and_the_spots_alone() -> None:
    """CT-12."""
    event = ["dealt", [[1, 2], [3, 4]], [5, 6, 7, 8], [9, 10, 11]]
    assert RULES.redact(event, 1) == ["dealt", [[None, None], [3, 4]], [5, 6, 7, 8], [None, None, None]]
    assert RULES.redact(event, None)[1] == [[None, None], [None, None]]
    assert RULES.readable(RULES.redact(event, 0))["hands"] == [["AH", "AD"], [None, None]]


def test_most_points_win_and_ties_share_the_placing() -> None:
    """CT-13."""
    state = table(hands=["9", "9", "9", "Q"], spots="A A A J", deck="")
    for text in ("capture 9 1", "capture 9 2", "capture 9 3", "lay Q"):
        move(state, text)
    assert RULES.outcome(state) == Outcome("rules", (25, 25, 25, 0), (1, 1, 1, 4))


def test_the_turn_limit_ends_the_game_as_it_stands() -> None:
    """docs/reference/common-rules.md, Safeguard: the limit counts completed turns of all seats."""
    state = table(hands=["9 K Q", "K K Q"], spots="A J/A 3 8", deck="5 J T T", turn_limit=2)
    assert move(state, "capture 9 1")[-1][0] == "placed"
    assert move(state, "lay K 2")[-1][0] == "flipped"
    assert RULES.outcome(state) is None
    assert move(state, "cover 1")[-1] == ["ended", "turn_limit"]
    assert RULES.outcome(state) == Outcome("turn_limit", (25, 0), (1, 2))


def test_a_last_turn_that_also_reaches_the_limit_ended_the_game_by_the_rules() -> None:
    """CT-11 (ruling): the rules come first."""
    state = table(hands=["9", "K"], spots="A 3 8 Q", deck="4 7", turn_limit=2)
    move(state, "capture 9 1")
    assert move(state, "lay K 1")[-1] == ["ended", "rules"]


def test_a_game_has_at_most_fifty_turns() -> None:
    """CT-2, Options: turn_limit's default of 400 never cuts a game."""
    assert max(seats * size for sizes in HAND_SIZES.values() for seats, size in sizes.items()) == 50


# Moves


def test_another_seat_may_not_move() -> None:
    """CT-4."""
    state = table(hands=["9", "9"], spots="A A A J")
    with pytest.raises(IllegalMove) as caught:
        RULES.decide(state, 1, RULES.parse_move(state, "capture 9 1"), DEALER)
    assert (caught.value.code, caught.value.clause) == ("not_your_turn", "CT-4")
    assert "another player" in caught.value.sentence


def test_there_is_no_flip_where_no_flipped_card_waits() -> None:
    """CT-8, CT-9."""
    state = table(hands=["9", "9"], spots="A A A J", deck="2")
    assert refusal(state, "flip 1").code == "no_flipped_card"
    assert refusal(state, "cover 1").code == "no_flipped_card"


def test_the_notation_has_a_hundred_and_twenty_five_moves() -> None:
    """Moves: 13 ranks on 4 spots, laid in one way or on 4 spots, and a flipped card on 4 spots in two ways."""
    assert len(set(TEXTS)) == len(TEXTS) == 13 * 4 + 13 + 13 * 4 + 4 + 4
    assert set(TEXTS) <= set(notation(Table("chinese_ten", 2))), "the contract suite tries them all"
    state = table(hands=["9", "9"], spots="A A A J")
    for text in ("capture 6", "capture 6 5", "capture * 1", "lay", "lay 10", "flip", "flip 0", "Capture 6 1", "lay K "):
        with pytest.raises(MalformedMove) as caught:
            RULES.parse_move(state, text)
        assert "capture 6 1" in caught.value.sentence


@pytest.mark.parametrize("event", [["dealt", [], [], []], ["flipped", 0, 3], ["ended", "rules"]])
def test_no_move_begins_with_an_event_that_only_follows(event: Event) -> None:
    with pytest.raises(ValueError, match="No move begins"):
        RULES.action_of(table(hands=["9", "9"], spots="A A A J"), event)


# The worked examples


def test_worked_example_1_the_sheets_own_game() -> None:
    """CT-5 to CT-9: Martha captures the ace, Laura covers the 4 and takes the 7."""
    state = table(hands=["9 K", "8 2 9"], spots="A 4 T J", deck="7 3 6 Q")
    move(state, "capture 9 1")
    assert state.points[0] == 25
    assert tops(state) == "7 4 T J"
    assert "lay 8 2" in legal(state)
    move(state, "lay 8 2")
    assert tops(state) == "6 8 T J"
    assert state.piles[1] == cards("3 7")
    assert state.spots[1] == cards("4 8")
    assert state.turn == 0


def test_worked_example_2_the_covered_4_is_open_again() -> None:
    """CT-6."""
    state = table(hands=["2 K", "8 2 9"], spots="6 4/8 T J", deck="Q")
    move(state, "capture 2 2")
    assert state.spots[1] == cards("4")
    assert state.wanted[1] == card_of("6S") >> 2


def test_worked_example_3_the_player_says_which_5_is_taken() -> None:
    """CT-8."""
    state = table(hands=["T 2", "8 2"], spots="5 5 K Q/T", deck="5 Q")
    move(state, "capture T 4")
    assert tops(state) == "5 5 K Q"
    assert legal(state) == ["flip 1", "flip 2"]


def test_worked_example_4_who_can_capture_may_not_lay() -> None:
    """CT-7."""
    state = table(hands=["6 K", "K"], spots="4 9 9 9", deck="2")
    assert legal(state) == ["capture 6 1"]
    assert refusal(state, "lay K 1").clause == "CT-7"


def test_worked_example_5_forty_cards_in_hands_four_on_spots_sixty_in_the_deck() -> None:
    """CT-2, CT-3."""
    state = RULES.initial(2, RULES.resolve(2, {}))
    RULES.apply(state, RULES.start(state, DEALER)[0])
    seen = RULES.observation(state, None)
    assert seen["hand_counts"] == [20, 20]
    assert [len(spot) for spot in seen["spots"]] == [1, 1, 1, 1]
    assert seen["deck"] == 60


def test_worked_example_6_an_empty_deck_and_table_end_the_game_with_cards_in_hand() -> None:
    """CT-11, CT-12."""
    state = table(hands=["6 K", "Q"], spots="4 _ _ _", deck="")
    assert legal(state) == ["capture 6 1"]
    assert move(state, "capture 6 1")[-1] == ["ended", "rules"]
    assert RULES.outcome(state) == Outcome("rules", (10, 0), (1, 2))
    assert RULES.observation(state, 0)["hand"] == ["KS"]
