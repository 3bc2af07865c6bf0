"""Plays a game on an author's machine by the server's rules and paces, and keeps it as a log."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scorebook_games.bots import requests
from scorebook_games.bots.conversation import seed_for
from scorebook_games.bots.process import Fault
from scorebook_games.chance import SALT_BYTES, SeedDealer, commitment, draw
from scorebook_games.cli.players import Player
from scorebook_games.contract import Event, Outcome
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.endings import ended_by_leavers, ends_when_left
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import beat_events, paces_of
from scorebook_games.gamelog.terms import BEATS, LIVE, terms_of
from scorebook_games.registry import KINDS, rules_for

STRIKES: Final = terms_of({}).bot_faults  # a bot with this many faults forfeits the game
FORFEIT: Final = "forfeit"
NOTHING: Final = "nothing"


@dataclass(frozen=True, slots=True)
class Failure:
    """A fault in a game: whose it was and after which event.

    `cost` is what was played in its place, or `FORFEIT`, or `NOTHING` if nobody waited for the seat: that is a pass.
    """

    seat: int
    version: int
    fault: Fault
    cost: str


@dataclass(slots=True)
class Played:
    """A finished local game."""

    number: int
    seed: bytes
    salt: bytes
    names: list[str]
    fold: Fold
    entries: list[RecordedEvent]
    failures: list[Failure]

    @property
    def outcome(self) -> Outcome:
        """Return how the game ended."""
        outcome = self.fold.outcome()
        assert outcome
        return outcome


def opening(kind: str, seats: int, options: Mapping[str, Any], seed: bytes, salt: bytes) -> Event:
    """Return the first event of a game at the kind's default pace. Raises `OptionError`."""
    rules = rules_for(kind)
    paces = [pace for pace in paces_of(rules) if pace != LIVE]
    data = {
        "kind": kind,
        "rules_version": rules.spec.rules_version,
        "rules_hash": KINDS[kind].rules_hash,
        "seats": seats,
        "options": rules.resolve(seats, options),
        "terms": terms_of({"rated": False}, paces).plain(),
        "commitment": commitment(salt, seed),
    }
    return [ev.OPENED, data]


class Table:
    """One game and its players."""

    def __init__(
        self, kind: str, players: Sequence[Player], options: Mapping[str, Any], seed: bytes, number: int
    ) -> None:
        self.players = players
        self.seed, self.number = seed, number
        self.salt = draw(seed, "salt", number)[:SALT_BYTES]
        self.dealer = SeedDealer(seed)
        first = opening(kind, len(players), options, seed, self.salt)
        self.fold = Fold(first)
        self.entries = [RecordedEvent(1, 0, first)]
        self.failures: list[Failure] = []
        self.began = time.monotonic()

    def play(self) -> Played:
        """Play the game to its end. Raises `Fault` if a bot does not even start."""
        for seat, player in enumerate(self.players):
            player.begin(self.fold, seat, seed_for(self.seed, self.salt, seat))
        if not self.fold.started:
            self.take(self.fold.rules.start(self.fold.state, self.dealer))
        step = self.beat if self.fold.pace == BEATS else self.turn
        while self.fold.outcome() is None:
            step()
        outcome = self.fold.outcome()
        assert outcome
        for player in self.players:
            player.end(outcome)
        names = [player.name for player in self.players]
        return Played(self.number, self.seed, self.salt, names, self.fold, self.entries, self.failures)

    def turn(self) -> None:
        """Play one move: the seats that may act are asked in order until one does not pass."""
        rules = self.fold.rules
        for seat in self.fold.to_act():
            moves = self.answer(seat)
            if self.fold.ended:
                return None
            if not moves:
                continue
            events = rules.decide(self.fold.state, seat, rules.parse_move(self.fold.state, moves[0]), self.dealer)
            if events:
                return self.take(events)
        raise AssertionError("Everybody passed, and somebody is awaited.")

    def beat(self) -> None:
        """Play one beat: every seat that may act gives a bundle."""
        bundles: dict[int, list[str]] = {}
        for seat in self.fold.to_act():
            bundles[seat] = self.answer(seat)
            if self.fold.ended:
                return
        self.take(beat_events(self.fold, bundles, self.dealer))

    def answer(self, seat: int) -> list[str]:
        """Return what `seat` plays. After a fault this is a random legal move, and after too many faults always.

        It is nothing after a fault of a seat that nobody waits for, as on a server: a cost would tell the others that
        it may act.
        """
        if seat in self.fold.taken_over:
            return self.by_lot(seat)
        try:
            return self.players[seat].choose(self.fold, self.entries)
        except Fault as fault:
            version = self.fold.version
            if seat not in self.fold.awaited():
                self.failures.append(Failure(seat, version, fault, NOTHING))
                return []
            costly = [failure for failure in self.failures if failure.seat == seat and failure.cost != NOTHING]
            if len(costly) + 1 >= STRIKES:
                self.failures.append(Failure(seat, version, fault, FORFEIT))
                self.forfeit(seat)
                return [] if self.fold.ended else self.by_lot(seat)
            moves = self.by_lot(seat)
            self.failures.append(Failure(seat, version, fault, " ".join(moves)))
            return moves

    def by_lot(self, seat: int) -> list[str]:
        """Return a random legal move or bundle."""
        fold = self.fold
        if fold.pace == BEATS:
            return requests.bundle(fold, seat, "random", self.seed)
        return [fold.rules.move_text(fold.state, requests.action(fold, seat, "random", self.seed))]

    def forfeit(self, seat: int) -> None:
        """Record that `seat` forfeits.

        With two seats the game ends; else the built-in bot "random" plays on in its place.
        """
        self.take([[ev.LEFT, seat, "forfeited"]])
        if ends_when_left(self.fold, self.fold.left):
            self.take([ended_by_leavers(self.fold, self.fold.left, ev.FORFEITED)])
        else:
            self.take([[ev.TAKEN_OVER, seat, "random"]])

    def take(self, events: Sequence[Event]) -> None:
        """Append events and move the game on."""
        ms = int((time.monotonic() - self.began) * 1000)
        for event in events:
            self.fold.apply(event)
            self.entries.append(RecordedEvent(self.fold.version, ms, event))
