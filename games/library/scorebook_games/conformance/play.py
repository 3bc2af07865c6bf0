"""Random games of any kind: the tables and options to play, and each moment of a game."""

from __future__ import annotations

import itertools
import json
import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event, IllegalMove, LargeSets, MalformedMove, Option, Options, Rules
from scorebook_games.gamelog.pacing import MAX_BUNDLE_MOVES, BlankDealer, ends_bundle
from scorebook_games.registry import KINDS

SEED: Final = bytes(range(32))
ASKED: Final = SeedDealer(SEED)  # for moves that are tried; a dealer remembers nothing
LIMIT: Final = "turn_limit"  # the option that every kind has
NOTATION_GAMES: Final = 6
NOTATION_MOVES: Final = 300  # of each of these games


@dataclass(frozen=True)
class Table:
    """A kind with a number of seats and the options that are set."""

    kind: str
    seats: int
    given: tuple[tuple[str, Any], ...] = ()

    @property
    def rules(self) -> Rules[Any]:
        """The rules of the kind."""
        return KINDS[self.kind].rules

    @property
    def options(self) -> Options:
        """Return every option with its value."""
        return self.rules.resolve(self.seats, dict(self.given))

    def __str__(self) -> str:
        return "-".join([self.kind, str(self.seats), *[f"{name}={value}" for name, value in self.given]])


class Instead:
    """Rules that answer as others do, except for what a subclass changes. (Compiled rules cannot be inherited from.)"""

    def __init__(self, rules: Rules[Any]) -> None:
        self.rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rules, name)


class DealerInstead:
    """A dealer that answers as `SeedDealer` does, except for what a subclass changes."""

    def __init__(self, seed: bytes) -> None:
        self.dealer = SeedDealer(seed)

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """Return for each bound b an integer 0 … b−1."""
        return self.dealer.integers(label, bounds)

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        """Return `items` in random order."""
        return self.dealer.shuffle(label, items)

    def dice(self, label: str, count: int) -> list[int]:
        """Return `count` rolls of a six-sided die."""
        return self.dealer.dice(label, count)


@dataclass(frozen=True)
class Node:
    """A moment at which a seat acts: the state and log, both of which change later, and what is done now."""

    state: Any
    log: list[Event]
    seat: int
    action: int
    events: list[Event]


def settings(option: Option) -> list[Any]:
    """Return values of `option` that make games different and not long."""
    if option.type == "bool":
        return [True, False]
    if option.type == "choice":
        return list(option.choices)
    return [option.minimum, option.minimum + 6 if option.maximum > option.minimum + 6 else option.maximum]


def tables(kind: str) -> list[Table]:
    """Return the kind with every number of seats, and with each option changed by itself."""
    spec = KINDS[kind].spec
    found = [Table(kind, seats) for seats in range(spec.seats_min, spec.seats_max + 1)]
    for number, option in enumerate(spec.options):
        seats = (spec.seats_min, spec.seats_max)[number % 2]
        found += [Table(kind, seats, ((option.name, value),)) for value in dict.fromkeys(settings(option))]
    return found


def unlike_tables(kind: str) -> list[Table]:
    """Return those tables of `kind` that differ most from each other.

    These are the fewest seats, the most seats, a game that its limit cuts short, and all other options changed at once.
    """
    rules = KINDS[kind].rules
    spec = rules.spec
    seats = (spec.seats_min + spec.seats_max) // 2
    usual = rules.resolve(seats, {})
    changed = [(option.name, another(option, usual[option.name])) for option in spec.options if option.name != LIMIT]
    short = [(option.name, max(7, option.minimum)) for option in spec.options if option.name == LIMIT]
    return [
        Table(kind, spec.seats_min),
        Table(kind, spec.seats_max),
        Table(kind, spec.seats_max, tuple(short)),
        Table(kind, seats, tuple(changed)),
    ]


def another(option: Option, usual: Any) -> Any:
    """Return a value of `option` other than the `usual` one that does not make games long."""
    if option.type == "bool":
        return not usual
    if option.type == "choice":
        return next((choice for choice in option.choices if choice != usual), usual)
    return option.minimum if usual != option.minimum else min(option.minimum + 1, option.maximum)


def seed_of(table: Table, number: int) -> bytes:
    """Return the seed of game `number` at `table`."""
    return random.Random(f"{table} {number}").randbytes(32)


def play(table: Table, number: int) -> Iterator[Node]:
    """Yield the nodes of game `number` at `table`, with random moves. The state moves on after each node."""
    rules = table.rules
    rng = random.Random(f"{table} {number}")
    dealer = SeedDealer(rng.randbytes(32))
    state = rules.initial(table.seats, table.options)
    log = rules.start(state, dealer)
    for event in log:
        rules.apply(state, event)
    while seats := rules.to_act(state):
        seat = rng.choice(seats)
        action = by_lot(rules, state, seat, rng)
        events = rules.decide(state, seat, action, dealer)
        yield Node(state, log, seat, action, events)
        for event in events:
            rules.apply(state, event)
        log += events


def by_lot(rules: Rules[Any], state: Any, seat: int, rng: random.Random) -> int:
    """Return a random legal action of `seat`, which may act."""
    if isinstance(rules, LargeSets):
        return rules.sample_action(state, seat, rng.random)
    return rng.choice(rules.legal_actions(state, seat))


def bundle(rules: Rules[Any], state: Any, seat: int, rng: random.Random) -> list[str]:
    """Return a bundle that `seat`, which is to act, may give for a beat: moves by lot, of which the last ends it."""
    state = state.copy()
    texts: list[str] = []
    while len(texts) <= MAX_BUNDLE_MOVES:
        action = by_lot(rules, state, seat, rng)
        texts.append(rules.move_text(state, action))
        if ends_bundle(rules, state, action):
            return texts
        rules.apply(state, rules.decide(state, seat, action, BlankDealer())[0])
    raise RuntimeError(f"A bundle of seat {seat} has {MAX_BUNDLE_MOVES} moves and no end.")


def finish(table: Table, number: int) -> tuple[Any, list[Event]]:
    """Return the last state and the whole log of game `number` at `table`."""
    [node] = deque(play(table, number), maxlen=1)
    return node.state, node.log


def refusal(rules: Rules[Any], state: Any, seat: int, text: str) -> MalformedMove | IllegalMove | None:
    """Return why `seat` may not play `text` now; None if it may."""
    try:
        rules.decide(state, seat, rules.parse_move(state, text), ASKED)
    except (MalformedMove, IllegalMove) as error:
        return error
    return None


def answer(rules: Rules[Any], state: Any, seat: int, text: str) -> str:
    """Return `accepted`, or everything that a player gets when `text` is refused."""
    error = refusal(rules, state, seat, text)
    if error is None:
        return "accepted"
    return f"{error.code} ({error.clause if isinstance(error, IllegalMove) else 'malformed'}): {error.sentence}"


def legal_texts(rules: Rules[Any], state: Any, seat: int) -> list[str]:
    """Return the legal moves of `seat`, as players write them."""
    return [rules.move_text(state, action) for action in rules.legal_actions(state, seat)]


def plain(state: Any) -> str:
    """Return the state's facts as one text, which keeps a moment."""
    return json.dumps(state.plain())


@lru_cache(maxsize=32)
def notation(table: Table, *, most: int = 600) -> tuple[str, ...]:
    """Return strings to try at every node of `table`: what its players write, and what they might write.

    They combine the words seen at each place of a move in random games. This covers a finite notation completely, if
    there are at most `most` strings, or else by a random part. Then come mutations.
    """
    rules = table.rules
    seen: set[str] = set()
    for number in range(NOTATION_GAMES):
        for node in itertools.islice(play(table, number), NOTATION_MOVES):
            seen.update(legal_texts(rules, node.state, node.seat))
    if not seen:
        return ("", " ", "pass")
    rng = random.Random(f"notation {table}")
    words = [sorted({text.split(" ")[place] for text in seen if text.count(" ") >= place}) for place in range(3)]
    verbs, *rest = [some for some in words if some]
    crossed = [" ".join(parts) for count in range(len(rest) + 1) for parts in itertools.product(verbs, *rest[:count])]
    chosen = crossed if len(crossed) <= most else rng.sample(crossed, most)
    known = sorted(seen)
    mutated = [mutate(rng.choice(known), known, rng) for _ in range(200)]
    written = {*chosen, *rng.sample(known, min(len(known), most)), *mutated, "", " ", "pass", "\x00", "é"}
    return tuple(sorted(written))


def mutate(text: str, known: list[str], rng: random.Random) -> str:
    """Return `text` with one thing wrong or different: a letter dropped, doubled, changed or moved, or case or
    space."""
    place = rng.randrange(len(text))
    letter = rng.choice(rng.choice(known))
    return rng.choice(
        [
            text[:place] + text[place + 1 :],
            text[:place] + letter + text[place:],
            text[:place] + letter + text[place + 1 :],
            text[:place] + text[place:][::-1],
            text.swapcase(),
            f" {text}",
            f"{text} ",
            f"{text}\n",
            text.replace(" ", "  "),
            f"{text} 1",
            "١".join(text.split("1")),
        ]
    )
