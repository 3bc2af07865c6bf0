"""The value function of Chinese Ten follows the rules, uses nothing hidden, and knows which cards may be drawn."""

from __future__ import annotations

import random
from collections.abc import Iterator
from operator import mul

import pytest

from scorebook_games.contract import Event
from scorebook_games.kinds.chinese_ten.kind import KIND
from scorebook_games.kinds.chinese_ten.rules import NOBODY, NOTHING, SPOTS, State
from scorebook_games.kinds.chinese_ten.value import PARTNER, ChineseTenValue, Position
from scorebook_games.luck.games import play
from scorebook_games.search.chance import DrawDealer
from scorebook_games.value import expectation

RULES = KIND.rules
VALUE = ChineseTenValue(RULES, KIND.folder / "value-1.json")
DEALER = DrawDealer(random.Random(0).random)


def facts(position: Position) -> dict[str, object]:
    return {name: getattr(position, name) for name in Position.__slots__}


def moments(seats: int, packs: int = 2, seed: int = 0) -> Iterator[tuple[State, list[Event]]]:
    """Yield every state of a game after the deal, with the events that follow."""
    log = play("chinese_ten", [0.3] * seats, bytes([seed] * 32), options={"packs": packs})
    state = RULES.initial(seats, log[0][1]["options"])
    RULES.apply(state, log[1])
    for place in range(2, len(log)):
        yield state, log[place:]
        RULES.apply(state, log[place])


@pytest.mark.parametrize(("seats", "packs"), [(2, 2), (4, 1), (6, 2)])
def test_a_position_follows_the_rules_from_event_to_event(seats: int, packs: int) -> None:
    for state, (event, *_) in moments(seats, packs):
        position = Position.of(state)
        if event[0] in ("took", "placed", "flipped") and state.flipped < 0:
            position.turn_up(event[2] >> 2)
        else:
            continue
        RULES.apply(after := state.copy(), event)
        assert facts(position) == facts(Position.of(after))


def test_the_usual_moves_are_legal_and_do_what_they_do_in_a_game() -> None:
    moves = 0
    for seed in range(3):
        for state, _ in moments(2 + seed, seed=seed):
            if not RULES.to_act(state) or Position.of(state).over():
                continue
            played = Position.of(state)
            played.usual_move()
            outcomes = []
            for action in RULES.legal_actions(state, state.turn):
                RULES.apply(after := state.copy(), RULES.decide(state, state.turn, action, DEALER)[0])
                outcomes.append(facts(Position.of(after)))
            assert facts(played) in outcomes
            moves += 1
    assert moves > 100


def test_a_copy_of_a_position_changes_alone() -> None:
    for state, _ in moments(3):
        position = Position.of(state)
        twin = position.copy()
        twin.play_on()
        if twin.cards:
            twin.turn_up(next(rank for rank, count in enumerate(twin.deck) if count))
            twin.play_on()
        assert facts(position) == facts(Position.of(state))


def test_strengths_are_the_weighted_features() -> None:
    for state, _ in moments(3):
        position = VALUE.position(state)
        rows = VALUE.features(position)
        assert VALUE.strengths(position) == pytest.approx([sum(map(mul, VALUE.weights, row)) for row in rows])


def test_the_order_of_the_deck_does_not_change_a_value() -> None:
    for state, _ in moments(2):
        twin = state.copy()
        twin.deck = state.deck[: state.at] + state.deck[state.at :][::-1]
        assert VALUE.values(twin) == VALUE.values(state)


def test_in_the_last_turn_a_value_is_the_mean_over_each_card_that_may_be_turned_up() -> None:
    """CT-8: a card that captures is followed by another one, so a chain of them may still decide the game."""
    open_flips = 0
    for seed in range(8):
        for state, (event, *_) in moments(2, seed=seed):
            if state.in_hands or Position.of(state).over():
                continue
            for draw in VALUE.draws(state, event, DEALER, {}):
                values = VALUE.values(state)
                assert values == pytest.approx(expectation(draw.possible))
                open_flips += 0 < values[0] < 1 and values[0] != 0.5
    assert open_flips > 1


def test_cards_of_the_last_turn_that_capture_in_another_order_are_not_reckoned_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """CT-8: with three alike cards on each of four spots, the twelve that take them may come in 369,600 orders."""
    turned_up = 0
    turn_up = Position.turn_up

    def counted(position: Position, rank: int) -> None:
        nonlocal turned_up
        turned_up += 1
        assert turned_up < 1000
        turn_up(position, rank)

    monkeypatch.setattr(Position, "turn_up", counted)
    position = Position.of(next(moments(2))[0])
    position.turns, position.phase, position.in_hands = position.most - 1, NOBODY, 0
    full, empty = [0, 1, 2, 3], SPOTS - 4
    position.spots = [*([rank] * 3 for rank in full), *([] for _ in range(empty))]
    position.wanted = [*(PARTNER[rank] for rank in full), *[NOTHING] * empty]
    position.deck = [4 * (rank in position.wanted[:4]) for rank in range(NOTHING + 1)]
    position.cards = sum(position.deck)
    assert sum(VALUE.values_of(position)) == pytest.approx(1)


def test_the_luck_of_all_cards_that_may_be_turned_up_sums_to_0() -> None:
    """Each card of the deck is put on top once; everything else stays the same."""
    draws = 0
    for state, _ in moments(2):
        if not RULES.to_act(state) or state.at == len(state.deck) or state.flipped >= 0:
            continue
        luck = [0.0, 0.0]
        for place in range(state.at, len(state.deck)):
            twin = state.copy()
            twin.deck = state.deck[:]
            twin.deck[state.at], twin.deck[place] = twin.deck[place], twin.deck[state.at]
            first, second, *_ = RULES.decide(twin, twin.turn, RULES.legal_actions(twin, twin.turn)[0], DEALER)
            assert not list(VALUE.draws(twin, first, DEALER, {}))
            RULES.apply(twin, first)
            (draw,) = VALUE.draws(twin, second, DEALER, {})
            RULES.apply(twin, second)
            assert draw.actual == VALUE.values(twin)
            whole = sum(weight for weight, _ in draw.possible)
            for seat in (0, 1):
                luck[seat] += draw.actual[seat] - sum(weight * each[seat] for weight, each in draw.possible) / whole
        assert luck == pytest.approx([0, 0], abs=1e-9)
        draws += 1
        if draws == 10:
            return
