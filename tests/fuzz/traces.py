"""Reads a server's traceback from the answer of a test client."""

from __future__ import annotations

import traceback
from typing import Any


def traceback_of(answer: Any) -> str:
    """Return the end of the traceback of an answer, or "" if nothing broke."""
    if not getattr(answer, "exc_info", None):
        return ""
    kind, error, trace = answer.exc_info
    return "".join(traceback.format_exception(kind, error, trace)[-4:])
