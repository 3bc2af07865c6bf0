"""Own play is measured against the usual moves, and what is left is unexplained (docs/explanation/luck.md)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from statistics import fmean
from typing import Any, NamedTuple

import pytest

from scorebook_games.bots.builtin import HeuristicBot
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.gamelog.events import NOT_TAKEN, is_table_event
from scorebook_games.gamelog.fold import Fold
from scorebook_games.kinds.plate_spinner.kind import KIND as PLATE_SPINNER
from scorebook_games.kinds.plate_spinner.value import PlateSpinnerValue
from scorebook_games.luck import usual
from scorebook_games.luck.games import RANDOM, SENSIBLE, play
from scorebook_games.luck.ledger import DECISION, Ledger, ledger_of
from scorebook_games.luck.usual import usual_moves
from scorebook_games.registry import KINDS

KINDS_WITH_A_VALUE = sorted(name for name, kind in KINDS.items() if kind.value)
GAMES = 6
Decided = tuple[int, int]  # the version of an event, and the seat that decided


def parts_of(ledger: Ledger, seat: int) -> float:
    parts = ledger.start, ledger.luck, ledger.own, ledger.others, ledger.unexplained, ledger.table
    return sum(part[seat] for part in parts)


def decisions(ledger: Ledger) -> dict[Decided, float]:
    """Return what each decision was worth to its seat."""
    return {
        (entry.version, entry.seat): entry.gains[entry.seat]
        for entry in ledger.entries
        if entry.sort == DECISION and entry.seat is not None
    }


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] if kind == "plate_spinner" else []) for kind in KINDS_WITH_A_VALUE],
)
def test_random_play_costs_much_and_all_parts_sum_to_the_result(kind: str) -> None:
    """That equal bots have own play of mean 0 is exact for each decision, see below. The bench counts whole games."""
    own = []
    for number in range(GAMES):
        seat = number % 2
        players = [SENSIBLE, RANDOM] if seat else [RANDOM, SENSIBLE]
        made = ledger_of(play(kind, players, bytes([number] * 32)), KINDS[kind].value, deals=4)
        assert all(parts_of(made, each) == pytest.approx(made.result[each], abs=1e-9) for each in (0, 1))
        own.append(made.own[seat])
    assert fmean(own) < -0.05


@pytest.mark.some(5)
@pytest.mark.parametrize("kind", KINDS_WITH_A_VALUE)
@pytest.mark.parametrize("seats", [2, 4])
def test_whoever_always_makes_the_only_usual_move_has_own_play_of_exactly_0(
    kind: str, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in beats, where all choose before anybody's moves are taken, and some of them are refused."""
    equals = HeuristicBot.equals
    monkeypatch.setattr(HeuristicBot, "equals", lambda *asked: equals(*asked)[:1])
    log = play(kind, [SENSIBLE] * seats, bytes([3] * 32))
    made = ledger_of(log, KINDS[kind].value, deals=4)
    assert made.own == made.others == [0.0] * seats
    assert made.own_error == made.others_error == [0.0] * seats
    assert any(event[0] == NOT_TAKEN for event in log) == (kind == "plate_spinner")


@pytest.mark.some(2)
@pytest.mark.parametrize("kind", KINDS_WITH_A_VALUE)
def test_a_move_without_a_choice_is_worth_exactly_0(kind: str) -> None:
    log = play(kind, [RANDOM, RANDOM], bytes(32))
    worth = decisions(ledger_of(log, KINDS[kind].value, deals=4))
    fold = Fold(log[0])
    forced = others = 0
    for version, event in enumerate(log[1:], 2):
        if not is_table_event(event) and (found := decided(fold, event)):
            choices = len(fold.rules.legal_actions(fold.state, found))
            if choices == 1 and fold.pace != "beats":
                assert (version, found) not in worth
                forced += 1
            others += (version, found) in worth
        fold.apply(event)
    assert others > 5
    assert forced > 1 or fold.pace == "beats"


def decided(fold: Fold, event: Event) -> int | None:
    value = KINDS[fold.opened["kind"]].value
    return value.decider(fold.state, event) if value else None


@pytest.mark.some(2)
@pytest.mark.parametrize("kind", KINDS_WITH_A_VALUE)
def test_a_decision_names_the_moves_that_it_was_compared_with_and_nothing_else_does(kind: str) -> None:
    log = play(kind, [RANDOM, RANDOM], bytes(32))
    made = ledger_of(log, KINDS[kind].value, deals=4)
    named = {(entry.version, entry.seat): entry.usual for entry in made.entries if entry.sort == DECISION}
    assert all(named.values())
    assert not any(entry.usual for entry in made.entries if entry.sort != DECISION)
    fold = Fold(log[0])
    for version, event in enumerate(log[1:], 2):
        if not is_table_event(event) and fold.pace != "beats":
            seat = decided(fold, event)
            if seat is not None and (version, seat) in named:
                found = usual_moves(fold.rules, fold.state, seat, random.random)
                assert found.sampled or named[version, seat] == tuple(found.moves)
        fold.apply(event)


class Moment(NamedTuple):
    """A decision with several usual moves: the log up to it, the seat, and the logs after each of them."""

    log: list[Event]
    seat: int
    after: list[list[Event]]


def ties(kind: str, seed: int) -> Iterator[Moment]:
    """Yield the decisions of a game at which several moves are equally usual.

    In beats, the rules refuse the rest of the bundle. Else the end of the log would be another decision of the seat.
    """
    log = play(kind, [0.3, 0.3], bytes([seed] * 32))
    fold = Fold(log[0])
    for place, event in enumerate(log[1:], 1):
        if not is_table_event(event) and (seat := decided(fold, event)) is not None:
            rules, state = fold.rules, fold.state
            found = usual_moves(rules, state, seat, random.random)
            if len(found.moves) > 1:
                dealer = SeedDealer(bytes([1] * 32))
                made = [rules.decide(state, seat, rules.parse_move(state, move), dealer) for move in found.moves]
                rest = [[NOT_TAKEN, seat, "roll"]] if fold.pace == "beats" else []
                yield Moment(log[:place], seat, [log[:place] + events + rest for events in made])
        fold.apply(event)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("kind", "first"), [("chinese_ten", 0), ("palace", 6), ("plate_spinner", 0), ("plates", 0), ("platinum_fish", 0)]
)
def test_the_mean_play_of_whoever_draws_one_of_the_usual_moves_is_exactly_0(kind: str, first: int) -> None:
    """So it is whatever the value function says: each usual move is made once."""
    different = 0
    for seed in range(first, first + 20):
        for moment in islice(ties(kind, seed), 2):
            ledgers = [ledger_of(log, KINDS[kind].value, deals=2) for log in moment.after]
            version = len(moment.log) + 1
            gains = [decisions(each).get((version, moment.seat), 0.0) for each in ledgers]
            assert sum(gains) == pytest.approx(0, abs=1e-9)
            different += any(gains)
            if different == 2:
                return
    pytest.fail("too few decisions with different usual moves")


class DiceInPlaces(PlateSpinnerValue):
    """Who has put down more dice is better off, so that a refused bundle is worse than an assignment."""

    def values(self, state: Any, memory: Any = None) -> list[float]:
        free = [sum(filling.free for groups in plates for filling in groups) for plates in state.fillings]
        lead = (free[1] - free[0]) / 100
        return [0.5 + lead, 0.5 - lead]


def test_in_beats_a_seat_is_compared_with_what_it_saw_before_the_beat_and_a_refused_move_counts() -> None:
    """PS-17: a seat whose move is refused has made a decision, too."""
    value = DiceInPlaces(PLATE_SPINNER.rules, PLATE_SPINNER.folder / "value-1.json")
    for number in range(9):
        log = play("plate_spinner", [RANDOM, RANDOM], bytes([number] * 32))
        refused = {(version, event[1]) for version, event in enumerate(log, 1) if event[0] == NOT_TAKEN}
        if refused & set(decisions(ledger_of(log, value, deals=2))):
            return
    pytest.fail("no refused move was worth anything")


def test_of_many_usual_moves_random_ones_are_compared_and_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    log = play("chinese_ten", [0.3, 0.3], bytes(32))
    value = KINDS["chinese_ten"].value
    exact = ledger_of(log, value, deals=4)
    monkeypatch.setattr(usual, "MAX_COMPARED", 2)
    sampled = ledger_of(log, value, deals=4)
    assert exact.own_error == exact.others_error == [0.0, 0.0]
    assert max(sampled.own_error) > 0
    assert sampled.others_error == pytest.approx(sampled.own_error[::-1])
    assert sampled.luck == exact.luck
    for seat in (0, 1):
        assert sampled.own[seat] == pytest.approx(exact.own[seat], abs=4 * sampled.own_error[seat] + 0.01)
        assert parts_of(sampled, seat) == pytest.approx(sampled.result[seat], abs=1e-9)


def test_a_ledger_without_decisions_has_the_same_luck_and_leaves_all_play_unexplained() -> None:
    for kind in ("palace", "plate_spinner"):
        log = play(kind, [0.3, 0.3], bytes([1] * 32))
        whole = ledger_of(log, KINDS[kind].value, deals=4)
        luck = ledger_of(log, KINDS[kind].value, deals=4, decisions=False)
        assert (whole.policy, luck.policy) == ("sensible", "")
        assert (luck.luck, luck.start, luck.result) == (whole.luck, whole.start, whole.result)
        assert luck.own == luck.others == [0.0, 0.0]
        assert parts_of(luck, 0) == pytest.approx(luck.result[0], abs=1e-9)
