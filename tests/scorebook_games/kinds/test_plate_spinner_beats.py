"""Beats of Plate Spinner (PS-17): what a bundle may contain, and what happens when it is played."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import SEED, DealerInstead
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import FaultyBundle, beat_events, check_bundle
from scorebook_games.kinds.plate_spinner.state import SPIN, State
from tests.bench.plate_spinner_tuning import at_random, bundle, opened
from tests.scorebook_games.kinds.test_plate_spinner import EASY, PAIR, RULES, drafting, plate, slots, table

GRABBING = ["assign 1 {0}1 0.0", "assign 1 {0}2 0.0", "grab"]


class Ordered(DealerInstead):
    """A dealer that takes the seats of a beat in a given order."""

    def __init__(self, order: Sequence[int]) -> None:
        super().__init__(SEED)
        self.order = list(order)

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        return self.order if label.startswith("beat/") else super().shuffle(label, items)


def grabbing(letter: str) -> list[str]:
    """Return a bundle that fills both starting plates and grabs."""
    return [text.format(letter) for text in GRABBING]


def beat(state: State, given: dict[int, list[str]], order: Sequence[int]) -> list[Event]:
    """Check the bundles, play them in this order, and return the applied events after the order in the log."""
    for seat, texts in given.items():
        check_bundle(RULES, state, seat, texts)
    fold = Fold(opened(state.seats))
    fold.state = state
    drawn, *events = beat_events(fold, given, Ordered(order))
    assert drawn == [ev.BEAT, 1, list(order)]
    for event in events:
        fold.apply(event)
    return events


def event_types_of(events: Sequence[Event], seat: int) -> list[str]:
    """Return the types of the events of a seat."""
    return [event[0] for event in events if event[1] == seat]


def test_a_bundle_is_any_assigns_and_then_one_roll_grab_or_finish() -> None:
    """PS-17."""
    state = table("", "", items=EASY)
    before = state.plain()
    actions = check_bundle(RULES, state, 0, ["assign 1 A1 0.0", "roll 11"])
    assert [RULES.move_text(state, action) for action in actions] == ["assign 1 A1 0.0", "roll 11"]
    assert check_bundle(RULES, state, 1, grabbing("B"))
    assert state.plain() == before


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        ([], "malformed_move"),
        (["rol 11"], "malformed_move"),
        (["assign 1 A1 0.0"], "malformed_move"),
        (["roll 1", "roll 1"], "malformed_move"),
        (["roll 1", "assign 1 A1 0.0", "roll 1"], "malformed_move"),
        (["draft P31"], "spinning_is_on"),
        (["assign 1 A1 0.0", "assign 1 A1 0.0", "roll 1"], "group_is_full"),
        (["assign 1 B1 0.0", "roll 1"], "not_your_plate"),
        (["assign 1 A1 0.0", "roll 111"], "dice_not_free"),
        (["grab"], "starting_plates_unfilled"),
        (["finish"], "may_go_on"),
    ],
)
def test_a_bundle_is_checked_against_its_own_seat_when_it_is_given(texts: list[str], code: str) -> None:
    """PS-17."""
    with pytest.raises(FaultyBundle) as caught:
        check_bundle(RULES, table("", "", items=EASY), 0, texts)
    assert caught.value.error.code == code


def test_nobody_rolls_in_a_bundle_while_plates_are_drafted() -> None:
    """PS-17, PS-20."""
    with pytest.raises(FaultyBundle) as caught:
        check_bundle(RULES, drafting("", ""), 0, ["roll 1"])
    assert (caught.value.index, caught.value.error.code) == (0, "drafting_is_on")


def test_the_order_of_a_beat_decides_who_gets_the_lowest_meeple() -> None:
    """PS-17."""
    given = {seat: grabbing(letter) for seat, letter in enumerate("ABC")}
    for order in itertools.permutations(range(3)):
        state = table("", "", "", items=EASY)
        events = beat(state, given, order)
        assert [state.meeples[seat] for seat in order] == [1, 2, 0]
        assert [event for event in events if event[0] == ev.NOT_TAKEN] == [[ev.NOT_TAKEN, order[2], "grab"]]


def test_a_roll_that_is_not_legal_any_more_is_not_taken_and_its_assigns_stand() -> None:
    """PS-17, PS-12: and the seat is asked again in the next beat."""
    state = table("", "P1", items={**EASY, "P1": plate(needs=[slots("any", "any", "=6")])})
    given = {0: grabbing("A"), 1: ["assign 1 P1 0.0", "roll 11"]}
    events = beat(state, given, [0, 1])
    assert event_types_of(events, 0) == ["assigned", "assigned", "grabbed"]
    assert event_types_of(events, 1) == ["assigned", ev.NOT_TAKEN]
    assert events[-1] == [ev.NOT_TAKEN, 1, "roll 11"]
    assert state.fillings[1][2][0].dice == (1, 0, 0)
    assert RULES.to_act(state) == [1]


def test_a_grab_that_comes_too_late_is_not_taken() -> None:
    """PS-17, PS-12."""
    state = table("", "", items=EASY)
    events = beat(state, {0: grabbing("A"), 1: grabbing("B")}, [1, 0])
    assert state.meeples == [0, 1]
    assert events[-1] == [ev.NOT_TAKEN, 0, "grab"]
    assert state.needed == [0, 0]


def test_assigns_and_dice_of_a_beat_do_not_depend_on_its_order() -> None:
    """PS-17: dice are drawn for a seat and its roll, not for a place in the order."""
    items = {**EASY, "P1": plate(needs=[PAIR])}
    ends = []
    for order in ([0, 1, 2], [2, 0, 1]):
        state = table("P1", "", "", items=items)
        beat(state, {0: ["assign 1 P1 0", "roll 1"], 1: ["roll 111"], 2: ["roll 11"]}, order)
        ends.append(state.plain())
    assert ends[0] == ends[1]


def test_nothing_more_is_taken_when_the_game_ends_within_a_beat() -> None:
    """PS-17, docs/reference/common-rules.md, Safeguard."""
    state = table("", "", turn_limit=1)
    events = beat(state, {0: ["roll 1"], 1: ["roll 1"]}, [1, 0])
    assert (len(event_types_of(events, 1)), event_types_of(events, 0)) == (1, [])
    assert RULES.outcome(state) is not None


def test_whatever_a_bot_bundles_passes_the_check() -> None:
    """PS-17."""
    rng = random.Random(2)
    state = RULES.initial(3, RULES.resolve(3, {}))
    for event in RULES.start(state, SeedDealer(SEED)):
        RULES.apply(state, event)
    for _ in range(12):
        acting = RULES.to_act(state)
        if state.phase != SPIN:
            break
        beat(state, {seat: bundle(state, seat, at_random, rng) for seat in acting}, range(3))
