"""What running a league answers to bad input: a status, a code for machines, a sentence that says what to do."""

from __future__ import annotations


class LeagueError(Exception):
    """Nothing was changed."""

    def __init__(self, status: int, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.sentence = sentence
