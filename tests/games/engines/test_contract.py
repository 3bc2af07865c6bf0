"""What every engine promises (games.engines.base), asked of each registered kind at many tables.

What is promised of every move of a game is in `promises`; here is which tables are asked, and that a broken promise is
noticed. What does not depend on the table is asked of each kind once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engines.base import REDACTED, Event, IllegalMove, MalformedMove, Option, OptionError, Outcome, RulesError
from games.engines.chance import SeedDealer
from games.engines.chinese_ten import ChineseTen
from games.kinds import KINDS
from tests.games.engines.play import Instead, Table, legal_texts, play, refusal, tables
from tests.games.engines.promises import OF_RESULTS, PROMISES, Game, broken

MOVES = 200  # that are looked at, at least, at each table
RESULTS = 5  # games whose results are looked at


def another(option: Option, usual: Any) -> Any:
    """A value of `option` other than the `usual` one, which does not make games long."""
    if option.type == "bool":
        return not usual
    if option.type == "choice":
        return next(choice for choice in option.choices if choice != usual)
    return option.minimum if usual != option.minimum else option.minimum + 1


def unlike(kind: str) -> list[Table]:
    """Those tables of `kind` that differ most: the fewest seats, the most, a game that its limit cuts short, and all
    other options changed at once."""
    rules = KINDS[kind]
    spec = rules.spec
    seats = (spec.seats_min + spec.seats_max) // 2
    usual = rules.resolve(seats, {})
    changed = [
        (option.name, another(option, usual[option.name])) for option in spec.options if option.name != "turn_limit"
    ]
    return [
        Table(kind, spec.seats_min),
        Table(kind, spec.seats_max),
        Table(kind, spec.seats_max, (("turn_limit", 7),)),
        Table(kind, seats, tuple(changed)),
    ]


SOME = [table for kind in sorted(KINDS) for table in unlike(kind)]
OF_BOTH_BUILDS = [unlike(kind)[-1] for kind in KINDS]
TABLES = [
    *[pytest.param(table, False, marks=pytest.mark.compiled if table in OF_BOTH_BUILDS else ()) for table in SOME],
    *[
        pytest.param(table, True, marks=pytest.mark.slow)
        for table in {**dict.fromkeys(SOME), **dict.fromkeys(tables())}
    ],
]


def of_every_kind(test: Any) -> Any:
    """Asked of each kind once, and of both builds of it."""
    return pytest.mark.compiled(pytest.mark.parametrize("kind", sorted(KINDS))(test))


def check(table: Table, closely: bool = False) -> None:
    """Raises an error for each promise that is not kept at `table`."""
    errors: list[Exception] = []
    moves = number = 0
    while moves < MOVES and not errors:
        game = Game(table, number, closely=closely)
        errors += broken(game, PROMISES)
        moves, number = moves + game.moves, number + 1
    for more in range(number, number + RESULTS):
        errors += broken(Game(table, more), OF_RESULTS)
    if errors:
        names = [note for error in errors for note in error.__notes__]
        raise ExceptionGroup("\n".join(["Not kept:", *names]), errors)


@pytest.mark.parametrize(
    ("table", "closely"), TABLES, ids=lambda each: {False: "", True: "closely"}.get(each, str(each))
)
def test_an_engine_keeps_its_promises(table: Table, closely: bool) -> None:
    check(table, closely)


class Faulty(Instead):
    """Chinese Ten with one fault, in one of its methods."""

    def __init__(self, method: str, fault: Any) -> None:
        super().__init__(TEN)
        setattr(self, method, fault)


TEN = ChineseTen()


def begins_with_what_no_event_tells(state: Any, dealer: Any) -> list[Event]:
    state.turns += 1
    return TEN.start(state, dealer)


def changes_what_copies_share(state: Any, event: Event) -> None:
    TEN.apply(state, event)
    state.deck.insert(0, state.deck.pop())


def says_nothing_useful(state: Any, seat: int, action: int, dealer: Any) -> list[Event]:
    try:
        return TEN.decide(state, seat, action, dealer)
    except IllegalMove:
        raise IllegalMove("no", "the rules", "No") from None


def counts_refusals_as_turns(state: Any, seat: int, action: int, dealer: Any) -> list[Event]:
    try:
        return TEN.decide(state, seat, action, dealer)
    except IllegalMove:
        state.turns += 1
        raise


def loses_a_card(state: Any, event: Event) -> None:
    TEN.apply(state, event)
    if event[0] == "captured":
        state.piles[event[1]].pop()


def hides_in_the_log_itself(event: Event, viewer: int | None) -> Event:
    if event[0] == "dealt":
        event[1] = None
    return event


FAULTS = {
    "a_game_ends_within_its_limit": ("outcome", lambda state: Outcome("rules", (5, 0), (1, 2))),
    "folding_the_log_gives_the_live_state_at_every_version": ("start", begins_with_what_no_event_tells),
    "a_copy_and_its_original_go_their_own_ways": ("apply", changes_what_copies_share),
    "the_legal_moves_are_exactly_the_strings_that_are_accepted": (
        "legal_actions",
        lambda state, seat: TEN.legal_actions(state, seat)[:1],
    ),
    "nobody_moves_before_the_start_or_after_the_end": (
        "legal_actions",
        lambda state, seat: TEN.legal_actions(state, seat) if TEN.to_act(state) else [0],
    ),
    "a_refused_move_names_a_clause_and_says_why": ("decide", says_nothing_useful),
    "deciding_leaves_the_state_as_it_was_even_when_it_refuses": ("decide", counts_refusals_as_turns),
    "the_same_seed_and_moves_make_the_same_events_to_the_byte": (
        "start",
        lambda state, dealer: TEN.start(state, SeedDealer(os.urandom(32))),
    ),
    "the_first_event_of_a_decision_tells_who_decided_what": (
        "action_of",
        lambda state, event: (1 - event[1], TEN.action_of(state, event)[1]),
    ),
    "only_a_seat_that_nobody_waits_for_may_pass_without_an_event": ("awaited", lambda state: []),
    "a_seat_knows_whether_it_may_act_itself": ("to_act_seen", lambda state, viewer: []),
    "writing_a_move_down_and_reading_it_gives_the_same_action": (
        "parse_move",
        lambda state, text: TEN.parse_move(state, text) ^ 1,
    ),
    "events_and_observations_are_plain_json": (
        "observation",
        lambda state, seat: {**TEN.observation(state, seat), "points": tuple(state.points)},
    ),
    "no_card_is_lost_or_made": ("apply", loses_a_card),
    "redacting_leaves_the_log_as_it_was_and_every_event_its_place": ("redact", hides_in_the_log_itself),
    "every_event_reads_well_redacted_or_not": ("readable", lambda event: {"type": event[0]}),
    "placings_follow_from_the_scores": (
        "outcome",
        lambda state: Outcome("rules", TEN.standing(state)[0], (2, 2)) if TEN.outcome(state) else None,
    ),
}


@pytest.mark.parametrize("promise", [promise.__name__ for promise in PROMISES])
def test_a_promise_that_is_broken_is_named(promise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the test. One fault may break several promises at once; each is told, with the game and the move."""
    monkeypatch.setitem(KINDS, "chinese_ten", Faulty(*FAULTS[promise]))
    with pytest.raises(ExceptionGroup) as caught:
        check(Table("chinese_ten", 2))
    assert f"\n{promise}: chinese_ten-2, game 0 (seed " in str(caught.value)


@of_every_kind
def test_what_redact_does_not_know_it_hides(kind: str) -> None:
    rules = KINDS[kind]
    for viewer in [*range(rules.spec.seats_max), None]:
        assert rules.redact(["no_such_event", 0, [1, 2, 3]], viewer) == REDACTED


@of_every_kind
@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=12))
def test_a_text_that_is_no_move_is_called_malformed_with_the_notation(kind: str, text: str) -> None:
    rules = KINDS[kind]
    table = Table(kind, rules.spec.seats_min)
    node = next(iter(play(table, 0)))
    error = refusal(rules, node.state, node.seat, text)
    if error is None:
        assert text in legal_texts(rules, node.state, node.seat)
    elif isinstance(error, MalformedMove):
        assert (error.code, error.sentence) == ("malformed_move", rules.spec.notation)


FINGERPRINT = """
import hashlib
from games.gamelog.events import encode_batch
from games.kinds import KINDS
from tests.games.engines.play import Table, finish
for kind, rules in sorted(KINDS.items()):
    print(kind, hashlib.sha256(encode_batch(finish(Table(kind, rules.spec.seats_min), 0)[1])).hexdigest())
"""


def test_a_game_does_not_depend_on_how_python_orders_its_sets() -> None:
    prints = [
        subprocess.run(
            [sys.executable, "-c", FINGERPRINT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert prints[0] == prints[1]
    assert prints[0].count(b"\n") == len(KINDS)


@of_every_kind
def test_every_option_refuses_what_it_cannot_be(kind: str) -> None:
    """docs/reference/common-rules.md, Options: an unknown option or a value out of range is a clear error."""
    rules = KINDS[kind]
    for option in rules.spec.options:
        for value in [*wrong_values(option), None, "no such value", [], 0.5]:
            with pytest.raises(OptionError) as caught:
                rules.resolve(rules.spec.seats_min, {option.name: value})
            assert caught.value.option == option.name
            assert option.name in caught.value.sentence
            assert caught.value.code == "bad_option"


def wrong_values(option: Option) -> list[Any]:
    if option.type == "bool":
        return [0, 1, "true"]
    if option.type == "choice":
        return ["", 0, True]
    return [option.minimum - 1, option.maximum + 1, True, str(option.minimum)]


@of_every_kind
def test_an_unknown_option_and_a_wrong_number_of_seats_are_refused(kind: str) -> None:
    rules = KINDS[kind]
    with pytest.raises(OptionError) as caught:
        rules.resolve(rules.spec.seats_min, {"no_such_option": 1})
    assert "no_such_option" in caught.value.sentence
    for seats in (0, rules.spec.seats_min - 1, rules.spec.seats_max + 1):
        with pytest.raises(OptionError) as caught:
            rules.resolve(seats, {})
        assert caught.value.option == "seats"
        assert isinstance(caught.value, RulesError)


@of_every_kind
def test_options_resolve_to_all_of_them_and_resolve_again_to_the_same(kind: str) -> None:
    rules = KINDS[kind]
    for seats in range(rules.spec.seats_min, rules.spec.seats_max + 1):
        resolved = rules.resolve(seats, {})
        assert list(resolved) == [option.name for option in rules.spec.options]
        assert None not in resolved.values()
        assert rules.resolve(seats, resolved) == resolved


@of_every_kind
def test_a_kind_is_registered_under_its_own_name(kind: str) -> None:
    spec = KINDS[kind].spec
    assert spec.kind == kind
    assert spec.notation.endswith(".")
    assert all(option.help for option in spec.options)
    assert "turn_limit" in [option.name for option in spec.options]
