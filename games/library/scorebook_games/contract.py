"""The engine contract: the interface that the pure rules of one kind of game implement.

An engine has no clock, no randomness of its own, no input and no output. It *decides* what a move leads to: this is
strict, and returns a list of events. It *applies* events to a state: this is simple, and checks nothing. Everything
else is a fold over events.

Values that all engines share:

- action: a small int that only its own engine understands. Players see its text (`Rules.move_text`).
- event: a JSON array with its type first: ``["laid", seat, card, spot]``. The rest are ints, strings, null, and lists
  of them.
- seat: an int 0 … n−1, clockwise. The dealer is seat n−1 (docs/reference/common-rules.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

from scorebook_games.text import gettext
from scorebook_games.text import gettext_noop as _

Event = list[Any]
Options = dict[str, Any]

RULES = "rules"
TURN_LIMIT = "turn_limit"
LEFT = "left"
ABORTED = "aborted"

# A viewer gets this in place of an event that is hidden from them. It keeps the event's version and shows nothing else.
REDACTED: Event = ["redacted"]


class RulesError(Exception):
    """Bad input to the rules: a `code` for programs and a `sentence` for people.

    The `template` of the sentence is English; `values` are what stands in its braces, if there are any. The sentence is
    made when it is read, in the reader's language.
    """

    def __init__(self, code: str, template: str, **values: object) -> None:
        super().__init__(code, template)
        self.code = code
        self.template = template
        self.values = values

    @property
    def sentence(self) -> str:
        """What is wrong and what to do, in the reader's language."""
        words = gettext(self.template)
        return words.format(**self.values) if self.values else words

    def __str__(self) -> str:
        return self.sentence


class MalformedMove(RulesError):
    """A text that is not a move of this kind of game. The sentence explains the notation."""

    def __init__(self, template: str, **values: object) -> None:
        super().__init__("malformed_move", template, **values)


class IllegalMove(RulesError):
    """A move that the rules do not allow now. `clause` names the rule that forbids it, such as `CT-7`."""

    def __init__(self, code: str, clause: str, template: str, **values: object) -> None:
        super().__init__(code, template, **values)
        self.clause = clause


class OptionError(RulesError):
    """An unknown option, a value out of range, or a number of seats that the kind does not allow."""

    def __init__(self, option: str, template: str, **values: object) -> None:
        super().__init__("bad_option", template, **values)
        self.option = option


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    `termination` is "rules", "turn_limit" or one of the terminations of `scorebook_games.gamelog.events`. `scores` and
    `placings` have one entry a seat. Placings are 1 … n, and tied seats share the better place. They are empty when the
    game was aborted.

    A better score (`Spec.best`) never has a worse place. The rules of a kind may break ties of scores, and may give
    several scores one place. Only leaving is stronger: a table moves those who left below all others
    (`scorebook_games.gamelog.fold.place_leavers`).
    """

    termination: str
    scores: tuple[int, ...]
    placings: tuple[int, ...]


def placings(scores: Sequence[int], *, best: str) -> tuple[int, ...]:
    """Return the place of each score, 1 for the best; tied scores share the better place
    (docs/reference/common-rules.md, Result). `best` is "highest" or "lowest"."""
    if best == "highest":
        return tuple([1 + sum([other > score for other in scores]) for score in scores])
    return tuple([1 + sum([other < score for other in scores]) for score in scores])


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a kind: its range, its default, and a help text for the person who sets up a season.

    `type` is "int" (with `minimum` and `maximum`, both included), "bool" or "choice" (with `choices`). A `default` of
    None depends on the number of seats, and `Rules.resolve` fills it in.
    """

    name: str
    type: str
    default: Any
    help: str
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str, ...] = ()

    def check(self, value: Any) -> None:
        """Raise `OptionError` unless `value` is allowed for this option."""
        if self.type == "bool":
            if not isinstance(value, bool):
                sentence = _("Option {name} must be true or false, not {value!r}.")
                raise OptionError(self.name, sentence, name=self.name, value=value)
        elif self.type == "choice":
            if value not in self.choices:
                sentence = _("Option {name} must be one of {allowed}, not {value!r}.")
                raise OptionError(self.name, sentence, name=self.name, allowed=", ".join(self.choices), value=value)
        elif not isinstance(value, int) or isinstance(value, bool) or not self.minimum <= value <= self.maximum:
            sentence = _("Option {name} must be a whole number from {minimum} to {maximum}, not {value!r}.")
            values = {"minimum": self.minimum, "maximum": self.maximum, "value": value}
            raise OptionError(self.name, sentence, name=self.name, **values)


@dataclass(frozen=True, slots=True)
class Spec:
    """What is known of a kind before a game of it is played."""

    kind: str
    title: str
    rules_version: int
    seats_min: int
    seats_max: int
    options: tuple[Option, ...]
    notation: str  # one sentence that lists the moves, for the author of a malformed one
    best: str = "highest"  # which score is the better one, as `placings` takes it: "highest" or "lowest"

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Return every option with its value, defaults filled in.

        Raises `OptionError` for a number of seats or an option that the kind does not have, or a value out of range.
        """
        if not self.seats_min <= seats <= self.seats_max:
            sentence = _("{game} is for {least} to {most} players, not {seats}.")
            values = {"least": self.seats_min, "most": self.seats_max, "seats": seats}
            raise OptionError("seats", sentence, game=self.title, **values)
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                if not known:
                    raise OptionError(
                        str(name),
                        _("{game} has no option {name!r}. Its options are: none."),
                        game=self.title,
                        name=name,
                    )
                sentence = _("{game} has no option {name!r}. Its options are: {options}.")
                raise OptionError(str(name), sentence, game=self.title, name=name, options=", ".join(known))
        resolved: Options = {}
        for option in self.options:
            value = options.get(option.name, option.default)
            if option.name in options:
                option.check(value)
            resolved[option.name] = value
        return resolved


class Dealer(Protocol):
    """The source of randomness. Each label is used once in a game and says what the draw is for (`deal/round2`)."""

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """Return for each bound b an integer 0 … b−1, all equally likely."""

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        """Return `items` in a random order, every order equally likely."""

    def dice(self, label: str, count: int) -> list[int]:
        """Return `count` rolls of a six-sided die, each 1 … 6; at most 24."""


class State(Protocol):
    """The state of one game. It is mutable, and belongs to the code that folds events into it."""

    def copy(self) -> State:
        """Return an independent copy: changes of one do not show in the other."""

    def plain(self) -> dict[str, Any]:
        """Return all facts of the state as plain JSON data: lists and no tuples, objects by text.

        Two states are equal exactly when their plain data are.
        """


S = TypeVar("S", bound=State)
S_contra = TypeVar("S_contra", bound=State, contravariant=True)


class Rules(Protocol[S]):
    """The rules of one kind. One instance serves all games and holds nothing but its spec.

    Methods that take a state leave it unchanged, except `apply`.
    """

    spec: Spec

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Return every option with its value, including those that depend on the number of seats.

        Raises `OptionError` as `Spec.resolve` does.
        """

    def initial(self, seats: int, options: Options) -> S:
        """Return the state before the first event. `options` come from `resolve`."""

    def start(self, state: S, dealer: Dealer) -> list[Event]:
        """Return the events that open the game, such as the deal and who leads."""

    def to_act(self, state: S) -> list[int]:
        """Return the seats that may act, in the order in which they are asked; several where moves may race.

        The list is empty before the start and after the end.
        """

    def to_act_seen(self, state: S, viewer: int | None) -> list[int]:
        """Return those of `to_act` that `viewer` (None: the public) may know of.

        That a seat may act can be its own secret.
        """

    def awaited(self, state: S) -> list[int]:
        """Return those of `to_act` that the game waits for. Everybody may know them, and their clocks run.

        The other seats may act but need not, and nobody waits for them.
        """

    def legal_actions(self, state: S, seat: int) -> list[int]:
        """Return every action open to `seat` now, without duplicates; an empty list for a seat that may not act."""

    def decide(self, state: S, seat: int, action: int, dealer: Dealer) -> list[Event]:
        """Return the events that `action` leads to: its own event first, then its consequences.

        An empty list means a pass by a seat that is not awaited: nothing has changed, and the next seat is asked.
        Raises `IllegalMove` with the clause that forbids the action.
        """

    def apply(self, state: S, event: Event) -> None:
        """Change `state` by one event. Accepts every event that `decide` made; never checks and never draws."""

    def action_of(self, state: S, event: Event) -> tuple[int, int]:
        """Return (seat, action) of the decision whose first event is `event`: the inverse of `decide`."""

    def observation(self, state: S, seat: int | None) -> dict[str, Any]:
        """Return all that `seat` (None: the public) may know, as plain JSON data with cards as text.

        It is built up from nothing; hidden things are never removed from a fuller view.
        """

    def redact(self, event: Event, seat: int | None) -> Event:
        """Return `event` as `seat` may see it while the game is on: whole, with nulls for what is hidden, or
        `REDACTED`.

        This is an allow-list: an event type that it does not name is redacted.
        """

    def readable(self, event: Event) -> dict[str, Any]:
        """Return `event`, redacted or not, with named fields: ``{"type": "laid", "seat": 0, "card": "KS", "spot":
        2}``."""

    def outcome(self, state: S) -> Outcome | None:
        """Return how the game ended, or None while it is on."""

    def standing(self, state: S) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return (scores, placings) as if the game ended now, for a turn limit or when everybody has left.

        They are those of an `Outcome`: a better score never has a worse place.
        """

    def move_text(self, state: S, action: int) -> str:
        """Return the move as a player writes it, such as `capture 6 1`."""

    def parse_move(self, state: S, text: str) -> int:
        """Return the action that `text` names. Raises `MalformedMove`. `decide` checks whether the action is legal."""


@runtime_checkable
class Paced(Protocol[S_contra]):
    """What the rules of a kind offer in addition if several seats act together for long periods (PS-17).

    A *bundle* is what a seat gives for one beat: moves, of which the last one ends it. The moves before the last draw
    nothing and change only what belongs to their seat, so a bundle can be made and checked before its turn comes.
    """

    paces: tuple[
        str, ...
    ]  # the entries of `scorebook_games.gamelog.terms.PACES` that the kind can be played in; the first is the default

    def ends_bundle(self, state: S_contra, action: int) -> bool:
        """Return whether `action` ends a bundle."""

    def pace_limit(self, state: S_contra, seat: int, action: int) -> int:
        """Return how many ms must pass from the last event of `starts_pace` to `action` on the pace "live"; 0 for
        none."""

    def starts_pace(self, event: Event, seat: int) -> bool:
        """Return whether the time of `pace_limit` starts for `seat` with `event`."""


Draw = Callable[[], float]  # returns a number x with 0 ≤ x < 1, as `random.Random.random` does


@runtime_checkable
class LargeSets(Protocol):
    """What rules offer in addition to `Rules` if a seat may have very many legal actions."""

    def listed_actions(self, state: Any, seat: int) -> list[int]:
        """Return the legal actions that a view lists. The others can be worked out from what the view shows."""

    def open_action(self, state: Any, seat: int) -> int | None:
        """Return the listed action that stands for many: a move with any of its things is legal. None if none does."""

    def sample_action(self, state: Any, seat: int, draw: Draw) -> int:
        """Return a random legal action of a seat that may act, without listing all. Every legal action is possible."""


@runtime_checkable
class Looking(Protocol):
    """What rules have beside `Rules` when a seat may look at hidden things, and no event tells it what it sees."""

    def looks(self, state: Any, seat: int) -> bool:
        """Whether `seat` may look at something hidden now. Its observation shows what it is."""


@lru_cache(maxsize=64)
def _has_large_sets(rules: Any) -> bool:
    """Return whether the rules have `LargeSets`. Cached, because this is asked for each decision of a bot."""
    return isinstance(rules, LargeSets)


def has_large_sets(rules: Any) -> TypeGuard[LargeSets]:
    """Return whether the rules have `LargeSets`."""
    return _has_large_sets(rules)


def listed_actions(rules: Rules[Any], state: Any, seat: int) -> list[int]:
    """Return the legal actions of `seat` that are shown to it: all of them if the rules have no `LargeSets`."""
    if has_large_sets(rules):
        return rules.listed_actions(state, seat)
    return rules.legal_actions(state, seat)


def open_action(rules: Rules[Any], state: Any, seat: int) -> int | None:
    """Return the listed action of `seat` that stands for many (`LargeSets.open_action`); None if none does."""
    return rules.open_action(state, seat) if has_large_sets(rules) else None


def sampler(rules: Rules[Any]) -> Callable[[Any, int, Draw], int]:
    """Return a function (state, seat, draw) → action that draws a random legal action of a seat that may act."""
    if isinstance(rules, LargeSets):
        return rules.sample_action
    legal_actions = rules.legal_actions

    def sample(state: Any, seat: int, draw: Draw) -> int:
        actions = legal_actions(state, seat)
        return actions[int(draw() * len(actions))]

    return sample


def fold(rules: Rules[S], seats: int, options: Options, events: Sequence[Event]) -> S:
    """Return the state after `events`, which are rule events in order."""
    state = rules.initial(seats, options)
    for event in events:
        rules.apply(state, event)
    return state
