"""Reading values out of a file that somebody has sent: each is of its type and within its bounds, or the file is
refused with the place where it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
MAX_TIME_AHEAD: Final = timedelta(days=5 * 366)
MAX_INTEGER: Final = 2**31 - 1


def bad_file_error(sentence: str) -> DomainError:
    """What is said of a file that cannot be read."""
    return DomainError(400, "bad_file", sentence, "text")


class FileObject:
    """An object of a file. `where` names it for people: "Round 3, table 2"."""

    __slots__ = ("data", "where")

    def __init__(self, data: Any, where: str) -> None:
        self.where = where
        if not isinstance(data, Mapping):
            raise bad_file_error(_("{where} must be an object.").format(where=where))
        self.data = data

    def wrong(self, sentence: str) -> DomainError:
        """What is said of something that is wrong here."""
        return bad_file_error(f"{self.where}: {sentence}")

    def whole(self, name: str, least: int = 0, most: int = MAX_INTEGER, usual: int | None = None) -> int:
        """A whole number from `least` to `most`, `usual` where there is none."""
        value = self.data.get(name)
        value = usual if value is None else value
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            sentence = _("{name} must be a whole number from {least} to {most}.")
            raise self.wrong(sentence.format(name=name, least=least, most=most))
        return value

    def wholes(self, name: str, least: int = 0, most: int = MAX_INTEGER, longest: int = 10_000) -> tuple[int, ...]:
        """A list of whole numbers, empty where there is none."""
        values = self.data.get(name)
        values = [] if values is None else values
        fine = isinstance(values, list) and len(values) <= longest
        if not fine or any(isinstance(one, bool) or not isinstance(one, int) for one in values):
            raise self.wrong(_("{name} must be a list of whole numbers.").format(name=name))
        if any(not least <= one <= most for one in values):
            sentence = _("{name} must have whole numbers from {least} to {most}.")
            raise self.wrong(sentence.format(name=name, least=least, most=most))
        return tuple(values)

    def pairs(self, name: str, longest: int = 10_000) -> tuple[tuple[int, int], ...]:
        """A list of pairs of whole numbers, empty where there is none."""
        values = self.data.get(name)
        listed = values if isinstance(values, list) else [] if values is None else [None]
        pairs = [FileObject({"pair": pair}, self.where).wholes("pair") for pair in listed[: longest + 1]]
        if len(pairs) > longest or any(len(pair) != 2 for pair in pairs):
            raise self.wrong(_("{name} must be a list of pairs of numbers.").format(name=name))
        return tuple((one, other) for one, other in pairs)

    def number(self, name: str, bound: float = 1e6) -> float:
        """A number, 0 where there is none."""
        value = self.data.get(name)
        value = 0 if value is None else value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(_("{name} must be a number.").format(name=name))
        if not abs(value) <= bound:
            raise self.wrong(_("{name} must be a number of at most {most}.").format(name=name, most=int(bound)))
        return value

    def text(self, name: str, most: int) -> str:
        """A text of up to so many characters, empty where there is none."""
        value = self.data.get(name)
        value = "" if value is None else value
        if not isinstance(value, str) or len(value) > most:
            raise self.wrong(_("{name} must be a text of at most {most} characters.").format(name=name, most=most))
        return value

    def choice(self, name: str, choices: Sequence[str], usual: str = "") -> str:
        """One of several words, `usual` where there is none."""
        value = self.data.get(name)
        value = usual if value is None else value
        if value not in choices:
            named = ", ".join(each for each in choices if each)
            raise self.wrong(_("{name} must be one of {choices}.").format(name=name, choices=named))
        return str(value)

    def moment(self, name: str) -> datetime | None:
        """A date and time with its zone, None where there is none."""
        value = self.data.get(name)
        if value is None or value == "":
            return None
        try:
            moment = parse_datetime(value) if isinstance(value, str) else None
            fine = moment is not None and moment.tzinfo is not None
            moment = moment.astimezone(UTC) if moment is not None and fine else None
        except (ValueError, OverflowError):
            moment = None
        if moment is None or not EARLIEST <= moment <= clock.now() + MAX_TIME_AHEAD:
            raise self.wrong(_("{name} must be a time such as 2026-11-21T19:00:00Z.").format(name=name))
        return moment

    def list(self, name: str, most: int) -> Sequence[Any]:
        """A list of anything, empty where there is none."""
        values = self.data.get(name)
        values = [] if values is None else values
        if not isinstance(values, list) or len(values) > most:
            raise self.wrong(_("{name} must be a list of at most {most}.").format(name=name, most=most))
        return values
