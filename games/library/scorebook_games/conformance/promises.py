"""The promises of every engine (scorebook_games.contract), each tested at every move of a random game.

A promise is a generator function, and its name says what is promised. It tests the game and waits for the next move at
each `yield`, and once more after the last move; then it returns. `game.walk` plays one game for all of them.
"""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

from scorebook_games.build import is_compiled
from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.game import OPEN, Game, Promise, Story, need, sample
from scorebook_games.conformance.hidden import difference, nobody_learns_what_is_hidden, whose
from scorebook_games.conformance.page import clauses_of
from scorebook_games.conformance.play import LIMIT, SEED, answer, bundle, plain, refusal
from scorebook_games.conformance.shown import the_kinds_bots_play_legal_moves, words_are_made_for_whatever_happens
from scorebook_games.conformance.watch import Watch
from scorebook_games.contract import (
    REDACTED,
    RULES,
    TURN_LIMIT,
    Event,
    IllegalMove,
    MalformedMove,
    Rules,
    RulesError,
    fold,
    listed_actions,
)
from scorebook_games.fields import mismatch
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import BlankDealer, beat_events, paces_of
from scorebook_games.gamelog.terms import BEATS
from scorebook_games.registry import KINDS

MOVES_OF_A_TURN: Final = 20  # by which the turn limit bounds the moves of a game
MAX_CALLS: Final = 200_000  # of functions that one question to the rules may make
FACTS_EVERY: Final = 7  # moves between states whose attributes are compared
MOMENTS: Final = 6  # such states of a game
WATCHED: Final = 8  # the first moves of a game are watched, and of the others one in this many
ORDERS: Final = 4  # in which the bundles of a beat arrive, by lot
RESERVED_LABELS: Final = ("beat/", "bot/", "salt")  # of draws that the platform makes from the same seed


def a_game_ends_within_its_limit(game: Game) -> Iterator[None]:
    """A game has an outcome when nobody may act, and not before. In each round, it has at most 20 moves for each turn
    of its option `turn_limit`."""
    options = game.table.options
    need(isinstance(options.get(LIMIT), int), f"There is no whole number {LIMIT} among the options", options)
    most = MOVES_OF_A_TURN * options[LIMIT] * options.get("rounds", 1) + 100
    while game.on:
        need(game.moves < most, f"The game has {game.moves} moves and goes on, with the options", options)
        need(game.rules.outcome(game.state) is None, "Somebody is to act and there is an outcome")
        yield
    outcome = game.rules.outcome(game.state)
    if game.over:
        if outcome is None:
            need(False, "Nobody is to act, and the game has no outcome")
        else:
            need(outcome.termination in (RULES, TURN_LIMIT), "The termination is unknown", outcome.termination)


def folding_the_log_gives_the_live_state_at_every_version(game: Game) -> Iterator[None]:
    """The log, written as JSON and read, folds to the live state after every move. Only events change a state."""
    rules, table = game.rules, game.table
    folded = rules.initial(table.seats, table.options)
    seen = 0
    while True:
        for event in game.log[seen:]:
            rules.apply(folded, json.loads(json.dumps(event)))
        seen = len(game.log)
        same_facts(plain(folded), game.facts, "The folded log and the live state differ")
        if game.moves < 10 or game.moves % 50 == 0 or not game.on:
            again = plain(fold(rules, table.seats, table.options, game.log))
            same_facts(again, game.facts, "The log folded anew and the live state differ")
        if not game.on:
            return
        yield


def same_facts(one: str, other: str, sentence: str) -> None:
    """Raise `BrokenPromise` with the difference if the facts of two states differ."""
    if one != other:
        first, second = json.loads(one), json.loads(other)
        names = [name for name in first if first[name] != second.get(name)] if isinstance(first, dict) else ()
        need(False, sentence, *names)


def a_copy_and_its_original_go_their_own_ways(game: Game) -> Iterator[None]:
    """A change of a copied state is not seen in the original, nor the other way round."""
    kept: list[tuple[Any, str]] = []
    while game.on:
        other = game.state.copy()
        kept.append((game.state.copy(), game.facts))
        for event in game.node.events:
            game.rules.apply(other, event)
        need((plain(other) != game.facts) == bool(game.node.events), "A move changes the state, and a pass does not")
        need(plain(game.state) == game.facts, "The original changes with its copy")
        yield
    need(all(plain(twin) == then for twin, then in kept), "A copy changes with its original")


def a_state_can_be_pickled(game: Game) -> Iterator[None]:
    """A state that is pickled and read has the same facts, because training sends states to other processes.

    Only Python's classes promise it: those of machine code cannot be pickled, and nothing asks them to.
    """
    if is_compiled(sys.modules[type(game.state).__module__]):
        return
    while True:
        if game.moves < 2 or not game.on:
            again = pickle.loads(pickle.dumps(game.state))  # noqa: S301  it was made just now
            same_facts(plain(again), game.facts, "The state is another one after it was pickled and read")
        if not game.on:
            return
        yield


def the_plain_data_have_every_fact(game: Game) -> Iterator[None]:
    """`State.plain()` changes with each attribute of a state that changes by moves, but for those whose name begins
    with _. A fact that is not in it is in no comparison of states."""
    kept: list[Any] = []
    while game.on:
        if game.moves % FACTS_EVERY == 0 and len(kept) < MOMENTS:
            kept.append(game.state.copy())
        yield
    kept.append(game.state)
    for name in sorted(set().union(*map(attributes, kept))):
        pairs = [(one, other) for one, other in itertools.combinations(kept, 2) if differ(one, other, name)]
        need(
            not pairs or any(changes_plain_data(*pair, name) for pair in pairs),
            f"State.plain() says nothing of `{name}`",
        )


def attributes(state: Any) -> set[str]:
    """Return the names of what a state stores, without those that begin with _."""
    names = set(getattr(state, "__dict__", {}))
    for each in type(state).__mro__:
        slots = getattr(each, "__slots__", ())
        names.update([slots] if isinstance(slots, str) else slots)
    return {name for name in names if not name.startswith("_") and hasattr(state, name)}


def differ(one: Any, other: Any, name: str) -> bool:
    """Return whether two states have this attribute with different values."""
    if not hasattr(one, name) or not hasattr(other, name):
        return False
    return bool(getattr(one, name) != getattr(other, name))


def changes_plain_data(one: Any, other: Any, name: str) -> bool:
    """Return whether the plain data of a state differ if it has this attribute from another state."""
    twin = one.copy()
    setattr(twin, name, getattr(other.copy(), name))
    try:
        return plain(twin) != plain(one)
    except Exception:  # the attribute does not fit the others, so they are read together
        return True


def exactly_the_legal_moves_are_accepted(game: Game) -> Iterator[None]:
    """Every listed move is accepted, and no other text is. No move is listed twice.

    It tries all legal moves of the seat that moves, some legal moves of others, and some random strings, in this seat
    and in another one. A close look tries all in each seat that may act, and some in the others.
    """
    while game.on:
        acting = game.rules.to_act(game.state)
        need(len(set(acting)) == len(acting), "A seat is to act twice", acting)
        for seat, legal in enumerate(game.texts):
            need(len(set(legal)) == len(legal), f"Seat {seat} has a move twice in its list", sorted(legal))
            need(bool(legal) == (seat in acting), f"Seat {seat} has moves exactly if it is to act", legal, acting)
        anybodys = list(itertools.chain(*game.texts))
        some = {*game.texts[game.node.seat], *sample(game.rng, anybodys, OPEN), *game.some_strings()}
        for seat in game.some_seats():
            tried = {*some, *game.more_strings(seat)}
            accepted = {text for text in tried if refusal(game.rules, game.state, seat, text) is None}
            legal_here = tried & set(game.texts[seat])
            need(accepted >= legal_here, f"Seat {seat} is refused what its list has", sorted(legal_here - accepted))
            need(
                accepted <= legal_here,
                f"Of seat {seat} is accepted what its list has not",
                sorted(accepted - legal_here),
            )
        yield


def nobody_moves_before_the_start_or_after_the_end(game: Game) -> Iterator[None]:
    """Before the first event and after the last one nobody may act, and every move is refused."""
    rules = game.rules
    tried = {rules.move_text(game.state, game.node.action)} if game.on else set()
    while game.on:
        yield
    states = [rules.initial(game.table.seats, game.table.options), *([game.state] if game.over else [])]
    for state in states:
        need(rules.to_act(state) == [], "Somebody is to act before the start or after the end", rules.to_act(state))
        need(rules.awaited(state) == [], "Somebody is awaited before the start or after the end", rules.awaited(state))
        for seat in range(game.table.seats):
            need(rules.legal_actions(state, seat) == [], f"Seat {seat} has moves before the start or after the end")
            for text in tried:
                need(
                    answer(rules, state, seat, text) != "accepted",
                    "A move is accepted before the start or after the end",
                )


def a_refused_move_names_a_clause_and_says_why(game: Game) -> Iterator[None]:
    """A refusal has a code, a sentence, and a clause of the rules page. A text that is no move at all is answered with
    the notation."""
    clauses = clauses_of(KINDS[game.table.kind].rules_page)
    while game.on:
        for text in game.some_strings():
            error = refusal(game.rules, game.state, game.node.seat, text)
            if error is not None:
                says_why(game.rules, text, error, clauses)
        yield


def says_why(rules: Rules[Any], text: str, error: RulesError, clauses: Sequence[str]) -> None:
    """Test one refusal."""
    need(re.fullmatch("[a-z][a-z0-9_]*", error.code), f"The code of the refusal of {text!r} is no name", error.code)
    need(error.sentence.strip().endswith("."), f"The refusal of {text!r} is no sentence", error.sentence)
    if isinstance(error, IllegalMove):
        need(error.clause in clauses, f"The refusal of {text!r} cites no clause of the rules page", error.clause)
    elif isinstance(error, MalformedMove):
        is_notation = error.sentence == rules.spec.notation
        need(is_notation, f"The refusal of {text!r}, which is no move, is not the notation", error.sentence)


def deciding_leaves_the_state_as_it_was_even_when_it_refuses(game: Game) -> Iterator[None]:
    """`decide` changes nothing, whether it accepts a move or refuses it."""
    while game.on:
        for action in game.some_actions():
            game.rules.decide(game.state, game.node.seat, action, SeedDealer(game.story.seed_bytes))
        need(plain(game.state) == game.facts, "The state changes when a legal move is decided")
        for text in game.some_strings():
            answer(game.rules, game.state, game.node.seat, text)
        need(plain(game.state) == game.facts, "The state changes when a move is refused")
        yield


def the_same_seed_and_moves_make_the_same_events_to_the_byte(game: Game) -> Iterator[None]:
    """The game is played again from its seed and its moves as text, and its log is the same, byte for byte."""
    while game.on:
        yield
    same_log(game, played_again(game))


def games_do_not_touch_each_other(game: Game) -> Iterator[None]:
    """The game is played again while another one is played move by move, and its log is the same, byte for byte."""
    while game.on:
        yield
    same_log(game, played_again(game, beside=True))


def same_log(game: Game, log: list[Event]) -> None:
    """Raise `BrokenPromise` unless the log is the game's, to the byte."""
    if ev.encode_batch(log) != ev.encode_batch(game.log):
        pairs = itertools.zip_longest(log, game.log)
        version, (now, then) = next((version, pair) for version, pair in enumerate(pairs, 1) if pair[0] != pair[1])
        need(False, f"Event {version} is another one when the same game is played again", now, then)


def played_again(game: Game, *, beside: bool = False) -> list[Event]:
    """Return the log of a game with the same seed and moves. Another game may be played beside it."""
    rules, table = game.rules, game.table
    dealer = SeedDealer(game.story.seed_bytes)
    state = rules.initial(table.seats, table.options)
    other = Game(Story(table, game.story.seed + 1)).played() if beside else iter(())
    next(other, None)
    log = list(rules.start(state, dealer))
    for event in log:
        rules.apply(state, event)
    for seat, text in game.made:
        next(other, None)
        need(seat in rules.to_act(state), f"Seat {seat}, which moved, is not to act when the same game is played again")
        events = rules.decide(state, seat, rules.parse_move(state, text), dealer)
        for event in events:
            rules.apply(state, event)
        log += events
    return log


def every_label_is_drawn_once(game: Game) -> Iterator[None]:
    """Each draw has a label of its own, so that no player's moves change another player's luck. A label is ASCII, and
    not one of the platform's."""
    seen: set[str] = set()
    looked_at = 0
    while True:
        for _, label, _, _ in game.dealer.draws[looked_at:]:
            need(label not in seen, "A label is drawn twice in a game", label)
            need(label and label.isascii() and "\0" not in label, "A label must be ASCII, without NUL", label)
            need(not label.startswith(RESERVED_LABELS), "A label is one that the platform draws", label)
            seen.add(label)
        looked_at = len(game.dealer.draws)
        if not game.on:
            return
        yield


def the_rules_have_no_chance_clock_input_or_output(game: Game) -> Iterator[None]:
    """Chance comes from the dealer alone. The rules ask no clock, read no file and print nothing."""
    while game.on:
        for method, watch in some_watched(game).items():
            need(not watch.outer, f"Rules.{method} uses what rules must not use", *sorted(watch.outer))
        yield


def a_question_to_the_rules_is_answered_soon(game: Game) -> Iterator[None]:
    """No method calls more than 200,000 functions for one answer. Calls are counted, so a slow machine is no fault."""
    while game.on:
        for method, watch in some_watched(game).items():
            need(watch.calls <= MAX_CALLS, f"Rules.{method} made {watch.calls} calls, and {MAX_CALLS} are the most")
        yield


def some_watched(game: Game) -> dict[str, Watch]:
    """Return what the rules do at this moment if it is watched; only some moments are, because this takes time."""
    return game.watched if game.closely or game.moves < WATCHED or game.moves % WATCHED == 0 else {}


def bundles_may_arrive_in_any_order(game: Game) -> Iterator[None]:
    """If a kind is played in beats, a bundle comes to its end, and only its last move draws. The bundles of a beat make
    the same events in whatever order they arrive."""
    in_beats = BEATS in paces_of(game.rules)
    while game.on:
        if in_beats and (game.closely or game.moves % WATCHED == 0):
            beat = Fold(opening(game))
            beat.state = game.state
            seats = game.rules.to_act(game.state)
            given = [(seat, bundle(game.rules, game.state, seat, game.rng)) for seat in seats]
            for seat, texts in given:
                draws_at_its_end(game, seat, texts)
            orders = [given, given[::-1], *(game.rng.sample(given, len(given)) for _ in range(ORDERS))]
            dealer = SeedDealer(game.story.seed_bytes)
            logs = {ev.encode_batch(beat_events(beat, dict(order), dealer)) for order in orders}
            need(len(logs) == 1, "The order in which bundles arrived shows in the events", given)
        yield


def draws_at_its_end(game: Game, seat: int, texts: Sequence[str]) -> None:
    """Test the moves of a bundle before the last."""
    rules, state = game.rules, game.state.copy()
    for text in texts[:-1]:
        action = rules.parse_move(state, text)
        one, other = (rules.decide(state, seat, action, dealer) for dealer in (BlankDealer(), SeedDealer(SEED)))
        need(one and one == other, f"The move {text!r} of seat {seat} draws, and ends no bundle", one)
        rules.apply(state, one[0])


def opening(game: Game) -> Event:
    """Return the first event of the game in beats, as far as a fold needs it."""
    spec = game.rules.spec
    data = {"kind": spec.kind, "rules_version": spec.rules_version, "seats": game.table.seats}
    return [ev.OPENED, {**data, "options": game.table.options, "terms": {"pace": BEATS}}]


def the_first_event_of_a_decision_tells_who_decided_what(game: Game) -> Iterator[None]:
    """`action_of` reads from the first event of a decision which seat did what."""
    rules = game.rules
    while game.on:
        seat = game.node.seat
        for action in game.some_actions():
            for first in rules.decide(game.state, seat, action, SeedDealer(game.story.seed_bytes))[:1]:
                result = tuple(rules.action_of(game.state, first))
                need(result == (seat, action), f"action_of says {result} of what seat {seat} did by {action}", first)
        yield


def only_a_seat_that_nobody_waits_for_may_pass_without_an_event(game: Game) -> Iterator[None]:
    """Somebody is awaited while the game is on, and a move of an awaited seat makes an event. Otherwise a table that
    asks seat by seat would ask for ever."""
    while game.on:
        awaited = game.rules.awaited(game.state)
        need(awaited, "The game is on, and nobody is awaited")
        need(set(awaited) <= set(game.rules.to_act(game.state)), "A seat is awaited that is not to act", awaited)
        need(game.node.events or game.node.seat not in awaited, "A seat is awaited, and its move makes no event")
        yield


def a_seat_knows_whether_it_may_act_itself(game: Game) -> Iterator[None]:
    """`to_act_seen` gives each seat the truth about itself, and the public all seats that may act."""
    rules = game.rules
    while game.on:
        acting = rules.to_act(game.state)
        for viewer in range(game.table.seats):
            seen = rules.to_act_seen(game.state, viewer)
            need((viewer in seen) == (viewer in acting), f"Seat {viewer} is not told whether it may act", seen, acting)
        public = rules.to_act_seen(game.state, None)
        need(set(acting) <= set(public), "A seat may act, and the public is told that it may not", public, acting)
        yield


def writing_a_move_down_and_reading_it_gives_the_same_action(game: Game) -> Iterator[None]:
    """`parse_move` reads what `move_text` writes. A text is not empty, and has no space at its ends."""
    rules = game.rules
    while game.on:
        for action in game.some_actions():
            text = rules.move_text(game.state, action)
            need(text and text == text.strip(), f"The text of action {action} is empty or has space at an end", text)
            need(
                rules.parse_move(game.state, text) == action,
                f"{text!r} is written for action {action} and read as another",
            )
        yield


def listed_moves_and_draws_agree_with_all_legal_moves(game: Game) -> Iterator[None]:
    """The moves that a view lists are legal, and there is at least one. A randomly drawn move is legal too."""
    while game.on:
        seat = game.node.seat
        legal = set(game.rules.legal_actions(game.state, seat))
        listed = listed_actions(game.rules, game.state, seat)
        need(listed, f"Seat {seat} is to act, and no move is listed")
        need(set(listed) <= legal, "A move is listed that is not legal", sorted(set(listed) - legal)[:5])
        need(game.node.action in legal, "A move is drawn by lot that is not legal", game.node.action)
        yield


def events_and_observations_are_plain_json(game: Game) -> Iterator[None]:
    """An event is a list with its type first, and no type begins with @. Events and observations do not change when
    they are written as JSON and read."""
    rules = game.rules
    looked_at = 0
    while True:
        for event in game.log[looked_at:]:
            need(
                isinstance(event, list) and event and isinstance(event[0], str),
                "An event is a list, its type first",
                event,
            )
            need(not ev.is_table_event(event), "An event's type begins with @, which is the platform's", event)
            is_json(event, "An event")
        looked_at = len(game.log)
        for viewer in game.some_viewers() if game.on else game.viewers:
            is_json(rules.observation(game.state, viewer), f"The observation of {whose(viewer)}")
        is_json(game.state.plain(), "State.plain()")
        if not game.on:
            break
        yield
    need(ev.decode_batch(ev.encode_batch(game.log)) == game.log, "The log is another one after it was written and read")


def observations_have_the_fields_that_the_kind_describes(game: Game) -> Iterator[None]:
    """If the kind describes its observations, each has the fields and types of the description, and no others."""
    shape = KINDS[game.table.kind].observation
    while True:
        viewers = game.some_viewers() if game.on else game.viewers
        for viewer in viewers if shape else ():
            difference = mismatch(shape, game.rules.observation(game.state, viewer))
            need(not difference, f"The observation of {whose(viewer)} is not as described: {difference}")
        if not game.on:
            break
        yield


def is_json(value: Any, what: str) -> None:
    """Raise `BrokenPromise` unless the value does not change when it is written as JSON and read."""
    try:
        again = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        need(False, f"{what} cannot be written as JSON ({error})", value)
    else:
        if again != value:
            place = difference(value, again).strip()
            need(False, f"{what} is another one after it was written as JSON and read: {place}", value)
        need(same_types(again, value), f"{what} has tuples, or other types that JSON does not keep", value)


def same_types(one: Any, other: Any) -> bool:
    """Return whether two equal values have the same types at all depths: 1 is not True."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return all(same_types(one[name], other[name]) for name in one)
    return not isinstance(one, list) or all(map(same_types, one, other))


def redacting_leaves_the_log_as_it_was_and_every_event_its_place(game: Game) -> Iterator[None]:
    """A viewer sees an event with its own type, or redacted. `redact` changes no event, and redacts types that it does
    not know."""
    while game.on:
        yield
    before = copy.deepcopy(game.log)
    for viewer in game.viewers:
        for event in game.log:
            shown = game.rules.redact(event, viewer)
            need(shown[0] in (event[0], REDACTED[0]), f"An event has another type for {whose(viewer)}", event, shown)
        unknown = game.rules.redact(["no_such_event", 0, [1, 2, 3]], viewer)
        need(unknown == REDACTED, f"An event that redact does not know is shown to {whose(viewer)}", unknown)
    need(game.log == before, "To redact events changes the log")


def every_event_reads_well_redacted_or_not(game: Game) -> Iterator[None]:
    """`readable` gives names to the parts of every event, redacted or not, as JSON."""
    while game.on:
        yield
    for event in game.log:
        redacted = [game.rules.redact(event, viewer) for viewer in game.viewers]
        for shown in [event, *[seen for seen in redacted if seen not in (event, REDACTED)]]:
            words = game.rules.readable(shown)
            need(words.get("type") == shown[0], "A readable event has not its type", shown, words)
            need(
                len(words) > 1 or len(shown) == 1,
                "A readable event has no names for what follows its type",
                shown,
                words,
            )
            is_json(words, "A readable event")
    need(game.rules.readable(REDACTED) == {"type": "redacted"}, "The redacted event does not read as such")


def results_are_whole_and_placings_count_from_one(game: Game) -> Iterator[None]:
    """`standing` has a whole score and a place for each seat at every move, so that a clock, a resignation or a referee
    can end the game at any time. Equal players share the better place. The outcome is the last standing."""
    while True:
        scores, places = game.standing
        need(len(scores) == len(places) == game.table.seats, "A seat has no score or no place", scores, places)
        need(all(type(score) is int for score in scores), "A score is no whole number", scores)
        right = [1 + sum(other < own for other in places) for own in places]
        need(list(places) == right, "The places do not count from 1, equal ones sharing the better", places)
        if not game.on:
            break
        yield
    outcome = game.rules.outcome(game.state)
    if outcome is not None:
        outcome_shown = (tuple(outcome.scores), tuple(outcome.placings))
        need(
            outcome_shown == (tuple(scores), tuple(places)),
            "The outcome is not the last standing",
            outcome_shown,
            scores,
            places,
        )


def a_better_score_never_has_a_worse_place(game: Game) -> Iterator[None]:
    """Places never contradict scores, by `Spec.best`. Equal scores may have several places if the rules break the tie,
    and several scores may share a place."""
    sign = 1 if game.rules.spec.best == "highest" else -1
    while True:
        scores, places = game.standing
        by_place = sorted(zip(places, [-sign * score for score in scores], strict=True))
        losses = [loss for _, loss in by_place]
        need(losses == sorted(losses), "A better score has a worse place", game.rules.spec.best, scores, places)
        if not game.on:
            return
        yield


PROMISES: list[Promise] = [
    a_game_ends_within_its_limit,
    exactly_the_legal_moves_are_accepted,
    listed_moves_and_draws_agree_with_all_legal_moves,
    writing_a_move_down_and_reading_it_gives_the_same_action,
    a_refused_move_names_a_clause_and_says_why,
    nobody_moves_before_the_start_or_after_the_end,
    deciding_leaves_the_state_as_it_was_even_when_it_refuses,
    only_a_seat_that_nobody_waits_for_may_pass_without_an_event,
    a_seat_knows_whether_it_may_act_itself,
    folding_the_log_gives_the_live_state_at_every_version,
    a_copy_and_its_original_go_their_own_ways,
    a_state_can_be_pickled,
    the_plain_data_have_every_fact,
    the_first_event_of_a_decision_tells_who_decided_what,
    the_same_seed_and_moves_make_the_same_events_to_the_byte,
    games_do_not_touch_each_other,
    bundles_may_arrive_in_any_order,
    every_label_is_drawn_once,
    the_rules_have_no_chance_clock_input_or_output,
    a_question_to_the_rules_is_answered_soon,
    events_and_observations_are_plain_json,
    observations_have_the_fields_that_the_kind_describes,
    redacting_leaves_the_log_as_it_was_and_every_event_its_place,
    nobody_learns_what_is_hidden,
    every_event_reads_well_redacted_or_not,
    results_are_whole_and_placings_count_from_one,
    a_better_score_never_has_a_worse_place,
    words_are_made_for_whatever_happens,
    the_kinds_bots_play_legal_moves,
]
# Tested in more games, because these promises are cheap.
OF_RESULTS: list[Promise] = [
    a_game_ends_within_its_limit,
    only_a_seat_that_nobody_waits_for_may_pass_without_an_event,
    results_are_whole_and_placings_count_from_one,
    a_better_score_never_has_a_worse_place,
]
