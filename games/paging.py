"""How lists of the API are cut into pages: by a cursor, which costs the same on page 1 and on page 10,000."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db import DataError
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView

from games.errors import TableError


class Cursor(CursorPagination):
    """A page behind a cursor of ours; one that somebody made up is no page."""

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> Any:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, ValidationError, DataError) as error:  # what it is compared with is no number, or no date
            raise NotFound(self.invalid_cursor_message) from error


def checked_size(request: Request, name: str, most: int) -> None:
    """Raise `TableError` bad_parameter (400) for a size of pages that cannot be."""
    asked = request.query_params.get(name, "1")
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 9 and 1 <= int(asked) <= most):
        raise TableError(400, "bad_parameter", f"{name} is a whole number from 1 to {most}, not {asked[:20]!r}.")


class Newest(Cursor):
    """Newest first; `page_size` up to 200."""

    ordering: str | tuple[str, ...] = "-id"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

    def get_page_size(self, request: Request) -> int | None:
        if self.page_size_query_param:
            checked_size(request, self.page_size_query_param, self.max_page_size)
        return super().get_page_size(request)


class ByName(Newest):
    """In the order of names."""

    ordering = ("name", "id")
