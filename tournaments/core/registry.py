"""Registries of what packages may add: formats, tie-breaks and settings. Pure.

    FORMATS = Registry("scorebook.formats", (Swiss(), …), MissingFormat.of)

A package offers a thing by an entry point of the registry's group. It names a class, whose `key` is the entry point's
name. One that is broken, or whose key is taken, is left out, and `broken` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import ClassVar, Protocol, TypeVar

from scorebook_games.presentation.text import gettext as _
from scorebook_games.registry import NotInstalled


class Keyed(Protocol):
    """Something with a key."""

    key: ClassVar[str]


T = TypeVar("T", bound=Keyed)


class Registry(dict[str, T]):
    """Things by key: those of the platform, and after `load` those of packages.

    The rows and logs of a season outlive a package. Therefore `registry[key]` answers for any key: `missing` makes what
    stands for a thing that is not installed. It can be named; what needs more of it raises `NotInstalled`. It is not
    `in` the registry, and loops over the registry skip it.
    """

    def __init__(self, group: str, ours: Iterable[T], missing: Callable[[str], T]) -> None:
        super().__init__((each.key, each) for each in ours)
        self.group, self.missing = group, missing
        self.broken: dict[str, str] = {}

    def __missing__(self, key: str) -> T:
        return self.missing(key)

    def load(self) -> None:
        """Add what installed packages offer. Called once, after all modules that they may use."""
        for point in sorted(entry_points(group=self.group), key=lambda point: point.name):
            if why := self._fault_of(point):
                self.broken[point.name] = why

    def _fault_of(self, point: EntryPoint) -> str:
        """Add what an entry point names; return why it cannot be added, as a sentence."""
        try:
            made: T = point.load()()
            key = made.key
        except (Exception, SystemExit) as error:
            return f"{point.value} of {self.group} can't be loaded ({type(error).__name__}: {error})."
        if key != point.name:
            return f"{point.value} of {self.group} has the key {key!r}, but its entry point is {point.name!r}."
        if key in self:
            return f"{point.value} of {self.group} has the key {key!r}, which is taken. Rename it."
        self[key] = made
        return ""


def missing_label(key: str) -> str:
    """Return how pages name a thing that is not installed."""
    return _("{name} (not available)").format(name=key)


def not_installed(what: str, key: str) -> NotInstalled:
    """Return the error about the `what` with this key."""
    return NotInstalled(f"There is no {what} {key!r} here. If it was used here before, install its package again.")
