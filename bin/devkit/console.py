"""How the commands speak: one line a step, with its seconds; a failure is a sentence that says what to do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Trouble(Exception):
    """What stops a command: a sentence for the person who typed it, without a traceback."""


@contextmanager
def step(name: str) -> Iterator[Callable[[str], None]]:
    """Prints `name` at once, and what was done (the yielded function takes it) with the seconds when it is over."""
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
    """For what must not be overlooked, such as tests that did not run."""
    rule = "!" * 78
    print(f"\n{rule}\n!! {sentence}\n{rule}\n", flush=True)
