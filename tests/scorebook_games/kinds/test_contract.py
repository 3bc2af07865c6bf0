"""What every engine promises (`scorebook_games.conformance`), asked of each kind of the library at many tables.

The promises of any kind are in the suite that comes with the library; here are two that only a test can know which
knows the kinds, and which tables are asked. What does not depend on the table is asked of each kind once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.conformance.declared import KIND_PROMISES, KindPromise
from scorebook_games.conformance.game import Game, Promise, Tally, need
from scorebook_games.conformance.play import Instead, Table, legal_texts, play, refusal, tables, unlike_tables
from scorebook_games.conformance.promises import PROMISES
from scorebook_games.conformance.suite import MOVES, RESULTS, check_kind_promise, check_table
from scorebook_games.contract import Event, MalformedMove, placings
from scorebook_games.kinds.chinese_ten.rules import ChineseTen
from scorebook_games.registry import KINDS
from tests.scorebook_games.kinds.conserved import cards_after_each_event, pack_of

TIE_BREAKS = {"plate_spinner"}  # kinds whose rules part some who have equal scores

SOME = [table for kind in sorted(KINDS) for table in unlike_tables(kind)]
OF_BOTH_BUILDS = [unlike_tables(kind)[-1] for kind in KINDS]
TABLES = [
    *[pytest.param(table, False, marks=pytest.mark.compiled) for table in OF_BOTH_BUILDS],
    *[
        pytest.param(table, True, marks=pytest.mark.slow)
        for table in dict.fromkeys([*SOME, *(table for kind in KINDS for table in tables(kind))])
    ],
]


def of_every_kind(test: Any) -> Any:
    """Mark a test that runs once for each kind, and for both builds of it."""
    return pytest.mark.compiled(pytest.mark.parametrize("kind", sorted(KINDS))(test))


def no_card_is_lost_or_made(game: Game) -> Iterator[None]:
    while game.on:
        yield
    pack = pack_of(game.table)
    need(all(cards == pack for cards in cards_after_each_event(game.table, game.log)), "A card is lost or made")


def placings_follow_from_the_scores(game: Game) -> Iterator[None]:
    """docs/reference/common-rules.md, Result: equal scores share the better place, unless the rules break the tie
    (PS-27). In Palace, places follow from the order of going out too (PA-23)."""
    while game.on:
        yield
    scores, places = game.rules.standing(game.state)
    shared = placings(scores, best=game.rules.spec.best)
    if game.table.kind in TIE_BREAKS:
        for best, placing in zip(shared, places, strict=True):
            need(best <= placing < best + shared.count(best), "A tie is broken beyond those who tie", scores, places)
    elif game.table.kind != "palace":
        need(places == shared, "The places are not those of the scores", scores, places)


OWN: list[Promise] = [no_card_is_lost_or_made, placings_follow_from_the_scores]


@pytest.mark.parametrize(
    ("table", "closely"), TABLES, ids=lambda each: {False: "", True: "closely"}.get(each, str(each))
)
def test_an_engine_keeps_its_promises(table: Table, closely: bool) -> None:
    """By default one game of each kind; with `--all` many, in which everything is tried."""
    moves, results = (MOVES, RESULTS) if closely else (MOVES // 4, 1)
    asked = [*PROMISES, *OWN]
    assert check_table(table, closely=closely, promises=asked, moves=moves, results=results) == []


@pytest.mark.parametrize("promise", KIND_PROMISES, ids=lambda promise: promise.__name__)
@of_every_kind
def test_a_kind_keeps_what_it_promises_of_itself(kind: str, promise: KindPromise) -> None:
    assert check_kind_promise(kind, promise, Tally()) == []


class Faulty(Instead):
    """Chinese Ten with a fault in one of its methods."""

    def __init__(self, method: str, fault: Any) -> None:
        super().__init__(TEN)
        setattr(self, method, fault)


TEN = ChineseTen()


def loses_a_card(state: Any, event: Event) -> None:
    TEN.apply(state, event)
    if event[0] == "captured":
        state.piles[event[1]].pop()


FAULTS: dict[Promise, tuple[str, Any]] = {
    no_card_is_lost_or_made: ("apply", loses_a_card),
    placings_follow_from_the_scores: ("standing", lambda state: (TEN.standing(state)[0], (2, 2))),
}


@pytest.mark.parametrize("promise", OWN, ids=lambda promise: promise.__name__)
def test_a_promise_that_is_broken_is_named(promise: Promise, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of this test. The tests of the suite are in `tests.scorebook_games.conformance`."""
    monkeypatch.setitem(KINDS, "chinese_ten", replace(KINDS["chinese_ten"], rules=Faulty(*FAULTS[promise])))
    [failure] = check_table(Table("chinese_ten", 2), promises=[promise])
    assert failure.promise == promise.__name__


@of_every_kind
@settings(deadline=None)
@given(text=st.text(max_size=12))
def test_a_text_that_is_no_move_is_called_malformed_with_the_notation(kind: str, text: str) -> None:
    rules = KINDS[kind].rules
    table = Table(kind, rules.spec.seats_min)
    node = next(iter(play(table, 0)))
    error = refusal(rules, node.state, node.seat, text)
    if error is None:
        assert text in legal_texts(rules, node.state, node.seat)
    elif isinstance(error, MalformedMove):
        assert (error.code, error.sentence) == ("malformed_move", rules.spec.notation)
