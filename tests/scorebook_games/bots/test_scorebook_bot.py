"""The one-file SDK that an author copies: its loop, its view, and that it imports nothing else."""

from __future__ import annotations

import ast
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from scorebook_games.bots.protocol import DEFAULT_CLOCK, PROTOCOL, hello_line, over_line
from scorebook_games.bots.sdk import scorebook_bot
from scorebook_games.bots.sdk.scorebook_bot import Bot, Session, find_bot, moves_in, serve

HELLO = hello_line("palace", 1, 2, {"packs": 2}, DEFAULT_CLOCK, 7, 1)
ASK = {
    "type": "move",
    "version": 3,
    "events": [{"version": 2, "type": "dealt"}],
    "observation": {"hand": ["8S"]},
    "legal": ["take", "play 8"],
    "clock_ms": 9,
}


def test_it_imports_the_standard_library_alone_and_speaks_the_tables_protocol() -> None:
    tree = ast.parse(Path(scorebook_bot.__file__).read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= set(sys.stdlib_module_names)
    assert scorebook_bot.PROTOCOL == PROTOCOL


def test_the_view_has_the_game_the_position_and_what_happened() -> None:
    seen: list[Any] = []

    class Looks(Bot):
        def move(self, view: Any, legal: list[str]) -> str:
            seen.append(view)
            return legal[1]

    session = Session(Looks)
    session.answer(HELLO)
    assert session.answer(ASK) == {"move": "play 8", "version": 3}
    later = {**ASK, "version": 5, "events": [{"version": 4, "type": "played"}], "observation": None}
    session.answer(later)
    view = seen[-1]
    assert (view.kind, view.seat, view.seats, view.options, view.seed) == ("palace", 1, 2, {"packs": 2}, 7)
    assert [event["version"] for event in view.history] == [2, 4]
    assert [event["version"] for event in view.events] == [4]
    assert (view.version, view.beat, view.clock_ms, view.observation) == (5, None, 9, {})
    assert view.get("hand", []) == []


def test_the_same_question_gets_the_same_chance() -> None:
    class Draws(Bot):
        def move(self, view: Any, legal: list[str]) -> str:
            return str(view.random.random())

    def draw(seed: int, version: int) -> Any:
        session = Session(Draws)
        session.answer({**HELLO, "seed": seed})
        return (session.answer({**ASK, "version": version}) or {})["move"]

    assert draw(7, 3) == draw(7, 3)
    assert len({draw(7, 3), draw(7, 5), draw(8, 3)}) == 3


def test_every_game_has_a_bot_of_its_own_and_hears_how_it_ended() -> None:
    made: list[Any] = []

    class Remembers(Bot):
        def __init__(self) -> None:
            made.append(self)
            self.heard: list[Any] = []

        def start(self, view: Any) -> None:
            self.heard.append(view.seat)

        def over(self, outcome: dict[str, Any]) -> None:
            self.heard.append(outcome["placings"])

    session = Session(Remembers)
    for _ in range(2):
        session.answer(HELLO)
        assert session.answer(over_line({"placings": [1, 2]})) is None
    assert [each.heard for each in made] == [[1, [1, 2]], [1, [1, 2]]]


def test_a_bot_is_not_bothered_with_kinds_that_it_does_not_play() -> None:
    class Plates(Bot):
        kinds = ("plates",)

        def start(self, view: Any) -> None:
            raise AssertionError("not my game")

    assert Session(Plates).answer(HELLO) == {
        "type": "ready",
        "protocol": 1,
        "want": ["observation", "events"],
        "kinds": ["plates"],
    }


def test_lines_of_types_to_come_and_those_before_hello_are_passed_over() -> None:
    session = Session(Bot)
    assert session.answer(ASK) is None
    session.answer(HELLO)
    assert session.answer({"type": "weather"}) is None


def test_another_protocol_is_an_error_that_says_so() -> None:
    with pytest.raises(RuntimeError, match="speaks protocol 1, but the server speaks protocol 2"):
        Session(Bot).answer({**HELLO, "protocol": 2})


def test_a_bundles_description_as_a_list_ends_with_the_roll_of_all_dice() -> None:
    legal = {
        "dice": "13",
        "assign": ["assign 1 P1 0"],
        "roll": "any subset",
        "grab": True,
        "finish": False,
        "moves": [],
    }
    assert moves_in(legal) == ["assign 1 P1 0", "grab", "roll 13"]
    assert moves_in({**legal, "roll": None, "finish": True, "assign": []}) == ["grab", "finish"]


def test_a_bundle_that_is_no_list_is_an_error_that_says_so() -> None:
    class Wrong(Bot):
        def bundle(self, view: Any, legal: dict[str, Any]) -> Any:
            return "finish"

    session = Session(Wrong)
    session.answer(HELLO)
    with pytest.raises(TypeError, match="bundle\\(\\) returned 'finish', which is not a list of moves"):
        session.answer({**ASK, "type": "bundle", "beat": 1, "after": []})


def test_a_bot_without_a_move_of_its_own_is_told_what_to_write() -> None:
    session = Session(Bot)
    session.answer(HELLO)
    with pytest.raises(NotImplementedError, match="Write the method move"):
        session.answer(ASK)
    with pytest.raises(LookupError, match="has no method move"):
        find_bot({"Bot": Bot})
    with pytest.raises(LookupError, match="has no class Bot"):
        find_bot({"Bot": 3})


def test_the_loop_answers_line_by_line_and_ends_with_its_input() -> None:
    class First(Bot):
        def move(self, view: Any, legal: list[str]) -> str:
            return legal[0]

    lines = b"".join(json.dumps(line).encode() + b"\n" for line in (HELLO, ASK, over_line({"placings": []})))
    answers = io.BytesIO()
    serve(First, io.BytesIO(lines), answers)
    assert [json.loads(line) for line in answers.getvalue().splitlines()][1:] == [{"move": "take", "version": 3}]
