"""How a setting of a season is declared: once, at its field of `SeasonPolicies` or `EntryPolicy`. Pure.

    max_no_shows: int = whole(0, 100, title=…, label=…, help=…, group="policies")

The check, the field of the form, the API and its document, and the line in the list of a season's rules follow from it.
A package adds one by an entry point of the group `scorebook.settings` that names such a field:

    scorebook_lots_first_round = "scorebook_lots:FIRST_ROUND"

Its name begins with the name of the package, so that it is nobody else's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, NoReturn, TypeVar

from django.utils.translation import gettext as _

from games.common.errors import DomainError
from scorebook_games.gamelog.terms import FORMER_VALUES

Label = Any  # text, translated now or when it is shown
METADATA: Final = "setting"
GROUP: Final = "scorebook.settings"
BROKEN: Final[dict[str, str]] = {}  # name → why a package's setting was left out
T = TypeVar("T")


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

    @property
    def range(self) -> str:
        """The values that it may have, for the documents."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Setting):
    """One of several values; the first is the default. `choices`: value → label."""

    choices: Mapping[str, Label]

    def check(self, name: str, value: Any) -> str:
        current = FORMER_VALUES.get(value, value) if isinstance(value, str) else value
        return check_choice(name, current, list(self.choices))

    def text(self, value: Any) -> str:
        return str(self.choices.get(value, ""))

    @property
    def range(self) -> str:
        return ", ".join(f"`{choice}`: {label}" for choice, label in self.choices.items())

    @property
    def listed(self) -> str:
        """The values, as the API's document has them: “bye, built_in_bot or short.”"""
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

    @property
    def range(self) -> str:
        return f"{self.least} to {self.most}{' or null' if self.optional else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNo(Setting):
    """Yes or no."""

    def check(self, name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            refuse(name, _("{field} must be true or false, not {value!r}.").format(field=name, value=value))
        return value

    def text(self, value: Any) -> str:
        return _("yes") if value else ""

    @property
    def range(self) -> str:
        return "`true`, `false`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Setting):
    """A part of the whole, 0 to 1; people read and write percent. `refusal`: the sentence about other values."""

    refusal: Label

    def check(self, name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            refuse(name, str(self.refusal))
        return value

    @property
    def range(self) -> str:
        return "0 to 1"


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
    return {field.name: field.metadata[METADATA] for field in fields(of) if METADATA in field.metadata}


def with_packages(of: type[T]) -> type[T]:
    """Return the dataclass with a field for each setting that an installed package offers. One that cannot be used is
    left out, and `BROKEN` says why."""
    offered = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            offered.append((point.name, Any, _field_of(point)))
        except (Exception, SystemExit) as error:
            BROKEN[point.name] = f"{point.value} of {GROUP} can't be used ({type(error).__name__}: {error})."
    return make_dataclass(of.__name__, offered, bases=(of,), frozen=True, slots=True, kw_only=True) if offered else of


def _field_of(point: EntryPoint) -> Any:
    package = point.module.partition(".")[0]
    if not (point.name.isidentifier() and point.name.startswith(f"{package}_")):
        raise ValueError(f"the name of a setting of {package} begins with {package}_")
    made = point.load()
    if not isinstance(made.metadata[METADATA], Setting):
        raise TypeError("it is no setting")
    return made


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
