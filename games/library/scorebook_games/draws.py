"""The dealer: it computes the draws of a seed, and shuffles and dice from them (docs/explanation/fairness.md).

Other modules import it from `scorebook_games.chance`.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from functools import cache
from operator import mod
from typing import Any, Final

RANGE: Final = 2**64  # how many numbers a draw can be
MANY: Final = 6  # from so many draws on, one call for all of them is faster
# Up to this bound, no draw is rejected whose first byte is not 255: it lies below 255 · 2**56 = 2**64 − 2**56.
SURE: Final = 2**56
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


class SeedDealer:
    """The dealer of one seed. The same label always gets the same answer, in whatever order labels are asked for.

    The seed has at most 64 bytes (a block of SHA-256). The two hash states of HMAC that depend only on it are computed
    once, because a deal needs about a hundred draws.
    """

    __slots__ = ("_inner", "_outer", "seed")

    def __init__(self, seed: bytes) -> None:
        self.seed: bytes = seed
        block = seed.ljust(64, b"\x00")
        self._inner: Any = hashlib.sha256(block.translate(INNER_PAD))
        self._outer: Any = hashlib.sha256(block.translate(OUTER_PAD))

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """Return for each bound b an integer 0 … b−1, from the label's draws 0, 1, 2 … in turn."""
        count = len(bounds)
        if count == 1:
            return [self._integer(label, bounds[0])]
        name = label.encode("ascii")
        drawn: tuple[int, ...] = self._numbers(name, count) if count >= MANY else ()
        if drawn and max(drawn) <= RANGE - greatest(bounds):  # no draw can be rejected
            return list(map(mod, drawn, bounds))
        return self._accepted(name, drawn, bounds)

    def _accepted(self, name: bytes, drawn: tuple[int, ...], bounds: Sequence[int]) -> list[int]:
        """Return an integer for each of `bounds` from the draws that are not rejected; `drawn` are the first ones."""
        numbers: list[int] = []
        k = 0
        for bound in bounds:
            while True:
                x: int = drawn[k] if k < len(drawn) else FIRST_EIGHT(self._draw(name, k))[0]
                k += 1
                number = x % bound
                if x - number <= RANGE - bound:
                    break
            numbers.append(number)
        return numbers

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        """Return `items` in random order: from the last place down, place i is swapped with one of 0 … i
        (`shuffled`)."""
        return shuffled(items, self.integers(label, range(len(items), 1, -1)))

    def dice(self, label: str, count: int) -> list[int]:
        """Return `count` rolls of a six-sided die (1 … 6), all made from one number; at most 24.

        They are the base-6 digits, lowest first and each plus one, of one number below 6**count.
        """
        if count < len(ROLLS):
            return ROLLS[count][self._integer(label, len(ROLLS[count]))][:]
        return digits(self._integer(label, 6**count), count)

    def _integer(self, label: str, bound: int) -> int:
        """Return an integer 0 … bound−1, from the first draw of the label that is not rejected."""
        name = label.encode("ascii")
        inner, outer = self._inner.copy(), self._outer.copy()  # `_draw` without a call
        inner.update(name + FIRST_TAILS[0])
        outer.update(inner.digest())
        drawn: bytes = outer.digest()
        if drawn[0] == 255 or bound > SURE:
            return self._accepted(name, (), [bound])[0]
        number: int = FIRST_EIGHT(drawn)[0] % bound
        return number

    def _draw(self, name: bytes, k: int) -> bytes:
        """Return the 32 bytes of draw `k`, where `name` is the label's bytes."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(name + (FIRST_TAILS[k] if k < 16 else bytes(1) + k.to_bytes(8, "big")))
        outer.update(inner.digest())
        drawn: bytes = outer.digest()
        return drawn

    def _numbers(self, name: bytes, count: int) -> tuple[int, ...]:
        """Return the numbers of draws 0 … count − 1, all but the first by one call.

        Block i of PBKDF2 with one iteration is ``HMAC(password, salt ‖ i)``, i = 1, 2 … as 4 bytes (RFC 8018, 5.2).
        With five zero bytes at the end of the salt, block i is our draw i.
        """
        blocks = hashlib.pbkdf2_hmac("sha256", self.seed, name + bytes(5), 1, 32 * (count - 1))
        numbers: tuple[int, ...] = unpacker(count).unpack(self._draw(name, 0) + blocks)
        return numbers


@cache
def unpacker(count: int) -> struct.Struct:
    """Return what unpacks the numbers of so many draws."""
    return struct.Struct(">" + "Q24x" * count)


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
