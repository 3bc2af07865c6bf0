"""Pages of a long list. They fetch one row more than they show, so that nothing has to be counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

T = TypeVar("T")
S = TypeVar("S")
MAX_PAGE_NUMBER = 10_000


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Page `number`, from 1, of a list, and whether there is another one after it."""

    items: list[T]
    number: int
    more: bool

    @classmethod
    def of(cls, rows: QuerySet[Any], number: str, size: int, *, wide: bool = False) -> Page[Any]:
        """Return page `number` as an address has it; "" is the first. Raises Http404 if there is no such page.

        With `wide`, the rows are sorted by their keys alone, and then those of the page are fetched. Use it for lists
        in an order that no index has.
        """
        wanted = _wanted(number)
        first = (wanted - 1) * size
        shown = rows[first : first + size + 1]
        return cls.cut(list(rows.filter(pk__in=shown.values("pk")) if wide else shown), wanted, size)

    @classmethod
    def of_slice(cls, rows: Callable[[int, int], QuerySet[Any]], number: str, size: int) -> Page[Any]:
        """Return page `number` of the rows that a prepared query has from one place to another, as `of` does."""
        wanted = _wanted(number)
        first = (wanted - 1) * size
        return cls.cut(list(rows(first, first + size + 1)), wanted, size)

    @classmethod
    def of_list(cls, rows: Sequence[T], number: str, size: int) -> Page[T]:
        """Return page `number` of rows that are known already, as `of` does."""
        wanted = _wanted(number)
        first = (wanted - 1) * size
        return Page.cut(list(rows[first : first + size + 1]), wanted, size)

    @classmethod
    def cut(cls, found: list[Any], number: int, size: int) -> Page[Any]:
        """Return a page of the rows found, which are at most one more than fit. Raises Http404 if there are none."""
        if number > 1 and not found:
            raise Http404(_("This list has no such page."))
        return cls(found[:size], number, len(found) > size)

    def map(self, change: Callable[[T], S]) -> Page[S]:
        """Return the same page with each item changed."""
        return Page([change(item) for item in self.items], self.number, self.more)


def _wanted(number: str) -> int:
    """Return the page number that an address asks for. Raises Http404."""
    if not number:
        return 1
    if number.isascii() and number.isdecimal() and len(number) <= 6 and 1 <= int(number) <= MAX_PAGE_NUMBER:
        return int(number)
    raise Http404(_("There is no such page."))
