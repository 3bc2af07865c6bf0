"""What must hold of every game, at every moment and at the end, whatever was played (docs/reference/common-rules.md).

`at_every_node` costs little. `closely` looks at one moment with everything that there is. `at_the_end` goes through the
whole log. Each raises AssertionError with a sentence.
"""

from __future__ import annotations

import json
import random
import re
from functools import cache
from itertools import permutations
from typing import Any

from games.engines.base import ABORTED, RULES, TURN_LIMIT, Event, IllegalMove, RulesError, listed_actions
from games.engines.chance import SeedDealer
from games.gamelog import events as ev
from games.gamelog import visibility
from games.gamelog.events import GENESIS, RecordedEvent, decode_batch, encode_batch, next_head
from games.gamelog.fold import Fold
from games.gamelog.pacing import BlankDealer, FaultyBundle, beat_events, check_bundle
from games.gamelog.terms import BEATS
from games.gamelog.visibility import outcome_data
from games.programs.builtin import BUILTIN_BOTS, MoveRequest
from replays.frames.replay import frames
from replays.verify import ExportedBatch, GameRecord, verify
from tests.clauses import ROOT
from tests.clauses import clauses as clauses_of_pages
from tests.fuzz.play import SALT, Play, again, bundle
from tests.games.engines.alphabet import alphabet, near
from tests.games.engines.conserved import cards_after_each_event, pack_of
from tests.games.engines.permute import GENERATORS
from tests.games.engines.play import answer, legal_texts, mutate, plain, refusal

SOME = 40  # strings tried on one seat at one moment
ORDERS = 24  # of the bundles of a beat, all there are for four seats


def at_every_node(play: Play) -> None:
    """Nobody to act without a legal move; somebody is waited for exactly while the game is on."""
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


def closely(play: Play, rng: random.Random) -> None:
    """Everything about where the game stands now."""
    folded(play)
    for seat in range(play.setup.seats):
        moves_are_exact(play, seat, rng)
    everybody_sees_their_own(play)
    nobody_learns(play, rng.choice(play.viewers), rng)
    if not play.over:
        bots_move(play, rng)
        if play.setup.pace == BEATS:
            arrival_does_not_matter(play, rng)


def folded(play: Play) -> None:
    """fold(log) is the live state; a copy is equal and goes its own way."""
    now = plain(play.state)
    assert plain(play.twin.state) == now, "the log as JSON folds to the live state"
    assert play.twin.version == play.fold.version == len(play.log)
    other = play.state.copy()
    assert plain(other) == now, "a copy is equal"
    rng = random.Random(play.nodes)
    for seat in play.fold.to_act()[:1]:
        action = rng.choice(listed_actions(play.rules, play.state, seat))
        made = play.rules.decide(play.state, seat, action, play.dealer)
        assert play.rules.decide(play.state, seat, action, SeedDealer(play.setup.seed)) == made, "the same again"
        assert plain(play.state) == now, "to decide changes nothing"
        for event in made:
            play.rules.apply(other, event)
        assert (plain(other) != now) == bool(made), "a move changes something, a pass nothing"
        assert plain(play.state) == now, "what is done to a copy is not done to the original"


def moves_are_exact(play: Play, seat: int, rng: random.Random) -> None:
    """docs/reference/common-rules.md, Moves are text: what is legal is accepted, and nothing else; refusals say why."""
    rules, state = play.rules, play.state
    legal = legal_texts(rules, state, seat)
    assert len(set(legal)) == len(legal), "no move is listed twice"
    assert bool(legal) == (seat in rules.to_act(state)), "who may act, and only who may act, has moves"
    for action in rng.sample(rules.legal_actions(state, seat), min(len(legal), SOME)):
        text = rules.move_text(state, action)
        assert rules.parse_move(state, text) == action, "a move that is written down reads the same"
        made = rules.decide(state, seat, action, BlankDealer())
        assert not made or rules.action_of(state, made[0]) == (seat, action), "the first event tells who did what"
        assert made or seat not in rules.awaited(state), "only who is not waited for may pass"
    before = plain(state)
    for text in strings(play, legal, rng):
        error = refusal(rules, state, seat, text)
        assert (error is None) == (text in legal), f"seat {seat}: {text!r} is accepted exactly if it is legal"
        if error is not None:
            says_why(play, error, text)
    assert plain(state) == before, "what is refused changes nothing"


def strings(play: Play, legal: list[str], rng: random.Random) -> list[str]:
    """Moves of the notation, and strings that are nearly moves."""
    known = alphabet(play.setup.kind)
    nearly = [mutate(rng.choice(legal), legal, rng) for _ in range(SOME if legal else 0)]
    return [*rng.sample(known, min(len(known), SOME)), *nearly, *near_some(play, legal, rng)]


def near_some(play: Play, legal: list[str], rng: random.Random) -> list[str]:
    tried = near(play.setup.kind, legal, rng)
    return rng.sample(tried, min(len(tried), SOME))


def says_why(play: Play, error: RulesError, text: str) -> None:
    """A malformed move names the notation, an illegal one its clause; both in a sentence, without what was sent."""
    assert error.code.isidentifier()
    assert error.sentence.endswith(".")
    if isinstance(error, IllegalMove):
        assert error.clause in clauses(play.setup.kind), f"{text!r}: {error.clause} is a clause"
    else:
        assert error.sentence == play.rules.spec.notation


@cache
def clauses(kind: str) -> frozenset[str]:
    """The clauses of the kind's page, whose engines may cite them."""
    return frozenset(clauses_of_pages(ROOT / "docs" / "rules")[kind])


def everybody_sees_their_own(play: Play) -> None:
    """Observations are plain JSON, and a seat knows whether it may act."""
    fold = play.fold
    for viewer in play.viewers:
        seen = visibility.observation(fold, viewer)
        assert again(seen) == seen, "an observation is plain JSON"
        acting = fold.to_act_seen(viewer)
        assert viewer is None or (viewer in acting) == (viewer in fold.to_act()), "a seat knows whether it may act"
    assert set(fold.to_act()) <= set(fold.to_act_seen(None)), "the public never knows that a seat may not act"
    scores, places = play.rules.standing(play.state)
    consistent(scores, places, play.setup.seats)


def nobody_learns(play: Play, viewer: int | None, rng: random.Random) -> None:
    """In another world that the viewer cannot tell from this one, nothing that the viewer is told is another."""
    rule_events = [event for event in play.log if not ev.is_table_event(event)]
    other = GENERATORS[play.setup.kind](play.setup.seats, play.setup.options, rule_events, viewer, rng)
    if other is None:
        return
    events = iter(other)
    log = [event if ev.is_table_event(event) else next(events) for event in play.log]
    world = Fold(log[0])
    for event in log[1:]:
        world.apply(event)
    assert plain(world.state) != plain(play.state), "the other world is another one"
    texts = rng.sample(alphabet(play.setup.kind), SOME)
    here, there = shown_to(play.fold, play.log, viewer, texts), shown_to(world, log, viewer, texts)
    assert [name for name in here if here[name] != there[name]] == [], f"viewer {viewer} learns what it may not know"


def shown_to(fold: Fold, log: list[Event], viewer: int | None, texts: list[str]) -> dict[str, Any]:
    """Everything that `viewer` is told at this point."""
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
    """What the bundle of that one move is answered with."""
    try:
        check_bundle(fold.rules, fold.state, seat, [text])
    except FaultyBundle as faulty:
        return f"{faulty.index}: {faulty.error.code}, {faulty}"
    return "accepted"


def bots_move(play: Play, rng: random.Random) -> None:
    """Every built-in bot finds a legal move in what it is shown."""
    fold = play.fold
    for seat in fold.to_act():
        legal = [play.rules.move_text(play.state, action) for action in listed_actions(play.rules, play.state, seat)]
        view = MoveRequest(play.setup.kind, play.rules.observation(play.state, seat), fold.rule_events)
        for bot in BUILTIN_BOTS.values():
            assert bot.move(view, list(legal), random.Random(rng.random())) in legal, f"{bot.name} plays a legal move"


def arrival_does_not_matter(play: Play, rng: random.Random) -> None:
    """PS-17: the bundles of a beat lead to the same events in whatever order they arrived."""
    fold = play.fold
    given = [(seat, bundle(fold, seat, rng)) for seat in fold.to_act()]
    orders = list(permutations(given)) if len(given) < 5 else [rng.sample(given, len(given)) for _ in range(ORDERS)]
    logs = {encode_batch(beat_events(fold, dict(order), SeedDealer(play.setup.seed))) for order in orders}
    assert len(logs) == 1, "the order of arrival shows in the log"


# -- the end


def at_the_end(play: Play, rng: random.Random) -> None:
    """The game is over, its outcome follows from the rules, and its log is sound from the first byte to the last."""
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
    folded(play)
    cards_are_kept(play)
    log_is_sound(play)
    for viewer in rng.sample(play.viewers, 2):
        redaction_is_total(play, viewer)
    if not rng.randrange(8):
        frames_are_made(play, rng.choice(play.viewers))


def consistent(scores: tuple[int, ...], places: tuple[int, ...], seats: int) -> None:
    """docs/reference/common-rules.md, Result: a score and a place for each seat, ties sharing the better place."""
    assert len(scores) == len(places) == seats
    assert list(places) == [1 + sum(other < own for other in places) for own in places], "places are 1 … n, ties shared"


def leavers_are_last(play: Play, places: tuple[int, ...]) -> None:
    """docs/reference/common-rules.md, Leaving: below everybody who did not, and in reverse order of leaving."""
    left = play.fold.left
    stayed = [place for seat, place in enumerate(places) if seat not in left]
    gone = [places[seat] for seat in left]
    assert gone == sorted(set(gone), reverse=True), "who left first is last"
    assert not stayed or not gone or max(stayed) < min(gone), "leavers are below who stayed"


def cards_are_kept(play: Play) -> None:
    """No card, plate or die is lost or made, after any event."""
    table, log = play.setup.table, [event for event in play.log if not ev.is_table_event(event)]
    pack = pack_of(table)
    for event, cards in zip(log, cards_after_each_event(table, log), strict=True):
        assert cards == pack, f"a card is lost or made by {event}"


def log_is_sound(play: Play) -> None:
    """Every batch reads as it was written, and a stranger who plays the log again finds no fault."""
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
    """Every event has its place for every viewer, with its own type or none, and reads well."""
    before = encode_batch(play.log)
    for event in play.log:
        shown = visibility.redact(play.rules, event, viewer)
        assert shown[0] in (event[0], "redacted")
        words = visibility.readable_event(play.rules, shown)
        assert words["type"] == shown[0]
        assert not re.search(r"-?\b(nan|inf)\b", json.dumps(words, allow_nan=False))
    assert encode_batch(play.log) == before, "to show a log does not change it"


def frames_are_made(play: Play, viewer: int | None) -> None:
    """The whole game can be told to a viewer."""
    made = frames([RecordedEvent(version, 0, event) for version, event in enumerate(play.log, 1)], viewer)
    assert made[-1].version <= len(play.log)
    assert all(len(frame.scores) in (0, play.setup.seats) for frame in made), "before the set-up there may be none"
