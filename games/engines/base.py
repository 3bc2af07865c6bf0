"""What an engine is: the pure rules of one kind of game.

An engine has no clock, no chance of its own, no input and no output. It *decides* what a move leads to (strictly, as
a list of events) and *applies* events to a state (simply, never checking). Everything else is a fold over events.

Shapes
------
action   a small int, meaningful to its own engine only; a player sees its text (`Rules.move_text`).
event    a JSON array, its type first: ``["laid", seat, card, spot]``. Ints and strings, lists of them, null.
seat     0 … n−1, clockwise; the dealer is seat n−1 (docs/reference/common-rules.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

Event = list[Any]
Options = dict[str, Any]

RULES = "rules"
TURN_LIMIT = "turn_limit"
LEFT = "left"
ABORTED = "aborted"

# What a viewer gets in the place of an event that is not theirs to see: the version is used up, nothing is told.
REDACTED: Event = ["redacted"]


class RulesError(Exception):
    """An answer to bad input: a `code` for machines and a `sentence` for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class MalformedMove(RulesError):
    """A text that is no move of this kind of game at all. The sentence names the notation."""

    def __init__(self, sentence: str) -> None:
        super().__init__("malformed_move", sentence)


class IllegalMove(RulesError):
    """A move that the rules do not allow now; `clause` names the rule, as `CT-7`."""

    def __init__(self, code: str, clause: str, sentence: str) -> None:
        super().__init__(code, sentence)
        self.clause = clause


class OptionError(RulesError):
    """An unknown option, a value out of range, or a number of seats that the kind does not have."""

    def __init__(self, option: str, sentence: str) -> None:
        super().__init__("bad_option", sentence)
        self.option = option


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended. `placings` are 1 … n, ties sharing the better one; empty when the game was aborted."""

    termination: str
    scores: tuple[int, ...]
    placings: tuple[int, ...]


def placings(scores: Sequence[int], *, best: str) -> tuple[int, ...]:
    """Places of `scores`, ties sharing the better place; `best` is "highest" or "lowest"
    (docs/reference/common-rules.md, Result)."""
    if best == "highest":
        return tuple([1 + sum([other > score for other in scores]) for score in scores])
    return tuple([1 + sum([other < score for other in scores]) for score in scores])


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a kind: its range, its default, and a sentence of help for whoever sets up a season.

    `type` is "int" (with `minimum` and `maximum`, both included), "bool" or "choice" (with `choices`). A `default` of
    None depends on the number of seats; the engine fills it in (`Rules.resolve`).
    """

    name: str
    type: str
    default: Any
    help: str
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str, ...] = ()

    def check(self, value: Any) -> None:
        """Raise `OptionError` unless `value` is one that this option can have."""
        if self.type == "bool":
            if not isinstance(value, bool):
                raise OptionError(self.name, f"Option {self.name} must be true or false, not {value!r}.")
        elif self.type == "choice":
            if value not in self.choices:
                allowed = ", ".join(self.choices)
                raise OptionError(self.name, f"Option {self.name} must be one of {allowed}, not {value!r}.")
        elif not isinstance(value, int) or isinstance(value, bool) or not self.minimum <= value <= self.maximum:
            raise OptionError(
                self.name,
                f"Option {self.name} must be a whole number from {self.minimum} to {self.maximum}, not {value!r}.",
            )


@dataclass(frozen=True, slots=True)
class Spec:
    """What is known of a kind before any game of it is played."""

    kind: str
    title: str
    rules_version: int
    seats_min: int
    seats_max: int
    options: tuple[Option, ...]
    notation: str  # one sentence that lists the moves, for whoever sent a malformed one
    best: str = "highest"  # which score is the better one, as `placings` takes it: "highest" or "lowest"

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Every option with its value, defaults filled in. Raises `OptionError` with a sentence."""
        if not self.seats_min <= seats <= self.seats_max:
            raise OptionError(
                "seats", f"{self.title} is for {self.seats_min} to {self.seats_max} players, not {seats}."
            )
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                raise OptionError(
                    str(name), f"{self.title} has no option {name!r}. Its options are: {', '.join(known) or 'none'}."
                )
        resolved: Options = {}
        for option in self.options:
            value = options.get(option.name, option.default)
            if option.name in options:
                option.check(value)
            resolved[option.name] = value
        return resolved


class Dealer(Protocol):
    """Where chance comes from. Each label is used once in a game and says what the draw is for (`deal/round2`)."""

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """For each bound b an integer 0 … b−1, all equally likely."""

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        """`items` in a random order, every order equally likely."""

    def dice(self, label: str, count: int) -> list[int]:
        """`count` rolls of a six-sided die, 1 … 6; 24 at most."""


class State(Protocol):
    """Where a game stands. Mutable, and owned by whoever folds it."""

    def copy(self) -> State:
        """An independent state; nothing done to the one is seen in the other."""

    def plain(self) -> dict[str, Any]:
        """Every fact of the state as plain data: two states are equal exactly when these are."""


S = TypeVar("S", bound=State)
S_contra = TypeVar("S_contra", bound=State, contravariant=True)


class Rules(Protocol[S]):
    """The rules of one kind. One instance serves every game; it holds nothing but its spec."""

    spec: Spec

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Every option with its value, those that depend on the number of seats too. Raises `OptionError`."""

    def initial(self, seats: int, options: Options) -> S:
        """The state before the first event; `options` come from `resolve`."""

    def start(self, state: S, dealer: Dealer) -> list[Event]:
        """The events that open the game (the deal, who leads)."""

    def to_act(self, state: S) -> list[int]:
        """The seats that may act, in the order in which they would be asked; several where moves may race.

        Empty before the start and after the end.
        """

    def to_act_seen(self, state: S, viewer: int | None) -> list[int]:
        """`to_act` as `viewer` (None: the public) may know it: that a seat may act can be its own secret."""

    def awaited(self, state: S) -> list[int]:
        """Those of `to_act` without whose move the game does not go on, known to all: their clocks run.

        The others may act and need not, and nobody waits for them.
        """

    def legal_actions(self, state: S, seat: int) -> list[int]:
        """Every action open to `seat` now, without duplicates; [] for a seat that is not to act."""

    def decide(self, state: S, seat: int, action: int, dealer: Dealer) -> list[Event]:
        """What `action` leads to: its own event first, then the consequences. `state` is left as it was.

        [] for a pass by a seat that is not awaited: nothing has changed, and who asks seat by seat asks the next one.
        Raises `IllegalMove` with the clause that forbids it.
        """

    def apply(self, state: S, event: Event) -> None:
        """Move `state` on by one event. Total and simple: never checks, never draws."""

    def action_of(self, state: S, event: Event) -> tuple[int, int]:
        """(seat, action) that `event`, the first of a decision, came from: the inverse of `decide`."""

    def observation(self, state: S, seat: int | None) -> dict[str, Any]:
        """All that `seat` (None: the public) may know, as plain JSON data; cards as text. Built up from nothing."""

    def redact(self, event: Event, seat: int | None) -> Event:
        """`event` as `seat` may see it while the game is on: whole, with nulls for what is hidden, or `REDACTED`.

        An allow-list: a type of event that it does not name is redacted.
        """

    def readable(self, event: Event) -> dict[str, Any]:
        """`event` (redacted or not) with names: ``{"type": "laid", "seat": 0, "card": "KS", "spot": 2}``."""

    def outcome(self, state: S) -> Outcome | None:
        """How the game ended, or None while it is on."""

    def standing(self, state: S) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(scores, placings) if the game ended now, as it stands: for a turn limit, or when everybody has left."""

    def move_text(self, state: S, action: int) -> str:
        """The move as a player writes it: `capture 6 1`."""

    def parse_move(self, state: S, text: str) -> int:
        """The action that `text` names. Raises `MalformedMove`; whether it is legal now is `decide`'s business."""


@runtime_checkable
class Paced(Protocol[S_contra]):
    """What the rules of a kind offer besides in which several seats act together for long (PS-17).

    A *bundle* is what a seat gives for one beat: moves, of which the last ends it. Those before it draw nothing and
    touch nothing that is not their seat's own, so that a bundle can be made and checked before its turn comes.
    """

    paces: tuple[str, ...]  # those of `games.gamelog.terms.PACES` in which the kind is played, the usual one first

    def ends_bundle(self, state: S_contra, action: int) -> bool:
        """Whether a bundle ends with `action`."""

    def pace_limit(self, state: S_contra, seat: int, action: int) -> int:
        """How many ms must lie between the last event of `starts_pace` and `action`, on the pace "live"; 0 for none."""

    def starts_pace(self, event: Event, seat: int) -> bool:
        """Whether the time of `pace_limit` runs for `seat` from `event` on."""


Draw = Callable[[], float]  # numbers from 0 up to 1, as `random.Random.random` draws them


@runtime_checkable
class LargeSets(Protocol):
    """What rules have beside `Rules` when a seat may have very many legal actions."""

    def listed_actions(self, state: Any, seat: int) -> list[int]:
        """The legal actions as a view lists them; those left out follow from what the view shows."""

    def sample_action(self, state: Any, seat: int, draw: Draw) -> int:
        """A legal action by lot, for a seat that is to act, without listing all; every one is possible."""


@lru_cache(maxsize=64)
def _has_large_sets(rules: Any) -> bool:
    """`isinstance`, remembered: a protocol takes its time to say no, and this is asked for each decision of a bot."""
    return isinstance(rules, LargeSets)


def has_large_sets(rules: Any) -> TypeGuard[LargeSets]:
    """Whether the rules have `LargeSets`."""
    return _has_large_sets(rules)


def listed_actions(rules: Rules[Any], state: Any, seat: int) -> list[int]:
    """The legal actions of `seat` that are shown to it: all of them where the rules have no `LargeSets`."""
    if has_large_sets(rules):
        return rules.listed_actions(state, seat)
    return rules.legal_actions(state, seat)


def sampler(rules: Rules[Any]) -> Callable[[Any, int, Draw], int]:
    """How a legal action of a seat that is to act is drawn by lot: (state, seat, draw) → action."""
    if isinstance(rules, LargeSets):
        return rules.sample_action
    legal_actions = rules.legal_actions

    def sample(state: Any, seat: int, draw: Draw) -> int:
        actions = legal_actions(state, seat)
        return actions[int(draw() * len(actions))]

    return sample


def fold(rules: Rules[S], seats: int, options: Options, events: Sequence[Event]) -> S:
    """The state after `events`, which are rule events in their order."""
    state = rules.initial(seats, options)
    for event in events:
        rules.apply(state, event)
    return state
