"""The value function of Palace follows the rules, uses nothing hidden, and knows which cards may be drawn."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from math import sqrt
from operator import mul
from typing import Any

import pytest

from scorebook_games.contract import Event
from scorebook_games.kinds.palace.kind import KIND
from scorebook_games.kinds.palace.state import CHOOSE, GONE, OVER, PalaceState
from scorebook_games.kinds.palace.value import (
    RANKS,
    STRENGTH,
    PalaceValue,
    Position,
    in_stack,
    returned_places,
)
from scorebook_games.luck.games import play
from scorebook_games.luck.ledger import ledger_of
from scorebook_games.search.chance import DrawDealer
from scorebook_games.value import Draw, expectation

RULES = KIND.rules
VALUE = PalaceValue(RULES, KIND.folder / "value-1.json")
DEALER = DrawDealer(random.Random(0).random)
OPTIONS: list[tuple[int, dict[str, Any]]] = [
    (2, {}),
    (3, {"joker": "reverse", "placings": "play_on", "last_card_call": True}),
    (2, {"ace": "reset", "jokers": False, "start": "left"}),
    (4, {"ace": "reset", "joker": "reverse", "last_card_call": True, "packs": 1}),
    (5, {"placings": "play_on", "turn_limit": 60, "packs": 1}),
]


def facts(position: Position) -> dict[str, object]:
    """Return all facts of a position except cards still to be drawn and the phase, which only depends on the end."""
    found = {name: getattr(position, name) for name in Position.__slots__}
    return {**found, "due": 0, "drawer": 0, "phase": OVER if position.over() else position.phase}


@pytest.mark.parametrize(("seats", "options"), OPTIONS)
def test_after_a_play_the_cards_that_refill_the_hand_are_due_pa_15(seats: int, options: dict[str, Any]) -> None:
    drawn = 0
    for state, (event, *_) in moments(seats, options):
        position = Position.of(state)
        if event[0] == "drew":
            assert (position.drawer, position.due) == (event[1], len(event[2]))
            drawn += 1
        else:
            assert not position.due
    assert drawn


def moments(
    seats: int, options: dict[str, Any], seed: int = 0, careless: float = 0.2
) -> Iterator[tuple[PalaceState, list[Event]]]:
    """Yield every state of a game after the deal, with the events that follow."""
    log = play("palace", [careless] * seats, bytes([seed] * 32), options=options)
    state = RULES.initial(seats, log[0][1]["options"])
    RULES.apply(state, log[1])
    for place in range(2, len(log)):
        yield state, log[place:]
        RULES.apply(state, log[place])


def follow(position: Position, event: Event) -> bool:
    """Let `position` follow an event, and return whether it can."""
    match event:
        case ["drew", seat, cards]:
            position.due, position.drawer = len(cards), seat
            for card in cards:
                position.draw(card >> 2)
        case ["chanced", _, card]:
            position.chance(card >> 2)
        case ["turned" | "failed", _, _, card, _, last]:
            position.turn_up(card >> 2, last)
        case ["looked", _, _, card]:
            position.look(card >> 2)
        case ["took", *_]:
            position.take()
        case ["called", *_]:
            position.call()
        case ["risked" | "kept", *_] if (event[0] == "risked") == position.fits_chanced():
            position.answer()
        case _:
            return False
    return True


@pytest.mark.parametrize(("seats", "options"), OPTIONS)
def test_a_lead_is_less_sure_at_larger_tables_unless_the_rest_play_on_pa_23(
    seats: int, options: dict[str, Any]
) -> None:
    state, _ = next(moments(seats, options))
    wider = 1 if "placings" in options else sqrt(seats / 2)
    assert sum(VALUE.spread(VALUE.position(state))) == pytest.approx(wider)


@pytest.mark.parametrize(("seats", "options"), OPTIONS)
def test_a_position_follows_the_rules_from_event_to_event(seats: int, options: dict[str, Any]) -> None:
    followed = set()
    for seed in range(4):
        for state, (event, *_) in moments(seats, options, seed):
            position = Position.of(state)
            if follow(position, event):
                followed.add(event[0])
                RULES.apply(after := state.copy(), event)
                assert facts(position) == facts(Position.of(after)), event
    assert {"drew", "chanced", "turned", "looked", "took", "risked", "kept"} <= followed


@pytest.mark.parametrize(("seats", "options"), OPTIONS)
def test_the_usual_moves_are_legal_and_do_what_they_do_in_a_game(seats: int, options: dict[str, Any]) -> None:
    moves = 0
    for state, _ in moments(seats, options, 7):
        played = Position.of(state)
        if state.phase == CHOOSE or played.over() or not played.usual_move():
            continue
        outcomes = []
        for seat in RULES.to_act(state):
            for action in RULES.legal_actions(state, seat):
                after = state.copy()
                for event in RULES.decide(state, seat, action, DEALER):
                    if event[0] != "drew":
                        RULES.apply(after, event)
                outcomes.append(facts(Position.of(after)))
        assert facts(played) in outcomes
        moves += 1
    assert moves > 30


@pytest.mark.parametrize(("seats", "options"), OPTIONS)
def test_the_usual_moves_are_those_of_the_sensible_bot(seats: int, options: dict[str, Any]) -> None:
    """Palaces may be equally strong, and tens and jokers are interchangeable; these cases are left out."""
    alike = moves = 0
    for state, (event, *_) in moments(seats, options, 8, careless=0.0):
        played = Position.of(state)
        if state.phase == CHOOSE or event[0] not in ("played", "took", "kept", "risked") or not played.usual_move():
            continue
        RULES.apply(after := state.copy(), event)
        if event[0] == "played" and state.at == len(state.stack) and not after.held[event[1]] and after.upper[event[1]]:
            RULES.apply(after, ["raised", event[1], after.upper[event[1]][:]])
        alike += facts(played) == facts(Position.of(after))
        moves += 1
    assert moves > 30
    assert alike > 0.95 * moves


def test_a_choice_lays_the_strongest_cards_and_the_worst_palace_starts() -> None:
    for state, events in moments(3, {}):
        if state.phase == CHOOSE and events[0][0] == "laid":
            position = Position.of(state)
            assert position.usual_move()
            RULES.apply(after := state.copy(), events[0])
            assert facts(position) == facts(Position.of(after))
    state, _ = next(moments(2, {}))
    position = Position.of(state)
    position.choose()
    for seat in (0, 1):
        ranks = sorted([STRENGTH[rank] for rank in RANKS for _ in state.hands[seat][rank]])
        assert sorted([STRENGTH[rank] for rank in position.upper[seat]]) == ranks[-3:]
        assert position.held[seat] == sum(position.hands[seat]) == 3


def test_a_copy_of_a_position_changes_alone() -> None:
    for state, (event, *_) in moments(3, OPTIONS[1][1]):
        position = Position.of(state)
        twin = position.copy()
        follow(twin, event)
        twin.play_on()
        if not twin.stack and twin.waits():
            twin.outcomes()
        assert facts(position) == facts(Position.of(state))


def test_strengths_are_the_weighted_features() -> None:
    for state, _ in moments(3, {}):
        position = VALUE.position(state)
        rows = VALUE.features(position)
        assert VALUE.strengths(position) == pytest.approx([sum(map(mul, VALUE.weights, row)) for row in rows])


def test_the_order_of_unseen_cards_does_not_change_a_value() -> None:
    for state, _ in moments(2, {}):
        twin = state.copy()
        unseen = [*state.stack[state.at :]]
        places = [(seat, place) for seat in (0, 1) if not state.known[seat] for place in range(3)]
        places = [(seat, place) for seat, place in places if state.under[seat][place] != GONE]
        unseen += [state.under[seat][place] for seat, place in places]
        unseen.reverse()
        twin.stack = state.stack[: state.at] + unseen[len(places) :]
        for (seat, place), card in zip(places, unseen, strict=False):
            twin.under[seat][place] = card
        if not places:
            twin.stack = state.stack[: state.at] + unseen
        assert VALUE.values(twin) == pytest.approx(VALUE.values(state), abs=1e-12)


def unseen_cards(state: PalaceState) -> list[int]:
    """Return the cards of the stack and those of the under palaces that nobody has seen."""
    unders = [card for seat, under in enumerate(state.under) if not state.known[seat] for card in under]
    return [*state.stack[state.at :], *[card for card in unders if card != GONE]]


def luck_of(draw: Draw) -> list[float]:
    return [new - mean for new, mean in zip(draw.actual, expectation(draw.possible), strict=True)]


def test_the_luck_of_all_cards_that_may_be_drawn_sums_to_0() -> None:
    """Each unseen card is put once on top of the stack, or where somebody turns up or looks at a card."""
    kinds = Counter[str]()
    for seed in range(4):
        for state, (event, *_) in moments(2, {}, seed):
            kind = event[0]
            if kind not in ("drew", "chanced", "turned", "failed", "looked") or kinds[kind] > 4:
                continue
            if kind in ("turned", "failed") and state.known[event[1]]:
                continue
            luck = [0.0, 0.0]
            for card in unseen_cards(state):
                drawn: Event = [kind, event[1], [card]] if kind == "drew" else [kind, event[1], card]
                if kind in ("turned", "failed"):
                    fits = card >> 2 in state.fits[state.current]
                    drawn = ["turned" if fits else "failed", event[1], event[2], card, 0, 0]
                elif kind == "looked":
                    drawn = [*event[:3], card]
                (draw,) = VALUE.draws(state, drawn, DEALER, {"returned": [], "known": False})
                luck = [whole + each for whole, each in zip(luck, luck_of(draw), strict=True)]
            assert luck == pytest.approx([0, 0], abs=1e-9)
            kinds[kind] += 1
    assert min(kinds[kind] for kind in ("drew", "chanced", "turned", "looked")) > 2


def test_a_draw_ends_at_the_value_of_the_state_after_it() -> None:
    for seats, options in OPTIONS[:3]:
        memory: dict[str, Any] = {}
        for state, (event, *more) in moments(seats, options, 3):
            draws = list(VALUE.draws(state, event, DEALER, memory))
            if draws and not (more and more[0][0] == "ended"):
                RULES.apply(after := state.copy(), event)
                assert draws[-1].actual == pytest.approx(VALUE.values(after), abs=1e-12), event


def test_cards_that_went_back_to_the_stack_are_in_no_under_palace() -> None:
    """PA-3: all orders of a small pack are tried, with two cards of the same look."""
    deck = [0, 0, 8, 12, 16]  # two aces, one of which was turned up; two of the five lie in an under palace
    found: Counter[int] = Counter()
    for order in permutations(range(5)):
        stack = order[:3]
        for turned in stack:  # with a chance of one in three each
            if deck[turned] == 0:
                found.update([deck[card] >> 2 for card in stack])
    position = Position.of(next(moments(2, {}))[0])
    position.hidden = [0] * 14
    for card in deck:
        position.hidden[card >> 2] += 1
    position.stack = 3
    weights = in_stack(position, [0])
    for rank in (0, 2, 3, 4):
        assert weights[rank] / sum(weights) == pytest.approx(found[rank] / found.total())


def test_of_cards_that_look_alike_a_lot_says_which_one_went_back() -> None:
    state = next(moments(3, {}))[0].copy()
    state.stack, state.turned = [0, 8, 0, 12], [0, 12, 12]
    found = Counter(tuple(sorted(returned_places(state, DEALER))) for _ in range(1000))
    assert set(found) == {(0, 3), (2, 3)}
    assert min(found.values()) > 400


def test_cards_that_went_back_may_be_drawn_to_the_last() -> None:
    """PA-3, also if one of two jokers was turned up and the other one is in an under palace."""
    drawn = 0
    for seed in range(12):
        log = play("palace", [0, 0], seed.to_bytes(32, "big"))
        if log[1][3]:
            state = RULES.initial(2, log[0][1]["options"])
            memory: dict[str, Any] = {}
            for event in log[1:]:
                if event[0] == "drew":
                    for draw in VALUE.draws(state, event, DEALER, memory):
                        assert draw.actual
                        drawn += 1
                RULES.apply(state, event)
    assert drawn > 50


def test_a_stack_that_is_known_to_hold_only_wild_cards_makes_no_luck() -> None:
    """PA-3: the pile started empty."""
    state = next(state.copy() for state, (event, *_) in moments(2, {}) if event[0] == "drew")
    draw: Event = ["drew", state.turn, [state.stack[state.at]]]
    assert len(list(VALUE.draws(state, draw, DEALER, {}))) == 1
    state.stack = [*state.stack, 0]
    assert not list(VALUE.draws(state, draw, DEALER, {}))


@pytest.mark.some(5)
@pytest.mark.parametrize(
    ("seats", "options"),
    [
        *OPTIONS,
        (6, {}),
        (6, {"placings": "play_on", "joker": "reverse", "last_card_call": True, "packs": 4}),
        (2, {"turn_limit": 1}),
        (3, {"turn_limit": 40, "ace": "reset", "last_card_call": True}),
        (4, {"packs": 2, "jokers": False}),
    ],
)
def test_a_ledger_is_exact_with_every_option(seats: int, options: dict[str, Any]) -> None:
    log = play("palace", [0.3] * seats, bytes([9] * 32), options=options)
    ledger = ledger_of(log, VALUE, deals=4)
    parts = zip(ledger.start, ledger.luck, ledger.own, ledger.others, ledger.unexplained, ledger.table, strict=True)
    assert [sum(each) for each in parts] == pytest.approx(ledger.result, abs=1e-9)
    assert sum(ledger.result) == pytest.approx(seats / 2)
    assert ledger.table == [0] * seats
    assert all(sum(entry.gains) == pytest.approx(0, abs=1e-9) for entry in ledger.entries)


def test_a_value_does_not_depend_on_what_was_computed_before() -> None:
    """The values of a game's end are the same whether they are asked from its beginning or from its end."""
    forwards, backwards = (PalaceValue(RULES, KIND.folder / "value-1.json") for _ in range(2))
    states = [state.copy() for state, *_ in moments(3, {}) if not state.stack[state.at :]]
    assert len(states) > 10
    asked = [forwards.values(state) for state in states]
    assert [backwards.values(state) for state in reversed(states)] == asked[::-1]
