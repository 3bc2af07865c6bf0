"""Checks of what must hold for every game, at every moment and at the end (docs/reference/common-rules.md).

`at_every_node` is fast. `closely` checks one moment in every respect. `at_the_end` checks the whole log. Each raises
AssertionError with a sentence.
"""

from __future__ import annotations

import json
import random
import re
from typing import Any

from replays.verify import ExportedBatch, GameRecord, verify
from scorebook_games.conformance import promises
from scorebook_games.conformance.game import Game, Promise, Story
from scorebook_games.conformance.play import answer, by_lot, legal_texts, mutate, notation, plain, refusal
from scorebook_games.conformance.shown import the_kinds_bots_play_legal_moves
from scorebook_games.contract import ABORTED, RULES, TURN_LIMIT, Event, listed_actions
from scorebook_games.frames.replay import frames
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import GENESIS, RecordedEvent, decode_batch, encode_batch, next_head
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import FaultyBundle, check_bundle
from scorebook_games.gamelog.visibility import outcome_data
from tests.fuzz.play import SALT, Play, again
from tests.scorebook_games.kinds.alphabet import ALPHABETS, alphabet, near
from tests.scorebook_games.kinds.conserved import PACKS, cards_after_each_event, pack_of
from tests.scorebook_games.kinds.permute import GENERATORS

SOME = 40  # strings that are tried on one seat at one moment


def at_every_node(play: Play) -> None:
    """Check that a seat that is to act has a legal move, and that a running game waits for a seat."""
    fold, rules = play.fold, play.rules
    acting, awaited = fold.to_act(), fold.awaited()
    assert play.nodes <= play.most_nodes, "no game goes on past its limit"
    assert bool(acting) == (not play.over), "somebody is to act while the game is on, and nobody after it"
    assert bool(awaited) == bool(acting), "somebody is waited for while the game is on"
    assert set(awaited) <= set(acting) <= set(range(play.setup.seats)), "who is waited for may act"
    assert len(set(acting)) == len(acting), "nobody is to act twice"
    for seat in acting:
        assert listed_actions(rules, play.state, seat), f"seat {seat} is to act and has no legal move"


# -- one moment, closely


# Promises of the conformance suite that apply to one moment.
OF_A_MOMENT: list[Promise] = [
    promises.exactly_the_legal_moves_are_accepted,
    promises.listed_moves_and_draws_agree_with_all_legal_moves,
    promises.writing_a_move_down_and_reading_it_gives_the_same_action,
    promises.a_refused_move_names_a_clause_and_says_why,
    promises.deciding_leaves_the_state_as_it_was_even_when_it_refuses,
    promises.only_a_seat_that_nobody_waits_for_may_pass_without_an_event,
    promises.a_seat_knows_whether_it_may_act_itself,
    promises.a_copy_and_its_original_go_their_own_ways,
    promises.the_first_event_of_a_decision_tells_who_decided_what,
    promises.bundles_may_arrive_in_any_order,
    promises.results_are_whole_and_placings_count_from_one,
]


def closely(play: Play, rng: random.Random) -> None:
    """Check the game's present moment in every respect."""
    assert plain(play.twin.state) == plain(play.state), "the log as JSON folds to the live state"
    assert play.twin.version == play.fold.version == len(play.log)
    if not play.over:
        game = moment(play, rng)
        for promise in OF_A_MOMENT:
            next(promise(game))
        game.closely = True  # the bot `strong` is asked too
        next(the_kinds_bots_play_legal_moves(game))
    for seat in range(play.setup.seats):
        moves_are_exact(play, seat, rng)
    for viewer in play.viewers:
        seen = visibility.observation(play.fold, viewer)
        assert again(seen) == seen, "an observation is plain JSON"
    nobody_learns(play, rng.choice(play.viewers), rng)


def moment(play: Play, rng: random.Random) -> Game:
    """Return the game's present moment as the promises of the conformance suite need it."""
    seat = rng.choice(play.rules.to_act(play.state))
    game = Game(Story(play.setup.table, play.setup.number))
    game.rng = rng
    return game.at(play.state, [], (seat, by_lot(play.rules, play.state, seat, rng)))


def moves_are_exact(play: Play, seat: int, rng: random.Random) -> None:
    """Check that exactly the legal moves are accepted (docs/reference/common-rules.md, Moves are text)."""
    legal = legal_texts(play.rules, play.state, seat)
    before = plain(play.state)
    for text in strings(play, legal, rng):
        error = refusal(play.rules, play.state, seat, text)
        assert (error is None) == (text in legal), f"seat {seat}: {text!r} is accepted exactly if it is legal"
    assert plain(play.state) == before, "what is refused changes nothing"


def strings(play: Play, legal: list[str], rng: random.Random) -> list[str]:
    """Return moves of the notation, and strings that are almost moves."""
    known = strings_of(play)
    nearly = [mutate(rng.choice(legal), legal, rng) for _ in range(SOME if legal else 0)]
    return [*rng.sample(known, min(len(known), SOME)), *nearly, *near_some(play, legal, rng)]


def strings_of(play: Play) -> tuple[str, ...]:
    """Return every move of the kind; for one of another package, strings that combine what its players write."""
    return alphabet(play.setup.kind) if play.setup.kind in ALPHABETS else notation(play.setup.table)


def near_some(play: Play, legal: list[str], rng: random.Random) -> list[str]:
    tried = near(play.setup.kind, legal, rng)
    return rng.sample(tried, min(len(tried), SOME))


def nobody_learns(play: Play, viewer: int | None, rng: random.Random) -> None:
    """Check that a viewer sees the same in another state that differs only in what is hidden from this viewer."""
    rule_events = [event for event in play.log if not ev.is_table_event(event)]
    generate = GENERATORS.get(play.setup.kind)
    if generate is None:  # a kind of another package; `scorebook-kind check` looks for leaks in it
        return
    other = generate(play.setup.seats, play.setup.options, rule_events, viewer, rng)
    if other is None:
        return
    events = iter(other)
    log = [event if ev.is_table_event(event) else next(events) for event in play.log]
    world = Fold(log[0])
    for event in log[1:]:
        world.apply(event)
    assert plain(world.state) != plain(play.state), "the other world is another one"
    texts = rng.sample(strings_of(play), SOME)
    here, there = shown_to(play.fold, play.log, viewer, texts), shown_to(world, log, viewer, texts)
    assert [name for name in here if here[name] != there[name]] == [], f"viewer {viewer} learns what it may not know"


def shown_to(fold: Fold, log: list[Event], viewer: int | None, texts: list[str]) -> dict[str, Any]:
    """Return everything that `viewer` sees at this moment."""
    seen: dict[str, Any] = {
        "observation": visibility.observation(fold, viewer),
        "events": [visibility.redact(fold.rules, event, viewer) for event in log],
        "awaited": fold.awaited(),
        "outcome": repr(fold.outcome()),
    }
    if viewer is not None:
        seen["legal"] = visibility.legal_moves(fold, viewer)
        seen["answers"] = [answer(fold.rules, fold.state, viewer, text) for text in texts]
        seen["bundles"] = [bundle_answer(fold, viewer, text) for text in texts]
    seen["size"] = len(json.dumps(seen))
    return seen


def bundle_answer(fold: Fold, seat: int, text: str) -> str:
    """Return the answer to a bundle of this one move."""
    try:
        check_bundle(fold.rules, fold.state, seat, [text])
    except FaultyBundle as faulty:
        return f"{faulty.index}: {faulty.error.code}, {faulty}"
    return "accepted"


# -- the end


def at_the_end(play: Play, rng: random.Random) -> None:
    """Check that the game is over, that its outcome follows from the rules, and that its whole log is valid."""
    fold = play.fold
    outcome = fold.outcome()
    assert outcome is not None
    assert outcome.termination in (RULES, TURN_LIMIT, *ev.LEAVING_TERMINATIONS, ABORTED)
    if outcome.termination == ABORTED:
        assert (outcome.scores, outcome.placings) == ((), ()), "an aborted game has no result"
    else:
        consistent(outcome.scores, outcome.placings, play.setup.seats)
        leavers_are_last(play, outcome.placings)
    for seat in range(play.setup.seats):
        assert visibility.legal_moves(fold, seat) == [], "nobody moves after the end"
    assert plain(play.twin.state) == plain(play.state), "the log as JSON folds to the live state"
    cards_are_kept(play)
    log_is_sound(play)
    for viewer in rng.sample(play.viewers, 2):
        redaction_is_total(play, viewer)
    if not rng.randrange(8):
        frames_are_made(play, rng.choice(play.viewers))


def consistent(scores: tuple[int, ...], places: tuple[int, ...], seats: int) -> None:
    """Check that each seat has a score and a place, and that tied seats share the better place
    (docs/reference/common-rules.md, Result)."""
    assert len(scores) == len(places) == seats
    assert list(places) == [1 + sum(other < own for other in places) for own in places], "places are 1 … n, ties shared"


def leavers_are_last(play: Play, places: tuple[int, ...]) -> None:
    """Check that players who left are below all others, in reverse order of leaving (docs/reference/common-rules.md,
    Leaving)."""
    left = play.fold.left
    stayed = [place for seat, place in enumerate(places) if seat not in left]
    gone = [places[seat] for seat in left]
    assert gone == sorted(set(gone), reverse=True), "who left first is last"
    assert not stayed or not gone or max(stayed) < min(gone), "leavers are below who stayed"


def cards_are_kept(play: Play) -> None:
    """Check that no event loses or creates a card, plate or die."""
    table, log = play.setup.table, [event for event in play.log if not ev.is_table_event(event)]
    if table.kind not in PACKS:  # a kind of another package
        return
    pack = pack_of(table)
    for event, cards in zip(log, cards_after_each_event(table, log), strict=True):
        assert cards == pack, f"a card is lost or made by {event}"


def log_is_sound(play: Play) -> None:
    """Check that every batch decodes to what was encoded, and that a replay of the log finds no fault."""
    head, seq, stored = GENESIS, 0, []
    for number, batch in enumerate(play.batches):
        body, times = encode_batch(batch), [number] * len(batch)
        assert decode_batch(body) == batch, "a batch reads as it was written"
        stored.append(ExportedBatch(seq, len(batch), times, body))
        head, seq = next_head(head, body, times), seq + len(batch)
    outcome = play.fold.outcome()
    assert outcome is not None
    names = ("kind", "rules_version", "options", "seats")
    record = GameRecord(
        batches=stored,
        version=seq,
        head=head,
        seed=play.setup.seed,
        salt=SALT,
        facts={name: play.fold.opened[name] for name in names},
        outcome=outcome_data(outcome),
    )
    assert [str(fault) for fault in verify(record).faults] == [], "the log verifies"


def redaction_is_total(play: Play, viewer: int | None) -> None:
    """Check that every viewer gets a form of every event, of its own type or hidden, and that the form has words."""
    before = encode_batch(play.log)
    for event in play.log:
        shown = visibility.redact(play.rules, event, viewer)
        assert shown[0] in (event[0], "redacted")
        words = visibility.readable_event(play.rules, shown)
        assert words["type"] == shown[0]
        assert not re.search(r"-?\b(nan|inf)\b", json.dumps(words, allow_nan=False))
    assert encode_batch(play.log) == before, "to show a log does not change it"


def frames_are_made(play: Play, viewer: int | None) -> None:
    """Check that the whole game can be narrated to a viewer."""
    made = frames([RecordedEvent(version, 0, event) for version, event in enumerate(play.log, 1)], viewer)
    assert made[-1].version <= len(play.log)
    assert all(len(frame.scores) in (0, play.setup.seats) for frame in made), "before the set-up there may be none"
