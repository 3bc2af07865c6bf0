"""What every engine promises (games.engines.base), asked of each registered kind at many tables."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import os
import random
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import events as ev
from games.engines.base import REDACTED, IllegalMove, MalformedMove, Option, OptionError, RulesError, fold, placings
from games.engines.chance import SeedDealer
from games.kinds import KINDS
from tests.games.engines.conserved import cards_after_each_event, pack_of
from tests.games.engines.play import SEED, Table, answer, finish, legal_texts, notation, plain, play, refusal, tables

TABLES = tables()
TIE_BREAKS = {"plate_spinner"}  # kinds whose rules part some who have equal scores
at_every_table = pytest.mark.parametrize("table", TABLES, ids=str)
of_every_kind = pytest.mark.parametrize("kind", sorted(KINDS))


def viewers(table: Table) -> list[int | None]:
    return [*range(table.seats), None]


@at_every_table
def test_random_games_end_within_their_limit(table: Table) -> None:
    """rules README, Safeguard. A turn is a few moves, and more only where each takes a card; a game is a few rounds."""
    options = table.options
    most = 4 * options.get("turn_limit", 1000) * options.get("rounds", 1) + len(pack_of(table))
    for number in range(5):
        for count, node in enumerate(play(table, number)):
            assert count < most
            assert table.rules.outcome(node.state) is None
        outcome = table.rules.outcome(node.state)
        assert outcome is not None
        assert outcome.termination in ("rules", "turn_limit")


@at_every_table
def test_folding_the_log_gives_the_live_state_at_every_version(table: Table) -> None:
    """At every version one fold goes on, of events as the log keeps them; at some, one begins anew."""
    rules, options = table.rules, table.options
    state = rules.initial(table.seats, options)
    folded = rules.initial(table.seats, options)
    seen = 0
    for number, node in enumerate(play(table, 1)):
        for event in [*node.log[seen:], *node.events]:
            rules.apply(state, event)
            rules.apply(folded, json.loads(json.dumps(event)))
            assert folded.plain() == state.plain()
        seen = len(node.log) + len(node.events)
        if number < 20 or number % 20 == 0:
            assert plain(state) == plain(fold(rules, table.seats, options, [*node.log, *node.events]))
    assert plain(state) == plain(node.state) == plain(fold(rules, table.seats, options, node.log))


@at_every_table
def test_a_copy_and_its_original_go_their_own_ways(table: Table) -> None:
    rules = table.rules
    kept: list[tuple[Any, str]] = []
    for node in play(table, 2):
        other, before = node.state.copy(), plain(node.state)
        kept.append((node.state.copy(), before))
        for event in node.events:
            rules.apply(other, event)
        assert (plain(other) != before) == bool(node.events), "a pass changes nothing"
        assert plain(node.state) == before
    assert all(plain(twin) == then for twin, then in kept)


@at_every_table
def test_the_legal_moves_are_exactly_the_strings_that_are_accepted(table: Table) -> None:
    """rules README, Moves are text: no more, no fewer, no duplicates.

    Who is not to act is refused whatever it is: tried with what is open to those who are, and some by lot
    (`test_exact` tries all that can be written in every seat, in every sort of position).
    """
    rules = table.rules
    strings = notation(table)
    rng = random.Random(str(table))
    for node in play(table, 3):
        some = strings if len(strings) <= 600 else rng.sample(strings, 150)
        acting = rules.to_act(node.state)
        open_to = [legal_texts(rules, node.state, seat) for seat in range(table.seats)]
        elsewhere = {*itertools.chain(*open_to), *rng.sample(some, 12)}
        for seat, legal in enumerate(open_to):
            assert len(set(legal)) == len(legal)
            assert bool(legal) == (seat in acting)
            tried = {*some, *legal} if seat in acting else elsewhere
            accepted = {text for text in tried if refusal(rules, node.state, seat, text) is None}
            assert accepted == set(legal)


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


@at_every_table
def test_nobody_moves_before_the_start_or_after_the_end(table: Table) -> None:
    rules = table.rules
    before = rules.initial(table.seats, table.options)
    after, log = finish(table, 0)
    assert log
    text = rules.move_text(after, 0)
    for state in (before, after):
        assert rules.to_act(state) == []
        for seat in range(table.seats):
            assert rules.legal_actions(state, seat) == []
            assert answer(rules, state, seat, text) != "accepted"


@at_every_table
def test_a_refused_move_names_a_clause_and_says_why(table: Table) -> None:
    rules = table.rules
    strings = notation(table, most=100)
    for node in play(table, 4):
        for text in strings[:: max(1, len(strings) // 40)]:
            error = refusal(rules, node.state, node.seat, text)
            if isinstance(error, IllegalMove):
                assert error.code.isidentifier()
                assert re.fullmatch(r"[A-Z]{2}-\d+", error.clause)
                assert error.sentence.endswith(".")


@at_every_table
def test_deciding_leaves_the_state_as_it_was_even_when_it_refuses(table: Table) -> None:
    rules = table.rules
    strings = notation(table, most=100)[::4]
    for node in play(table, 5):
        before = plain(node.state)
        for action in rules.legal_actions(node.state, node.seat)[:20]:
            rules.decide(node.state, node.seat, action, SeedDealer(SEED))
        for text in strings[:30]:
            answer(rules, node.state, node.seat, text)
        assert plain(node.state) == before


@at_every_table
def test_the_same_seed_and_moves_make_the_same_events_to_the_byte(table: Table) -> None:
    rules = table.rules
    seed = hashlib.sha256(str(table).encode()).digest()
    logs = []
    moves: list[tuple[int, str]] = []
    rng = random.Random(7)
    for again in (False, True):
        dealer = SeedDealer(seed)
        state = rules.initial(table.seats, table.options)
        log = rules.start(state, dealer)
        for event in log:
            rules.apply(state, event)
        played = iter(moves[:])
        while seats := rules.to_act(state):
            if again:
                seat, text = next(played)
            else:
                seat = rng.choice(seats)
                text = rng.choice(legal_texts(rules, state, seat))
                moves.append((seat, text))
            events = rules.decide(state, seat, rules.parse_move(state, text), dealer)
            for event in events:
                rules.apply(state, event)
            log += events
        logs.append(ev.encode(log))
    assert logs[0] == logs[1]


FINGERPRINT = """
import hashlib
from games.events import encode
from games.kinds import KINDS
from tests.games.engines.play import Table, finish
for kind, rules in sorted(KINDS.items()):
    print(kind, hashlib.sha256(encode(finish(Table(kind, rules.spec.seats_min), 0)[1])).hexdigest())
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


@at_every_table
def test_the_first_event_of_a_decision_tells_who_decided_what(table: Table) -> None:
    for node in play(table, 6):
        for action in {node.action, *table.rules.legal_actions(node.state, node.seat)[:30]}:
            for first in table.rules.decide(node.state, node.seat, action, SeedDealer(SEED))[:1]:
                assert table.rules.action_of(node.state, first) == (node.seat, action)


@at_every_table
def test_only_a_seat_that_nobody_waits_for_may_pass_without_an_event(table: Table) -> None:
    """Who asks seat by seat would else ask for ever."""
    rules = table.rules
    for node in play(table, 12):
        awaited = rules.awaited(node.state)
        assert awaited
        assert set(awaited) <= set(rules.to_act(node.state))
        assert node.events or node.seat not in awaited


@at_every_table
def test_a_seat_knows_whether_it_may_act_itself(table: Table) -> None:
    for node in play(table, 13):
        acting = table.rules.to_act(node.state)
        for viewer in range(table.seats):
            assert (viewer in table.rules.to_act_seen(node.state, viewer)) == (viewer in acting)
        assert set(acting) <= set(table.rules.to_act_seen(node.state, None))


@at_every_table
def test_writing_a_move_down_and_reading_it_gives_the_same_action(table: Table) -> None:
    for node in play(table, 7):
        for action in table.rules.legal_actions(node.state, node.seat):
            assert table.rules.parse_move(node.state, table.rules.move_text(node.state, action)) == action


@at_every_table
def test_events_and_observations_are_plain_json(table: Table) -> None:
    rules = table.rules
    for node in play(table, 8):
        assert all(json.loads(json.dumps(event)) == event for event in node.events)
        for viewer in viewers(table):
            seen = rules.observation(node.state, viewer)
            assert json.loads(json.dumps(seen)) == seen
    assert ev.decode(ev.encode(node.log)) == node.log
    assert not any(ev.is_table_event(event) for event in node.log)


@at_every_table
def test_no_card_is_lost_or_made(table: Table) -> None:
    _, log = finish(table, 9)
    pack = pack_of(table)
    assert all(cards == pack for cards in cards_after_each_event(table, log))


@at_every_table
def test_what_redact_does_not_know_it_hides(table: Table) -> None:
    for viewer in viewers(table):
        assert table.rules.redact(["no_such_event", 0, [1, 2, 3]], viewer) == REDACTED


@at_every_table
def test_redacting_leaves_the_log_as_it_was_and_every_event_its_place(table: Table) -> None:
    _, log = finish(table, 10)
    before = copy.deepcopy(log)
    for viewer in viewers(table):
        redacted = [table.rules.redact(event, viewer) for event in log]
        assert all(seen[0] in (event[0], "redacted") for seen, event in zip(redacted, log, strict=True))
    assert log == before


@at_every_table
def test_every_event_reads_well_redacted_or_not(table: Table) -> None:
    _, log = finish(table, 11)
    for event in log:
        for shown in [event, *[table.rules.redact(event, viewer) for viewer in viewers(table)]]:
            words = table.rules.readable(shown)
            assert words["type"] == shown[0]
            assert len(words) > 1 or shown == REDACTED
            assert json.loads(json.dumps(words)) == words


@at_every_table
def test_placings_follow_from_the_scores(table: Table) -> None:
    """rules README, Result: placings 1 … n, ties sharing the better one, unless the rules break them (PS-27)."""
    for number in range(10):
        state, _ = finish(table, number)
        outcome = table.rules.outcome(state)
        assert outcome is not None
        assert table.rules.standing(state) == (outcome.scores, outcome.placings)
        assert len(outcome.scores) == table.seats
        shared = placings(outcome.scores, best=table.rules.spec.best)
        if table.kind in TIE_BREAKS:
            for best, placing in zip(shared, outcome.placings, strict=True):
                assert best <= placing < best + shared.count(best)
        elif table.kind != "palace":  # there places follow from the order of going out too (PA-23)
            assert outcome.placings == shared
        assert outcome.placings == tuple(1 + sum(other < own for other in outcome.placings) for own in outcome.placings)


@of_every_kind
def test_every_option_refuses_what_it_cannot_be(kind: str) -> None:
    """rules README, Options: an unknown option or a value out of range is a clear error."""
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
