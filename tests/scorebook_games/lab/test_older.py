"""A file that a newer Python takes and the server's refuses is found before it is uploaded."""

from __future__ import annotations

import sys

import pytest

from scorebook_games.lab.older import newer_than

SELF = """
class State:
    def better(self, other: State) -> bool:
        return True
"""
LATER = """
best: Move = None

class Move:
    pass
"""


@pytest.mark.parametrize(
    ("source", "minor", "line"),
    [
        ("import itertools\nfor pair in itertools.batched('abcd', 2):\n    pass\n", 11, 2),
        ("from itertools import batched\n", 11, 1),
        ("import annotationlib\n", 13, 1),
        (SELF, 13, 3),
        (LATER, 13, 2),
    ],
)
def test_the_first_line_that_the_server_refuses_is_named(source: str, minor: int, line: int) -> None:
    found = newer_than(source.encode(), minor)
    assert found
    assert found.line == line
    assert newer_than(source.encode(), 14) is None
    if minor >= sys.version_info.minor:  # it is right about the Python that asks
        with pytest.raises((NameError, ImportError, AttributeError)):
            exec(compile(source, "bot.py", "exec", dont_inherit=True), {"__name__": "bot"})


@pytest.mark.parametrize(
    "source",
    [
        "from __future__ import annotations" + SELF,
        "class State:\n    def better(self, other: 'State') -> bool: ...\n",
        "from bisect import *\ndef find(where: bisect_left): ...\n",
        "if 1:\n    import typing as t\ndef find(where: t.Any, *, deep: int = 1, **more: str) -> list[int]: ...\n",
        "class Bot:\n    Cards = list\n    def move(self, hand: Cards): ...\n",
        "def outer():\n    def inner(x: Anything): ...\n",
        "def broken(:\n",
        "a = 'itertools.batched'\n",
    ],
)
def test_what_the_server_takes_is_not_complained_about(source: str) -> None:
    assert newer_than(source.encode(), 11) is None
