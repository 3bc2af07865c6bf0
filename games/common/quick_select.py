"""A list of choices that is written without templates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.forms.renderers import BaseRenderer
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


class QuickSelect(forms.Select):
    """Writes the same elements as Django, which renders a template for each option: 13 ms for the 430 time zones, and
    most of the time of a form with many lists."""

    def render(
        self,
        name: str,
        value: Any,
        attrs: dict[str, Any] | None = None,
        renderer: BaseRenderer | None = None,  # noqa: ARG002  Django's
    ) -> SafeString:
        chosen = {str(each) for each in self.format_value(value)}
        groups: list[SafeString] = []
        for own, label in self.choices:
            if isinstance(label, list | tuple):
                groups.append(format_html('<optgroup label="{}">{}</optgroup>', own, _options(label, chosen)))
            else:
                groups.append(_options([(own, label)], chosen))
        written = flatatt({"name": name, **self.build_attrs(self.attrs, attrs)})
        return format_html("<select{}>{}</select>", written, format_html_join("", "{}", ((group,) for group in groups)))


def _options(choices: Iterable[tuple[Any, Any]], chosen: set[str]) -> SafeString:
    selected = SafeString(" selected")
    rows = ((value, selected if str(value) in chosen else "", label) for value, label in choices)
    return format_html_join("\n", '<option value="{}"{}>{}</option>', rows)
