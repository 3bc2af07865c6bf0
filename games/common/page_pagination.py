"""A page of a long list: found by asking for one row more than is shown, so that nothing is ever counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet
from django.http import Http404

T = TypeVar("T")
S = TypeVar("S")
MAX_PAGE_NUMBER = 10_000


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Page `number` (1 …) of a list, and whether there are more behind it."""

    items: list[T]
    number: int
    more: bool

    @classmethod
    def of(cls, rows: QuerySet[Any], number: str, size: int, *, wide: bool = False) -> Page[Any]:
        """Page `number`, as an address has it ("" is the first). Raises Http404 where that is no page.

        `wide`: the rows are put in order by their keys alone, and those of the page fetched then: for lists that no
        index has in their order.
        """
        wanted = _wanted(number)
        first = (wanted - 1) * size
        shown = rows[first : first + size + 1]
        return cls.cut(list(rows.filter(pk__in=shown.values("pk")) if wide else shown), wanted, size)

    @classmethod
    def placed(cls, rows: QuerySet[Any], number: str, size: int) -> Page[Any]:
        """Page `number` of rows whose `position`, 1 …, says which of the list they are: the last page costs what the
        first does. Raises Http404 where that is no page."""
        wanted = _wanted(number)
        first = (wanted - 1) * size
        return cls.cut(list(rows.filter(position__gt=first, position__lte=first + size + 1)), wanted, size)

    @classmethod
    def cut(cls, found: list[Any], number: int, size: int) -> Page[Any]:
        """Of what was found for a page, one more at the most than there is room for. Raises Http404 for none at all."""
        if number > 1 and not found:
            raise Http404("This list has no such page.")
        return cls(found[:size], number, len(found) > size)

    def map(self, change: Callable[[T], S]) -> Page[S]:
        """The same page of other things."""
        return Page([change(each) for each in self.items], self.number, self.more)


def _wanted(number: str) -> int:
    """The page that an address asks for. Raises Http404."""
    if not number:
        return 1
    if number.isascii() and number.isdecimal() and len(number) <= 6 and 1 <= int(number) <= MAX_PAGE_NUMBER:
        return int(number)
    raise Http404("There is no such page.")
