"""The value function of Plate Spinner uses nothing hidden, and knows what may be rolled or turned up."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice, permutations, product
from typing import Any

import pytest

from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.kinds.plate_spinner.catalogue import STAR
from scorebook_games.kinds.plate_spinner.fillings import Group
from scorebook_games.kinds.plate_spinner.kind import KIND
from scorebook_games.kinds.plate_spinner.state import DRAFT, SPIN, STARTING, State, count, pool_of
from scorebook_games.kinds.plate_spinner.value import LAST, TURNED, PlateSpinnerValue, spread_rolls
from scorebook_games.kinds.plate_spinner.value_last_round import compared, surviving
from scorebook_games.kinds.plate_spinner.value_outlook import EARLIER, Position
from scorebook_games.kinds.plate_spinner.value_putting import chances
from scorebook_games.kinds.plate_spinner.value_race import HOLDINGS, Count, Piece
from scorebook_games.luck import fit
from scorebook_games.luck.games import play
from scorebook_games.luck.ledger import CHANCE, UNEXPLAINED, Ledger, ledger_of
from scorebook_games.search.chance import DrawDealer
from scorebook_games.value import Draw, expectation

RULES = KIND.rules
VALUE = PlateSpinnerValue(RULES, KIND.folder / "value-1.json")


def dealer(seed: int = 0) -> DrawDealer:
    return DrawDealer(random.Random(seed).random)


def game(seats: int, seed: int = 0, **options: int) -> list[Event]:
    return play("plate_spinner", [0.1] * seats, bytes([seed] * 32), options=options)


def moments(seats: int, seed: int = 0) -> Iterator[tuple[State, Event]]:
    """Yield every state of a game after the set-up, with the event that follows."""
    log = game(seats, seed)
    state = RULES.initial(seats, log[0][1]["options"])
    for event in log[1:]:
        if state.round:
            yield state, event
        if not ev.is_table_event(event):
            RULES.apply(state, event)


def luck(draw: Draw) -> list[float]:
    return [came - mean for came, mean in zip(draw.actual, expectation(draw.possible), strict=True)]


def sums(ledger: Ledger) -> list[float]:
    parts = zip(ledger.start, ledger.luck, ledger.own, ledger.others, ledger.unexplained, ledger.table, strict=True)
    return [sum(each) for each in parts]


def test_the_order_of_the_packs_does_not_change_a_value() -> None:
    for number, (state, _) in enumerate(moments(2)):
        if number % 9 == 0:
            twin = state.copy()
            twin.plates = twin.plates[: twin.plates_at] + twin.plates[twin.plates_at :][::-1]
            twin.rims_pack = twin.rims_pack[: twin.rims_at] + twin.rims_pack[twin.rims_at :][::-1]
            assert VALUE.values(twin) == VALUE.values(state)


@pytest.mark.parametrize("dice", [1, 2])
def test_the_luck_of_all_rolls_of_few_dice_sums_to_0(dice: int) -> None:
    """Two dice are compared with all their rolls in the last round, in which most is decided."""
    states = [(state.copy(), event) for state, event in moments(2) if event[0] == "rolled" and count(event[2]) == dice]
    for state, (_, seat, rolled, _) in states[:4]:
        state.last_round = dice > 1
        total = [0.0, 0.0]
        for values in product(range(1, 7), repeat=dice):
            shown = pool_of("".join(map(str, values)))
            (draw,) = VALUE.draws(state, ["rolled", seat, rolled, shown], dealer(), {})
            assert not draw.sampled
            total = [a + b for a, b in zip(total, luck(draw), strict=True)]
        assert total == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("seats", [2, 3])
def test_the_luck_of_all_orders_of_a_beat_sums_to_0(seats: int) -> None:
    found = 0
    for state, event in moments(seats):
        if event[0] != ev.BEAT or state.phase != SPIN:
            continue
        draws = [draw for order in permutations(range(seats)) for draw in VALUE.lot(state, order, dealer(), {})]
        found += any(any(luck(draw)) for draw in draws)
        for seat in range(seats):
            assert sum(luck(draw)[seat] for draw in draws) == pytest.approx(0, abs=1e-9)
    assert found


def test_what_is_remembered_of_a_round_changes_no_value() -> None:
    memory: dict[str, Any] = {}
    reused = 0
    for state, event in moments(2):
        if event[0] == ev.BEAT:
            list(VALUE.lot(state, event[2], dealer(), memory))
        elif EARLIER in memory:
            fresh = {name: each for name, each in memory.items() if name != EARLIER}
            assert VALUE.values(state, memory) == VALUE.values(state, fresh)
            reused += state.phase == SPIN
    assert reused > 20


def test_what_is_remembered_of_holdings_and_races_changes_no_value() -> None:
    remembered = [VALUE.values(state) for state, _ in islice(moments(3), 0, None, 9)]
    reckoned = []
    for state, _ in islice(moments(3), 0, None, 9):
        HOLDINGS.clear()
        reckoned.append(VALUE.values(state))
    assert reckoned == remembered


def turned(state: State, plates: list[int], rims: list[int], pools: list[int]) -> Draw:
    """Return the draw of a market and the rolls on GO."""
    memory: dict[str, Any] = {}
    assert not list(VALUE.draws(state, ["turned", plates, rims], dealer(), memory))
    (draw,) = VALUE.draws(state, ["go", state.round + 1, pools], dealer(), memory)
    assert TURNED not in memory
    return draw


def test_a_market_is_drawn_with_the_rolls_and_has_the_star_plate_as_often_as_it_may_lie_there() -> None:
    """PS-7: with two players 18 to 22 plates lie above it, so the tenth market has it in two cases of five."""
    state = next(state.copy() for state, event in moments(2) if event[0] == "turned" and state.plates_at == 18)
    pools = [pool_of("1" * (state.player[seat] + state.neutral[seat])) for seat in (0, 1)]
    with_star, without = turned(state, [STAR], [], pools), turned(state, [0, 1], [51], pools)
    assert with_star.possible == without.possible
    assert with_star.actual != without.actual
    weights = Counter(weight for weight, _ in without.possible)
    star, others = sorted(weights.items(), key=lambda each: each[1], reverse=True)
    assert star[0] * star[1] == pytest.approx(2)
    assert others[0] * others[1] == pytest.approx(3)


def test_a_star_plate_that_must_come_is_no_luck() -> None:
    """PS-7, PS-23: only rolls differ then, and nothing else of the market matters."""
    state = next(state.copy() for state, event in moments(2) if event[0] == "turned" and state.plates_at == 18)
    state.plates_at = 21
    pools = [pool_of("1" * (state.player[seat] + state.neutral[seat])) for seat in (0, 1)]
    draw, twin = turned(state, [STAR], [], pools), turned(state, [0, STAR], [51], pools)
    assert draw == twin
    assert len(draw.possible) == LAST
    state.plates_at = 20
    assert len(turned(state, [STAR], [], pools).possible) > LAST


def test_before_a_market_is_turned_up_its_round_is_still_to_come() -> None:
    """PS-7, PS-8: what is held at one GO counts for more rounds than what will be held at the next."""
    before, found = 0.0, 0
    for state, event in moments(2):
        if event[0] == "turned":
            before = Position.of(state).left
        elif event[0] == "go" and state.plates_at <= 18:
            assert Position.of(state).left == pytest.approx(before - 1)
            found += 1
    assert found == 8


def test_between_a_market_and_go_values_are_those_before_the_market() -> None:
    """So no market is compared with a mean over others that it is one of."""
    memory: dict[str, Any] = {}
    found = 0
    for state, event in moments(2):
        if event[0] == "turned":
            before = VALUE.values(state, memory)
        elif event[0] == "go":
            assert VALUE.values(state, memory) == before
            found += 1
        list(VALUE.draws(state, event, dealer(), memory) if not ev.is_table_event(event) else ())
    assert found > 5


def test_what_is_imagined_does_not_depend_on_what_came() -> None:
    seen = set()
    for state, event in moments(2):
        match event:
            case ["rolled", seat, rolled, int()] if count(rolled) > 2:
                other: Event = ["rolled", seat, rolled, pool_of("6" * count(rolled))]
                draw, twin = (list(VALUE.draws(state, each, dealer(), {}))[-1] for each in (event, other))
            case ["turned", [_, _], rims]:
                pools = [pool_of("1" * (state.player[seat] + state.neutral[seat])) for seat in (0, 1)]
                draw, twin = turned(state, event[1], rims, pools), turned(state, [0, 1], rims, pools)
                sixes = [pool * 16**5 for pool in pools]
                assert turned(state, event[1], rims, sixes).possible == draw.possible
                assert turned(state, event[1], rims, sixes).actual != draw.actual
            case _:
                continue
        if event[0] not in seen:
            seen.add(event[0])
            assert draw.sampled
            assert draw.possible == twin.possible
            assert draw.actual != twin.actual
    assert seen == {"rolled", "turned"}


def test_each_imagined_die_shows_each_value_equally_often() -> None:
    assert Counter(spread_rolls(1, 12, dealer())) == {pool_of(str(value)): 2 for value in range(1, 7)}
    assert {count(pool) for pool in spread_rolls(5, 12, dealer())} == {5}


@pytest.mark.parametrize(
    ("group", "dice", "chance"),
    [
        (Group("slots", 1, ("=5",)), 2, 1 - Fraction(5, 6) ** 2),
        (Group("slots", 2, ("odd", "even")), 1, 0),
        (Group("same", 2), 3, 1 - Fraction(6 * 5 * 4, 6**3)),
        (Group("run", 2), 2, Fraction(10, 36)),
        (Group("sum", 2, total=11), 2, Fraction(3, 36)),
    ],
)
def test_the_chance_that_one_roll_fills_a_group_is_exact(group: Group, dice: int, chance: Fraction) -> None:
    assert chances(group.empty, dice)[:2] == pytest.approx((0, float(chance)))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_lead_is_the_surer_the_more_seats_there_are(seats: int) -> None:
    """Over 4500 games, values of four seats lay up to 7 points too near to a half, those of two too far from it."""
    state, _ = next(moments(seats))
    late, early, *_ = VALUE.spread(VALUE.position(state))
    assert late + early == pytest.approx(2 / seats)


def test_who_may_not_roll_any_more_keeps_what_the_dice_shown_fill_and_nothing_else() -> None:
    """PS-12, PS-13: compared with what breaks when the seat finishes, after the sensible bot has put down its dice."""
    log = play("plate_spinner", [0, 0], bytes(32))
    state = RULES.initial(2, log[0][1]["options"])
    compared: Counter[tuple[float, bool]] = Counter()
    seat, expected = -1, {}
    for event in [each for each in log[1:] if not ev.is_table_event(each)]:
        RULES.apply(state, event)
        if event[0] == "grabbed":
            (seat,) = state.racing
            position = Position.of(state)
            chances_left = position.survivals(seat, position.endings())
            expected = dict(zip(state.held[seat][2:], chances_left, strict=True))
        elif event[0] == "drafted" and expected:
            compared.update((chance, plate in state.held[seat]) for plate, chance in expected.items())
            expected = {}
    assert set(compared) == {(0.0, False), (1.0, True)}


def test_no_value_is_held_against_a_result_between_a_grab_and_what_breaks_by_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PS-13: in between, plates lie there that are lost already. In the last round nobody gets new ones beside them."""
    monkeypatch.setattr(fit, "POSITIONS", 10**6)  # all of them
    seen = Counter[bool]()

    class Noting(PlateSpinnerValue):
        def settled(self, position: Position) -> Sequence[int]:
            state = position.state
            empty = [filling.free for own in state.fillings for plate in own[STARTING:] for filling in plate]
            seen[state.last_round and state.phase == DRAFT and any(empty)] += 1
            return (1, 1)

    for seed in range(3):
        fit.positions_of(Noting(RULES, VALUE.file), game(2, seed), random.Random(0))
    assert seen[False] > 50
    assert not seen[True]


def test_once_the_plates_of_the_last_round_are_known_the_value_is_the_result() -> None:
    """PS-23 to PS-27, with the star plate still to come, and to get its colour."""
    for seed in range(6):
        log = play("plate_spinner", [0, 0], bytes([seed] * 32))
        state = RULES.initial(2, log[0][1]["options"])
        known = []
        for event in log[1:]:
            if not ev.is_table_event(event):
                if state.last_round and event[0] in ("drafted", "coloured"):
                    known.append(VALUE.values(state))
                RULES.apply(state, event)
        assert known == [VALUE.values(state)] * 2


def test_without_a_filled_bomb_nothing_survives() -> None:
    """PS-14."""
    bomb, other = Piece(3, 2, 0.0, 1, 1, (0,)), Piece(2, 1, 0.0, 0, 1, (0, 3))
    assert surviving([bomb, other], [True, True]) == Count(9, 5, 1)
    assert surviving([bomb, other], [True, False]) == Count(4, 3, 0)
    assert surviving([bomb, other], [False, True]) == surviving([], []) == Count(0, 1, 0)


@pytest.mark.parametrize(
    ("one", "other", "star", "lead"),
    [
        (Count(10, 1, 1), Count(15, 1, 0), False, 1),  # most yellow plates: 16 points
        (Count(10, 1, 1), Count(10, 1, 1), False, 0),
        (Count(10, 1, 2), Count(16, 1, 1), False, 1),  # a tie goes to who has more yellow plates
        (Count(10, 7, 0), Count(15, 7, 0), True, 1),  # the star plate counts most as one of a set of four
        (Count(10, 5, 0), Count(12, 7, 0), True, 1),  # as the only yellow plate, it counts 6
        (Count(10, 5, 0), Count(12, 7, 1), True, -1),  # both have one then, so both get 6
    ],
)
def test_two_ends_of_the_last_round_are_compared_as_the_rules_count(
    one: Count, other: Count, star: bool, lead: float
) -> None:
    """PS-24, PS-26, PS-27."""
    assert compared({one: 0.5}, {other: 1.0}, star=star) == lead / 2


@pytest.mark.some(5)
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("options", [{"roll_limit": 10}, {"turn_limit": 1}])
@pytest.mark.parametrize("careless", [0.0, 1.0])
def test_a_ledger_sums_up_with_every_option_and_number_of_seats(
    seats: int, options: dict[str, int], careless: float
) -> None:
    log = play("plate_spinner", [careless] * seats, bytes([seats] * 32), options={"turn_limit": 90, **options})
    for end in (len(log) // 2, len(log)):
        ledger = ledger_of(log[:end], VALUE, deals=2)
        assert sums(ledger) == pytest.approx(ledger.result, abs=1e-9)
        assert all(sum(entry.gains) == pytest.approx(0, abs=1e-9) for entry in ledger.entries)


def test_the_order_of_a_beat_is_a_draw_of_the_ledger() -> None:
    log = game(2)
    entries = [entry for entry in ledger_of(log, VALUE, deals=2).entries if log[entry.version - 1][0] == ev.BEAT]
    lots = [entry for entry in entries if entry.sort == CHANCE]
    assert lots
    assert {entry.sort for entry in entries} <= {CHANCE, UNEXPLAINED}
    assert all(entry.error == (0, 0) for entry in lots)


@pytest.mark.parametrize("pace", ["live", "beats"])
def test_a_game_without_beats_has_a_ledger(pace: str) -> None:
    log = [event for event in game(2) if pace == "beats" or not ev.is_table_event(event) or event[0] == ev.OPENED]
    ledger = ledger_of(log, VALUE, deals=2)
    assert sums(ledger) == pytest.approx(ledger.result, abs=1e-9)


def test_departures_stand_apart_and_a_bot_that_plays_on_changes_no_luck() -> None:
    log = game(3, turn_limit=150)
    half = len(log) // 2
    plain = ledger_of(log[:half], VALUE, deals=2)
    ended: dict[str, Any] = {"termination": "forfeited", "scores": [0, 0, 0], "placings": [3, 1, 1]}
    forfeited = ledger_of([*log[:half], [ev.LEFT, 0, ev.FORFEITED], [ev.ENDED, ended]], VALUE, deals=2)
    assert forfeited.luck == plain.luck
    assert forfeited.result == (0.0, 0.75, 0.75)
    assert sums(forfeited) == pytest.approx(forfeited.result, abs=1e-9)
    taken = [*log[:half], [ev.LEFT, 0, ev.FORFEITED], [ev.TAKEN_OVER, 0, "sensible"], *log[half:]]
    ledger = ledger_of(taken, VALUE, deals=2)
    assert ledger.luck == ledger_of(log, VALUE, deals=2).luck
    assert sums(ledger) == pytest.approx(ledger.result, abs=1e-9)
    aborted: Event = [ev.ENDED, {"termination": "aborted", "scores": [], "placings": []}]
    assert ledger_of([*log[:half], aborted], VALUE, deals=2).entries == plain.entries
