"""A game that is played while promises test it, and that can be repeated."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import Node, Table, by_lot, legal_texts, notation, plain
from scorebook_games.conformance.watch import Watch, watched
from scorebook_games.contract import Dealer, Event
from scorebook_games.step_limit import NeverEnds, step_limit

BY_LOT: Final = 15  # strings that are tried at a move in addition to the legal ones
MORE_BY_LOT: Final = 40  # the same in a close look
# in a close look, this many strings are all tried in the seat that moves; of more, only `PART`
MAX_STRINGS: Final = 600
PART: Final = 150
OPEN: Final = 20  # legal moves that a promise tests at most
MAX_MOVES: Final = 250  # moves of a random game that are tested by default
STEP_SECONDS: Final = 8.0  # of processor time for all tests at one move, by default
PLAYING: Final = "games_can_be_played"  # the name for a failure of the game itself

HERE: Final = Path(__file__).parent
LIMIT: Final = HERE.parent / "step_limit.py"

T = TypeVar("T")
Move = tuple[int, str]  # seat and text


@dataclass(frozen=True)
class Change:
    """What is different in a twin of a game (`conformance.hidden`)."""

    words: str
    label: str = ""
    answer: tuple[int, ...] = ()
    step: int = -1
    text: str = ""


class BrokenPromise(Exception):
    """A promise is not kept. The text says what happened instead.

    If it was seen in an earlier moment, `moves` is how many moves had been made then. `twin` is the twin that shows it.
    """

    def __init__(self, sentence: str, *, moves: int | None = None, twin: Change | None = None) -> None:
        super().__init__(sentence)
        self.moves, self.twin = moves, twin


class Unplayable(Exception):
    """A recorded game has an illegal move, so it cannot be played."""


def need(holds: object, sentence: str, *about: object) -> None:
    """Raise `BrokenPromise` with the sentence and the values `about`, unless `holds` is true."""
    if not holds:
        raise BrokenPromise(": ".join([sentence, *(shorten(each) for each in about)]) + ".")


def shorten(value: object, most: int = 300) -> str:
    """Return the value in Python's notation, cut if it is long."""
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]} …"


@dataclass(frozen=True)
class Story:
    """A game that can be repeated: its table, seed and moves. With `moves` None, moves are random.

    With `closely`, more is tried at each move, and every viewer is tested. With `twin`, it is compared with this twin
    alone. Without moves, `habit` says how seats play: "" by lot; "first" or "last" of their list; "same": again what
    they played before, as long as it is legal.
    """

    table: Table
    seed: int
    moves: tuple[Move, ...] | None = None
    closely: bool = False
    twin: Change | None = None
    habit: str = ""

    @property
    def seed_bytes(self) -> bytes:
        """Return the seed of the deal."""
        return self.seed.to_bytes(32, "big")

    def encode(self) -> str:
        """Return the game as JSON."""
        data = {
            "seats": self.table.seats,
            "options": dict(self.table.given) or None,
            "seed": self.seed,
            "closely": self.closely or None,
            "moves": self.moves,
            "twin": self.twin and vars(self.twin),
        }
        return json.dumps({name: value for name, value in data.items() if value is not None})

    @classmethod
    def decode(cls, kind: str, text: str) -> Story:
        """Return the game that `encode` wrote. Raises ValueError for any other text."""
        data = json.loads(text)
        if not isinstance(data, dict) or not all(isinstance(data.get(name), int) for name in ("seats", "seed")):
            raise ValueError("A game is an object with seats, seed, and perhaps options and moves.")
        table = Table(kind, data["seats"], tuple(data.get("options", {}).items()))
        moves = data.get("moves")
        moves_of_table = None if moves is None else tuple((seat, text) for seat, text in moves)
        twin = data.get("twin")
        change = Change(**{**twin, "answer": tuple(twin["answer"])}) if twin else None
        return cls(table, data["seed"], moves_of_table, bool(data.get("closely")), change)


class RecordingDealer:
    """A dealer that draws as another one does and records each draw."""

    def __init__(self, dealer: Dealer) -> None:
        self.dealer = dealer
        self.draws: list[tuple[str, str, Any, list[int]]] = []
        """Method, label, bounds or items or count, and the answer."""

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """Return what the other dealer draws."""
        return self._keep("integers", label, bounds)

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        """Return what the other dealer draws."""
        return self._keep("shuffle", label, items)

    def dice(self, label: str, count: int) -> list[int]:
        """Return what the other dealer draws."""
        return self._keep("dice", label, count)

    def _keep(self, method: str, label: str, of: Any) -> list[int]:
        answer: list[int] = getattr(self.dealer, method)(label, of)
        self.draws.append((method, label, of, answer[:]))
        return answer


class Game:
    """A game while it is played. `node` has the position and the move that is made next."""

    def __init__(self, story: Story, most: int = MAX_MOVES) -> None:
        self.story = story
        self.most = most
        self.table = story.table
        self.rules = story.table.rules
        self.closely = story.closely
        self.rng = random.Random()
        self.viewers: list[int | None] = [*range(story.table.seats), None]
        self.dealer = RecordingDealer(SeedDealer(story.seed_bytes))
        self.node: Node
        self.state: Any
        self.log: list[Event] = []
        self.made: list[Move] = []
        self.started = 0
        """How many events began the game."""
        self.on = True
        """Whether a move follows. At the last step none does."""
        self.over = False
        """Whether the game has ended, and is not only looked at no further."""

    def at(self, state: Any, log: list[Event], move: tuple[int, int] | None) -> Game:
        """Put this game where another one stands, and return it; `move` is the next seat and action, or None."""
        self.state, self.log = state, log
        self.on = move is not None
        if move is not None:
            seat, action = move
            self.made.append((seat, self.rules.move_text(state, action)))
            self.node = Node(state, log, seat, action, self.rules.decide(state, seat, action, self.dealer))
        return self

    def played(self) -> Iterator[None]:
        """Play the game with one move at each step, and a last step after the final move."""
        rules, table = self.rules, self.table
        lots = random.Random(self.story.seed)
        self.state = rules.initial(table.seats, table.options)
        self.log = rules.start(self.state, self.dealer)
        self.started = len(self.log)
        for event in self.log:
            rules.apply(self.state, event)
        self.log = list(self.log)
        while (seats := rules.to_act(self.state)) and (chosen := self._next(seats, lots)):
            seat, action = chosen
            text = rules.move_text(self.state, action)
            events = rules.decide(self.state, seat, action, self.dealer)
            self.node = Node(self.state, self.log, seat, action, events)
            self.made.append((seat, text))
            yield
            for event in events:
                rules.apply(self.state, event)
            self.log += events
            for name in ("facts", "standing", "texts", "watched"):
                self.__dict__.pop(name, None)
        self.over = not seats
        self.on = False
        yield

    def _next(self, seats: list[int], lots: random.Random) -> tuple[int, int] | None:
        """Return the next seat and its action; None if no further move is to be made."""
        if self.story.moves is None:
            if len(self.made) >= self.most:
                return None
            seat = lots.choice(seats)
            return seat, self._by_habit(seat, lots)
        if len(self.made) >= len(self.story.moves):
            return None
        seat, text = self.story.moves[len(self.made)]
        if seat not in seats:
            raise Unplayable
        rules = self.rules
        for action in rules.legal_actions(self.state, seat):
            if rules.move_text(self.state, action) == text:
                return seat, action
        raise Unplayable

    def _by_habit(self, seat: int, lots: random.Random) -> int:
        """Return the next action of a seat that plays by the story's habit."""
        habit, rules = self.story.habit, self.rules
        if habit in ("first", "last"):
            return rules.legal_actions(self.state, seat)[-(habit == "last")]
        if habit == "same":
            before = {text for other, text in self.made if other == seat}
            for action in rules.legal_actions(self.state, seat):
                if rules.move_text(self.state, action) in before:
                    return action
        return by_lot(rules, self.state, seat, lots)

    @property
    def moves(self) -> int:
        """Return how many moves have been made."""
        return len(self.made) - self.on

    @cached_property
    def facts(self) -> str:
        """Return the state as one text."""
        return plain(self.state)

    @cached_property
    def standing(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return scores and places as they stand."""
        return self.rules.standing(self.state)

    @cached_property
    def texts(self) -> list[list[str]]:
        """Return the legal moves of each seat."""
        return [legal_texts(self.rules, self.state, seat) for seat in range(self.table.seats)]

    @cached_property
    def watched(self) -> dict[str, Watch]:
        """Return for each method of the rules what it does in this position."""
        node = self.node
        return watched(self.rules, self.state, node.seat, node.action, SeedDealer(self.story.seed_bytes))

    @property
    def strings(self) -> tuple[str, ...]:
        """Return the strings to try at any move."""
        return notation(self.table)

    def some_strings(self) -> list[str]:
        """Return a few strings to try."""
        return sample(self.rng, self.strings, MORE_BY_LOT if self.closely else BY_LOT)

    def more_strings(self, seat: int) -> Sequence[str]:
        """Return further strings to try in a seat that may act."""
        if not self.closely or not self.texts[seat]:
            return []
        return self.strings if len(self.strings) <= MAX_STRINGS else sample(self.rng, self.strings, PART)

    def some_seats(self) -> set[int]:
        """Return the seat that moves, and another one."""
        seats = self.table.seats
        return set(range(seats)) if self.closely else {self.node.seat, self.rng.randrange(seats)}

    def some_viewers(self) -> set[int | None]:
        """Return the seat that moves, and another viewer."""
        return set(self.viewers) if self.closely else {self.node.seat, self.rng.choice(self.viewers)}

    def some_actions(self) -> list[int]:
        """Return the action that is made now, and some other legal ones."""
        actions = self.rules.legal_actions(self.state, self.node.seat)
        return [self.node.action, *sample(self.rng, actions, OPEN)]


def sample(rng: random.Random, of: Sequence[T], most: int) -> list[T]:
    """Return at most this many items, chosen at random."""
    return rng.sample(of, min(most, len(of)))


Promise = Callable[[Game], Iterator[None]]


@dataclass(frozen=True)
class Failure:
    """A promise that is not kept: what happened instead, and the game that shows it, if it needs one.

    `hangs`: a step did not come to an end, so every other promise would take as long to be asked.
    """

    promise: str
    sentence: str
    story: Story | None = None
    hangs: bool = False


@dataclass
class Tally:
    """What was tested: processor seconds by promise, and the numbers of games and moves."""

    seconds: dict[str, float] = field(default_factory=dict)
    games: int = 0
    moves: int = 0
    step_seconds: float = STEP_SECONDS

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add the time of the block to this promise."""
        begun = time.process_time()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - begun


def walk(
    story: Story, promises: Sequence[Promise], *, most: int = MAX_MOVES, tally: Tally | None = None
) -> list[Failure]:
    """Play a game until a promise is not kept; return a failure for each such promise.

    What a promise tries at random depends only on its name, the seed and the number of moves, so that a recorded game
    shows the same again. Raises `Unplayable`.
    """
    tally = tally or Tally()
    game = Game(story, most)
    asked = {promise.__name__: promise(game) for promise in promises}
    found: list[Failure] = []
    tally.games += 1
    steps = game.played()
    name = PLAYING
    try:
        while True:
            name = PLAYING
            with step_limit(tally.step_seconds), tally.timed(PLAYING):
                next(steps)
            with step_limit(tally.step_seconds):
                for name, asking in list(asked.items()):
                    game.rng = random.Random(f"{name} {story.seed} {len(game.made)}")
                    try:
                        with tally.timed(name):
                            next(asking)
                    except StopIteration:
                        del asked[name]
                    except Unplayable:
                        raise
                    except Exception as error:
                        found.append(failure(name, error, game))
            tally.moves += game.on
            if found or not game.on:
                return found
    except Unplayable:
        raise
    except (Exception, NeverEnds) as error:
        return [*found, failure(name, error, game)]


def failure(name: str, error: BaseException, game: Game) -> Failure:
    """Return the failure of a promise in the game as far as it was played, or up to where it was seen."""
    moves, twin = (error.moves, error.twin) if isinstance(error, BrokenPromise) else (None, None)
    story = replace(game.story, moves=tuple(game.made[:moves]), twin=twin, habit="")
    return Failure(name, sentence_of(error), story, hangs=isinstance(error, NeverEnds))


def sentence_of(error: BaseException) -> str:
    """Return what went wrong. If the kind raised the error, the sentence says where."""
    if isinstance(error, BrokenPromise):
        return str(error)
    place = ""
    trace = error.__traceback__
    while trace:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path.parent != HERE and path != LIMIT:
            place = f" at {path.parent.name}/{path.name}:{trace.tb_lineno}"
        trace = trace.tb_next
    if isinstance(error, NeverEnds):
        return f"It did not come to an end in the time that a step has{place}."
    return f"It raised {type(error).__name__}{place}: {shorten(str(error))}."
