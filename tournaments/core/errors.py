"""What running a league answers to bad input: a status, a code for machines, a sentence that says what to do."""

from __future__ import annotations


class LeagueError(Exception):
    """Nothing was changed. `field` is what was asked with it where it was one thing: `name`, `options.packs`."""

    def __init__(self, status: int, code: str, sentence: str, field: str = "") -> None:
        super().__init__(sentence)
        self.field = field
        self.status = status
        self.code = code
        self.sentence = sentence
