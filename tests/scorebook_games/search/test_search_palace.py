"""The strong bot in Palace: the worlds that it samples, and positions with an obvious answer."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from scorebook_games.bots.builtin import BUILTIN_BOTS, MoveRequest
from scorebook_games.cards import card_of
from scorebook_games.conformance.play import Table, legal_texts, play, tables
from scorebook_games.contract import fold
from scorebook_games.gamelog.pacing import BlankDealer
from scorebook_games.kinds.palace.apply import add_card
from scorebook_games.kinds.palace.guide import PalaceGuide, likely
from scorebook_games.kinds.palace.moves import CALL, TAKE, THROW, TURN
from scorebook_games.kinds.palace.rules import Palace, pack_of
from scorebook_games.kinds.palace.state import EMPTY, GONE, OVER, PLAY, PalaceState
from scorebook_games.kinds.palace.worlds import PalaceWorlds
from tests.scorebook_games.kinds import permute_palace

pytestmark = pytest.mark.usefixtures("strong_thinks_fully")
RULES = Palace()
GUIDE = PalaceGuide()
UNLIKE = [
    Table("palace", 2),
    Table("palace", 6),
    Table("palace", 3, (("joker", "reverse"), ("last_card_call", True), ("placings", "play_on"))),
    Table("palace", 4, (("ace", "reset"), ("jokers", False), ("last_card_call", True), ("packs", 3))),
]
OTHERS = [table for table in tables("palace") if table not in UNLIKE]


def all_cards(state: PalaceState) -> Counter[int]:
    """Return every card, wherever it is."""
    facts = state.plain()
    heaps = [*facts["hands"], *facts["upper"], *facts["under"], facts["stack"], facts["pile"], facts["cleared"]]
    cards = Counter([card for heap in heaps for card in heap if card != GONE])
    return cards + Counter([state.chanced]) if state.chanced >= 0 else cards


def without_throws(moves: list[str]) -> list[str]:
    return [move for move in moves if not move.startswith("throw")]


@pytest.mark.parametrize(
    "table", [*UNLIKE, *[pytest.param(table, marks=pytest.mark.slow) for table in OTHERS]], ids=str
)
def test_a_world_shows_every_seat_what_it_was_made_from_with_the_same_moves_and_the_whole_pack(table: Table) -> None:
    """PA-2, PA-9, PA-15, PA-16, PA-20, PA-21: whoever looks, whether it is their turn or not.

    How many cards may be thrown no observation tells, so a world may allow more throws, but none less.
    """
    rng = random.Random(f"worlds {table}")
    for node in play(table, 1):
        if rng.random() > 0.05:
            continue
        for seat in range(table.seats):
            seen = RULES.observation(node.state, seat)
            world = PalaceWorlds(seen).sample(rng)
            assert RULES.observation(world, seat) == seen
            here, there = legal_texts(RULES, node.state, seat), legal_texts(RULES, world, seat)
            assert without_throws(here) == without_throws(there)
            assert set(here) <= set(there)
            assert all_cards(world) == Counter(pack_of(table.options))


def test_cards_that_went_back_on_the_stack_lie_where_they_can_lie() -> None:
    """PA-3: in no under palace, and before anybody has drawn in no hand or upper palace either."""
    state = RULES.initial(2, RULES.resolve(2, {"packs": 1}))
    deck = pack_of(state.options)
    back = [card_of("AS"), card_of("2S")]
    rest = [card for card in deck if card not in back]
    stack = [*rest[19:], *back]
    dealt = ["dealt", [rest[:3], rest[3:6]], [rest[6:12], rest[12:18]], back, rest[18], stack]
    RULES.apply(state, dealt)
    rng, found = random.Random(1), set()
    choosing, playing = PalaceWorlds(RULES.observation(state, 0)), PalaceWorlds(in_play(state))
    for _ in range(200):
        world = choosing.sample(rng)
        assert set(back) <= set(world.stack)
        world = playing.sample(rng)
        assert not set(back) & {card for under in world.under for card in under}
        found |= {card for cards in world.hands[1] for card in cards}
    assert set(back) <= found


def in_play(state: PalaceState) -> dict[str, Any]:
    """Return what seat 0 sees after both have chosen their first three cards."""
    state = state.copy()
    for seat in (0, 1):
        [action, *_] = RULES.legal_actions(state, seat)
        for event in RULES.decide(state, seat, action, BlankDealer()):
            RULES.apply(state, event)
    assert state.phase == PLAY
    return RULES.observation(state, 0)


def test_what_another_seat_might_throw_is_left_to_the_lot() -> None:
    """PA-16: seat 1 has just played a 7 and drawn; in some worlds it can throw another one, in some it cannot."""
    state = position("5S 8S", "7S KS KD", pile="7D", turn=0, stack=10)
    state.thrower, state.thrown, state.drawn, state.fresh = 1, 6, 1, 0
    worlds = PalaceWorlds(RULES.observation(state, 0))
    rng = random.Random(2)
    assert {bool(worlds.sample(rng).fresh) for _ in range(300)} == {True, False}


@pytest.mark.slow  # `test_strong` asks it of each kind at some moments
@pytest.mark.parametrize("seats", [2, 4])
def test_strong_does_not_peek(seats: int) -> None:
    """In another world with the same history, other cards are hidden; the same chance gives the same answer."""
    table = Table("palace", seats, (("last_card_call", True),))
    rng, compared = random.Random(seats), 0
    for node in play(table, 3):
        if rng.random() > 0.05:
            continue
        other = permute_palace.permuted(seats, table.options, node.log, node.seat, rng)
        if other is None:
            continue
        world = fold(RULES, seats, table.options, other)
        answers = [
            BUILTIN_BOTS["strong"].move(
                MoveRequest("palace", RULES.observation(state, node.seat), len(node.log)),
                legal_texts(RULES, state, node.seat),
                random.Random(4),
            )
            for state in (node.state, world)
        ]
        assert answers[0] == answers[1]
        compared += 1
    assert compared > 5


def position(*hands: str, pile: str = "", turn: int = 0, stack: int = 0, **options: Any) -> PalaceState:
    """Return hands without palaces, or with untouched under palaces during the stack; other cards were cleared."""
    state = RULES.initial(len(hands), RULES.resolve(len(hands), options))
    left = Counter(pack_of(state.options))
    state.phase, state.turn = PLAY, turn
    for seat, hand in enumerate(hands):
        state.under[seat] = [GONE] * 3
        for text in hand.split():
            add_card(state, seat, card_of(text))
            left[card_of(text)] -= 1
    state.pile = [card_of(text) for text in pile.split()]
    left.subtract(state.pile)
    state.current = state.top = state.pile[-1] >> 2 if pile else EMPTY
    state.run = 1 if pile else 0
    rest = list(left.elements())
    for seat in range(state.seats if stack else 0):
        state.under[seat], rest, state.unders[seat] = rest[:3], rest[3:], 3
    state.stack, state.cleared = rest[:stack], rest[stack:]
    return state


def strong(state: PalaceState, seat: int = 0, chance: int = 1) -> str:
    view = MoveRequest("palace", RULES.observation(state, seat), 9)
    return BUILTIN_BOTS["strong"].move(view, legal_texts(RULES, state, seat), random.Random(chance))


@pytest.mark.parametrize("chance", range(4))
def test_strong_lays_an_ace_on_somebody_about_to_win_rather_than_its_lowest_card(chance: int) -> None:
    """PA-10, PA-22: after the 3 seat 1 goes out with almost any card; after the Ace it takes the pile."""
    state = position("3S AS", "KD", pile="2D")
    assert strong(state, chance=chance) == "play A"


@pytest.mark.parametrize("chance", range(4))
def test_strong_clears_and_wins_where_it_can(chance: int) -> None:
    """PA-11, PA-22: the ten clears a long pile, and the 4 is the last card."""
    state = position("4S TS", "KD KC", pile="5D 6D 7D 9D JD QD")
    assert strong(state, chance=chance) == "play T"


def test_strong_plays_its_last_card_rather_than_taking_the_pile() -> None:
    state = position("KS", "3D 4D", pile="9D")
    assert strong(state) == "play K"


def test_strong_calls_out_whoever_did_not_declare() -> None:
    """PA-24: a call costs nothing and gives the owner the whole pile."""
    state = position("3S 4S 9S", "", pile="5D 6D 7D", last_card_call=True)
    state.under[1], state.unders[1], state.uncalled = [GONE, card_of("KD"), GONE], 1, 1 << 1
    state.cleared.remove(card_of("KD"))
    assert strong(state) == "call 1"


def test_a_candidate_declares_the_last_card_and_is_one_card_of_a_rank_or_all() -> None:
    """PA-24: of `play 88` and `play 88 last` only the declaration is looked at."""
    state = position("8S 8H", "KD", pile="7D", last_card_call=True)
    state.under[0], state.unders[0] = [card_of("3D"), GONE, GONE], 1
    texts = [RULES.move_text(state, action) for action in GUIDE.candidates(state, 0)]
    assert texts == ["play 8", "play 88 last", "take"]


def test_every_seat_has_a_candidate_and_a_habit_among_its_legal_moves() -> None:
    """This includes what only some options allow: calls, throws, looks, chances."""
    kinds: set[int] = set()
    for table in UNLIKE:
        for node in play(table, 2):
            legal = RULES.legal_actions(node.state, node.seat)
            candidates = GUIDE.candidates(node.state, node.seat)
            assert candidates
            assert set(candidates) <= set(legal)
            habit = GUIDE.habit(node.state, node.seat, random.Random(1).random)
            assert habit in legal
            kinds.add(next(kind for kind in (TAKE, CALL, TURN, THROW, 0) if habit >= kind))
    assert kinds == {TAKE, CALL, TURN, THROW, 0}


def test_prospects_add_up_and_favour_few_cards_and_wild_ones() -> None:
    """During the stack the number of cards does not matter, because all draw up to three."""
    few, many = position("9S", "9D 9C 8D 8C"), position("9S", "TD")
    assert likely(few)[0] > 0.6
    assert likely(many)[0] < 0.5
    drawing = position("AS 2S TS", "4D 5D 6D", stack=20, turn=1)
    assert likely(drawing)[0] > 0.55
    for state in (few, many, drawing):
        assert sum(likely(state)) == pytest.approx(1)


def test_who_is_out_keeps_their_place_in_the_prospects_of_the_others() -> None:
    """PA-23, `play_on`: one of four is out, three share the rest."""
    state = position("", "9S", "9D", "9C", placings="play_on", turn=1)
    state.out = [0]
    values = likely(state)
    assert values[0] == 1
    assert sum(values) == pytest.approx(2)  # 1, 2/3, 1/3 and 0
    assert max(values[1:]) < 2 / 3


def test_a_finished_game_is_worth_its_placings() -> None:
    """PA-23: all others share the second place, or each has its own."""
    state = position("", "9S", "9D 8D")
    state.out, state.phase, state.termination = [0], OVER, "rules"
    assert GUIDE.value(state) == [1, 0, 0]
    cut = position("9C", "9S", "9D 8D")
    cut.phase, cut.termination = OVER, "turn_limit"
    assert GUIDE.value(cut) == [0.75, 0.75, 0]
    assert GUIDE.settled(cut)


def test_a_move_costs_a_fixed_number_of_playouts_and_leaves_its_question_alone() -> None:
    state = position("3S 9S KS", "4D 5D 6D", pile="7D", stack=20)
    seen = RULES.observation(state, 0)
    dumped = json.dumps(seen)
    moves = {
        BUILTIN_BOTS["strong"].move(MoveRequest("palace", seen, 9), legal_texts(RULES, state, 0), random.Random(5))
        for _ in range(3)
    }
    assert len(moves) == 1
    assert json.dumps(seen) == dumped
