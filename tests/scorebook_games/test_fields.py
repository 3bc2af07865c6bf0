"""The fields that kinds declare for their observations are those that they show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from scorebook_games.cli.fields import common_fields, example, kind_fields, observations
from scorebook_games.cli.players import BuiltInPlayer
from scorebook_games.cli.table import Table
from scorebook_games.fields import Card, Rank, Seat, fields_of, guessed_fields, mismatch
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.visibility import TableFields, observation
from scorebook_games.registry import KINDS


class Checked(BuiltInPlayer):
    """A player that plays random moves and checks what each seat and the public see."""

    def __init__(self, kind: str) -> None:
        super().__init__("random", bytes(32))
        self.shape = KINDS[kind].observation
        self.table = {each.path for each in common_fields()}

    def choose(self, fold: Fold, entries: Sequence[RecordedEvent]) -> list[str]:
        for viewer in (*range(fold.seats), None):
            assert mismatch(self.shape, fold.rules.observation(fold.state, viewer)) == ""
        seen = {name: value for name, value in observation(fold, self.seat).items() if name in self.table}
        assert mismatch(TableFields, seen) == ""
        return super().choose(fold, entries)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_observations_have_the_fields_that_their_kind_describes(kind: str) -> None:
    for seats in (KINDS[kind].spec.seats_min, KINDS[kind].spec.seats_max):
        Table(kind, [Checked(kind) for _ in range(seats)], {"turn_limit": 30}, bytes([seats]) * 32, 0).play()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_field_has_a_meaning_and_is_seen_in_the_example(kind: str) -> None:
    seen = observations(kind)
    fields = [*kind_fields(kind), *common_fields()]
    assert len({field.path for field in fields}) == len(fields)
    assert [field.path for field in fields if not field.meaning.endswith(".")] == []
    rare = {"ready", "beat", "outcome.termination", "outcome.scores", "outcome.placings"}
    optional = {field.path for field in fields if field.path.rpartition(".")[0] and "?" not in field.path}
    assert [field.path for field in fields if not example(seen, field.path) and field.path not in rare | optional] == []


class Inner(TypedDict):
    card: Annotated[Card | None, "A card."]


class Shape(TypedDict):
    seat: Annotated[Seat | None, "Yours."]
    phase: Annotated[Literal["play", "over"], "The phase."]
    spots: Annotated[list[list[Card]], "Cards."]
    things: Annotated[list[Inner], "Things."]
    ranks: Annotated[dict[str, Rank], "By name."]
    late: NotRequired[Annotated[bool, "Sometimes."]]


GOOD: dict[str, Any] = {
    "seat": 0,
    "phase": "play",
    "spots": [["AS"], []],
    "things": [{"card": None}],
    "ranks": {"a": "K"},
}


def test_types_are_told_in_words_and_what_is_inside_follows() -> None:
    assert [(each.path, each.type) for each in fields_of(Shape)] == [
        ("seat", "seat, or null"),
        ("phase", "one of `play`, `over`"),
        ("spots", "list of lists of cards"),
        ("things", "list of objects"),
        ("things[].card", "card, or null"),
        ("ranks", "object of ranks, by text"),
        ("late", "true or false"),
    ]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({}, ""),
        ({"late": True}, ""),
        ({"seat": "0"}, "seat is '0', which is not: seat."),
        ({"seat": True}, "seat is True, which is not: seat."),
        ({"phase": "draw"}, "phase is 'draw', which is not: one of `play`, `over`."),
        ({"spots": [["1S"]]}, "spots[][] is '1S', which is not: card."),
        ({"spots": None}, "spots is None, which is not: list of lists of cards."),
        ({"things": [{}]}, "things[] has no card."),
        ({"things": [7]}, "things[] is 7, which is not an object."),
        ({"ranks": {"a": "Z"}}, "ranks{} is 'Z', which is not: rank."),
        ({"late": 1}, "late is 1, which is not: true or false."),
        ({"more": 1}, "It has more, which is not described."),
    ],
)
def test_what_is_not_of_its_type_is_named(change: dict[str, Any], sentence: str) -> None:
    assert mismatch(Shape, GOOD | change) == sentence


def test_an_observation_that_nobody_described_is_listed_by_its_values() -> None:
    found = [(each.path, each.type) for each in guessed_fields({"hand": [], "turn": 1, "over": False, "trump": None})]
    assert found == [("hand", "list"), ("turn", "whole number"), ("over", "true or false"), ("trump", "null")]
