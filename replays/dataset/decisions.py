"""Derives the decisions of a finished game from its log: what a seat could see, what it could do, and what it did.
Pure.

A decision is found by asking the rules again: `action_of` says which action made the next event, and `decide` how many
events followed from it. If the rules would have decided otherwise, the log is refused.

In beats, every seat chooses all of its moves before the beat. So the observation of its first move is that of the state
before the beat. That of a later move also has the seat's own earlier moves of the bundle, and nobody else's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from games.play.departures import successor
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event, Outcome, listed_actions
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import BlankDealer, ends_bundle
from scorebook_games.gamelog.terms import BEATS, EXPIRY_FORFEIT
from scorebook_games.gamelog.visibility import observation

# Increased when a column of the dataset is added, removed or gets another meaning (docs/reference/dataset.md). It is
# here for modules that must not import pyarrow.
SCHEMA_VERSION: Final = 3
RANDOM_BOT: Final = "random"  # it draws a move instead of a bot that failed


class UnreadableGame(ValueError):
    """A log from which no decisions can be derived; the text says why, and at which event."""


class Decision(NamedTuple):
    """A decision. `version` is the number of events before it; `observation` is JSON as UTF-8.

    `played_by` is "person", "upload", "remote", "agent" or the name of a built-in bot, also if the bot chose instead of
    the seat's player. `taken` is False for a move of a beat that was not legal any more at its turn. `waited_ms` is how
    long the game had waited for the seat; None if it had not waited, and in beats, because their log does not say it.
    """

    version: int
    seat: int
    played_by: str
    observation: bytes
    legal_moves: list[str]
    choice: str
    taken: bool
    waited_ms: int | None


class Measured(NamedTuple):
    """What was measured of a game's decisions, in shares of 1.

    `value_hash` is that of the value function, "" without a ledger. `gains` is (seat, version of the decision's event)
    → what it gained the seat beside the usual move; a decision that is not in it gained nothing. `costs` is the same →
    what the move cost beside the best one, and the standard error; only of seats with a review.
    """

    value_hash: str
    gains: dict[tuple[int, int], float]
    costs: dict[tuple[int, int], tuple[float, float]]


class _Replay:
    """Plays a game again, event by event."""

    def __init__(self, opened: Event, seed: bytes, players: Mapping[int, str]) -> None:
        self.fold = Fold(opened)
        self.dealer = SeedDealer(seed)
        self.players = players
        self.stand_ins: dict[int, str] = {}  # who makes the next choice of a seat, if not its player
        self.running: dict[int, int] = {}  # since when the game waits for a seat, in ms after its opening
        self.before: Fold | None = None  # the game before the present beat
        self.trials: dict[int, Fold] = {}  # by seat, the game before the beat with the seat's own moves in it
        self.beat_stand_ins: dict[int, str] = {}

    def next_events(self, event: Event) -> tuple[list[Event], tuple[int, int] | None]:
        """Return the events that were decided together, beginning with `event`, and the (seat, action) behind them;
        None at the start."""
        fold = self.fold
        if not fold.started:
            return fold.rules.start(fold.state, self.dealer), None
        seat, action = fold.rules.action_of(fold.state, event)
        return fold.rules.decide(fold.state, seat, action, self.dealer), (seat, action)

    def decision(self, seat: int, action: int, ms: int) -> Decision | None:
        """Return the decision for an action whose events are not applied yet; None for a seat that is left out."""
        if seat not in self.players:
            self._move_trial(seat, action)
            return None
        fold = self._seen_fold(seat)
        begun = None if fold.pace == BEATS else self.running.get(seat)
        seen, moves = orjson.dumps(observation(fold, seat)), _moves(fold, seat)
        choice, waited = fold.rules.move_text(fold.state, action), None if begun is None else ms - begun
        made = Decision(self.fold.version, seat, self._played_by(seat), seen, moves, choice, True, waited)
        self._move_trial(seat, action)
        return made

    def refused(self, seat: int, text: str) -> Decision | None:
        """Return the decision for a bundle's move that was not taken; None for a seat that is left out."""
        if seat not in self.players:
            return None
        fold = self._seen_fold(seat)
        seen, moves = orjson.dumps(observation(fold, seat)), _moves(fold, seat)
        return Decision(self.fold.version, seat, self._played_by(seat), seen, moves, text, False, None)

    def apply(self, event: Event) -> None:
        """Apply an event of the table."""
        match event:
            case [ev.BEAT, *_]:
                self.before = self.fold.copy()
                self.trials = {}
                self.beat_stand_ins, self.stand_ins = self.stand_ins, {}
            case [ev.EXPIRED, int(seat)]:
                policy = self.fold.opened["terms"].get("expiry", EXPIRY_FORFEIT)
                if policy != EXPIRY_FORFEIT:
                    self.stand_ins[seat] = successor(self.fold, policy)
            case [ev.FAULT, int(seat), *_]:
                self.stand_ins[seat] = RANDOM_BOT
        self.fold.apply(event)

    def note_turns(self, mover: int | None, ms: int) -> None:
        """Store for which seats the game waits now, and since when."""
        running = self.running
        self.running = {seat: ms if seat == mover else running.get(seat, ms) for seat in self.fold.awaited()}

    def _seen_fold(self, seat: int) -> Fold:
        """Return the game as it was when the seat chose."""
        if self.fold.pace != BEATS:
            return self.fold
        return self.trials.get(seat) or self.before or self.fold

    def _played_by(self, seat: int) -> str:
        stand_in = self.beat_stand_ins.get(seat) if self.fold.pace == BEATS else self.stand_ins.pop(seat, None)
        return stand_in or self.fold.taken_over.get(seat) or self.players[seat]

    def _move_trial(self, seat: int, action: int) -> None:
        """In beats, apply the seat's own move to the game that it sees for its next choice."""
        if self.fold.pace != BEATS or self.before is None:
            return
        trial = self.trials.get(seat) or self.before
        rules = trial.rules
        if ends_bundle(rules, trial.state, action):
            return  # it makes no more choices in this beat
        if seat not in self.trials:
            trial = self.trials[seat] = trial.copy()
        rules.apply(trial.state, rules.decide(trial.state, seat, action, BlankDealer())[0])


def _moves(fold: Fold, seat: int) -> list[str]:
    """Return the legal moves of a seat, whoever plays it now. If there are too many, only those that the kind lists."""
    move_text, state = fold.rules.move_text, fold.state
    return [move_text(state, action) for action in listed_actions(fold.rules, state, seat)]


class Replayed(NamedTuple):
    """A finished game after playing it again: its decisions in the order of its log, its last state, and its
    outcome."""

    decisions: list[Decision]
    fold: Fold
    outcome: Outcome


def replay_game(entries: Sequence[RecordedEvent], seed: bytes, players: Mapping[int, str]) -> Replayed:
    """Play a finished game again. `players` is seat → who played it; the decisions of other seats are left out. Raises
    `UnreadableGame`."""
    if not entries:
        raise UnreadableGame("its log is empty")
    version = 1
    try:
        replay = _Replay(entries[0].event, seed, players)
        made = []
        for decision in _decisions(replay, entries):
            version = decision.version
            made.append(decision)
        outcome = replay.fold.outcome()
    except UnreadableGame:
        raise
    except Exception as error:  # a broken log may raise anything
        raise UnreadableGame(f"it can't be read after event {version}: {type(error).__name__}, {error}") from error
    if outcome is None or not outcome.placings:
        raise UnreadableGame("its log has no result")
    return Replayed(made, replay.fold, outcome)


def _decisions(replay: _Replay, entries: Sequence[RecordedEvent]) -> Iterator[Decision]:
    fold = replay.fold
    log = [entry.event for entry in entries]
    while (at := fold.version) < len(log):
        version, ms, event = entries[at]
        if ev.is_table_event(event):
            if event[0] == ev.NOT_TAKEN and (made := replay.refused(event[1], event[2])):
                yield made
            replay.apply(event)
            if event[0] in (ev.LEFT, ev.TAKEN_OVER, ev.ENDED):
                replay.note_turns(None, ms)
            continue
        events, source = replay.next_events(event)
        if events != log[at : at + len(events)]:
            raise UnreadableGame(f"event {version} is not what the rules and the seed make of the move")
        if source and (found := replay.decision(*source, ms)):
            yield found
        for each in events:
            fold.apply(each)
        replay.note_turns(source[0] if source else None, entries[fold.version - 1].ms)


def clock_of(terms: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return the time that the terms give a person for each move, and the bank for all moves, in ms; None for no
    limit."""
    if terms.get("move_days") is not None:
        return terms["move_days"] * 86_400_000, None
    seconds, bank = terms.get("move_seconds"), terms.get("bank_seconds", 0)
    return (None if seconds is None else seconds * 1000), (bank * 1000 or None)
