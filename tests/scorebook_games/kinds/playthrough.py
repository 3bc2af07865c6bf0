"""Golden playthroughs: whole games as text, with all that everybody may see at every node.

One game a kind is kept as text, to be read (`golden/<kind>-<seats>.txt`). Of the others, `golden/digests.txt` keeps a
digest of each node: a game that differs is shown from its first node that does.

`python -m pytest tests/scorebook_games/kinds/test_golden.py --update-goldens` makes both again from the engines; look
at the diff before committing it. A game is given by its first line and the moves are drawn from it, so a rule that
changes the legal moves changes the game from there on.

`python -m tests.scorebook_games.kinds.playthrough FOLDER` writes all games into a folder, as text. The front end's
tests and the gallery of boards show them.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import Table, by_lot, legal_texts
from scorebook_games.contract import LargeSets
from scorebook_games.frames.serialize import explanations_of
from scorebook_games.registry import KINDS

FOLDER = Path(__file__).parent / "golden"
DIGESTS = FOLDER / "digests.txt"
NODE = "\n\n== "  # between the parts of a playthrough

# By kind, the games to keep, the readable one first. A kind that is not listed keeps one short game.
GAMES: dict[str, list[Table]] = {
    "chinese_ten": [
        Table("chinese_ten", 3, (("turn_limit", 12),)),
        Table("chinese_ten", 2, (("packs", 1),)),
        Table("chinese_ten", 6, (("turn_limit", 9),)),
    ],
    "palace": [
        Table("palace", 2, (("turn_limit", 40),)),
        Table(
            "palace", 3, (("joker", "reverse"), ("last_card_call", True), ("placings", "play_on"), ("turn_limit", 40))
        ),
        Table("palace", 6, (("ace", "reset"), ("turn_limit", 12))),
    ],
    "plate_spinner": [
        Table("plate_spinner", 3, (("turn_limit", 24),)),
        Table("plate_spinner", 2, (("turn_limit", 50),)),
        Table("plate_spinner", 5, (("roll_limit", 10), ("turn_limit", 24))),
    ],
    "plates": [
        Table("plates", 3, (("rounds", 2), ("turn_limit", 12))),
        Table("plates", 2, (("rounds", 1), ("turn_limit", 40))),
        Table("plates", 8, (("rounds", 1), ("turn_limit", 8))),
    ],
    "platinum_fish": [
        Table("platinum_fish", 6, (("turn_limit", 12),)),
        Table("platinum_fish", 2),
        Table("platinum_fish", 3, (("searcher", "player"), ("turn_limit", 14))),
    ],
}


def games() -> list[Table]:
    """Return every golden game of every loaded kind."""
    return [table for kind in sorted(KINDS) for table in games_of(kind)]


def games_of(kind: str) -> list[Table]:
    """Return the golden games of a kind. The first one is kept as text."""
    return GAMES.get(kind) or [Table(kind, KINDS[kind].spec.seats_min, (("turn_limit", 20),))]


def readable() -> list[Table]:
    """Return the games that are kept as text."""
    return [games_of(kind)[0] for kind in sorted(KINDS)]


def name_of(table: Table) -> str:
    """Return the name of a game: `<kind>-<seats>`."""
    return f"{table.kind}-{table.seats}"


def path_of(table: Table, folder: Path = FOLDER) -> Path:
    """Return the file of a game that is kept as text."""
    return folder / f"{name_of(table)}.txt"


def digests_of(text: str) -> list[str]:
    """Return a digest of each node of a playthrough: 8 hex digits."""
    return [hashlib.sha256(node.encode()).hexdigest()[:8] for node in text.split(NODE)]


def kept_digests() -> dict[str, list[str]]:
    """Return the digests of the nodes of each game that is not kept as text, by the game's name."""
    rows = (line.split() for line in DIGESTS.read_text(encoding="utf-8").splitlines())
    return {name: digests for name, *digests in rows}


def first_difference(text: str, kept: list[str]) -> str:
    """Return, in words, the first node of a playthrough that differs from the digests; "" if none does."""
    made, nodes = digests_of(text), text.split(NODE)
    for number, node in enumerate(nodes):
        if number >= len(kept) or made[number] != kept[number]:
            return f"Node {number} of {len(nodes)} is the first that differs. Now it is:\n{node}"
    return "" if len(made) == len(kept) else f"The game ends after {len(made)} nodes, and had {len(kept)}."


def update() -> None:
    """Write the golden games again."""
    texts = {table: playthrough(table) for table in games()}
    for table in readable():
        path_of(table).write_text(texts.pop(table), encoding="utf-8")
    rows = [f"{name_of(table)} {' '.join(digests_of(text))}\n" for table, text in texts.items()]
    DIGESTS.write_text("".join(rows), encoding="utf-8")


def playthrough(table: Table) -> str:
    """Return the text of a golden game."""
    return "\n".join(lines(table)) + "\n"


def lines(table: Table) -> Iterator[str]:
    rules, options = table.rules, table.options
    seed = f"golden {table}".encode().ljust(32, b".")[:32]
    yield f"{rules.spec.title}, rules version {rules.spec.rules_version}, {table.seats} seats, {json.dumps(options)}"
    dealer, rng = SeedDealer(seed), random.Random(seed)
    state = rules.initial(table.seats, options)
    events = rules.start(state, dealer)
    moved = f"start, seed {seed.hex()}"
    while True:
        yield ""
        yield f"== {moved}"
        for event in events:
            rules.apply(state, event)
            yield from event_lines(rules, event, table.seats)
        yield from view_lines(rules, state, table.seats)
        if not rules.to_act(state):
            break
        seat = rng.choice(rules.to_act(state))
        if isinstance(rules, LargeSets):
            text = rules.move_text(state, by_lot(rules, state, seat, rng))
        else:
            text = rng.choice(sorted(legal_texts(rules, state, seat)))
        events = rules.decide(state, seat, rules.parse_move(state, text), dealer)
        moved = f"seat {seat}: {text}"
    yield ""
    yield f"== {rules.outcome(state)}"


def event_lines(rules: Any, event: list[Any], seats: int) -> Iterator[str]:
    """Yield the event as stored and in words, then as those see it who do not see all of it."""
    yield f"event {json.dumps(event)}"
    yield f"  reads {json.dumps(rules.readable(event))}"
    for viewer in [None, *range(seats)]:
        seen = rules.redact(event, viewer)
        if seen != event:
            yield f"  for {name(viewer)} {json.dumps(seen)}"


def view_lines(rules: Any, state: Any, seats: int) -> Iterator[str]:
    """Yield the public facts, and for each seat the facts that differ for it, and its legal moves."""
    public = rules.observation(state, None)
    yield "public"
    for fact, value in public.items():
        yield f"  {fact}: {json.dumps(value)}"
    for seat in range(seats):
        yield f"seat {seat}"
        own = rules.observation(state, seat)
        for fact in [*own, *[fact for fact in public if fact not in own]]:
            if fact not in own or fact not in public or own[fact] != public[fact]:
                yield f"  {fact}: {json.dumps(own.get(fact, 'absent'))}"
        if legal := legal_texts(rules, state, seat):
            yield f"  legal: {', '.join(legal)}"


def name(viewer: int | None) -> str:
    return "the public" if viewer is None else f"seat {viewer}"


def write_all(folder: Path) -> None:
    """Write all games into a folder, as text, and what their things are.

    Files that hold them already are left alone: a test may be reading.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {path_of(table, folder): playthrough(table) for table in games()}
    texts[folder / "explanations.json"] = json.dumps({kind: explanations_of(kind) for kind in sorted(KINDS)})
    for path, text in texts.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
