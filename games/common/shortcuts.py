"""Keyboard shortcuts of a single character, at a table and in a replay, and which keys they may have.

Arrows, Enter, Escape, Home and End are not characters and always work (WCAG 2.1.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

REPLAY: Final = "replay"
TABLE: Final = "table"


class Shortcut(NamedTuple):
    """What a key does in a replay, at a table, or in both `places`. `usual` is its key unless another is chosen."""

    usual: str
    label: Any
    places: tuple[str, ...] = (REPLAY,)


SHORTCUTS: Final[Mapping[str, Shortcut]] = {
    "back": Shortcut("k", gettext_lazy("One step back")),
    "forward": Shortcut("j", gettext_lazy("One step forward")),
    "previous_moment": Shortcut("b", gettext_lazy("Previous highlight")),
    "next_moment": Shortcut("n", gettext_lazy("Next highlight")),
    "next_mistake": Shortcut("m", gettext_lazy("Next mistake, in a review")),
    "play": Shortcut("p", gettext_lazy("Play and pause")),
    "speed": Shortcut("s", gettext_lazy("Next speed")),
    "pace": Shortcut("r", gettext_lazy("Next playback mode")),
    "next_view": Shortcut("f", gettext_lazy("Next player’s view")),
    "public_view": Shortcut("0", gettext_lazy("Public view")),
    "all_cards": Shortcut("a", gettext_lazy("All cards")),
    "copy_link": Shortcut("l", gettext_lazy("Copy the link to this moment")),
    "roll": Shortcut("r", gettext_lazy("Roll the dice that are not chosen"), (TABLE,)),
    "explain": Shortcut("x", gettext_lazy("Explain the things on the table"), (REPLAY, TABLE)),
    "theatre": Shortcut("z", gettext_lazy("Theatre: the table in the whole window"), (REPLAY, TABLE)),
    "help": Shortcut("?", gettext_lazy("List of shortcuts"), (REPLAY, TABLE)),
}
# Keys that cannot be given to a shortcut: seats' views in a replay, ranks and numbers at a table.
RESERVED: Final = {REPLAY: frozenset("12345678"), TABLE: frozenset("0123456789atjqk")}


class BadShortcuts(ValueError):
    """An invalid choice: the shortcut's `name`, and why."""

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(sentence)
        self.name, self.sentence = name, sentence


@dataclass(frozen=True, slots=True)
class Choice:
    """Whether shortcuts of a single character are on, and the keys that differ from the defaults."""

    on: bool = True
    keys: Mapping[str, str] = field(default_factory=dict)

    def all_keys(self) -> dict[str, str]:
        """Return each shortcut's key."""
        return {name: self.keys.get(name, shortcut.usual) for name, shortcut in SHORTCUTS.items()}

    def plain(self) -> dict[str, Any]:
        """Return the choice as JSON data, with every key."""
        return {"on": self.on, "keys": self.all_keys()}


def checked(on: bool, keys: Mapping[str, str]) -> Choice:
    """Return a choice from outside. A shortcut that `keys` does not name has its default key. Raises `BadShortcuts`."""
    lowered = {name: key.lower() for name, key in keys.items()}  # makes some characters two
    for name, key in lowered.items():
        if name not in SHORTCUTS:
            raise BadShortcuts(name, _("There is no shortcut {name}.").format(name=name))
        if len(key) != 1 or not key.isprintable() or key.isspace():
            raise BadShortcuts(name, _("Choose one letter, digit or sign."))
    wanted = Choice(on, {name: key for name, key in lowered.items() if key != SHORTCUTS[name].usual})
    for place in (REPLAY, TABLE):
        taken: dict[str, str] = {}
        for name, key in wanted.all_keys().items():
            if place not in SHORTCUTS[name].places:
                continue
            if key in RESERVED[place]:
                raise BadShortcuts(name, _("The key {key} chooses a player, card or die.").format(key=key))
            if key in taken:
                sentence = _("“{label}” also has the key {key}.")
                raise BadShortcuts(name, sentence.format(label=SHORTCUTS[taken[key]].label, key=key))
            taken[key] = name
    return wanted
