"""Fixtures that write bot files."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

BotFile = Callable[..., Path]

# One for every way to fail in a game of Palace; each plays on well until then.
HANGS = "while True: pass"
SLEEPS = "import time; time.sleep(60)"
RAISES = "raise ValueError('out of ideas')"
EXITS = "import os; os._exit(3)"
ILLEGAL = "return 'play Z'"
NOT_TEXT = "return 8"


@pytest.fixture
def bot_file(tmp_path: Path) -> BotFile:
    """Return a function that writes a bot's file from its source or from the body of its method `move`."""

    def write(source: str = "", *, move: str = "", name: str = "mybot.py") -> Path:
        if move:
            body = textwrap.indent(textwrap.dedent(move).strip(), " " * 8)
            source = f"class Bot:\n    def move(self, view, legal):\n{body}\n"
        path = tmp_path / name
        path.write_text(textwrap.dedent(source))
        return path

    return write
