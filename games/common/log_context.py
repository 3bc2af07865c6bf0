"""What a line of the log is about: kept beside the work, in context variables, so that nobody hands it through.

It lives in this lowest layer because play and leagues set it; `config.logs` writes it down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

# In the order in which they are written. Ids only: no names, addresses, cards.
CONTEXT_NAMES: Final = ("request", "user", "game", "season", "task", "task_id")

_about: ContextVar[dict[str, Any]] = ContextVar("about", default={})  # noqa: B039  never changed, only replaced


@contextmanager
def bound_log_context(**ids: str | int | Callable[[], object] | None) -> Iterator[None]:
    """While this lasts, lines of the log are about these too (`CONTEXT_NAMES`). A function is asked when a line is
    written."""
    token = _about.set({**_about.get(), **ids})
    try:
        yield
    finally:
        _about.reset(token)


def current() -> dict[str, Any]:
    """What is known now, without what is not."""
    kept = _about.get()
    asked = {name: each() if callable(each := kept.get(name)) else each for name in CONTEXT_NAMES}
    return {name: each for name, each in asked.items() if each not in (None, "")}
