"""Random games of any kind, for tests: who plays which options, and every node on the way."""

from __future__ import annotations

import itertools
import json
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from games.engines.base import Event, IllegalMove, LargeSets, MalformedMove, Option, Options, Rules
from games.engines.chance import SeedDealer
from games.kinds import KINDS

SEED = bytes(range(32))
ASKED = SeedDealer(SEED)  # for moves that are tried; a dealer keeps nothing of what it was asked


@dataclass(frozen=True)
class Table:
    """A kind with a number of seats and the options that somebody set."""

    kind: str
    seats: int
    given: tuple[tuple[str, Any], ...] = ()

    @property
    def rules(self) -> Rules[Any]:
        return KINDS[self.kind]

    @property
    def options(self) -> Options:
        return self.rules.resolve(self.seats, dict(self.given))

    def __str__(self) -> str:
        return "-".join([self.kind, str(self.seats), *[f"{name}={value}" for name, value in self.given]])


class Instead:
    """Rules that answer as others do, but for what a subclass changes. (Compiled rules can't be inherited from.)"""

    def __init__(self, rules: Rules[Any]) -> None:
        self.rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rules, name)


@dataclass(frozen=True)
class Node:
    """A moment at which somebody is to act: the live state and log (both go on living), and what is done now."""

    state: Any
    log: list[Event]
    seat: int
    action: int
    events: list[Event]


def settings(option: Option) -> list[Any]:
    """Values of `option` beside its default that make games differ, none of which makes them long."""
    if option.type == "bool":
        return [True, False]
    if option.type == "choice":
        return list(option.choices)
    return [option.minimum, option.minimum + 6 if option.maximum > option.minimum + 6 else option.maximum]


def tables() -> list[Table]:
    """Every kind with every number of seats, and with each option changed by itself."""
    found: list[Table] = []
    for kind, rules in KINDS.items():
        spec = rules.spec
        found += [Table(kind, seats) for seats in range(spec.seats_min, spec.seats_max + 1)]
        for number, option in enumerate(spec.options):
            seats = (spec.seats_min, spec.seats_max)[number % 2]
            found += [Table(kind, seats, ((option.name, value),)) for value in dict.fromkeys(settings(option))]
    return found


def seed_of(table: Table, number: int) -> bytes:
    """What game `number` at `table` is dealt from."""
    return random.Random(f"{table} {number}").randbytes(32)


def play(table: Table, number: int) -> Iterator[Node]:
    """The nodes of game `number` at `table`, moves at random. The state moves on after each node."""
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
    """A legal action of `seat`, which is to act."""
    if isinstance(rules, LargeSets):
        return rules.sample_action(state, seat, rng.random)
    return rng.choice(rules.legal_actions(state, seat))


def finish(table: Table, number: int) -> tuple[Any, list[Event]]:
    """The last state and the whole log of game `number` at `table`."""
    [node] = deque(play(table, number), maxlen=1)
    return node.state, node.log


def refusal(rules: Rules[Any], state: Any, seat: int, text: str) -> MalformedMove | IllegalMove | None:
    """Why `seat` may not play `text` now; None if it may."""
    try:
        rules.decide(state, seat, rules.parse_move(state, text), ASKED)
    except (MalformedMove, IllegalMove) as error:
        return error
    return None


def answer(rules: Rules[Any], state: Any, seat: int, text: str) -> str:
    """`accepted`, or everything that a player is told when `text` is refused."""
    error = refusal(rules, state, seat, text)
    if error is None:
        return "accepted"
    return f"{error.code} ({error.clause if isinstance(error, IllegalMove) else 'malformed'}): {error.sentence}"


def legal_texts(rules: Rules[Any], state: Any, seat: int) -> list[str]:
    """The moves open to `seat`, as players write them."""
    return [rules.move_text(state, action) for action in rules.legal_actions(state, seat)]


def plain(state: Any) -> str:
    """The state's facts as one text, so that keeping it keeps a moment."""
    return json.dumps(state.plain())


def notation(table: Table, *, most: int = 600) -> list[str]:
    """Strings to try at every node of `table`: what its players write, and what they might.

    The words seen at each place of a move in random games, each with each: that holds the notation's whole alphabet
    where it is finite (all of it, while there are at most `most`, else as many of it by lot). Then mutations.
    """
    rules = table.rules
    seen: set[str] = set()
    for number in range(6):
        for node in play(table, number):
            seen.update(legal_texts(rules, node.state, node.seat))
    rng = random.Random(f"notation {table}")
    words = [sorted({text.split(" ")[place] for text in seen if text.count(" ") >= place}) for place in range(3)]
    verbs, *rest = [some for some in words if some]
    crossed = [" ".join(parts) for count in range(len(rest) + 1) for parts in itertools.product(verbs, *rest[:count])]
    chosen = crossed if len(crossed) <= most else rng.sample(crossed, most)
    known = sorted(seen)
    mutated = [mutate(rng.choice(known), known, rng) for _ in range(200)]
    return sorted({*chosen, *rng.sample(known, min(len(known), most)), *mutated, "", " ", "pass", "\x00", "é"})


def mutate(text: str, known: list[str], rng: random.Random) -> str:
    """`text` with one thing wrong or different: a letter dropped, doubled, changed or moved, or case or space."""
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
