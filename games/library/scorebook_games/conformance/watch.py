"""Watches what rules do when they are asked: how many calls they make, and what they use that rules must not use."""

from __future__ import annotations

import datetime
import gc
import random
import secrets
import sys
import uuid
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

from scorebook_games.contract import Dealer, Rules

CHANCE_FILES: Final = frozenset(module.__file__ for module in (random, secrets, uuid))
OUTER_MODULES: Final = frozenset({"time", "posix", "nt", "_socket", "_io", "io", "select"})
OUTER_BUILTINS: Final = frozenset({"print", "input", "breakpoint"})


class Watch:
    """A profile of one call: the number of calls that it made, and the `outer` things that it used."""

    def __init__(self) -> None:
        self.calls = 0
        self.outer: set[str] = set()

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        """Handle an event of `sys.setprofile`."""
        if event == "c_call":
            self.calls += 1
            if name := outer_name(arg):
                self.outer.add(name)
        elif event == "call":
            self.calls += 1
            code = frame.f_code
            if code.co_filename in CHANCE_FILES:
                self.outer.add(f"{frame.f_globals['__name__']}.{code.co_name}")


def outer_name(function: Any) -> str:
    """Return the name of a builtin function that is chance, a clock, input or output; "" for any other."""
    owner, module, name = getattr(function, "__self__", None), function.__module__, function.__name__
    if isinstance(owner, random.Random):
        return f"random.{name}"
    if owner in (datetime.datetime, datetime.date) and name in ("now", "today", "utcnow"):
        return f"datetime.{name}"
    if module in OUTER_MODULES:
        return f"{module}.{name}"
    return name if module == "builtins" and name in OUTER_BUILTINS else ""


def watched(rules: Rules[Any], state: Any, seat: int, action: int, dealer: Dealer) -> dict[str, Watch]:
    """Return for each method of the rules what it does at one moment. `state` does not change."""
    found: dict[str, Watch] = {}

    def watch(name: str, method: Callable[..., Any], *given: Any) -> Any:
        profile = found.setdefault(name, Watch())
        before, collecting = sys.getprofile(), gc.isenabled()
        gc.disable()  # or what others do when it runs would be seen too
        sys.setprofile(profile)
        try:
            return method(*given)
        finally:
            sys.setprofile(before)
            if collecting:
                gc.enable()

    twin = watch("copy", state.copy)
    watch("to_act", rules.to_act, twin)
    watch("legal_actions", rules.legal_actions, twin, seat)
    text = watch("move_text", rules.move_text, twin, action)
    watch("parse_move", rules.parse_move, twin, text)
    events = watch("decide", rules.decide, twin, seat, action, dealer)
    for event in events:
        watch("apply", rules.apply, twin, event)
    for viewer in (seat, None):
        watch("observation", rules.observation, twin, viewer)
        for event in events:
            watch("redact", rules.redact, event, viewer)
    watch("outcome", rules.outcome, twin)
    return found
