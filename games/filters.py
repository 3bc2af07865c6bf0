"""How lists of the API are narrowed. A value that cannot be is refused in a sentence that names those that can."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import django_filters
from django.utils.translation import gettext_lazy as _
from rest_framework.request import Request

from games.errors import TableError
from games.kinds import KINDS


class OneOf(django_filters.ChoiceFilter):  # type: ignore[misc]  # untyped
    """One of the values that there are."""

    def __init__(self, values: Iterable[str], **options: Any) -> None:
        known = list(values)
        sentence = _("There is no “%(value)s”; there are {known}.").format(known=", ".join(known))
        options.setdefault("error_messages", {"invalid_choice": sentence})
        super().__init__(choices=[(value, value) for value in known], **options)


def of_kind(field: str = "kind") -> OneOf:
    """The kind of game."""
    return OneOf(sorted(KINDS), field_name=field)


def flag(request: Request, name: str) -> bool:
    """Whether a parameter says yes; no where it is not sent. Raises `TableError` bad_parameter (400)."""
    value = request.query_params.get(name, "false").lower()
    if value not in ("true", "1", "false", "0"):
        raise TableError(400, "bad_parameter", f"{name} is true or false, not {value[:20]!r}.")
    return value in ("true", "1")
