"""A fuzzed game, which is played on a fold without a database and recorded so that it can be repeated."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

from scorebook_games.chance import SeedDealer, commitment
from scorebook_games.conformance.play import bundle, by_lot
from scorebook_games.contract import Event
from scorebook_games.gamelog import endings
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import COUNTDOWN_SECONDS, beat_events
from scorebook_games.gamelog.terms import BEATS, LIVE, terms_of
from tests.fuzz.setups import Setup

SALT = bytes(16)
Line = list[Any]  # ["move", seat, text], ["beat", [[seat, moves], …]], ["left", seat] or ["aborted"]


class Play:
    """A game. `batches` is its log as it would be stored, `story` what was done, and `twin` a fold of the log after
    JSON."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.rules = setup.rules
        self.dealer = SeedDealer(setup.seed)
        self.story: list[Line] = []
        self.batches: list[list[Event]] = []
        self.nodes = 0
        self.most_nodes = setup.most_nodes
        opened = self.opening()
        self.fold, self.twin = Fold(opened), Fold(again(opened))
        self.batches.append([opened])
        self.take(self.first_events())

    def opening(self) -> Event:
        setup = self.setup
        terms = terms_of({"pace": setup.pace, "leaver": setup.leaver, "rated": False})
        data = {
            "kind": setup.kind,
            "rules_version": self.rules.spec.rules_version,
            "seats": setup.seats,
            "options": setup.options,
            "terms": terms.plain(),
            "commitment": commitment(SALT, setup.seed),
        }
        return [ev.OPENED, data]

    def first_events(self) -> list[Event]:
        start = self.rules.start(self.fold.state, self.dealer)
        if self.setup.pace != LIVE:
            return start
        return [[ev.READY, 0], [ev.COUNTDOWN, COUNTDOWN_SECONDS], [ev.GO], *start]

    @property
    def state(self) -> Any:
        return self.fold.state

    @property
    def over(self) -> bool:
        return self.fold.outcome() is not None

    @property
    def log(self) -> list[Event]:
        return [event for batch in self.batches for event in batch]

    @property
    def viewers(self) -> list[int | None]:
        return [*range(self.setup.seats), None]

    def take(self, events: list[Event]) -> None:
        """Apply `events`, a batch of the log."""
        if events:
            self.batches.append(events)
        for event in events:
            self.fold.apply(event)
            self.twin.apply(again(event))

    # -- the lines of a story

    def do(self, line: Line) -> None:
        """Do what a line of a story says."""
        self.story.append(line)
        self.nodes += 1
        match line:
            case ["move", int(seat), str(text)]:
                self.take(self.rules.decide(self.state, seat, self.rules.parse_move(self.state, text), self.dealer))
            case ["beat", list(bundles)]:
                self.take(beat_events(self.fold, dict(bundles), self.dealer))
            case ["left", int(seat)]:
                self.take(self.leaving(seat))
            case ["aborted"]:
                self.take([endings.aborted()])
            case _:
                raise ValueError(f"{line!r} is no line of a story.")

    def leaving(self, seat: int) -> list[Event]:
        """Return the events of a seat that leaves (docs/reference/common-rules.md, Leaving)."""
        left = [*self.fold.left, seat]
        if endings.ends_when_left(self.fold, left):
            return [[ev.LEFT, seat, ev.RESIGNED], endings.ended_by_leavers(self.fold, left, ev.RESIGNED)]
        return [[ev.LEFT, seat, ev.RESIGNED], [ev.TAKEN_OVER, seat, "random"]]

    def next_line(self, rng: random.Random) -> Line:
        """Return a random move, or a beat of random bundles, as a line of a story."""
        seats = self.fold.to_act()
        if self.setup.pace == BEATS:
            return ["beat", [[seat, bundle(self.rules, self.state, seat, rng)] for seat in self.givers(rng)]]
        seat = rng.choice(seats)
        return ["move", seat, self.rules.move_text(self.state, by_lot(self.rules, self.state, seat, rng))]

    def givers(self, rng: random.Random) -> list[int]:
        """Return the seats that give a bundle for the next beat, in any order: all that are awaited, and some that may
        act."""
        awaited = self.fold.awaited()
        seats = [seat for seat in self.fold.to_act() if seat in awaited or rng.random() < 0.7]
        return rng.sample(seats, len(seats))


def again(value: Any) -> Any:
    """Return `value` after encoding and decoding as JSON."""
    return json.loads(json.dumps(value))


def play_again(setup: Mapping[str, Any], story: Sequence[Line]) -> Play:
    """Play a recorded game again."""
    play = Play(Setup(**setup))
    for line in story:
        play.do(line)
    return play
