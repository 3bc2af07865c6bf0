"""Plates, clause by clause (rules.md) and example by example."""

from __future__ import annotations

from typing import Any

import pytest

from scorebook_games.cards import JOKER_RANK, RANKS, card_of, packs
from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import SEED, DealerInstead, Instead, Table, finish, play
from scorebook_games.contract import RULES as BY_RULES
from scorebook_games.contract import TURN_LIMIT, Event, IllegalMove, MalformedMove, OptionError, Outcome
from scorebook_games.kinds.plates.rules import ACTIONS, EMPTY, GONE, VALUES, Plates, PlatesState
from tests.scorebook_games.kinds.permute_plates import permuted
from tests.scorebook_games.kinds.test_hidden import differences

RULES = Plates()
DEALER = SeedDealer(SEED)
HEIGHTS = "23456789TJQKA"  # PL-2, the lowest first


def cards(text: str) -> list[int]:
    """Return cards from `"6S KH"`, or of one suit from `"6 K"`. `_` is the place of a card that is gone."""
    return [GONE if word == "_" else card_of(word if len(word) == 2 else word + "S") for word in text.split()]


def table(*hands: str, plate: str = "", turn: int = 0, rounds: int = 1, turn_limit: int = 300) -> PlatesState:
    """Return a position: `primary / revealed / unseen` of each seat, and the plate from the bottom up."""
    state = RULES.initial(len(hands), RULES.resolve(len(hands), {"rounds": rounds, "turn_limit": turn_limit}))
    piles = [[sorted(cards(pile)) if i < 2 else cards(pile) for i, pile in enumerate(h.split("/"))] for h in hands]
    primary, revealed, unseen = [[pile[i] for pile in piles] for i in range(3)]
    RULES.apply(state, ["dealt", 1, len(hands) - 1, turn, primary, revealed, unseen, []])
    state.held = [len(p) + len(r) + 4 - u.count(GONE) for p, r, u in zip(primary, revealed, unseen, strict=True)]
    state.plate = cards(plate)
    ranks = [card >> 2 for card in state.plate]
    if ranks:
        state.top = ranks[-1]
        state.run = next((i for i, rank in enumerate(reversed(ranks)) if rank != state.top), len(ranks))
    return state


NONE_UNSEEN = "/ _ _ _ _"


def known(primary: str, revealed: str = "") -> str:
    """Return a hand without unseen cards."""
    return f"{primary} / {revealed} {NONE_UNSEEN}"


def move(state: PlatesState, text: str) -> list[Event]:
    """Let the player to act play `text`, and return the applied events."""
    events = RULES.decide(state, state.current, RULES.parse_move(state, text), DEALER)
    for event in events:
        RULES.apply(state, event)
    return events


def legal(state: PlatesState, seat: int | None = None) -> set[str]:
    """Return the legal moves of `seat`, or of the player to act; each once."""
    actions = RULES.legal_actions(state, state.current if seat is None else seat)
    assert len(set(actions)) == len(actions)
    return {RULES.move_text(state, action) for action in actions}


def refusal(state: PlatesState, text: str) -> IllegalMove:
    """Return why the seat to act may not play `text`."""
    with pytest.raises(IllegalMove) as caught:
        RULES.decide(state, state.current, RULES.parse_move(state, text), DEALER)
    return caught.value


def plate(state: PlatesState) -> str:
    """Return the ranks on the plate, from the bottom up."""
    return " ".join(RANKS[card >> 2] for card in state.plate)


def primary(state: PlatesState, seat: int) -> str:
    """Return the ranks in a primary hand, in the order A 2 … K."""
    return " ".join(RANKS[card >> 2] for card in state.primary[seat])


def names(events: list[Event]) -> list[str]:
    return [event[0] for event in events]


def dealt(seats: int, number: int = 1) -> Event:
    """Return the deal of round `number` of a game whose rounds end after their first turn."""
    state = RULES.initial(seats, RULES.resolve(seats, {"rounds": 20, "turn_limit": 1}))
    events = RULES.start(state, DEALER)
    while events[-1][1] != number:
        for event in events:
            RULES.apply(state, event)
        events = RULES.decide(state, state.current, RULES.legal_actions(state, state.current)[-1], DEALER)
    return events[-1]


# Cards and deal


def test_as_many_packs_are_used_as_eighteen_cards_a_player_need() -> None:
    """PL-1."""
    for seats, count in {2: 1, 3: 2, 4: 2, 5: 2, 6: 3, 7: 3, 8: 3}.items():
        _, _, _, _, primaries, revealed, unseen, aside = dealt(seats)
        used = [card for pile in [*primaries, *revealed, *unseen, aside] for card in pile]
        assert sorted(used) == sorted(packs(count))
        assert max(used) >> 2 < JOKER_RANK


def test_aces_are_high_and_twos_low() -> None:
    """PL-2."""
    for top in HEIGHTS[:-1]:
        state = table(known(" ".join(HEIGHTS)), known("2"), plate=top)
        lower = HEIGHTS[: HEIGHTS.index(top) + 1]
        assert legal(state) == {f"place {rank}" for rank in [*lower, "A"]}


def test_suits_do_not_matter() -> None:
    """PL-2."""
    state = table(known("9H 9C 3D"), known("2"), plate="9S")
    assert legal(state) == {"place 9", "place 99", "place 3"}


def test_each_player_is_dealt_a_block_of_ten_four_and_four_from_the_dealers_left() -> None:
    """PL-3."""
    for seats in (2, 3, 8):
        order = DEALER.shuffle("deal/round1", packs(-(-18 * seats // 52)))
        _, _, dealer, _, primaries, revealed, unseen, aside = dealt(seats)
        assert dealer == seats - 1
        for seat in range(seats):
            block = order[18 * seat : 18 * seat + 18]
            assert primaries[seat] == sorted(block[:10])
            assert revealed[seat] == sorted(block[10:14])
            assert unseen[seat] == block[14:]
        assert aside == order[18 * seats :]


def test_a_player_sees_their_own_primary_hand_and_all_revealed_cards_and_no_unseen_ones() -> None:
    """PL-3, PL-4."""
    state = table("9H KC / 2D / 3S _ 4S 5S", "AH / QD / 7S 8S _ _")
    state.aside = cards("6S 6H")
    for viewer in (0, 1, None):
        seen = RULES.observation(state, viewer)
        assert [seat["revealed"] for seat in seen["seats"]] == [["2D"], ["QD"]]
        assert [seat["unseen"] for seat in seen["seats"]] == [["??", None, "??", "??"], ["??", "??", None, None]]
        assert [seat["primary_count"] for seat in seen["seats"]] == [2, 1]
        hands = [["9H", "KC"], ["AH"]]
        assert [seat["primary"] for seat in seen["seats"]] == [
            hand if seat == viewer else None for seat, hand in enumerate(hands)
        ]
        assert (seen["aside"], seen["aside_count"]) == (None, 2)


def test_a_deal_is_redacted_to_what_its_viewer_sees() -> None:
    """PL-3, PL-4."""
    event = dealt(3)
    for viewer in (0, 1, 2, None):
        seen = RULES.redact(event, viewer)
        assert seen[:4] == event[:4]
        assert seen[4] == [hand if seat == viewer else [None] * 10 for seat, hand in enumerate(event[4])]
        assert seen[5] == event[5]
        assert seen[6:] == [[[None] * 4] * 3, [None] * (104 - 54)]
        assert RULES.readable(seen)["unseen"] == [[None] * 4] * 3


class Leaky(Instead):
    """Plates with one leak, which the test of hidden cards must find."""

    def observation(self, state: PlatesState, seat: int | None) -> dict[str, Any]:
        seen = self.rules.observation(state, seat)
        return {**seen, "aside_count": seen["aside_count"] + state.unseen[0][3] % 2}


def test_a_leak_of_an_unseen_card_is_found() -> None:
    """PL-4."""
    rules: Any = Leaky(RULES)
    assert "observation" in differences(rules, Table("plates", 2), permuted, 30)[1]


def test_cards_count_what_is_printed_jacks_to_kings_eleven_to_thirteen_and_aces_fifty() -> None:
    """PL-5."""
    worth = {rank: VALUES[RANKS.index(rank)] for rank in HEIGHTS}
    assert worth == dict(zip(HEIGHTS, [*range(2, 14), 50], strict=True))


# Who starts


@pytest.mark.parametrize(
    ("revealed", "number", "leader"),
    [
        (["2 2 2 2", "2 2 2 3", "2 2 2 2"], 1, 1),
        (["K K K J", "2 2 2 A", "K K K K"], 1, 1),  # 50, 56 and 52: an Ace counts 50 here too (PL-5)
        (["K K K T", "4 6 9 T", "9 K K K"], 1, 0),
        (["K K K T", "4 6 9 T", "T K K K"], 2, 2),  # seat 0 deals: 1 and 2 are on its left before 0
        (["K K K T", "T K K K", "T K K K"], 3, 2),
    ],
)
def test_the_highest_revealed_total_leads_and_a_tie_goes_clockwise_from_the_dealers_left(
    revealed: list[str], number: int, leader: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PL-6, in every round."""
    first = (number - 1) % 3
    blocks = [cards("3 " * 10 + revealed[(first + k) % 3] + " 3 3 3 3") for k in range(3)]

    class Stacked(DealerInstead):
        def shuffle(self, label: str, items: Any) -> list[int]:
            assert label == f"deal/round{number}"
            return [card for block in blocks for card in block]

    state = table(known("3"), known("3"), known("3"), rounds=3, turn_limit=1)
    state.round = number - 1
    if number == 1:
        state = RULES.initial(3, RULES.resolve(3, {}))
        event = RULES.start(state, Stacked(SEED))[0]
    else:
        event = RULES.decide(state, 0, ACTIONS["place 3"], Stacked(SEED))[-1]
    assert event[3] == leader
    RULES.apply(state, event)
    assert RULES.to_act(state) == [leader]


# A turn


def test_on_an_empty_plate_any_card_or_cards_of_one_rank_may_be_placed() -> None:
    """PL-7."""
    state = table(known("4 K K K A"), known("2"))
    assert legal(state) == {"place 4", "place K", "place KK", "place KKK", "place A"}


def test_on_a_plate_cards_of_the_top_rank_or_lower_may_be_placed() -> None:
    """PL-8."""
    state = table(known("3 9 J J"), known("2"), plate="2 9")
    assert legal(state) == {"place 3", "place 9"}
    refused = refusal(state, "place JJ")
    assert (refused.code, refused.clause) == ("too_high", "PL-8")
    assert "9 or lower" in refused.sentence
    move(state, "place 3")
    assert plate(state) == "2 9 3"
    assert state.current == 1


def test_one_or_more_aces_go_on_anything() -> None:
    """PL-9."""
    state = table(known("A A K", "A"), known("2"), plate="2")
    assert legal(state) == {"place A", "place AA", "place /A", "place A/A", "place AA/A"}


def test_placed_cards_come_from_the_primary_hand_the_revealed_cards_or_both() -> None:
    """PL-10."""
    state = table(known("9H 9D", "9C 4S"), known("2"), plate="9")
    assert legal(state) == {
        *("place 9", "place 99", "place /9", "place 9/9", "place 99/9", "place /4"),
        *("place 99/9!",),  # with the 9 that lies there: four (PL-13)
    }
    assert move(state, "place 99/9")[0] == ["placed", 0, cards("9H 9D"), cards("9C"), 0]
    assert (state.primary[0], state.revealed[0]) == ([], cards("4S"))
    assert refusal(table(known("9", "9"), known("2")), "place 99").clause == "PL-10"
    assert refusal(table(known("9", "9"), known("2")), "place /99").code == "no_such_cards"


def test_of_equal_cards_the_first_in_the_fixed_order_is_placed() -> None:
    """docs/reference/common-rules.md, Moves are text: the order of the suits is S H D C."""
    state = table(known("9C 9S 9D 9H"), known("2"))
    assert move(state, "place 99")[0][2] == cards("9S 9H")
    assert state.primary[0] == cards("9D 9C")


def test_who_can_place_nothing_takes_the_plate_and_leads() -> None:
    """PL-11."""
    state = table(known("K", "Q"), known("2"), plate="9 7 4 4")
    assert legal(state) == {"take"}
    assert move(state, "take") == [["took", 0, 4]]
    assert plate(state) == ""
    assert primary(state, 0) == "4 4 7 9 K"
    assert (state.current, state.turns) == (0, 0)
    assert legal(state) == {"place 4", "place 44", "place 7", "place 9", "place K", "place /Q"}
    move(state, "place K")
    assert (state.current, state.turns, plate(state)) == (1, 1, "K")


def test_who_can_place_a_known_card_may_not_take_the_plate() -> None:
    """PL-11."""
    for hand in (known("K 3"), known("K", "3"), known("A"), "K 3 / / 5 5 _ _"):
        state = table(hand, known("2"), plate="4")
        assert "take" not in legal(state)
        assert (refusal(state, "take").code, refusal(state, "take").clause) == ("can_place", "PL-11")
    assert refusal(table(known("K"), known("2")), "take").code == "plate_empty"


def test_a_blind_card_may_lead_after_taking() -> None:
    """PL-11."""
    state = table("K / / 5 _ _ _", known("2"), plate="4")
    move(state, "take")
    assert legal(state) == {"place 4", "place K", "blind 0"}
    move(state, "blind 0")
    move(state, "add")
    assert (plate(state), state.current, state.turns) == ("5", 1, 1)


# Clearing the plate


@pytest.mark.parametrize("text", ["place A", "place AA", "place 4444", "place 44/44", "place 44444"])
def test_an_ace_or_four_equal_cards_of_one_play_clear_the_plate_and_win_another_turn(text: str) -> None:
    """PL-12."""
    state = table(known("A A 4 4 4 4 4 K", "4 4"), known("2"), plate="9 9")
    count = len(text.replace("/", "")) - len("place ")
    assert names(events := move(state, text)) == ["placed", "cleared"]
    assert events[0][4] == 1
    assert events[1] == ["cleared", 0, 2 + count]
    assert (plate(state), state.top, state.run) == ("", EMPTY, 0)
    assert len(state.cleared) == 2 + count
    assert (state.current, state.turns) == (0, 1)


def test_where_clearing_is_compulsory_there_is_no_choice() -> None:
    """PL-12: no `!`."""
    state = table(known("A 4 4 4 4"), known("2"), plate="4")
    assert not {"place A!", "place 4444!"} & legal(state)
    for text in ("place A!", "place 4444!"):
        assert (refusal(state, text).code, refusal(state, text).clause) == ("clears_anyway", "PL-12")


def test_a_run_of_four_with_cards_already_there_may_be_cleared() -> None:
    """PL-13."""
    for text, cleared in (("place 66!", True), ("place 66", False)):
        state = table(known("6 6 2"), known("5"), plate="9 6 6")
        assert legal(state) == {"place 2", "place 6", "place 66", "place 66!"}
        assert names(move(state, text)) == (["placed", "cleared"] if cleared else ["placed"])
        assert (plate(state), state.current) == (("", 0) if cleared else ("9 6 6 6 6", 1))


def test_a_play_that_leaves_the_run_shorter_than_four_may_not_clear() -> None:
    """PL-13: the run is of equal cards on top; others under it do not count."""
    state = table(known("6 6 2"), known("5"), plate="6 6 6 9 6")
    assert legal(state) == {"place 2", "place 6", "place 66"}
    refused = refusal(state, "place 66!")
    assert (refused.code, refused.clause) == ("run_too_short", "PL-13")
    assert refusal(state, "place 2!").clause == "PL-13"
    assert refusal(table(known("2 6"), known("5"), plate="6 6 6"), "place 2!").code == "run_too_short"


def test_a_run_left_at_four_or_more_may_be_cleared_by_any_later_equal_play() -> None:
    """PL-13."""
    state = table(known("6 K"), known("6 3"), plate="6 6 6")
    move(state, "place 6")
    assert legal(state) == {"place 3", "place 6", "place 6!"}
    move(state, "place 6!")
    assert (plate(state), state.current) == ("", 1)


def test_four_of_a_kind_must_still_be_low_enough() -> None:
    """PL-14."""
    state = table(known("9 9 9 9 A A A A"), known("2"), plate="8")
    assert legal(state) == {"place A", "place AA", "place AAA", "place AAAA"}
    assert refusal(state, "place 9999").clause == "PL-8"


def test_who_clears_with_their_last_cards_takes_no_further_turn() -> None:
    """PL-15."""
    for text in ("place 66!", "place 66"):
        state = table(known("6 6"), known("9 8"), plate="6 6")
        move(state, text)
        assert (state.out, state.current, state.last) == (0, 1, 1)


# The unseen secondary cards


def test_unseen_cards_may_be_turned_up_once_the_revealed_four_are_played() -> None:
    """PL-16: even with primary cards that could be placed."""
    state = table("3 K / 5 / 7 8 9 T", known("2 2 2"), plate="6")
    assert legal(state) == {"place 3", "place /5"}
    assert (refusal(state, "blind 0").code, refusal(state, "blind 0").clause) == ("revealed_left", "PL-16")
    move(state, "place /5")
    move(state, "place 2")
    assert legal(state) == {"take", "blind 0", "blind 1", "blind 2", "blind 3"}
    state = table("3 K / / 7 8 9 T", known("2"), plate="6")
    assert legal(state) == {"place 3", "blind 0", "blind 1", "blind 2", "blind 3"}


def test_positions_of_unseen_cards_do_not_shift() -> None:
    """PL-16."""
    state = table("K / / 7 _ 2 T", known("K"), plate="9")
    assert {text for text in legal(state) if text != "take"} == {"blind 0", "blind 2", "blind 3"}
    assert move(state, "blind 2") == [["turned", 0, 2, card_of("2S")]]
    move(state, "add")
    assert state.unseen[0] == cards("7 _ _ T")
    state.current = 0
    assert (refusal(state, "blind 2").code, refusal(state, "blind 2").clause) == ("no_such_card", "PL-16")


def test_cards_of_its_rank_from_the_primary_hand_may_be_added_to_a_card_that_stands() -> None:
    """PL-17."""
    state = table("8 8 3 / / 8 _ _ _", known("2"), plate="9")
    move(state, "blind 0")
    assert (plate(state), state.current, state.turns) == ("9 8", 0, 0)
    assert legal(state) == {"add", "add 8", "add 88"}
    assert (refusal(state, "place 3").code, refusal(state, "place 3").clause) == ("add_first", "PL-17")
    assert refusal(state, "add 3").code == "other_rank"
    assert refusal(state, "add 888").clause == "PL-17"
    assert move(state, "add 88") == [["added", 0, cards("8 8"), 0]]
    assert (plate(state), state.current, state.turns) == ("9 8 8 8", 1, 1)


def test_add_follows_even_where_nothing_can_be_added() -> None:
    """PL-17."""
    state = table("K / / 8 _ _ _", known("2"), plate="9")
    assert names(move(state, "blind 0")) == ["turned"]
    assert legal(state) == {"add"}
    assert refusal(table(known("8"), known("2")), "add 8").code == "nothing_turned"


def test_the_turned_card_and_the_added_ones_are_one_play() -> None:
    """PL-17: four of them clear the plate (PL-12), fewer may with cards already there (PL-13)."""
    state = table("8 8 8 3 / / 8 _ _ _", known("2"), plate="9 8")
    move(state, "blind 0")
    assert legal(state) == {"add", "add 8", "add 88", "add 88!", "add 888"}
    assert refusal(state, "add 888!").clause == "PL-12"
    assert refusal(state, "add 8!").clause == "PL-13"
    assert names(move(state, "add 888")) == ["added", "cleared"]
    assert (plate(state), state.current) == ("", 0)


def test_a_blind_card_that_makes_four_may_clear_without_adding() -> None:
    """PL-17, PL-13."""
    for text, cleared in (("add", False), ("add !", True)):
        state = table("3 / / 8 _ _ _", known("2"), plate="8 8 8")
        move(state, "blind 0")
        assert legal(state) == {"add", "add !"}
        move(state, text)
        assert plate(state) == ("" if cleared else "8 8 8 8")
        assert state.current == (0 if cleared else 1)


def test_a_blind_ace_clears_with_whatever_is_added() -> None:
    """PL-17, PL-12."""
    state = table("A A 3 / / A _ _ _", known("2"), plate="2")
    move(state, "blind 0")
    assert legal(state) == {"add", "add A", "add AA"}
    assert names(move(state, "add A")) == ["added", "cleared"]
    assert (primary(state, 0), state.current) == ("A 3", 0)


def test_a_turned_card_that_may_not_stand_is_taken_with_the_plate() -> None:
    """PL-18."""
    state = table("2 K / / 8 _ _ 5", known("2"), plate="7 4")
    assert move(state, "blind 0") == [["turned", 0, 0, card_of("8S")], ["took", 0, 3]]
    assert primary(state, 0) == "2 4 7 8 K"
    assert (state.current, state.turns, plate(state)) == (0, 0, "")
    assert legal(state) == {"place 2", "place 4", "place 7", "place 8", "place K", "blind 3"}


def test_with_nothing_to_place_a_player_may_choose_between_plate_and_blind_card() -> None:
    """PL-19."""
    assert legal(table("K / / _ 5 _ 5", known("2"), plate="4")) == {"take", "blind 1", "blind 3"}


def test_on_an_empty_plate_a_player_with_only_unseen_cards_turns_one() -> None:
    """PL-19."""
    state = table("/ / _ 5 _ 5", known("2"))
    assert legal(state) == {"blind 1", "blind 3"}
    assert names(move(state, "blind 3")) == ["turned"]
    assert plate(state) == "5"


# End of a round and of the game


def test_when_a_player_is_out_every_other_player_has_one_more_turn() -> None:
    """PL-20."""
    state = table(known("9 9"), known("8"), known("7 7"), turn=1)
    move(state, "place 8")
    assert (state.out, state.last, state.current) == (1, 2, 2)
    move(state, "place 7")
    assert legal(state) == {"take"}
    move(state, "take")  # a player who must take the plate in their last turn takes it
    events = move(state, "place 9")
    assert names(events) == ["placed", "scored"]
    assert events[1][2] == [9 + 8 + 7, 0, 7]
    assert RULES.outcome(state) == Outcome(BY_RULES, (24, 0, 7), (3, 1, 2))


def test_turns_won_by_clearing_belong_to_the_last_turn() -> None:
    """PL-20."""
    state = table(known("9"), known("A 6 5"))
    move(state, "place 9")
    assert names(move(state, "place A")) == ["placed", "cleared"]
    assert (state.current, state.last) == (1, 1)
    assert names(move(state, "place 6")) == ["placed", "scored"]
    assert RULES.outcome(state) == Outcome(BY_RULES, (0, 5), (1, 2))


def test_going_out_in_a_last_turn_ends_nothing_anew() -> None:
    """PL-20, also when that clears the plate (PL-15)."""
    state = table(known("9"), known("A"), known("6 6"))
    move(state, "place 9")
    move(state, "place A")
    assert (state.out, state.last, state.current) == (0, 1, 2)
    assert names(move(state, "place 6")) == ["placed", "scored"]
    assert RULES.outcome(state) == Outcome(BY_RULES, (0, 0, 6), (1, 1, 3))


def test_the_last_card_of_the_last_turn_ends_the_round_though_it_clears() -> None:
    """PL-20, PL-15."""
    state = table(known("9"), known("A"))
    move(state, "place 9")
    assert names(move(state, "place A")) == ["placed", "cleared", "scored"]
    assert RULES.outcome(state) == Outcome(BY_RULES, (0, 0), (1, 1))


def test_whether_a_player_is_out_is_judged_after_adding() -> None:
    """PL-20."""
    for text, out in (("add", -1), ("add 8", 0)):
        state = table("8 / / 8 _ _ _", known("2"))
        move(state, "blind 0")
        assert state.out == -1
        move(state, text)
        assert state.out == out


def test_a_blind_card_as_the_last_one_is_out_only_if_it_stands() -> None:
    """PL-20, PL-18."""
    state = table("/ / 8 _ _ _", known("2"), plate="7")
    move(state, "blind 0")
    assert (state.out, primary(state, 0)) == (-1, "7 8")
    state = table("/ / 8 _ _ _", known("2"), plate="9")
    move(state, "blind 0")
    assert legal(state) == {"add"}
    move(state, "add")
    assert (state.out, state.current) == (0, 1)


def test_all_cards_of_both_hands_count_seen_or_not() -> None:
    """PL-21."""
    state = table("2 / / _ _ _ _", "A T / 3 / J _ Q _")
    move(state, "place 2")
    events = move(state, "place A")
    events += move(state, "place T")
    assert events[-1] == ["scored", 0, [0, 3 + 11 + 12], [[[], [], []], [[], cards("3"), cards("J Q")]]]


def test_hands_are_shown_when_a_round_is_scored_and_the_set_aside_cards_when_the_game_is_over() -> None:
    """PL-21."""
    for rounds, over in ((2, False), (1, True)):
        state = table("2 / / _ _ _ _", "A T / 3 / J _ Q _", rounds=rounds)
        state.aside = cards("5 6")
        move(state, "place 2")
        move(state, "place A")
        events = RULES.decide(state, 1, ACTIONS["place T"], DEALER)
        for event in events[:2]:
            RULES.apply(state, event)
        seen = RULES.observation(state, None)
        assert seen["phase"] == ("over" if over else "scored")
        assert [seat["primary"] for seat in seen["seats"]] == [[], []]
        assert seen["seats"][1]["unseen"] == ["JS", None, "QS", None]
        assert [seat["points"] for seat in seen["seats"]] == [[0], [26]]
        assert seen["aside"] == (["5S", "6S"] if over else None)
        assert RULES.redact(events[1], None) == events[1]


def test_several_rounds_are_played_and_the_least_total_wins() -> None:
    """PL-22."""
    for rounds in (1, 3):
        state, log = finish(Table("plates", 3, (("rounds", rounds),)), 3)
        scored = [event[2] for event in log if event[0] == "scored"]
        assert len(scored) == rounds
        totals = tuple(map(sum, zip(*scored, strict=True)))
        outcome = RULES.outcome(state)
        assert outcome is not None
        assert outcome.scores == totals
        assert outcome.placings == tuple(1 + sum(other < total for other in totals) for total in totals)


def test_three_rounds_are_the_default_and_one_to_twenty_are_possible() -> None:
    """PL-22."""
    assert RULES.resolve(2, {}) == {"rounds": 3, "turn_limit": 300}
    for rounds in (0, 21):
        with pytest.raises(OptionError):
            RULES.resolve(2, {"rounds": rounds})
    assert RULES.resolve(8, {"rounds": 20})["rounds"] == 20


def test_each_round_has_all_packs_shuffled_and_the_deal_moves_clockwise() -> None:
    """PL-22."""
    for seats in (2, 3):
        for number in (1, 2, 3, 4, 5):
            _, of, dealer, _, primaries, *_ = dealt(seats, number)
            assert of == number
            assert dealer == (seats - 1 + number - 1) % seats
            order = DEALER.shuffle(f"deal/round{number}", packs(-(-18 * seats // 52)))
            assert primaries[(dealer + 1) % seats] == sorted(order[:10])


def test_a_round_that_reaches_its_turn_limit_is_scored_as_it_stands() -> None:
    """PL-23."""
    state = table(known("9 9"), known("8 8"), rounds=2, turn_limit=2)
    move(state, "place 9")
    assert names(events := move(state, "place 8")) == ["placed", "scored", "dealt"]
    assert events[1][:3] == ["scored", 1, [9, 8]]
    assert (state.round, state.turns) == (2, 0)
    assert RULES.outcome(state) is None


def test_the_result_says_turn_limit_if_any_round_was_cut() -> None:
    """PL-23."""
    for cut in ([0, 0], [1, 0], [0, 1], [1, 1]):
        state = table(known("2"), known("2"), rounds=2)
        for number, was_cut in enumerate(cut, 1):
            state.round = number
            RULES.apply(state, ["scored", was_cut, [3, 4], []])
        assert RULES.outcome(state) == Outcome(TURN_LIMIT if any(cut) else BY_RULES, (6, 8), (1, 2))


def test_take_and_lead_are_one_turn_as_are_blind_and_add() -> None:
    """PL-23."""
    state = table("K / / 2 Q _ _", known("2"), plate="4", turn_limit=2)
    move(state, "take")
    assert (state.turns, state.round, RULES.outcome(state)) == (0, 1, None)
    state = table("K / / 2 Q _ _", known("9 9"), plate="4", turn_limit=2)
    move(state, "blind 0")
    assert state.turns == 0
    move(state, "add")
    assert state.turns == 1
    move(state, "take")
    assert state.turns == 1
    assert names(move(state, "place 9")) == ["placed", "scored"]


def test_a_turn_won_by_clearing_is_a_further_one() -> None:
    """PL-23."""
    state = table(known("A 9 9"), known("9 9"), turn_limit=2)
    move(state, "place A")
    assert state.turns == 1
    assert move(state, "place 9")[-1][:2] == ["scored", 1]


def test_a_turn_that_also_ends_the_round_ended_it_by_the_rules() -> None:
    """PL-23, PL-20; going out at the limit does not end the round, so the limit does."""
    state = table(known("9"), known("8 8"), turn_limit=2)
    move(state, "place 9")
    assert move(state, "place 8")[-1][:2] == ["scored", 0]
    assert RULES.outcome(state) == Outcome(BY_RULES, (0, 8), (1, 2))
    state = table(known("9"), known("8 8"), turn_limit=1)
    assert move(state, "place 9")[-1][:2] == ["scored", 1]


def test_the_turn_limit_is_checked_after_a_last_turn_that_goes_on_too() -> None:
    """PL-23: an Ace in a last turn wins a further one, but the limit is reached."""
    state = table(known("9"), known("A 8 8"), turn_limit=2)
    move(state, "place 9")
    assert move(state, "place A")[-1] == ["scored", 1, [0, 16], [[[], [], []], [cards("8 8"), [], []]]]


# Moves


@pytest.mark.parametrize(
    "text",
    [
        *("", "place", "place ", "place /", "place 9/", "place 98", "place 9/8", "place 9 9", "place *", "place !"),
        *("place 9!!", "place  9", " place 9", "place 9 ", "Place 9", "place 10", "place /99999", "place " + "9" * 13),
        *("blind", "blind 4", "blind -1", "blind 0!", "blind 00", "add!", "add 3 !", "add /3", "add 34", "take 9"),
        *("take!", "place ９", "pass", "add " + "9" * 13),
    ],
)
def test_a_text_that_is_no_move_gets_the_notation(text: str) -> None:
    with pytest.raises(MalformedMove) as caught:
        RULES.parse_move(table(known("9"), known("2")), text)
    assert caught.value.sentence == RULES.spec.notation


def test_nobody_else_may_move() -> None:
    state = table(known("9 9"), known("8 8"))
    assert legal(state, 1) == set()
    with pytest.raises(IllegalMove) as caught:
        RULES.decide(state, 1, ACTIONS["place 8"], DEALER)
    assert caught.value.code == "not_your_turn"
    assert "another player" in caught.value.sentence


def test_a_number_that_is_no_action_is_refused() -> None:
    state = table(known("9 9"), known("8 8"))
    for action in (-1, 1 << 13, 1 << 20, 1 << 13 | 1 << 4 | 14):
        with pytest.raises(IllegalMove) as caught:
            RULES.decide(state, 0, action, DEALER)
        assert caught.value.code == "no_such_move"


def test_a_consequence_is_nobodys_move() -> None:
    with pytest.raises(ValueError, match="cleared"):
        RULES.action_of(table(known("9"), known("2")), ["cleared", 0, 3])


def test_legal_moves_in_random_games_obey_the_clauses_one_by_one() -> None:
    """PL-7 … PL-14, PL-16, PL-19: the legal set worked out anew from the cards, card by card."""
    for seats in (2, 5):
        for node in play(Table("plates", seats, (("rounds", 2),)), 8):
            if node.state.phase == 1:
                assert legal(node.state) == worked_out(node.state)


def worked_out(state: PlatesState) -> set[str]:
    """Return the legal moves of the player to act, from nothing but the clauses and the lists of cards."""
    seat = state.current
    top = RANKS[state.plate[-1] >> 2] if state.plate else None
    run = 0
    while run < len(state.plate) and RANKS[state.plate[-1 - run] >> 2] == top:
        run += 1
    moves: set[str] = set()
    for rank in HEIGHTS:
        hands = [[card for card in hand[seat] if RANKS[card >> 2] == rank] for hand in (state.primary, state.revealed)]
        if top and rank != "A" and HEIGHTS.index(rank) > HEIGHTS.index(top):
            continue
        for p in range(len(hands[0]) + 1):
            for r in range(len(hands[1]) + 1):
                if p + r:
                    text = f"place {rank * p}" + (f"/{rank * r}" if r else "")
                    moves.add(text)
                    if rank == top and p + r < 4 and run + p + r >= 4:
                        moves.add(text + "!")
    if not moves and top:
        moves.add("take")
    if not state.revealed[seat]:
        moves |= {f"blind {position}" for position, card in enumerate(state.unseen[seat]) if card != GONE}
    return moves


# The worked examples of the rules page


def test_example_1_a_nine_on_the_plate() -> None:
    state = table("9 9 J A / K / 2 3 4 5", known("2"), plate="9")
    assert legal(state) == {"place 9", "place 99", "place A"}
    for text in ("place J", "place /K", "take", "blind 0"):
        refusal(state, text)


def test_example_2_four_sixes_stay_or_are_cleared() -> None:
    state = table(known("6 6 K"), known("2 5 6 7 A"), plate="6 6")
    move(state, "place 66")
    assert (plate(state), state.current) == ("6 6 6 6", 1)
    assert legal(state) == {"place 2", "place 5", "place 6", "place 6!", "place A"}
    state = table(known("6 6 K"), known("2"), plate="6 6")
    move(state, "place 66!")
    assert (plate(state), state.current) == ("", 0)


def test_example_3_a_blind_eight_is_taken_with_the_plate() -> None:
    state = table("K Q / / 8 2 _ _", known("2"), plate="4")
    assert legal(state) == {"take", "blind 0", "blind 1"}
    move(state, "blind 0")
    assert primary(state, 0) == "4 8 Q K"
    assert legal(state) == {"place 4", "place 8", "place Q", "place K", "blind 1"}


def test_example_4_threes_are_added_to_a_blind_three() -> None:
    state = table("3 3 K / / 3 _ _ _", known("2"), plate="4")
    move(state, "blind 0")
    assert legal(state) == {"add", "add 3", "add 33"}


def test_example_5_the_last_card_is_an_ace() -> None:
    state = table(known("A"), known("9 9"), known("K K"), plate="4")
    assert names(move(state, "place A")) == ["placed", "cleared"]
    assert (plate(state), state.out, state.current) == ("", 0, 1)
    assert legal(state) == {"place 9", "place 99"}
    move(state, "place 9")
    move(state, "take")
    assert move(state, "place K")[-1][0] == "scored"


def test_example_6_what_an_ace_a_king_and_an_unseen_two_count() -> None:
    state = table("A K / / 2 _ _ _", known("2"))
    assert RULES.standing(state) == ((65, 2), (2, 1))
