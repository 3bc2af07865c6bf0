"""Cuts lists of the API into pages by a cursor, which costs the same on page 1 and on page 10,000."""

from __future__ import annotations

import json
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import pagination
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from games.common import sealed_text
from games.common.errors import DomainError


def url_with_cursor(request: Request, cursor: object) -> str:
    """Return the address of the page after `cursor`, JSON data, in a form that nobody can read."""
    sealed = sealed_text.seal(json.dumps(cursor), request.path)
    return str(replace_query_param(request.build_absolute_uri(), "cursor", sealed))


def cursor_of_request(request: Request) -> Any:
    """Return the cursor of `request`; None for none. Raises `DomainError` bad_cursor (400) for one that is not ours."""
    sent = request.query_params.get("cursor")
    if sent is None:
        return None
    try:
        return json.loads(sealed_text.unseal(sent, request.path))
    except sealed_text.InvalidSealedText as error:
        sentence = _("This cursor does not belong to this list. Start without a cursor and follow `next`.")
        raise DomainError(400, "bad_cursor", sentence) from error


class SealedCursorPagination(pagination.CursorPagination):
    """A page after a sealed cursor."""

    def decode_cursor(self, request: Request) -> pagination.Cursor | None:
        self.asked = request
        found = cursor_of_request(request)
        return None if found is None else pagination.Cursor(*found)

    def encode_cursor(self, cursor: pagination.Cursor) -> str:
        return url_with_cursor(self.asked, list(cursor))


def check_page_size(request: Request, name: str, most: int) -> None:
    """Raise `DomainError` bad_parameter (400) for an invalid page size."""
    text = request.query_params.get(name, "1")
    if not (text.isascii() and text.isdecimal() and len(text) < 9 and 1 <= int(text) <= most):
        raise DomainError(
            400,
            "bad_parameter",
            _("{name} must be a whole number from 1 to {most}, not {text!r}.").format(
                name=name, most=most, text=text[:20]
            ),
        )


class NewestFirstPagination(SealedCursorPagination):
    """Newest first; `page_size` is at most 200."""

    ordering: str | tuple[str, ...] = "-id"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

    def get_page_size(self, request: Request) -> int | None:
        if self.page_size_query_param:
            check_page_size(request, self.page_size_query_param, self.max_page_size)
        return super().get_page_size(request)


class NamePagination(NewestFirstPagination):
    """Sorted by name."""

    ordering = ("name", "id")
