"""The output of the commands: one line a step, with its seconds. A failure is a sentence that says what to do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Trouble(Exception):
    """What stops a command: a sentence for its user, printed without a traceback."""


@contextmanager
def step(name: str) -> Iterator[Callable[[str], None]]:
    """Print `name` at once and, at the end of the block, its seconds and the words given to the yielded function."""
    began, words = time.monotonic(), ""

    def done(sentence: str) -> None:
        nonlocal words
        words = sentence

    print(f"  {name:<14}", end="", flush=True)
    try:
        yield done
    except BaseException:
        print(flush=True)
        raise
    print(f"{words:<60}{time.monotonic() - began:>6.1f} s", flush=True)


def loudly(sentence: str) -> None:
    """Print lines that must not be overlooked, such as skipped tests."""
    rule = "!" * 78
    lines = "\n".join(f"!! {line}" for line in sentence.splitlines())
    print(f"\n{rule}\n{lines}\n{rule}\n", flush=True)
