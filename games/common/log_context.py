"""What a line of the log is about. It is kept in context variables, so that no function has to pass it on.

It is in this lowest layer because play and leagues set it. `config.logs` writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

# In the order in which they are written. Only ids: no names, addresses or cards.
CONTEXT_NAMES: Final = ("request", "user", "game", "season", "task", "task_id")

_about: ContextVar[dict[str, Any]] = ContextVar("about", default={})  # noqa: B039  never changed, only replaced


@contextmanager
def bound_log_context(**ids: str | int | Callable[[], object] | None) -> Iterator[None]:
    """Add these values (`CONTEXT_NAMES`) to the log's lines within the block.

    A function is called when a line is written.
    """
    token = _about.set({**_about.get(), **ids})
    try:
        yield
    finally:
        _about.reset(token)


def current() -> dict[str, Any]:
    """Return the values that are set now."""
    kept = _about.get()
    values = {name: each() if callable(each := kept.get(name)) else each for name in CONTEXT_NAMES}
    return {name: value for name, value in values.items() if value not in (None, "")}
