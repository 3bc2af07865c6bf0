"""Filters for lists of the API. An invalid value is refused with a sentence that names the valid ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import django_filters
from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters.fields import ChoiceField
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

from games.common.errors import DomainError
from scorebook_games.registry import KINDS

CHECKED_FIELDS: Final = (forms.ChoiceField, forms.DecimalField, forms.DateTimeField)


class StrictChoiceFilter(django_filters.ChoiceFilter):  # type: ignore[misc]  # untyped
    """Filters by one of several known values."""

    def __init__(self, values: Iterable[str], **options: Any) -> None:
        known = list(values)
        sentence = _("“%(value)s” is not a valid choice. Choose from {known}.").format(known=", ".join(known))
        options.setdefault("error_messages", {"invalid_choice": sentence})
        super().__init__(choices=[(value, value) for value in known], **options)


class StrictFilterBackend(DjangoFilterBackend):  # type: ignore[misc]  # untyped
    """django-filter's backend, but an empty value such as `?kind=` is an error and not "no filter"."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:
        filterset = self.get_filterset(request, queryset, view)
        for name, each in filterset.filters.items() if filterset else ():
            if request.query_params.get(name) == "" and isinstance(each.field, CHECKED_FIELDS):
                sentence = _("{name} is empty. Give a value, or leave it out.").format(name=name)
                raise DomainError(400, "bad_parameter", sentence)
        return super().filter_queryset(request, queryset, view)  # type: ignore[no-any-return]


class MomentFilter(django_filters.IsoDateTimeFilter):  # type: ignore[misc]  # untyped
    """Filters by a day or time in ISO 8601, in UTC if it has no zone."""

    def __init__(self, field: str, lookup: str, label: str, **options: Any) -> None:
        sentence = _("Give a day as 2026-11-23, or a moment as 2026-11-23T18:00:00Z.")
        options.setdefault("error_messages", {"invalid": sentence})
        super().__init__(field_name=field, lookup_expr=lookup, label=label, **options)


class KindField(ChoiceField):  # type: ignore[misc]  # untyped
    """A name. `KindFilter` looks whether there is such a kind."""

    def valid_value(self, value: str) -> bool:
        return value.isidentifier()


class KindFilter(StrictChoiceFilter):
    """Filters by a kind that is installed, or of which there are rows."""

    field_class = KindField

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        found: QuerySet[Any] = super().filter(qs, value)
        if value and value not in KINDS and not found.exists():
            sentence = self.extra["error_messages"]["invalid_choice"] % {"value": value}
            raise ValidationError({self.field_name: [sentence]}, code="invalid_choice")
        return found


def of_kind(field: str = "kind") -> KindFilter:
    """Filters by the kind of game."""
    return KindFilter(sorted(KINDS), field_name=field, label="The kind of game, as in `kinds/`.")


def flag(request: Request, name: str) -> bool:
    """Return whether a parameter says yes; False if it is missing. Raises `DomainError` bad_parameter (400)."""
    value = request.query_params.get(name, "false").lower()
    if value not in ("true", "1", "false", "0"):
        raise DomainError(
            400, "bad_parameter", _("{name} must be true or false, not {value!r}.").format(name=name, value=value[:20])
        )
    return value in ("true", "1")
