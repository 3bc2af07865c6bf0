"""What play answers to bad input: a status, a code for machines, a sentence that says what to do."""

from __future__ import annotations

from typing import Any


class TableError(Exception):
    """Nothing was changed. `extra` holds what helps to do better: the version, the legal moves, the clause."""

    def __init__(self, status: int, code: str, sentence: str, **extra: Any) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.sentence = sentence
        self.extra = extra
