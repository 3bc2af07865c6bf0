"""How a setting of a season is declared: once, at its field of `SeasonPolicies` or `EntryPolicy`. Pure.

    max_no_shows: int = whole(0, 100, title=…, label=…, help=…, group="policies")

The check, the field of the form, the API and its document, and the line in the list of a season's rules follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, NoReturn

from django.utils.translation import gettext as _

from games.common.errors import DomainError

Label = Any  # text, translated now or when it is shown
METADATA: Final = "setting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all settings say. `label` and `help`: of the field in the form, in the part `group`; `title`: in the list of
    a season's rules, the label if None, and no line of its own if ""; `api_help`: in the API's document."""

    label: Label
    help: Label
    group: str
    title: Label = None
    api_help: str = ""

    def check(self, name: str, value: Any) -> Any:
        """Return the value. Raises `DomainError` bad_setting (400) with the field `name`."""
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """Return the value in words; "" for one that needs no line."""
        return str(value or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Setting):
    """One of several values; the first is the default. `choices`: value → label."""

    choices: Mapping[str, Label]

    def check(self, name: str, value: Any) -> str:
        return check_choice(name, value, list(self.choices))

    def text(self, value: Any) -> str:
        return str(self.choices.get(value, ""))

    @property
    def listed(self) -> str:
        """The values, as the API's document has them: “bye, house_bot or short.”"""
        *first, last = self.choices
        return f"{', '.join(first)} or {last}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole(Setting):
    """A whole number from `least` to `most`; None for none if it is `optional`."""

    least: int
    most: int
    optional: bool = False

    def check(self, name: str, value: Any) -> int | None:
        return None if value is None and self.optional else check_whole(name, value, self.least, self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNo(Setting):
    """Yes or no."""

    def check(self, name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            refuse(name, _("{field} must be true or false, not {value!r}.").format(field=name, value=value))
        return value

    def text(self, value: Any) -> str:
        return _("yes") if value else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Setting):
    """A part of the whole, 0 to 1; people read and write percent. `refusal`: the sentence about other values."""

    refusal: Label

    def check(self, name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            refuse(name, str(self.refusal))
        return value


def choice(choices: Mapping[str, Label], **texts: Any) -> Any:
    """Return the field of a `Choice`."""
    return field(default=next(iter(choices)), metadata={METADATA: Choice(choices=choices, **texts)})


def whole(least: int, most: int, **texts: Any) -> Any:
    """Return the field of a `Whole`, by default `least`, or None if it is optional."""
    setting = Whole(least=least, most=most, **texts)
    return field(default=None if setting.optional else least, metadata={METADATA: setting})


def yes_no(**texts: Any) -> Any:
    """Return the field of a `YesNo`, by default no."""
    return field(default=False, metadata={METADATA: YesNo(**texts)})


def share(**texts: Any) -> Any:
    """Return the field of a `Share`, by default 0."""
    return field(default=0, metadata={METADATA: Share(**texts)})


def declared(of: type) -> dict[str, Setting]:
    """Return name → setting of all fields of a dataclass that declare one, in order."""
    return {each.name: each.metadata[METADATA] for each in fields(of) if METADATA in each.metadata}


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Return the value. Raises `DomainError` bad_setting (400)."""
    if value not in choices:
        sentence = _("{field} must be one of {choices}, not {value!r}.")
        refuse(name, sentence.format(field=name, choices=", ".join(choices), value=value))
    return str(value)


def check_whole(name: str, value: Any, least: int, most: int) -> int:
    """Return the value. Raises `DomainError` bad_setting (400)."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        sentence = _("{field} must be a whole number from {least} to {most}, not {value!r}.")
        refuse(name, sentence.format(field=name, least=least, most=most, value=value))
    return int(value)


def refuse(name: str, sentence: str) -> NoReturn:
    """Raise `DomainError` bad_setting (400)."""
    raise DomainError(400, "bad_setting", sentence, name)
