"""What is done once a transaction is committed, and costs it nothing when it fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction


def after_commit(call: Callable[..., object], *arguments: Any) -> None:
    """Call after this transaction's commit; an error is logged, and goes no further.

    Django names the failed function by its `__qualname__`, which a `partial` does not have.
    """

    def called() -> None:
        call(*arguments)

    transaction.on_commit(called, robust=True)
