"""The catalogue: plates, rims and starting plates as data (rules.md, PS-1 to PS-5).

A file `catalogue-<version>.json` beside this module is read and checked once, when it is first needed. Old files are
kept, because the first event of a game names the version it is played with. Names and motifs are in
`looks-<version>.json`, because no rule needs them.

Items are small ints, the same in every catalogue: plates 0 … 39 in the order of the file, the star plate 40, starting
plates 41 … 50 (A1, A2, B1 …), rims 51 … 80.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from scorebook_games.kinds.plate_spinner.fillings import Filling, Group

NEWEST: Final = 1
FOLDER: Final = Path(__file__).parent

COLOURS: Final = ("red", "blue", "green", "yellow")
PLATES: Final = 40
RIMS: Final = 30
STAR: Final = 40
START: Final = 41  # + 2 * seat: the first of the seat's two starting plates (PS-6)
FIRST_RIM: Final = 51
ITEMS: Final = FIRST_RIM + RIMS
BOMBS: Final = 8
NEUTRAL_RIMS: Final = 8
RIM_COLOURS: Final = {"red": 8, "blue": 8, "green": 7, "yellow": 7}
IDS: Final[dict[str, list[str]]] = {
    "plates": [f"P{number}" for number in range(1, PLATES + 1)],
    "rims": [f"R{number}" for number in range(1, RIMS + 1)],
    "starting": [letter + number for letter in "ABCDE" for number in "12"],
}
# The id of each item by its number, the same in every catalogue.
ITEM_IDS: Final = [*IDS["plates"], "STAR", *IDS["starting"], *IDS["rims"]]

FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "plates": ("id", "colour", "points", "dice", "bomb", "needs"),
    "rims": ("id", "colour", "points", "neutral", "needs"),
    "starting": ("id", "letter", "needs"),
}
GROUP_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "slots": ("kind", "slots"),
    "same": ("kind", "dice"),
    "run": ("kind", "dice"),
    "sum": ("kind", "dice", "total"),
}
SLOT: Final = re.compile(r"=[1-6]|>=[2-5]|<=[2-5]|odd|even|any", re.ASCII)


class CatalogueError(ValueError):
    """A fault in a catalogue: the `entry` (its id, or its place in the list), the `field`, and what is wrong."""

    def __init__(self, entry: str, field: str, what: str) -> None:
        super().__init__(f"Catalogue, {entry}, field {field}: {what}.")
        self.entry = entry
        self.field = field


class Item:
    """A plate, a rim or a starting plate. Attributes that do not apply are 0, False or ""; `empty` are its groups
    without dice."""

    __slots__ = ("bomb", "colour", "dice", "empty", "groups", "id", "needed", "neutral", "points")

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.id: str = entry["id"]
        self.colour: str = entry.get("colour", "")
        self.points: int = entry.get("points", 0)
        self.dice: int = entry.get("dice", 0)
        self.bomb: bool = entry.get("bomb", False)
        self.neutral: bool = entry.get("neutral", False)
        self.groups: tuple[Group, ...] = tuple([group_of(group) for group in entry["needs"]])
        self.empty: list[Filling] = [group.empty for group in self.groups]
        self.needed: int = sum([group.dice for group in self.groups])


class Catalogue:
    """A checked catalogue: its items by number, and the numbers by id."""

    __slots__ = ("data", "hash", "items", "numbers", "version")

    def __init__(self, data: dict[str, Any]) -> None:
        check(data)
        self.data: dict[str, Any] = data
        self.version: int = data["version"]
        self.hash: str = hash_of(data)
        star = {"id": "STAR", "needs": []}
        entries = [*data["plates"], star, *data["starting"], *data["rims"]]
        self.items: list[Item] = [Item(entry) for entry in entries]
        self.numbers: dict[str, int] = {item.id: number for number, item in enumerate(self.items)}


def group_of(group: Mapping[str, Any]) -> Group:
    """Return the group that the catalogue's `group` describes."""
    slots = tuple(group.get("slots", ()))
    return Group(group["kind"], len(slots) or group["dice"], slots, group.get("total", 0))


def hash_of(data: Mapping[str, Any]) -> str:
    """Return the SHA-256, in hex, of the catalogue as JSON with sorted keys and without spaces."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def load(version: int) -> Catalogue:
    """Return the catalogue of this version. Raises `CatalogueError` if its file has a fault."""
    found = _LOADED.get(version)
    if found is None:
        text = (FOLDER / f"catalogue-{version}.json").read_text(encoding="utf-8")
        found = _LOADED[version] = Catalogue(json.loads(text))
    return found


_LOADED: dict[int, Catalogue] = {}


@cache
def looks(version: int) -> dict[str, dict[str, str]]:
    """Return name and motif of each plate and rim, by id: ``{"P1": {"name": "Poppy", "motif": "poppy"}}``."""
    text = (FOLDER / f"looks-{version}.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def check(data: Any) -> None:
    """Raise `CatalogueError` unless `data` is a complete catalogue (PS-1 to PS-4)."""
    check_fields("the catalogue", data, ("version", "plates", "rims", "starting"))
    check_int("the catalogue", "version", data["version"], 1, 10**6)
    for part, fields in FIELDS.items():
        if not isinstance(data[part], list):
            raise CatalogueError("the catalogue", part, "it is a list of entries")
        check_count("the catalogue", part, part, len(data[part]), len(IDS[part]))
        for name, entry in zip(IDS[part], data[part], strict=True):
            check_entry(name, entry, fields)
    check_plates(data["plates"])
    check_rims(data["rims"])
    check_starting(data["starting"])


def check_fields(entry: str, value: Any, fields: Sequence[str]) -> None:
    """Raise `CatalogueError` unless `value` has these fields and no others."""
    if not isinstance(value, dict):
        raise CatalogueError(entry, "(all)", f"it is an object with the fields {', '.join(fields)}")
    for field in fields:
        if field not in value:
            raise CatalogueError(entry, field, "it is missing")
    for field in value:
        if field not in fields:
            raise CatalogueError(entry, field, f"there is no such field here; there are {', '.join(fields)}")


def check_entry(name: str, entry: Any, fields: Sequence[str]) -> None:
    """Raise `CatalogueError` unless `entry` is well formed and has the id that belongs to its place."""
    check_fields(name, entry, fields)
    if entry["id"] != name:
        raise CatalogueError(name, "id", f"the entries stand in the order of their ids, and here is {entry['id']!r}")
    if "colour" in fields and entry["colour"] not in COLOURS:
        raise CatalogueError(name, "colour", f"it is one of {', '.join(COLOURS)}, not {entry['colour']!r}")
    for field in ("bomb", "neutral"):
        if field in fields and not isinstance(entry[field], bool):
            raise CatalogueError(name, field, f"it is true or false, not {entry[field]!r}")
    check_needs(name, entry["needs"])


def check_int(entry: str, field: str, value: Any, least: int, most: int) -> None:
    """Raise `CatalogueError` unless `value` is a whole number from `least` to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise CatalogueError(entry, field, f"it is a whole number from {least} to {most}, not {value!r}")


def check_count(part: str, field: str, what: str, found: int, wanted: int) -> None:
    """Raise `CatalogueError` unless the number `found` is the one that the list of components requires."""
    if found != wanted:
        raise CatalogueError(part, field, f"there are {wanted} {what}, not {found}")


def check_needs(entry: str, needs: Any) -> None:
    """Raise `CatalogueError` unless `needs` is a list of groups that can be filled (PS-4)."""
    if not isinstance(needs, list) or not needs:
        raise CatalogueError(entry, "needs", "it is a list of at least one group")
    for place, group in enumerate(needs):
        check_group(entry, f"needs[{place}]", group)
    if sum(group["kind"] == "slots" for group in needs) > 1:
        raise CatalogueError(entry, "needs", "there is at most one slots group")


def check_group(entry: str, field: str, group: Any) -> None:
    """Raise `CatalogueError` unless `group` can be filled (PS-4)."""
    kind = group.get("kind") if isinstance(group, dict) else None
    if kind not in GROUP_FIELDS:
        raise CatalogueError(entry, f"{field}.kind", f"it is one of {', '.join(GROUP_FIELDS)}, not {kind!r}")
    for name in GROUP_FIELDS[kind]:
        if name not in group:
            raise CatalogueError(entry, f"{field}.{name}", "it is missing")
    for name in group:
        if name not in GROUP_FIELDS[kind]:
            raise CatalogueError(entry, f"{field}.{name}", f"a group of kind {kind} has no such field")
    if kind == "slots":
        if not isinstance(group["slots"], list) or not group["slots"]:
            raise CatalogueError(entry, f"{field}.slots", "it is a list of at least one slot")
        for slot in group["slots"]:
            if not isinstance(slot, str) or not SLOT.fullmatch(slot):
                what = f"a slot is =1 to =6, >=2 to >=5, <=2 to <=5, odd, even or any, not {slot!r}"
                raise CatalogueError(entry, f"{field}.slots", what)
        return
    check_int(entry, f"{field}.dice", group["dice"], 2, 4)
    if kind == "sum":
        check_int(entry, f"{field}.total", group["total"], group["dice"] + 1, 6 * group["dice"])


def needed(entry: Mapping[str, Any]) -> int:
    """Return how many dice fill an entry."""
    return sum(len(group.get("slots", ())) or int(group["dice"]) for group in entry["needs"])


def check_plates(plates: Sequence[Mapping[str, Any]]) -> None:
    """Raise `CatalogueError` unless the plates are those of PS-1 and PS-3."""
    for plate in plates:
        name = plate["id"]
        check_int(name, "points", plate["points"], 1, 6)
        check_int(name, "dice", plate["dice"], 0, 2)
        check_int(name, "needs", needed(plate), 1, 4)
    for colour in COLOURS:
        found = sum(plate["colour"] == colour for plate in plates)
        check_count("plates", "colour", f"{colour} plates", found, PLATES // len(COLOURS))
    check_count("plates", "bomb", "plates with a bomb", sum(plate["bomb"] for plate in plates), BOMBS)
    if sum(map(needed, plates)) > 2 * len(plates):
        raise CatalogueError("plates", "needs", "a plate needs 2 dice on average at most")


def check_rims(rims: Sequence[Mapping[str, Any]]) -> None:
    """Raise `CatalogueError` unless the rims are those of PS-1 and PS-3."""
    for rim in rims:
        check_int(rim["id"], "points", rim["points"], 1, 4)
        check_int(rim["id"], "needs", needed(rim), 1, 2)
    for colour, count in RIM_COLOURS.items():
        check_count("rims", "colour", f"{colour} rims", sum(rim["colour"] == colour for rim in rims), count)
    found = sum(rim["neutral"] for rim in rims)
    check_count("rims", "neutral", "rims with a neutral die", found, NEUTRAL_RIMS)


def check_starting(starting: Sequence[Mapping[str, Any]]) -> None:
    """Raise `CatalogueError` unless there are five lettered pairs of two dice each (PS-2, PS-3)."""
    for plate in starting:
        if plate["letter"] != plate["id"][0]:
            raise CatalogueError(plate["id"], "letter", f"it is {plate['id'][0]}, as in the id")
        check_int(plate["id"], "needs", needed(plate), 1, 2)
    for letter in "ABCDE":
        pair = sum(needed(plate) for plate in starting if plate["letter"] == letter)
        check_count(f"starting plates {letter}", "needs", "dice that they need together", pair, 2)
