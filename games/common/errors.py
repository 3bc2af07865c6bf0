"""The errors of services for bad input: a status, a code for programs, and a sentence that says what to do."""

from __future__ import annotations

from typing import Any, Final

from django.db import InterfaceError, OperationalError
from django.utils.translation import gettext as _


class DomainError(Exception):
    """Bad input to a service; nothing was changed.

    `field` names the input if it was one field, such as `name` or `options.packs`. `extra` holds what helps to correct
    it: the version, the legal moves, the clause.
    """

    def __init__(self, status: int, code: str, sentence: str, field: str = "", **extra: Any) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.sentence = sentence
        self.field = field
        self.extra = extra


class Expected:
    """Context in which a refusal with one of these codes ends the block and is no error: what was to be done is done
    already, or has become pointless."""

    def __init__(self, *codes: str) -> None:
        self.codes = codes

    def __enter__(self) -> None:
        pass

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> bool:
        return isinstance(error, DomainError) and error.code in self.codes


DATABASE_AWAY_ERRORS: Final = (
    OperationalError,
    InterfaceError,
)  # what Django raises if the database does not answer
DATABASE_RETRY_SECONDS: Final = 2
BUSY_RETRY_SECONDS: Final = 5


def busy_error() -> DomainError:
    """Return the error for too many requests at a time, while the database is there."""
    sentence = _("The server is busy. Your change was not saved. Try again in a few seconds.")
    return DomainError(503, "busy", sentence, wait_s=BUSY_RETRY_SECONDS)


def database_away_error() -> DomainError:
    """Return the error for a database that is away. The same request may succeed later."""
    sentence = _("The database does not answer. Your change was not saved. Try again in a moment.")
    return DomainError(503, "database_away", sentence, wait_s=DATABASE_RETRY_SECONDS)


def missing_kind_error(why: str) -> DomainError:
    """The rules of a game are missing or broken at the moment; it goes on when they are there again.

    The sentence is for players; `why` tells programs and admins what is missing.
    """
    sentence = _(
        "This cannot be shown now, because the rules of its kind of game are not installed here. Nothing is lost: it "
        "is here again, and games go on, as soon as an admin has installed them."
    )
    return DomainError(503, "kind_missing", sentence, why=why)


def missing_package_error(why: str) -> DomainError:
    """A package that a season needs, beside that of its kind of game, is not installed at the moment."""
    sentence = _(
        "This cannot be shown now, because a package that the season needs is not installed here. Nothing is lost: it "
        "is here again, and the season goes on, as soon as an admin has installed it."
    )
    return DomainError(503, "package_missing", sentence, why=why)
