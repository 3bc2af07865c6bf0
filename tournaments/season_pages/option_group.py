"""Fields of the setup form that come from a schema: the options of a game, the terms, the settings of a format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms

from games.common.option_fields import field_for, initial_text, value_text
from games.engines.base import Option, OptionError


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Options that are chosen together. The names of their fields begin with `prefix`, but for those in `names` (option
    → field). `usual`: option → what it usually is, where that is not its default; `labels` as `field_for` takes them.
    """

    prefix: str
    options: tuple[Option, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    usual: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, Any] | None = None

    def field_name(self, option: str) -> str:
        """The field in which an option is chosen."""
        return self.names.get(option, f"{self.prefix}_{option}")

    def form_fields(self) -> dict[str, forms.Field]:
        """Name → field of each option."""
        return {
            self.field_name(each.name): field_for(each, self.usual.get(each.name, each.default), self.labels)
            for each in self.options
        }

    def initial(self) -> dict[str, str]:
        """What the fields hold that nobody has touched."""
        return {self.field_name(each.name): initial_text(each) for each in self.options}

    def texts(self, chosen: Mapping[str, Any]) -> dict[str, str]:
        """What the fields hold of a season that has `chosen` these values."""
        known = [each for each in self.options if each.name in chosen]
        return {self.field_name(each.name): value_text(each, chosen[each.name]) for each in known}

    def bound(self, form: forms.Form) -> list[forms.BoundField]:
        """The fields as a page shows them, in the order of the schema."""
        return [form[self.field_name(each.name)] for each in self.options]

    def check(self, form: forms.Form) -> None:
        """Add an error for each value that its option cannot have."""
        for option in self.options:
            name = self.field_name(option.name)
            value = form.cleaned_data.get(name)
            try:
                if value is not None:
                    option.check(value)
            except OptionError as error:
                form.add_error(name, error.sentence)

    def values(self, cleaned: Mapping[str, Any]) -> dict[str, Any]:
        """Option → what was chosen, of those that are not left to what is usual."""
        values = {each.name: cleaned.get(self.field_name(each.name)) for each in self.options}
        return {name: value for name, value in values.items() if value is not None}
