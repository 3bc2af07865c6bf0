"""Where the server broke, as a test client tells."""

from __future__ import annotations

import traceback
from typing import Any


def traceback_of(answer: Any) -> str:
    """The end of the traceback behind an answer; "" where nothing broke."""
    if not getattr(answer, "exc_info", None):
        return ""
    kind, error, trace = answer.exc_info
    return "".join(traceback.format_exception(kind, error, trace)[-4:])
