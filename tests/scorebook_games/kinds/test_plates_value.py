"""The value function of Plates follows the rules, uses nothing hidden, and knows which cards may be drawn."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.kinds.plates.kind import KIND
from scorebook_games.kinds.plates.rules import ADD, GONE, PLAY, PlatesState
from scorebook_games.kinds.plates.value import PlatesValue, Position
from scorebook_games.luck.games import play
from scorebook_games.luck.ledger import CHANCE, Ledger, ledger_of
from scorebook_games.search.chance import DrawDealer
from scorebook_games.value import Draw, expectation

RULES = KIND.rules
VALUE = PlatesValue(RULES, KIND.folder / "value-1.json")
DEALER = DrawDealer(random.Random(0).random)
ONE_ROUND = {"rounds": 1}


def facts(position: Position) -> dict[str, object]:
    return {name: getattr(position, name) for name in Position.__slots__}


def moments(seats: int, careless: float = 0.1, **options: Any) -> Iterator[tuple[PlatesState, list[Event]]]:
    """Yield every state of a game after the first deal, with the events that follow."""
    log = play("plates", [careless] * seats, bytes([seats] * 32), options=options)
    state = RULES.initial(seats, log[0][1]["options"])
    RULES.apply(state, log[1])
    for place in range(2, len(log)):
        yield state, log[place:]
        RULES.apply(state, log[place])


def after(state: PlatesState, events: list[Event]) -> PlatesState:
    """Return the state after a move, before its round is scored."""
    state = state.copy()
    for event in events:
        if event[0] == "scored":
            break
        RULES.apply(state, event)
    return state


def luck(draw: Draw, seats: int) -> list[float]:
    whole = sum(weight for weight, _ in draw.possible)
    return [
        draw.actual[seat] - sum(weight * values[seat] for weight, values in draw.possible) / whole
        for seat in range(seats)
    ]


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_the_usual_moves_are_legal_and_do_what_they_do_in_a_game(seats: int) -> None:
    moves = 0
    for state, (event, *_) in moments(seats, rounds=2):
        if VALUE.decider(state, event) is None:
            continue
        legal = RULES.legal_actions(state, state.current)
        answers = [RULES.decide(state, state.current, action, DEALER) for action in legal]
        position = Position.of(state)
        if position.usual_move():
            assert facts(position) in [facts(Position.of(after(state, events))) for events in answers]
            moves += 1
        else:
            assert answers[-1][0][0] == "turned"
            assert facts(position) == facts(Position.of(state))
    assert moves > 30


def test_a_card_that_is_turned_up_stands_or_brings_the_plate() -> None:
    """PL-17, PL-18."""
    phases = set()
    for state, (event, *_) in moments(3):
        if event[0] == "turned":
            position = Position.of(state)
            position.turn_up(event[3] >> 2)
            assert facts(position) == facts(Position.of(after(state, [event])))
            phases.add(position.phase)
    assert phases == {PLAY, ADD}


def test_unseen_cards_that_are_alike_are_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """PL-16: whichever of its unseen cards a seat turns up, the same cards may come."""
    state, event = next((state, events[0]) for state, events in moments(2) if events[0][0] == "turned")
    value = PlatesValue(RULES, VALUE.file)
    (draw,) = value.draws(state, event, DEALER, {})
    monkeypatch.setattr(value, "values_of", lambda _: pytest.fail("worked out again"))
    (again,) = value.draws(state, event, DEALER, {})
    assert again == draw


def test_a_deal_begins_a_round() -> None:
    dealt = 0
    for state, (event, *_) in moments(3):
        if event[0] == "dealt":
            position = Position.of(state)
            position.deal(event)
            assert facts(position) == facts(Position.of(after(state, [event])))
            dealt += 1
    assert dealt == 2


def test_a_copy_of_a_position_changes_alone() -> None:
    for state, (event, *_) in moments(3, rounds=1):
        position = Position.of(state)
        twin = position.copy()
        twin.play_on()
        if event[0] == "turned":
            position.copy().turn_up(event[3] >> 2)
        assert facts(position) == facts(Position.of(state))


def test_where_unseen_and_set_aside_cards_lie_does_not_change_a_value() -> None:
    for state, _ in moments(2):
        twin = state.copy()
        hidden = [card for cards in [state.aside, *state.unseen] for card in cards if card != GONE][::-1]
        twin.aside = [hidden.pop() for _ in state.aside]
        twin.unseen = [[GONE if card == GONE else hidden.pop() for card in cards] for cards in state.unseen]
        assert VALUE.values(twin) == VALUE.values(state)


def test_the_luck_of_all_cards_that_may_be_turned_up_sums_to_0() -> None:
    """Each hidden card is put once at the place that is turned up."""
    states = [state.copy() for state, (event, *_) in moments(2) if event[0] == "turned"][:8]
    for state in states:
        seat, total = state.current, [0.0, 0.0]
        place = next(at for at, card in enumerate(state.unseen[seat]) if card != GONE)
        for card in [card for cards in [state.aside, *state.unseen] for card in cards if card != GONE]:
            (draw,) = VALUE.draws(state, ["turned", seat, place, card], DEALER, {})
            total = [one + more for one, more in zip(total, luck(draw, 2), strict=True)]
        assert total == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("seats", [2, 3])
def test_the_value_before_the_last_unseen_card_is_the_mean_of_the_values_after_it(seats: int) -> None:
    """So nothing but the card itself changes it: neither waiting for it nor usual moves do."""
    found = set()
    for number in range(8):
        log = play("plates", [0.0] * seats, bytes([seats, number] * 16), options=ONE_ROUND)
        state = RULES.initial(seats, log[0][1]["options"])
        for event in log[1:]:
            if event[0] in ("turned", "scored") and sum(Position.of(state).down) == 1:
                (draw,) = VALUE.draws(state, event, DEALER, {})
                assert VALUE.values(state) == pytest.approx(expectation(draw.possible), abs=1e-12)
                found.add(event[0])
            RULES.apply(state, event)
    assert "turned" in found


def test_the_luck_of_all_hands_that_may_be_left_sums_to_0() -> None:
    """PL-21: each pair of hidden cards in turn is what is left unseen when a round is scored."""
    state = next(state for state, (event, *_) in moments(2, 1.0, rounds=2, turn_limit=30) if event[0] == "scored")
    hidden = [card for cards in [state.aside, *state.unseen] for card in cards if card != GONE]
    total = [0.0, 0.0]
    for one in range(len(hidden)):
        for other in range(len(hidden)):
            if one != other:
                twin = state.copy()
                twin.unseen = [[GONE, GONE, hidden[one], GONE], [hidden[other], GONE, GONE, GONE]]
                twin.aside = [card for place, card in enumerate(hidden) if place not in (one, other)]
                first, second = VALUE.draws(twin, ["scored"], DEALER, {})
                total = [sum(each) for each in zip(total, luck(first, 2), luck(second, 2), strict=True)]
    assert total == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("turn_limit", [7, 300])
def test_when_a_round_is_scored_its_unseen_cards_are_the_only_luck(turn_limit: int) -> None:
    rounds = 0
    for state, (event, *_) in moments(3, rounds=2, turn_limit=turn_limit):
        if event[0] == "scored":
            draws = list(VALUE.draws(state, event, DEALER, {}))
            assert len(draws) == sum(Position.of(state).down)
            reached = draws[-1].actual if draws else VALUE.values(state)
            RULES.apply(scored := state.copy(), event)
            assert reached == pytest.approx(VALUE.values(scored))
            rounds += 1
    assert rounds == 2


def test_a_deal_is_compared_with_others_in_which_every_seat_has_each_hand() -> None:
    state, event = next((state.copy(), event) for state, (event, *_) in moments(3) if event[0] == "dealt")
    hands: list[tuple[int, ...]] = []

    class Noting(PlatesValue):
        def values_of(self, position: Position) -> list[float]:
            hands.append(tuple(position.hands))
            return super().values_of(position)

    (draw,) = Noting(RULES, VALUE.file).draws(state, event, DEALER, {})
    assert draw.sampled
    assert len(hands) == 3 * len(draw.possible) + 1
    assert all(sum(values) == pytest.approx(1.5) for _, values in draw.possible)


def sums(ledger: Ledger) -> list[float]:
    parts = zip(ledger.start, ledger.luck, ledger.own, ledger.others, ledger.unexplained, ledger.table, strict=True)
    return [sum(each) for each in parts]


@pytest.mark.parametrize("seats", [2, 5, *(pytest.param(seats, marks=pytest.mark.slow) for seats in (3, 6, 8))])
@pytest.mark.parametrize("options", [{"rounds": 1}, {"rounds": 4, "turn_limit": 1}, {"rounds": 2, "turn_limit": 40}])
def test_the_parts_of_a_ledger_sum_to_the_result_with_all_options(seats: int, options: dict[str, int]) -> None:
    log = play("plates", [0.3] * (seats - 1) + [1.0], bytes(32), options=options)
    ledger = ledger_of(log, VALUE, deals=2)
    assert ledger.finished
    assert sums(ledger) == pytest.approx(ledger.result, abs=1e-9)
    assert ledger.table == [0] * seats
    assert all(sum(entry.gains) == pytest.approx(0, abs=1e-9) for entry in ledger.entries)


def test_a_game_that_ends_anywhere_has_a_ledger_up_to_there() -> None:
    log = play("plates", [0.3, 0.3], bytes(32), options={"rounds": 2, "turn_limit": 12})
    for end in range(1, len(log)):
        ledger = ledger_of(log[:end], VALUE, deals=2)
        assert not ledger.finished
        assert sums(ledger) == pytest.approx(ledger.result, abs=1e-9)


def test_a_player_who_leaves_and_a_bot_that_plays_on_stand_apart_from_luck() -> None:
    log = play("plates", [0, 0, 0], bytes(32), options=ONE_ROUND)
    plain = ledger_of(log, VALUE, deals=2)
    left: list[Event] = [[ev.LEFT, 1, ev.FORFEITED], [ev.TAKEN_OVER, 1, "sensible"]]
    taken = ledger_of([*log[:20], *left, *log[20:]], VALUE, deals=2)
    assert [entry.gains for entry in taken.entries if entry.sort == CHANCE] == [
        entry.gains for entry in plain.entries if entry.sort == CHANCE
    ]
    assert sums(taken) == pytest.approx(taken.result, abs=1e-9)
