"""Fields of the setup form that come from a schema: a kind's options, terms, and a format's options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms

from games.common.option_fields import check_option, field_for, initial_text, value_text
from scorebook_games.contract import Option


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Options that are chosen together. The names of their fields begin with `prefix`, except those in `names` (option
    → field). `usual`: option → usual value, if it is not the default; `labels`: as for `field_for`."""

    prefix: str
    options: tuple[Option, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    usual: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, Any] | None = None

    def field_name(self, option: str) -> str:
        """Return the name of an option's field."""
        return self.names.get(option, f"{self.prefix}_{option}")

    def form_fields(self) -> dict[str, forms.Field]:
        """Return name → field of each option."""
        return {
            self.field_name(option.name): field_for(option, self.usual.get(option.name, option.default), self.labels)
            for option in self.options
        }

    def initial(self) -> dict[str, str]:
        """Return the initial values of the fields."""
        return {self.field_name(option.name): initial_text(option) for option in self.options}

    def texts(self, chosen: Mapping[str, Any]) -> dict[str, str]:
        """Return the values of the fields for a season with the values `chosen`."""
        known = [option for option in self.options if option.name in chosen]
        return {self.field_name(each.name): value_text(each, chosen[each.name]) for each in known}

    def bound(self, form: forms.Form) -> list[forms.BoundField]:
        """Return the bound fields in the order of the schema."""
        return [form[self.field_name(option.name)] for option in self.options]

    def check(self, form: forms.Form) -> None:
        """Add an error for each value that is invalid for its option."""
        for option in self.options:
            check_option(form, self.field_name(option.name), option)

    def values(self, cleaned: Mapping[str, Any]) -> dict[str, Any]:
        """Return option → chosen value, without those left at their usual value."""
        values = {option.name: cleaned.get(self.field_name(option.name)) for option in self.options}
        return {name: value for name, value in values.items() if value is not None}
