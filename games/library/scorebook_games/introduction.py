"""Plays the introduction of a kind by its rules. Pure: a position follows from the script and the reader's moves.

The rules decide what is legal. The script decides only which legal move the step is about.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from scorebook_games.chance import SALT_BYTES, SeedDealer, commitment, draw
from scorebook_games.contract import Event, RulesError
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import BlankDealer, paces_of
from scorebook_games.gamelog.terms import LIVE, TURNS, terms_of
from scorebook_games.presentation.introduction import READER, Introduction, Step
from scorebook_games.registry import KINDS, rules_for

WORDS_A_MINUTE: Final = 180  # a calm reader
SECONDS_A_MOVE: Final = 4


class NotInScript(ValueError):
    """A step that the introduction does not have, or moves that do not belong to the step."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a tried move is: `error` is what the rules say against it, and `wanted` whether the step is about it."""

    wanted: bool
    error: RulesError | None = None


@dataclass(slots=True)
class Lesson:
    """The introduction of a kind at one step, after `made`, the moves of the step that the reader has played."""

    kind: str
    script: Introduction
    number: int = 0
    made: list[str] = field(default_factory=list)
    fold: Fold = field(init=False)
    entries: list[RecordedEvent] = field(init=False)
    _dealer: SeedDealer = field(init=False)

    def __post_init__(self) -> None:
        seed = hashlib.sha256(f"introduction {self.script.seed}".encode()).digest()
        self._dealer = SeedDealer(seed)
        first = _opening(self.kind, self.script, seed)
        self.fold = Fold(first)
        self.entries = [RecordedEvent(1, 0, first)]
        if self.fold.pace == LIVE:
            self._take([[ev.GO]])
        self._take(self.fold.rules.start(self.fold.state, self._dealer))
        self._begin_step()

    @property
    def step(self) -> Step:
        """The present step."""
        return self.script.steps[self.number]

    @property
    def todo(self) -> list[str]:
        """The moves of the step that the reader has not played yet."""
        left = list(self.step.moves)
        for move in self.made:
            left.remove(move)
        return left

    @property
    def is_last(self) -> bool:
        """Whether no step follows."""
        return self.number + 1 == len(self.script.steps)

    def judge(self, move: str) -> Verdict:
        """Return what a move of the reader is. Nothing is played."""
        rules, state = self.fold.rules, self.fold.state
        try:
            rules.decide(state, READER, rules.parse_move(state, move), BlankDealer())
        except RulesError as error:
            return Verdict(wanted=False, error=error)
        return Verdict(wanted=move in self.todo)

    def play(self, move: str) -> None:
        """Play a move of the step, and go to the next step after its last one. Raises `NotInScript`."""
        if move not in self.todo:
            raise NotInScript(f"Step {self.number} does not ask for {move!r}.")
        self._move(READER, move)
        self.made.append(move)
        if not self.todo:
            self.advance()

    def advance(self) -> None:
        """Go to the next step. The last one stays. Raises `NotInScript` if the reader has to move first."""
        if self.todo:
            raise NotInScript(f"Step {self.number} asks for {self.todo}.")
        if not self.is_last:
            self.number += 1
            self.made = []
            self._begin_step()

    def _begin_step(self) -> None:
        for seat, move in self.step.before:
            self._move(seat, move)

    def _move(self, seat: int, move: str) -> None:
        rules, state = self.fold.rules, self.fold.state
        self._take(rules.decide(state, seat, rules.parse_move(state, move), self._dealer))

    def _take(self, events: Sequence[Event]) -> None:
        for event in events:
            self.fold.apply(event)
            self.entries.append(RecordedEvent(self.fold.version, 0, event))


def lesson_at(kind: str, number: int, made: Sequence[str] = ()) -> Lesson:
    """Return the introduction of a kind at step `number`, counted from 0, after the moves `made` of that step.

    Raises `NotInScript`, also for a kind without an introduction.
    """
    script = KINDS[kind].presentation.introduction
    if script is None or not 0 <= number < len(script.steps):
        raise NotInScript(f"The introduction of {kind} has no step {number}.")
    lesson = Lesson(kind, script)
    for step in script.steps[:number]:
        for move in step.moves:
            lesson.play(move)
        if not step.moves:
            lesson.advance()
    for move in made:
        if len(lesson.todo) < 2:  # the last one leads to the next step
            raise NotInScript(f"Step {number} is over after {list(made)}.")
        lesson.play(move)
    return lesson


def minutes_of(script: Introduction) -> float:
    """Return about how long a reader needs, who reads everything but the mistakes."""
    words = sum(len(step.text.split()) for step in script.steps)
    return words / WORDS_A_MINUTE + sum(len(step.moves) for step in script.steps) * SECONDS_A_MOVE / 60


def _opening(kind: str, script: Introduction, seed: bytes) -> Event:
    """Return the first event. Where several may move at once, a move is taken as it comes."""
    rules = rules_for(kind)
    paces = paces_of(rules)
    data = {
        "kind": kind,
        "rules_version": rules.spec.rules_version,
        "rules_hash": KINDS[kind].rules_hash,
        "seats": script.seats,
        "options": rules.resolve(script.seats, script.options),
        "terms": terms_of({"rated": False, "pace": TURNS if TURNS in paces else LIVE}, paces).plain(),
        "commitment": commitment(draw(seed, "salt", 0)[:SALT_BYTES], seed),
    }
    return [ev.OPENED, data]
