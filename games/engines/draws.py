"""The draws of a seed and what is made of them, for `chance`, whose dealer everybody else asks (docs/fairness.md)."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from operator import mod
from typing import Any, Final

RANGE: Final = 2**64  # so many numbers has a draw
MANY: Final = 6  # from so many draws on, one call for all of them is faster
# What HMAC (RFC 2104) xors its key with, as tables for bytes.translate.
INNER_PAD: Final = bytes([byte ^ 0x36 for byte in range(256)])
OUTER_PAD: Final = bytes([byte ^ 0x5C for byte in range(256)])
FIRST_EIGHT: Final = struct.Struct(">Q24x").unpack  # the number in a draw's bytes
# The first draws as they stand in a message, for most labels have a few only.
FIRST_DRAWS: Final[list[bytes]] = [k.to_bytes(8, "big") for k in range(16)]


class Draws:
    """All draws of one seed.

    The halves of the HMAC that hang on the seed alone are computed once, for a deal is a hundred draws. The seed has at
    most 64 bytes, a block of SHA-256.
    """

    __slots__ = ("_inner", "_outer", "seed")

    def __init__(self, seed: bytes) -> None:
        self.seed: bytes = seed
        block = seed.ljust(64, b"\x00")
        self._inner: Any = hashlib.sha256(block.translate(INNER_PAD))
        self._outer: Any = hashlib.sha256(block.translate(OUTER_PAD))

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """For each bound b an integer 0 … b−1, from the label's draws 0, 1, 2 … in turn."""
        message = label.encode("ascii") + b"\x00"
        count = len(bounds)
        drawn: list[int] = self._draw_many(message, count) if count >= MANY else []
        if drawn and max(drawn) <= RANGE - greatest(bounds):  # none of them can have to be passed over
            return list(map(mod, drawn, bounds))
        numbers: list[int] = []
        k = 0
        for bound in bounds:
            while True:
                x = drawn[k] if k < len(drawn) else self._draw(message, k)
                k += 1
                number = x % bound
                if x - number <= RANGE - bound:
                    break
            numbers.append(number)
        return numbers

    def _draw(self, message: bytes, k: int) -> int:
        """The number of draw `k`."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message + (FIRST_DRAWS[k] if k < 16 else k.to_bytes(8, "big")))
        outer.update(inner.digest())
        x: int = FIRST_EIGHT(outer.digest())[0]
        return x

    def _draw_many(self, message: bytes, count: int) -> list[int]:
        """The numbers of draws 0 … count − 1, in one call for all but the first.

        Block i of PBKDF2 with one iteration is ``HMAC(password, salt ‖ i)``, i = 1, 2 … as 4 bytes (RFC 8018, 5.2):
        with four zero bytes more at the salt's end it is our draw i.
        """
        blocks = hashlib.pbkdf2_hmac("sha256", self.seed, message + bytes(4), 1, 32 * (count - 1))
        return [self._draw(message, 0), *struct.unpack(">" + "Q24x" * (count - 1), blocks)]


def greatest(bounds: Sequence[int]) -> int:
    """The greatest of them; a shuffle's are a range, which need not be gone through."""
    return max(bounds[0], bounds[-1]) if isinstance(bounds, range) else max(bounds)


def shuffled(items: Sequence[int], places: Sequence[int]) -> list[int]:
    """Fisher and Yates from the last place down (Knuth, TAOCP 2, 3.4.2 P): it changes with the first of `places`."""
    order = list(items)
    i = len(order)
    for j in places:
        i -= 1
        card = order[i]
        order[i] = order[j]
        order[j] = card
    return order
