"""The table of what a bot sees: each field of an observation with its type, its meaning and an example."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from scorebook_games.bots.builtin import BUILTIN_BOTS
from scorebook_games.cli.players import BuiltInPlayer
from scorebook_games.cli.table import Table
from scorebook_games.fields import Field, fields_of, guessed_fields
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.visibility import TableFields, observation
from scorebook_games.registry import KINDS

SEED: Final = bytes(range(32))  # of the game that gives the examples
MAX_EXAMPLE_LENGTH: Final = 60  # characters


@dataclass(frozen=True, slots=True)
class Row:
    """A field, with a value that it had in a game."""

    field: Field
    example: str = ""


class Watched(BuiltInPlayer):
    """A built-in bot that keeps every observation that it gets."""

    def __init__(self, program: str) -> None:
        super().__init__(program, SEED)
        self.seen: list[dict[str, Any]] = []

    def choose(self, fold: Fold, entries: Sequence[RecordedEvent]) -> list[str]:
        self.seen.append(observation(fold, self.seat))
        return super().choose(fold, entries)


def kind_fields(kind: str) -> list[Field]:
    """Return the fields that the rules of the kind show, without those of every kind."""
    shape, common = KINDS[kind].observation, {field.path for field in common_fields()}
    fields = fields_of(shape) if shape else guessed_fields(observations(kind)[0])
    return [field for field in fields if field.path not in common]


def common_fields() -> list[Field]:
    """Return the fields of an observation of every kind."""
    return list(fields_of(TableFields))


def with_examples(fields: Sequence[Field], seen: Sequence[dict[str, Any]]) -> list[Row]:
    """Return the rows of the table, with an example for each field."""
    return [Row(field, example(seen, field.path)) for field in fields]


def observations(kind: str) -> list[dict[str, Any]]:
    """Return what seat 0 saw in a game at the smallest table. It is always the same game."""
    program = "sensible" if kind in BUILTIN_BOTS["sensible"].kinds else "random"
    watched = Watched(program)
    others = [BuiltInPlayer(program, SEED) for _ in range(KINDS[kind].spec.seats_min - 1)]
    Table(kind, [watched, *others], {}, SEED, 0).play()
    return watched.seen


def example(seen: Sequence[dict[str, Any]], path: str) -> str:
    """Return the first value that is not empty, or else the first one, as JSON."""
    values = [value for each in seen for value in values_at(each, path)]
    telling = next((value for value in values if value not in (None, [], {}, "", 0, False)), None)
    chosen = telling if telling is not None else next(iter(values), None)
    text = json.dumps(chosen, ensure_ascii=False) if values else ""
    return text if len(text) <= MAX_EXAMPLE_LENGTH else f"{text[: MAX_EXAMPLE_LENGTH - 1]}…"


def values_at(value: Any, path: str) -> Iterator[Any]:
    """Yield the values at a path such as `seats[].hand`."""
    head, _dot, rest = path.partition(".")
    name = head.rstrip("[]{}")
    if not isinstance(value, dict) or name not in value:
        return
    found = [value[name]]
    for bracket in islice(head[len(name) :], 0, None, 2):
        found = [each for some in found if some for each in (some if bracket == "[" else some.values())]
    for each in found:
        yield from values_at(each, rest) if rest else [each]
