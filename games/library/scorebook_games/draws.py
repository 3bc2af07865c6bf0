"""Computes the draws of a seed, and shuffles and dice from them (docs/explanation/fairness.md).

Other modules use the dealer in `scorebook_games.chance`, which calls this one.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from operator import mod
from typing import Any, Final

RANGE: Final = 2**64  # how many numbers a draw can be
MANY: Final = 6  # from so many draws on, one call for all of them is faster
# What HMAC (RFC 2104) xors its key with, as tables for bytes.translate.
INNER_PAD: Final = bytes([byte ^ 0x36 for byte in range(256)])
OUTER_PAD: Final = bytes([byte ^ 0x5C for byte in range(256)])
FIRST_EIGHT: Final = struct.Struct(">Q24x").unpack  # unpacks the number from a draw's 32 bytes
# What stands behind the label in the message of the first draws, for most labels have a few only.
FIRST_TAILS: Final[list[bytes]] = [bytes(1) + k.to_bytes(8, "big") for k in range(16)]


def digits(number: int, count: int) -> list[int]:
    """Return the dice that a number below 6**count stands for."""
    dice: list[int] = []
    for _ in range(count):
        dice.append(number % 6 + 1)
        number //= 6
    return dice


# The rolls of up to two dice, by the number of dice and the number that they are made from.
ROLLS: Final[list[list[list[int]]]] = [[digits(number, count) for number in range(6**count)] for count in range(3)]


class Draws:
    """All draws of one seed, which has at most 64 bytes (a block of SHA-256).

    The two hash states of HMAC that depend only on the seed are computed once, because a deal needs about a hundred
    draws.
    """

    __slots__ = ("_inner", "_outer", "seed")

    def __init__(self, seed: bytes) -> None:
        self.seed: bytes = seed
        block = seed.ljust(64, b"\x00")
        self._inner: Any = hashlib.sha256(block.translate(INNER_PAD))
        self._outer: Any = hashlib.sha256(block.translate(OUTER_PAD))

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """Return for each bound b an integer 0 … b−1, from the label's draws 0, 1, 2 … in turn."""
        name = label.encode("ascii")
        count = len(bounds)
        drawn: list[int] = self._draw_many(name, count) if count >= MANY else []
        if drawn and max(drawn) <= RANGE - greatest(bounds):  # no draw can be rejected
            return list(map(mod, drawn, bounds))
        numbers: list[int] = []
        k = 0
        for bound in bounds:
            while True:
                x = drawn[k] if k < len(drawn) else self._draw(name, k)
                k += 1
                number = x % bound
                if x - number <= RANGE - bound:
                    break
            numbers.append(number)
        return numbers

    def integer(self, label: str, bound: int) -> int:
        """Return what ``integers(label, [bound])[0]`` would, without making lists."""
        name = label.encode("ascii")
        k = 0
        while True:
            x = self._draw(name, k)
            number = x % bound
            if x - number <= RANGE - bound:
                return number
            k += 1

    def dice(self, label: str, count: int) -> list[int]:
        """Return `count` dice: the base-6 digits, lowest first and each plus one, of one number below 6**count."""
        if count < len(ROLLS):
            return ROLLS[count][self.integer(label, len(ROLLS[count]))][:]
        return digits(self.integer(label, 6**count), count)

    def _draw(self, name: bytes, k: int) -> int:
        """Return the number of draw `k`, where `name` is the label's bytes."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(name + (FIRST_TAILS[k] if k < 16 else bytes(1) + k.to_bytes(8, "big")))
        outer.update(inner.digest())
        x: int = FIRST_EIGHT(outer.digest())[0]
        return x

    def _draw_many(self, name: bytes, count: int) -> list[int]:
        """Return the numbers of draws 0 … count − 1, all but the first by one call.

        Block i of PBKDF2 with one iteration is ``HMAC(password, salt ‖ i)``, i = 1, 2 … as 4 bytes (RFC 8018, 5.2).
        With five zero bytes at the end of the salt, block i is our draw i.
        """
        blocks = hashlib.pbkdf2_hmac("sha256", self.seed, name + bytes(5), 1, 32 * (count - 1))
        return [self._draw(name, 0), *struct.unpack(">" + "Q24x" * (count - 1), blocks)]


def greatest(bounds: Sequence[int]) -> int:
    """Return the greatest of `bounds`. A shuffle's bounds are a range, whose greatest is at one of its ends."""
    return max(bounds[0], bounds[-1]) if isinstance(bounds, range) else max(bounds)


def shuffled(items: Sequence[int], places: Sequence[int]) -> list[int]:
    """Return `items` shuffled by Fisher and Yates, from the last place down (Knuth, TAOCP 2, 3.4.2 P).

    The last item is exchanged with the one at the first of `places`, and so on.
    """
    order = list(items)
    i = len(order)
    for j in places:
        i -= 1
        card = order[i]
        order[i] = order[j]
        order[j] = card
    return order
