"""Requirements and the dice that lie in them (rules.md, PS-4 and PS-10).

A *group* is one part of a requirement. A *filling* is a group with the dice that lie in it. Fillings are made when they
are first needed and never change, and each exists only once. So a state holds them by reference, and a move is one step
from a filling to the next.

An action on a filling has a *code*, a small int ``8 * place + value``. The value is that of a die, 1 … 6. The place is
1 + its slot in a `slots` group, else 0.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

VALUES: Final = (1, 2, 3, 4, 5, 6)
CODES: Final = 64  # all codes are lower
ROOM: Final = 10  # bits for each value in `Filling.room`
# Which values a pool holds, as bits 0 … 5, indexed by three of a pool's six counts (4 bits each).
PRESENT: Final[list[int]] = [
    (1 if trio & 15 else 0) | (2 if trio >> 4 & 15 else 0) | (4 if trio >> 8 else 0) for trio in range(4096)
]

# How many dice a pool holds, indexed by three of its counts.
DICE: Final[list[int]] = [(trio & 15) + (trio >> 4 & 15) + (trio >> 8) for trio in range(4096)]


@cache
def slot_accepts(slot: str, value: int) -> bool:
    """Return whether a slot, in the catalogue's notation, takes a die with this value (PS-4)."""
    if slot == "any":
        return True
    if slot in ("odd", "even"):
        return value % 2 == (slot == "odd")
    number = int(slot[-1])
    if slot[0] == "=":
        return value == number
    return value >= number if slot[0] == ">" else value <= number


class Group:
    """One group of a requirement: its `kind`, how many dice fill it, its slots, and the total of a `sum` group."""

    __slots__ = ("dice", "empty", "fillings", "kind", "slots", "total")

    def __init__(self, kind: str, dice: int, slots: tuple[str, ...] = (), total: int = 0) -> None:
        self.kind: str = kind
        self.dice: int = dice
        self.slots: tuple[str, ...] = slots
        self.total: int = total
        self.fillings: dict[tuple[int, ...], Filling] = {}
        self.empty: Filling = self.filling((0,) * dice if slots else ())

    def filling(self, dice: tuple[int, ...]) -> Filling:
        """Return the only filling with these dice: by slot with 0 for a free one, or else in ascending order."""
        found = self.fillings.get(dice)
        if found is None:
            found = self.fillings[dice] = Filling(self, dice)
        return found

    def plain(self) -> dict[str, Any]:
        """Return the group as the catalogue has it."""
        if self.kind == "slots":
            return {"kind": "slots", "slots": list(self.slots)}
        if self.kind == "sum":
            return {"kind": "sum", "dice": self.dice, "total": self.total}
        return {"kind": self.kind, "dice": self.dice}


class Filling:
    """A group with dice in it, which never changes.

    `free` is the number of free places, and `pool` counts the dice as a state counts those of a seat. `open` lists the
    codes of dice that fit, and `takes` says of each code whether it is one of them. `codes` and `counts` list them and
    their number by the values that a pool holds, a number of six bits. `room` counts them by their values, those of
    ones lowest, in ROOM bits each.
    """

    __slots__ = ("_steps", "codes", "counts", "dice", "free", "group", "open", "pool", "room", "takes")

    def __init__(self, group: Group, dice: tuple[int, ...]) -> None:
        self.group: Group = group
        self.dice: tuple[int, ...] = dice
        self.free: int = dice.count(0) if group.slots else group.dice - len(dice)
        self.pool: int = sum([1 << 4 * value - 4 for value in dice if value])
        self.open: list[int] = [code for code in all_codes(group) if takes(group, dice, code)] if self.free else []
        self.codes: list[list[int]] = [[]]
        for value in VALUES:
            fitting = [code for code in self.open if code & 7 == value]
            self.codes += [codes + fitting for codes in self.codes] if fitting else self.codes
        self.counts: bytes = bytes([len(codes) for codes in self.codes])
        fits = bytearray(CODES)
        room = 0
        for code in self.open:
            fits[code] = 1
            room += 1 << ROOM * (code & 7) - ROOM
        self.takes: bytes = bytes(fits)
        self.room: int = room
        self._steps: list[Filling | None] = [None] * CODES

    def after(self, code: int) -> Filling:
        """Return the filling with one more die; `code` is one of `open`."""
        found = self._steps[code]
        if found is None:
            value, place = code & 7, code >> 3
            dice = self.dice
            dice = (*dice[: place - 1], value, *dice[place:]) if place else tuple(sorted((*dice, value)))
            found = self._steps[code] = self.group.filling(dice)
        return found


def all_codes(group: Group) -> list[int]:
    """Return every code that a group can have."""
    places = range(1, 1 + len(group.slots)) if group.slots else range(1)
    return [8 * place + value for value in VALUES for place in places]


def takes(group: Group, dice: tuple[int, ...], code: int) -> bool:
    """Return whether a die may be put there so that the group can still be filled (PS-10).

    Of several free slots with the same notation, only the lowest is offered (rules.md, Moves).
    """
    value, place = code & 7, code >> 3
    if place:
        at, slot = place - 1, group.slots[place - 1]
        if dice[at] or not slot_accepts(slot, value):
            return False
        return not [lower for lower in range(at) if not dice[lower] and group.slots[lower] == slot]
    free = group.dice - len(dice)
    if free == 0:
        return False
    if group.kind == "same":
        return not dice or dice[0] == value
    if group.kind == "run":
        spread = (*dice, value)
        return value not in dice and max(spread) - min(spread) < group.dice
    return sum(dice) + value + 6 * (free - 1) >= group.total
