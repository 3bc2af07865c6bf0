"""What every service answers to bad input: a status, a code for machines, a sentence that says what to do."""

from __future__ import annotations

from typing import Any, Final

from django.db import InterfaceError, OperationalError
from django.utils.translation import gettext as _


class DomainError(Exception):
    """An answer to bad input; nothing was changed. `field` is what was asked with it where it was one thing: `name`,
    `options.packs`. `extra` holds what helps to do better: the version, the legal moves, the clause."""

    def __init__(self, status: int, code: str, sentence: str, field: str = "", **extra: Any) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.sentence = sentence
        self.field = field
        self.extra = extra


DATABASE_AWAY_ERRORS: Final = (
    OperationalError,
    InterfaceError,
)  # what Django raises where the database does not answer
DATABASE_RETRY_SECONDS: Final = 2
BUSY_RETRY_SECONDS: Final = 5


def busy_error() -> DomainError:
    """What is said where more is asked than is answered in time; the database is there."""
    sentence = _("The server is busy. Your change was not saved. Try again in a few seconds.")
    return DomainError(503, "busy", sentence, wait_s=BUSY_RETRY_SECONDS)


def database_away_error() -> DomainError:
    """What is said then: it is nobody's fault who asks, and the same request is worth another try."""
    sentence = _("The database does not answer. Your change was not saved. Try again in a moment.")
    return DomainError(503, "database_away", sentence, wait_s=DATABASE_RETRY_SECONDS)
