"""Calls after a transaction's commit, whose failure does not harm the transaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction


def after_commit(call: Callable[..., object], *arguments: Any) -> None:
    """Call `call` after this transaction's commit. An error is logged and not raised.

    Django names the failed function by its `__qualname__`, which a `partial` does not have.
    """

    def called() -> None:
        call(*arguments)

    transaction.on_commit(called, robust=True)
