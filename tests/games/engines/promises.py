"""What every engine promises (games.engines.base), each asked at every move of a random game.

A promise is a generator function, and its name says what is promised. It looks at the game, waits for the next move
at each `yield`, and once more when the game is over; then it returns. `broken` plays one game for all of them.
"""

from __future__ import annotations

import copy
import itertools
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from games.engines.base import REDACTED, IllegalMove, fold, placings
from games.engines.chance import SeedDealer
from games.gamelog import events as ev
from tests.games.engines.conserved import cards_after_each_event, pack_of
from tests.games.engines.play import (
    SEED,
    Node,
    Table,
    answer,
    legal_texts,
    notation,
    plain,
    play,
    refusal,
    seed_of,
)

TIE_BREAKS = {"plate_spinner"}  # kinds whose rules part some who have equal scores
BY_LOT = 15  # strings that are tried at a move beside those that are open to somebody
MORE_BY_LOT = 40  # the same, looked at closely
MAX_STRINGS = 600  # so many strings are all tried in the seat that moves, looked at closely, and of more `PART`
PART = 150
OPEN = 20  # legal moves that a promise looks at, at most
T = TypeVar("T")


class Game:
    """A random game while it is played: `node` is where it stands, the last one still when it is `over`. Looked at
    `closely`, more is tried at each move, and everybody is asked what they see."""

    def __init__(self, table: Table, number: int, *, closely: bool = False) -> None:
        self.table = table
        self.rules = table.rules
        self.number = number
        self.closely = closely
        self.rng = random.Random(f"promises {table} {number}")
        self.viewers: list[int | None] = [*range(table.seats), None]
        self.node: Node
        self.moves = -1  # made so far
        self.over = False

    def played(self) -> Iterator[None]:
        """Plays on, a move at each step, and a last step when the game is over."""
        for node in play(self.table, self.number):
            self.node = node
            self.moves += 1
            yield
            self.__dict__.pop("facts", None)
            self.__dict__.pop("texts", None)
        self.moves += 1
        self.over = True
        yield

    @property
    def state(self) -> Any:
        return self.node.state

    @cached_property
    def facts(self) -> str:
        """The state as one text."""
        return plain(self.state)

    @cached_property
    def texts(self) -> list[list[str]]:
        """The legal moves of each seat."""
        return [legal_texts(self.rules, self.state, seat) for seat in range(self.table.seats)]

    @cached_property
    def strings(self) -> list[str]:
        """What may be tried at any move."""
        return notation(self.table)

    def some_strings(self) -> list[str]:
        return sample(self.rng, self.strings, MORE_BY_LOT if self.closely else BY_LOT)

    def more_strings(self, seat: int) -> list[str]:
        """What is tried besides in a seat that may act."""
        if not self.closely or not self.texts[seat]:
            return []
        return self.strings if len(self.strings) <= MAX_STRINGS else sample(self.rng, self.strings, PART)

    def some_seats(self) -> set[int]:
        seats = self.table.seats
        return set(range(seats)) if self.closely else {self.node.seat, self.rng.randrange(seats)}

    def some_viewers(self) -> set[int | None]:
        return set(self.viewers) if self.closely else {self.node.seat, self.rng.choice(self.viewers)}

    def some_actions(self) -> list[int]:
        """What is done now, and what else might be."""
        actions = self.rules.legal_actions(self.state, self.node.seat)
        return [self.node.action, *sample(self.rng, actions, OPEN)]


def sample(rng: random.Random, of: Sequence[T], most: int) -> list[T]:
    return rng.sample(of, min(most, len(of)))


Promise = Callable[[Game], Iterator[None]]


def broken(game: Game, promises: Sequence[Promise]) -> list[Exception]:
    """Plays the game as long as all is well, and has an error for each promise that is not kept, with its name."""
    asked = {promise.__name__: promise(game) for promise in promises}
    found: list[Exception] = []

    def note(name: str, error: Exception) -> None:
        seed = seed_of(game.table, game.number).hex()
        error.add_note(f"{name}: {game.table}, game {game.number} (seed {seed}), after {game.moves} moves")
        found.append(error)

    try:
        for _ in game.played():
            for name, asking in list(asked.items()):
                try:
                    next(asking)
                except StopIteration:
                    del asked[name]
                except Exception as error:
                    note(name, error)
            if found:
                return found
    except Exception as error:
        note("a game goes on to its end", error)
        return found
    assert not asked, "a promise returns when the game is over"
    return []


def a_game_ends_within_its_limit(game: Game) -> Iterator[None]:
    """docs/reference/common-rules.md, Safeguard. A turn is a few moves, and more only where each takes a card; a
    game is a few rounds."""
    options = game.table.options
    most = 4 * options.get("turn_limit", 1000) * options.get("rounds", 1) + len(pack_of(game.table))
    while not game.over:
        assert game.moves < most
        assert game.rules.outcome(game.state) is None
        yield
    outcome = game.rules.outcome(game.state)
    assert outcome is not None
    assert outcome.termination in ("rules", "turn_limit")


def folding_the_log_gives_the_live_state_at_every_version(game: Game) -> Iterator[None]:
    """At every version one fold goes on, of events as the log keeps them; at some, one begins anew."""
    rules, table = game.rules, game.table
    folded = rules.initial(table.seats, table.options)
    seen = 0
    while True:
        for event in game.node.log[seen:]:
            rules.apply(folded, json.loads(json.dumps(event)))
        seen = len(game.node.log)
        assert plain(folded) == game.facts
        if game.moves < 10 or game.moves % 50 == 0 or game.over:
            assert plain(fold(rules, table.seats, table.options, game.node.log)) == game.facts
        if game.over:
            return
        yield


def a_copy_and_its_original_go_their_own_ways(game: Game) -> Iterator[None]:
    kept: list[tuple[Any, str]] = []
    while not game.over:
        other = game.state.copy()
        kept.append((game.state.copy(), game.facts))
        for event in game.node.events:
            game.rules.apply(other, event)
        assert (plain(other) != game.facts) == bool(game.node.events), "a pass changes nothing"
        assert plain(game.state) == game.facts
        yield
    assert all(plain(twin) == then for twin, then in kept)


def the_legal_moves_are_exactly_the_strings_that_are_accepted(game: Game) -> Iterator[None]:
    """docs/reference/common-rules.md, Moves are text: no more, no fewer, no duplicates.

    Tried are all that are open to the seat that moves, some that are open to anybody, and some by lot, in that seat and
    in another; looked at closely, all in each seat that may act, and some in the others (`test_exact` tries all that
    can be written in every seat, in every sort of position).
    """
    while not game.over:
        acting = game.rules.to_act(game.state)
        for seat, legal in enumerate(game.texts):
            assert len(set(legal)) == len(legal)
            assert bool(legal) == (seat in acting)
        anybodys = list(itertools.chain(*game.texts))
        some = {*game.texts[game.node.seat], *sample(game.rng, anybodys, OPEN), *game.some_strings()}
        for seat in game.some_seats():
            tried = {*some, *game.more_strings(seat)}
            accepted = {text for text in tried if refusal(game.rules, game.state, seat, text) is None}
            assert accepted == tried & set(game.texts[seat])
        yield


def nobody_moves_before_the_start_or_after_the_end(game: Game) -> Iterator[None]:
    rules = game.rules
    text = rules.move_text(game.state, game.node.action)
    while not game.over:
        yield
    for state in (rules.initial(game.table.seats, game.table.options), game.state):
        assert rules.to_act(state) == []
        for seat in range(game.table.seats):
            assert rules.legal_actions(state, seat) == []
            assert answer(rules, state, seat, text) != "accepted"
            assert answer(rules, state, seat, rules.move_text(state, 0)) != "accepted"


def a_refused_move_names_a_clause_and_says_why(game: Game) -> Iterator[None]:
    while not game.over:
        for text in game.some_strings():
            error = refusal(game.rules, game.state, game.node.seat, text)
            if isinstance(error, IllegalMove):
                assert error.code.isidentifier()
                assert re.fullmatch(r"[A-Z]{2}-\d+", error.clause)
                assert error.sentence.endswith(".")
        yield


def deciding_leaves_the_state_as_it_was_even_when_it_refuses(game: Game) -> Iterator[None]:
    while not game.over:
        for action in game.some_actions():
            game.rules.decide(game.state, game.node.seat, action, SeedDealer(SEED))
        for text in game.some_strings():
            answer(game.rules, game.state, game.node.seat, text)
        assert plain(game.state) == game.facts
        yield


def the_same_seed_and_moves_make_the_same_events_to_the_byte(game: Game) -> Iterator[None]:
    rules, table = game.rules, game.table
    moves: list[tuple[int, str]] = []
    while not game.over:
        moves.append((game.node.seat, rules.move_text(game.state, game.node.action)))
        yield
    dealer = SeedDealer(seed_of(table, game.number))
    state = rules.initial(table.seats, table.options)
    log = rules.start(state, dealer)
    for event in log:
        rules.apply(state, event)
    for seat, text in moves:
        assert seat in rules.to_act(state)
        events = rules.decide(state, seat, rules.parse_move(state, text), dealer)
        for event in events:
            rules.apply(state, event)
        log += events
    assert rules.to_act(state) == []
    assert ev.encode_batch(log) == ev.encode_batch(game.node.log)


def the_first_event_of_a_decision_tells_who_decided_what(game: Game) -> Iterator[None]:
    rules, seat = game.rules, game.node.seat
    while not game.over:
        seat = game.node.seat
        for action in game.some_actions():
            for first in rules.decide(game.state, seat, action, SeedDealer(SEED))[:1]:
                assert rules.action_of(game.state, first) == (seat, action)
        yield


def only_a_seat_that_nobody_waits_for_may_pass_without_an_event(game: Game) -> Iterator[None]:
    """Who asks seat by seat would else ask for ever."""
    while not game.over:
        awaited = game.rules.awaited(game.state)
        assert awaited
        assert set(awaited) <= set(game.rules.to_act(game.state))
        assert game.node.events or game.node.seat not in awaited
        yield


def a_seat_knows_whether_it_may_act_itself(game: Game) -> Iterator[None]:
    rules = game.rules
    while not game.over:
        acting = rules.to_act(game.state)
        for viewer in range(game.table.seats):
            assert (viewer in rules.to_act_seen(game.state, viewer)) == (viewer in acting)
        assert set(acting) <= set(rules.to_act_seen(game.state, None))
        yield


def writing_a_move_down_and_reading_it_gives_the_same_action(game: Game) -> Iterator[None]:
    while not game.over:
        actions = game.rules.legal_actions(game.state, game.node.seat)
        for action, text in zip(actions, game.texts[game.node.seat], strict=True):
            assert game.rules.parse_move(game.state, text) == action
        yield


def events_and_observations_are_plain_json(game: Game) -> Iterator[None]:
    while not game.over:
        assert all(json.loads(json.dumps(event)) == event for event in game.node.events)
        for viewer in game.some_viewers():
            seen = game.rules.observation(game.state, viewer)
            assert json.loads(json.dumps(seen)) == seen
        yield
    log = game.node.log
    assert ev.decode_batch(ev.encode_batch(log)) == log
    assert not any(ev.is_table_event(event) for event in log)


def no_card_is_lost_or_made(game: Game) -> Iterator[None]:
    while not game.over:
        yield
    pack = pack_of(game.table)
    assert all(cards == pack for cards in cards_after_each_event(game.table, game.node.log))


def redacting_leaves_the_log_as_it_was_and_every_event_its_place(game: Game) -> Iterator[None]:
    while not game.over:
        yield
    log = game.node.log
    before = copy.deepcopy(log)
    for viewer in game.viewers:
        redacted = [game.rules.redact(event, viewer) for event in log]
        assert all(seen[0] in (event[0], "redacted") for seen, event in zip(redacted, log, strict=True))
    assert log == before


def every_event_reads_well_redacted_or_not(game: Game) -> Iterator[None]:
    while not game.over:
        yield
    for event in game.node.log:
        redacted = [game.rules.redact(event, viewer) for viewer in game.viewers]
        for shown in [event, *[seen for seen in redacted if seen not in (event, REDACTED)]]:
            words = game.rules.readable(shown)
            assert words["type"] == shown[0]
            assert len(words) > 1
            assert json.loads(json.dumps(words)) == words
    assert game.rules.readable(REDACTED) == {"type": "redacted"}


def placings_follow_from_the_scores(game: Game) -> Iterator[None]:
    """docs/reference/common-rules.md, Result: placings 1 … n, ties sharing the better one, unless the rules break
    them (PS-27)."""
    while not game.over:
        yield
    rules = game.rules
    outcome = rules.outcome(game.state)
    assert outcome is not None
    assert rules.standing(game.state) == (outcome.scores, outcome.placings)
    assert len(outcome.scores) == game.table.seats
    shared = placings(outcome.scores, best=rules.spec.best)
    if game.table.kind in TIE_BREAKS:
        for best, placing in zip(shared, outcome.placings, strict=True):
            assert best <= placing < best + shared.count(best)
    elif game.table.kind != "palace":  # there places follow from the order of going out too (PA-23)
        assert outcome.placings == shared
    assert outcome.placings == tuple(1 + sum(other < own for other in outcome.placings) for own in outcome.placings)


PROMISES: list[Promise] = [
    a_game_ends_within_its_limit,
    folding_the_log_gives_the_live_state_at_every_version,
    a_copy_and_its_original_go_their_own_ways,
    the_legal_moves_are_exactly_the_strings_that_are_accepted,
    nobody_moves_before_the_start_or_after_the_end,
    a_refused_move_names_a_clause_and_says_why,
    deciding_leaves_the_state_as_it_was_even_when_it_refuses,
    the_same_seed_and_moves_make_the_same_events_to_the_byte,
    the_first_event_of_a_decision_tells_who_decided_what,
    only_a_seat_that_nobody_waits_for_may_pass_without_an_event,
    a_seat_knows_whether_it_may_act_itself,
    writing_a_move_down_and_reading_it_gives_the_same_action,
    events_and_observations_are_plain_json,
    no_card_is_lost_or_made,
    redacting_leaves_the_log_as_it_was_and_every_event_its_place,
    every_event_reads_well_redacted_or_not,
    placings_follow_from_the_scores,
]
# Of more games, for they cost little.
OF_RESULTS: list[Promise] = [
    a_game_ends_within_its_limit,
    only_a_seat_that_nobody_waits_for_may_pass_without_an_event,
    placings_follow_from_the_scores,
]
