"""What the lab completes, and the bots that it offers to begin with. Both are made of what the kit has."""

from __future__ import annotations

import json

import pytest

from scorebook_games.bots.protocol import hello_line
from scorebook_games.bots.sdk.scorebook_bot import Bot, View
from scorebook_games.lab import bridge
from scorebook_games.lab.starters import SIZES, starter
from scorebook_games.lab.words import words_of
from scorebook_games.registry import KINDS
from tests.parameters import mostly_slow


def words(after: str, kind: str = "palace") -> dict[str, str]:
    return {each["word"]: each["info"] for each in words_of(kind) if each["after"] == after}


def test_everything_that_a_view_has_is_completed_and_explained() -> None:
    view = View(hello_line("palace", 0, 2, {}, {}, 7, 1))
    assert vars(view).keys() <= words("view.").keys()
    assert all(words("view.").values())


def test_the_methods_and_attributes_of_a_bot_are_completed_and_explained() -> None:
    public = {name for name in vars(Bot) if not name.startswith("_")}
    assert public == words("def ").keys() | words("").keys()
    assert all([*words("def ").values(), *words("").values()])


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_fields_of_each_kind_are_completed(kind: str) -> None:
    assert words("view[", kind)["to_act"]
    assert all(name.isidentifier() for name in words("view[", kind))


@pytest.mark.some(3)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", mostly_slow(sorted(KINDS), ["chinese_ten", "plate_spinner"]))
def test_each_starter_plays_a_whole_game_without_a_fault(kind: str, size: str) -> None:
    request = {
        "kind": kind,
        "source": starter(kind, size),
        "against": ["random"] * (KINDS[kind].spec.seats_min - 1),
        "seat": 0,
        "deal": 1,
        "options": {},
        "clock": {"move_ms": 60_000, "cpu_ms": 600_000},
    }
    played = json.loads(bridge.ask("play", json.dumps(request), lambda _news: None))
    assert played["faults"] == []


def test_the_sizes_differ_and_the_largest_says_why_or_searches() -> None:
    for kind in KINDS:
        files = [starter(kind, size) for size in SIZES]
        assert len(set(files)) == len(SIZES)
        assert len(files[0]) < len(files[1]) < len(files[2])
