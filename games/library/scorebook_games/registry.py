"""The registry of the kinds of game, with every version of their rules that a log may need.

A package offers a kind by an entry point of the group `scorebook.kinds`. The environment variable SCOREBOOK_KINDS names
the kinds to load; if it is unset, all kinds of this package are loaded. A kind that is missing or broken is left out,
and `KINDS.broken` says why. The others are loaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final

from scorebook_games.contract import Rules, Spec
from scorebook_games.kind import CONTRACT, BrokenKind, Kind, check_kind
from scorebook_games.step_limit import NeverEnds, step_limit

GROUP: Final = "scorebook.kinds"
VARIABLE: Final = "SCOREBOOK_KINDS"
ALSO: Final = "+"  # at its beginning: these kinds beside those of this package
DISTRIBUTION: Final = "scorebook-games"
MEND: Final = f"Install a release of its package that works, or take the name out of {VARIABLE}."
IMPORT_SECONDS: Final = 120.0  # for importing one kind, also on a very busy machine


class NotInstalled(LookupError):
    """What a log was written with is in no package that is installed here. The text says what to do, to an admin."""


class UnknownKind(NotInstalled):
    """No such kind of game is loaded, or no such version of its rules. The text says which there are."""


class MissingRules:
    """A placeholder for the rules of a kind that is not loaded.

    It has a title to show; everything else raises `UnknownKind`.
    """

    def __init__(self, kind: str) -> None:
        title = f"{kind.replace('_', ' ').capitalize()} (not available)"
        self.spec = Spec(kind=kind, title=title, rules_version=0, seats_min=0, seats_max=0, options=(), notation="")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnknownKind(missing(self.spec.kind))


class Kinds(dict[str, Kind]):
    """The loaded kinds, by name.

    The rows of a game outlive its package. Therefore `KINDS[name]` answers for any name: a kind that is not loaded has
    a title to show, and its rules raise `UnknownKind`. Such a kind is not `in` the registry, and loops over the
    registry skip it.

    `broken` holds a sentence for the administrator about each kind that was to be loaded and was not, or of which two
    packages offer one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.broken: dict[str, str] = {}

    def __missing__(self, name: str) -> Kind:
        rules: Any = MissingRules(name)
        return Kind(contract=CONTRACT, folder=Path(), rules=rules)


def missing(kind: str) -> str:
    """Return the sentence that says a kind is not loaded. Everybody may read it."""
    if kind in KINDS.broken:
        return (
            f"The kind of game {kind!r} cannot be used here at present, and its games stand still. The administrator "
            "finds the reason in the log and on the dashboard."
        )
    return (
        f"There is no kind of game {kind!r} here. The kinds are {', '.join(sorted(KINDS))}. If {kind!r} was played "
        f"here before, install its package again and name it in {VARIABLE}."
    )


def is_ours(point: EntryPoint) -> bool:
    """Return whether a kind comes with this package."""
    return bool(point.dist and point.dist.name == DISTRIBUTION)


def load_kinds(names: Iterable[str], found: Sequence[EntryPoint]) -> Kinds:
    """Return the kinds with these names, loaded from the entry points in `found`, and what is wrong with the others.

    Raises `BrokenKind` if no kind can be loaded.
    """
    kinds = Kinds()
    for name in dict.fromkeys(names):
        points = [each for each in found if each.name == name]
        try:
            if len(points) > 1:
                kinds.broken[name] = doubled(points)
                points = [point for point in points if is_ours(point)][:1]
            elif not points:
                kinds.broken[name] = not_offered(name, found)
            for point in points:
                kinds[name] = load_kind(point)
        except BrokenKind as error:
            kinds.broken[name] = f"{error} {MEND}"
    if not kinds:
        raise BrokenKind(" ".join(kinds.broken.values()) or f"There is no kind of game. Name one in {VARIABLE}.")
    return kinds


def not_offered(name: str, found: Iterable[EntryPoint]) -> str:
    """Return the sentence about a kind that no package offers."""
    installed = ", ".join(sorted({each.name for each in found})) or "none"
    return (
        f"{VARIABLE} names the kind {name!r}, which no installed package offers. Installed are: {installed}. "
        "Install its package, or take the name out."
    )


def doubled(points: Sequence[EntryPoint]) -> str:
    """Return the sentence about a kind that several packages offer."""
    packages = " and ".join(sorted(point.dist.name if point.dist else point.value for point in points))
    used = f"That of {DISTRIBUTION} is used" if any(map(is_ours, points)) else "None is used"
    return f"The kind {points[0].name!r} is offered by {packages}. {used}. Uninstall the other package."


def load_kind(point: EntryPoint) -> Kind:
    """Return the kind that an entry point names. Raises `BrokenKind`."""
    try:
        with step_limit(IMPORT_SECONDS, wall=True):
            kind = point.load()
    except NeverEnds as error:
        raise BrokenKind(
            f"The kind {point.name!r} is broken: the import of {point.value} did not come to an end within "
            f"{IMPORT_SECONDS:.0f} s."
        ) from error
    except (Exception, SystemExit) as error:
        raise BrokenKind(
            f"The kind {point.name!r} is broken: {point.value} can't be imported ({type(error).__name__}: {error})."
        ) from error
    return check_kind(point.name, kind)


def installed_kinds() -> list[EntryPoint]:
    """Return the entry points of all installed kinds, loaded or not."""
    return list(entry_points(group=GROUP))


def named_kinds() -> list[str]:
    """Return the names in SCOREBOOK_KINDS, without a + at its beginning."""
    names = os.environ.get(VARIABLE, "").strip().removeprefix(ALSO)
    return [name.strip() for name in names.split(",") if name.strip()]


def broken_of_named() -> dict[str, str]:
    """Return what is wrong with the kinds that SCOREBOOK_KINDS names, by name."""
    return {name: KINDS.broken[name] for name in named_kinds() if name in KINDS.broken}


def load_wanted() -> Kinds:
    """Return the kinds that SCOREBOOK_KINDS names, or those of this package; both if it begins with a +. Raises
    `BrokenKind` if there are none."""
    found, named = installed_kinds(), named_kinds()
    ours = sorted(each.name for each in found if is_ours(each))
    also = os.environ.get(VARIABLE, "").strip().startswith(ALSO)
    return load_kinds([*ours, *named] if also or not named else named, found)


KINDS: Final = load_wanted()


def first_kind() -> str:
    """Return the kind that forms choose at first."""
    return next(iter(KINDS))


def rules_for(kind: str, rules_version: int | None = None) -> Rules[Any]:
    """Return the rules of `kind` in the version that a log was written with; None means the current one.

    Raises `UnknownKind`.
    """
    if kind not in KINDS:
        raise UnknownKind(missing(kind))
    rules = KINDS[kind].rules
    if rules_version in (None, rules.spec.rules_version):
        return rules
    earlier = KINDS[kind].earlier.get(rules_version or 0)
    if earlier is None:
        raise UnknownKind(
            f"Version {rules_version} of the rules of {kind} is unknown; the newest is "
            f"{rules.spec.rules_version}. Is this release older than the one that wrote the log?"
        )
    return earlier
