"""How lists of the API are cut into pages: by a cursor, which costs the same on page 1 and on page 10,000."""

from __future__ import annotations

from rest_framework.pagination import CursorPagination


class Newest(CursorPagination):
    """Newest first; `page_size` up to 200."""

    ordering: str | tuple[str, ...] = "-id"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200


class ByName(Newest):
    """In the order of names."""

    ordering = ("name", "id")
