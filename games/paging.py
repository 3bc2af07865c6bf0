"""How lists of the API are cut into pages: by a cursor, which costs the same on page 1 and on page 10,000."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db import DataError
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView


class Cursor(CursorPagination):
    """A page behind a cursor of ours; one that somebody made up is no page."""

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> Any:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, ValidationError, DataError) as error:  # what it is compared with is no number, or no date
            raise NotFound(self.invalid_cursor_message) from error


class Newest(Cursor):
    """Newest first; `page_size` up to 200."""

    ordering: str | tuple[str, ...] = "-id"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200


class ByName(Newest):
    """In the order of names."""

    ordering = ("name", "id")
