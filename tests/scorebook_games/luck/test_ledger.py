"""The luck ledger of any kind (docs/explanation/luck.md)."""

from __future__ import annotations

import hashlib
import json
import random
from itertools import product
from statistics import fmean, pvariance, stdev
from typing import Any

import pytest

from scorebook_games.analysis.comparison import LUCK_REACH
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import is_table_event
from scorebook_games.gamelog.fold import Fold
from scorebook_games.kinds.chinese_ten.kind import KIND as CHINESE_TEN
from scorebook_games.kinds.chinese_ten.value import ChineseTenValue, Position
from scorebook_games.luck.games import play
from scorebook_games.luck.ledger import CHANCE, DECISION, UNEXPLAINED, Ledger, NoLedger, bounded_gain, ledger_of
from scorebook_games.registry import KINDS
from scorebook_games.search.chance import DrawDealer
from scorebook_games.value import Draw

KINDS_WITH_A_VALUE = sorted(name for name, kind in KINDS.items() if kind.value)
VALUE = CHINESE_TEN.value


def sums(ledger: Ledger) -> list[float]:
    parts = zip(ledger.start, ledger.luck, ledger.own, ledger.others, ledger.unexplained, ledger.table, strict=True)
    return [sum(each) for each in parts]


def chinese_ten() -> list[Event]:
    return play("chinese_ten", [0, 0], bytes(32))


@pytest.mark.some(4)
@pytest.mark.parametrize("kind", KINDS_WITH_A_VALUE)
@pytest.mark.parametrize("seats", [2, 3])
def test_the_parts_of_a_ledger_sum_to_the_result_and_the_gains_of_all_seats_to_0(kind: str, seats: int) -> None:
    ledger = ledger_of(play(kind, [0.3] * seats, bytes(32)), KINDS[kind].value, deals=10)
    assert ledger.finished
    assert set(ledger.result) <= {0, 0.25, 0.5, 0.75, 1}
    assert sums(ledger) == pytest.approx(ledger.result, abs=1e-9)
    assert ledger.table == [0] * seats
    assert all(sum(entry.gains) == pytest.approx(0, abs=1e-9) for entry in ledger.entries)


@pytest.mark.some(2)
@pytest.mark.parametrize("kind", KINDS_WITH_A_VALUE)
def test_the_same_log_gives_the_same_ledger_to_the_byte(kind: str) -> None:
    log = play(kind, [0.3, 0.3], bytes(32))
    one, other = (json.dumps(ledger_of(each, KINDS[kind].value).plain()) for each in (log, json.loads(json.dumps(log))))
    assert one == other


@pytest.mark.parametrize("kind", KINDS_WITH_A_VALUE)
def test_the_imagined_deals_are_those_that_everybody_can_draw_from_the_log(kind: str) -> None:
    """The seed is that of docs/reference/luck.md, section Samples."""
    value, log = KINDS[kind].value, play(kind, [0.0, 0.0], bytes(32))
    assert value
    fold, dealt = Fold(log[0]), hashlib.sha256()
    for event in log[1:]:
        if is_table_event(event) or value.decider(fold.state, event) is not None:
            break
        dealt.update(json.dumps(event, separators=(",", ":")).encode())
        fold.apply(event)
    dealer = DrawDealer(random.Random(hashlib.sha256(dealt.digest() + b"None ").digest()).random)
    imagined = []
    for _ in range(3):
        state = fold.rules.initial(2, fold.opened["options"])
        for event in fold.rules.start(state, dealer):
            fold.rules.apply(state, event)
        imagined.append(value.values(state)[0])
    assert ledger_of(log, value, deals=3, decisions=False).start[0] == pytest.approx(fmean(imagined), abs=1e-12)


def test_a_game_that_continues_another_has_no_ledger_because_its_player_may_know_every_card() -> None:
    opened, *rest = chinese_ten()
    with pytest.raises(NoLedger, match="continues another one with its cards"):
        ledger_of([opened, [ev.CONTINUED, "abcdefgh", 20], *rest], VALUE)


def test_an_entry_stands_at_the_event_that_it_is_about() -> None:
    log = chinese_ten()
    ledger = ledger_of(log, VALUE)
    moves = ("captured", "laid", "took", "placed")
    types = {CHANCE: ("took", "placed", "flipped"), DECISION: moves, UNEXPLAINED: moves}
    for entry in ledger.entries[1:]:
        event = log[entry.version - 1]
        assert event[0] in types[entry.sort]
        assert entry.seat == (event[1] if entry.sort == DECISION else None)
    assert [entry.version for entry in ledger.entries] == sorted(entry.version for entry in ledger.entries)
    assert ledger.entries[0].version == 2  # the deal
    assert any(ledger.entries[0].error)


class Reversed(ChineseTenValue):
    """A value function that takes each lead for a deficit until the game is over."""

    def strengths(self, position: Position) -> list[float]:
        return [-each for each in super().strengths(position)]


@pytest.fixture(scope="module")
def both() -> list[tuple[Ledger, Ledger]]:
    """Return the ledgers of short games with the kind's value function and with a wrong one."""
    wrong = Reversed(CHINESE_TEN.rules, CHINESE_TEN.folder / "value-1.json")
    found = []
    for number in range(120):
        log = play("chinese_ten", [0, 0], number.to_bytes(32, "big"), options={"turn_limit": 4, "packs": 1})
        found.append((ledger_of(log, VALUE, deals=4), ledger_of(log, wrong, deals=4)))
    return found


def test_luck_has_mean_0_also_with_a_value_function_that_is_wrong(both: list[tuple[Ledger, Ledger]]) -> None:
    for ledgers in zip(*both, strict=True):
        luck = [ledger.luck[0] for ledger in ledgers]
        assert stdev(luck) > 0.1
        assert abs(fmean(luck)) < 2.5 * stdev(luck) / len(luck) ** 0.5


def test_bounded_luck_has_mean_0_too_and_limits(both: list[tuple[Ledger, Ledger]]) -> None:
    for at, ledgers in enumerate(zip(*both, strict=True)):
        luck = [ledger.bounded_luck[0] for ledger in ledgers]
        assert abs(fmean(luck)) < 2.5 * stdev(luck) / len(luck) ** 0.5
        assert LUCK_REACH - 1e-9 < max(map(abs, luck)) < LUCK_REACH + 1e-9 or at == 0
        assert all(ledger.bounded_luck[0] == pytest.approx(-ledger.bounded_luck[1]) for ledger in ledgers)
    assert fmean(abs(ledger.bounded_luck[0] - ledger.luck[0]) for ledger, _ in both) < 0.02


OUTCOMES = [(0.5, 0.2), (0.3, 0.6), (0.2, 1.0)]  # probability and value


@pytest.mark.parametrize("luck", [-LUCK_REACH, -0.6, -0.1, 0.0, 0.3, 0.7, LUCK_REACH])
@pytest.mark.parametrize("before", [0.0, 0.4, 1.0])
def test_what_a_draw_counts_has_mean_0_and_stays_within_the_limits(luck: float, before: float) -> None:
    exact = [(chance, [value]) for chance, value in OUTCOMES]
    mean = 0.0
    for chance, value in OUTCOMES:
        gain = bounded_gain(Draw([value], exact), 0, luck, before)
        assert abs(luck + gain) < LUCK_REACH + 1e-9
        mean += chance * gain
    assert mean == pytest.approx(0, abs=1e-12)
    mean = 0.0
    for (chance, value), (one, first), (other, second) in product(OUTCOMES, repeat=3):
        draw = Draw([value], [(1.0, [first]), (1.0, [second])], sampled=True)
        gain = bounded_gain(draw, 0, luck, before)
        assert abs(luck + gain) < LUCK_REACH + 1e-9
        mean += chance * one * other * gain
    assert mean == pytest.approx(0, abs=1e-12)


def test_a_wrong_value_function_takes_out_less_luck(both: list[tuple[Ledger, Ledger]]) -> None:
    plain = pvariance([ledger.result[0] for ledger, _ in both])
    left, left_by_wrong = (pvariance([pair[at].adjusted[0] for pair in both]) for at in (0, 1))
    assert left < plain / 1.5
    assert left < left_by_wrong


def test_a_game_that_somebody_left_has_a_ledger_and_the_departure_stands_apart() -> None:
    log = chinese_ten()[:20]
    unfinished = ledger_of(log, VALUE)
    ended = [ev.ENDED, {"termination": "resigned", "scores": [0, 0], "placings": [2, 1]}]
    ledger = ledger_of([*log, [ev.LEFT, 0, ev.RESIGNED], ended], VALUE)
    assert not unfinished.finished
    assert ledger.finished
    assert ledger.luck == unfinished.luck
    assert ledger.result == (0.0, 1.0)
    assert sums(ledger) == pytest.approx(ledger.result, abs=1e-9)
    assert ledger.table[0] == pytest.approx(-unfinished.result[0])


def test_an_aborted_game_has_a_ledger_up_to_its_end() -> None:
    log = chinese_ten()[:20]
    ended: Event = [ev.ENDED, {"termination": "aborted", "scores": [], "placings": []}]
    assert ledger_of([*log, ended], VALUE).entries == ledger_of(log, VALUE).entries


def test_a_game_that_never_began_has_an_empty_ledger() -> None:
    ledger = ledger_of(chinese_ten()[:1], VALUE)
    assert ledger.result == ledger.start == (0.5, 0.5)
    assert not ledger.entries


@pytest.mark.parametrize(
    ("value", "log", "reason"),
    [
        (None, chinese_ten()[:1], "has no value function"),
        (VALUE, chinese_ten()[1:], "does not begin with the opening"),
        (VALUE, play("palace", [1, 1], bytes(32))[:1], "is for another kind"),
    ],
)
def test_where_no_ledger_is_possible_the_error_says_why(value: Any, log: list[Event], reason: str) -> None:
    with pytest.raises(NoLedger, match=reason):
        ledger_of(log, value)
