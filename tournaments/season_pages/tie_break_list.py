"""The tie-breaks in a season's form: a list in order, of which buttons move and remove rows, and to which one adds.

Each button submits the form, so that the list works without scripts. The form holds the keys in one hidden field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from tournaments.scoring.tie_breaks import TIE_BREAKS, Lots, tie_break_label, tie_break_name

BUTTON: Final = "tie"  # the name of all buttons of the list; the value is an action and, after a space, a key
ADDED: Final = "tie_add"  # the name of the choice of a tie-break to add
MOVE_UP: Final = "up"


class TieBreaksField(forms.Field):
    """Keys of tie-breaks in order, with spaces between them. Empty: those of the format."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> list[str]:
        """Return the keys. Raises ValidationError if one is unknown."""
        keys = str(value or "").split()
        if unknown := next((key for key in keys if key not in TIE_BREAKS), None):
            raise ValidationError(_("There is no tie-break {name!r}.").format(name=unknown))
        return list(dict.fromkeys(keys))


@dataclass(frozen=True, slots=True)
class TieBreakRow:
    """A tie-break of the list, or one that can be added."""

    key: str
    name: str
    label: str


@dataclass(frozen=True, slots=True)
class TieBreakList:
    """The chosen tie-breaks and the others. `changed`: whether a button of the list was pressed; `moved`: the key of
    the one that it moved up."""

    chosen: list[TieBreakRow]
    offered: list[TieBreakRow]
    changed: bool
    moved: str

    @classmethod
    def of(cls, keys: Sequence[str], sent: Mapping[str, Any]) -> TieBreakList:
        """Return the list with these keys, after the buttons in `sent`."""
        action, _space, key = _pressed(sent)
        others = [each for each in TIE_BREAKS if each not in keys]
        return cls([*map(_row, keys)], [*map(_row, others)], bool(action), key if action == MOVE_UP else "")


def _row(key: str) -> TieBreakRow:
    return TieBreakRow(key, tie_break_name(key), tie_break_label(key))


def _pressed(sent: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the action of the button that was pressed, and after a space the key; "" for none."""
    return str(sent.get(BUTTON) or "").partition(" ")


def changed_keys(sent: Mapping[str, Any], usual: Sequence[str]) -> str:
    """Return the text of the field after the button that was pressed and the tie-break that was chosen; "" if they are
    the `usual` ones of the format. An added one comes before the lots, which decide every tie."""
    keys = str(sent.get("tie_breaks") or "").split() or [*usual]
    added = str(sent.get(ADDED) or "")
    if added and added not in keys:
        keys.insert(len(keys) - (keys[-1] == Lots.key), added)
    action, _space, key = _pressed(sent)
    if key in keys:
        place = keys.index(key)
        keys.remove(key)
        if action == MOVE_UP:
            keys.insert(max(place - 1, 0), key)
    return "" if keys == [*usual] else " ".join(keys)
