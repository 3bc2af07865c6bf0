"""Chance, keyed by what it is for: docs/fairness.md gives every step to the byte, with vectors.

Draw k of a label is ``HMAC-SHA256(seed, label ‖ 0x00 ‖ k)``, k as 8 bytes big-endian (HMAC: RFC 2104). Its first 8
bytes, big-endian, are a number x; for a bound b, x is taken modulo b if it lies below the greatest multiple of b that
is at most 2**64, else it is passed over and draw k + 1 is looked at (rejection sampling: no bias at all).
"""

from __future__ import annotations

import hashlib
import hmac
import random
import struct
from collections.abc import Sequence

SEED_BYTES = 32
SALT_BYTES = 16
RANGE = 2**64  # so many numbers has a draw
MANY = 6  # from so many draws on, one call for all of them is faster
# What HMAC (RFC 2104) xors its key with, as tables for bytes.translate.
INNER_PAD = bytes(byte ^ 0x36 for byte in range(256))
OUTER_PAD = bytes(byte ^ 0x5C for byte in range(256))


def draw(seed: bytes, label: str, k: int) -> bytes:
    """The 32 bytes of draw `k` of `label`. A label is ASCII, without NUL."""
    return hmac.digest(seed, label.encode("ascii") + b"\x00" + k.to_bytes(8, "big"), "sha256")


class SeedDealer:
    """The dealer of one deal: whoever asks for the same label gets the same answer, in whatever order.

    The halves of the HMAC that hang on the seed alone are computed once, for a deal is a hundred draws. The seed has at
    most 64 bytes, a block of SHA-256.
    """

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        block = seed.ljust(64, b"\x00")
        self._inner = hashlib.sha256(block.translate(INNER_PAD))
        self._outer = hashlib.sha256(block.translate(OUTER_PAD))

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """For each bound b an integer 0 … b−1, from the label's draws 0, 1, 2 … in turn."""
        message = label.encode("ascii") + b"\x00"
        drawn = self._draw_many(message, len(bounds)) if len(bounds) >= MANY else []
        if drawn and max(drawn) <= RANGE - max(bounds):  # none of them can have to be passed over
            return [x % bound for x, bound in zip(drawn, bounds, strict=True)]
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
        inner.update(message + k.to_bytes(8, "big"))
        outer.update(inner.digest())
        return int.from_bytes(outer.digest()[:8], "big")

    def _draw_many(self, message: bytes, count: int) -> list[int]:
        """The numbers of draws 0 … count − 1, in one call for all but the first.

        Block i of PBKDF2 with one iteration is ``HMAC(password, salt ‖ i)``, i = 1, 2 … as 4 bytes (RFC 8018, 5.2):
        with four zero bytes more at the salt's end it is our draw i.
        """
        blocks = hashlib.pbkdf2_hmac("sha256", self.seed, message + bytes(4), 1, 32 * (count - 1))
        return [self._draw(message, 0), *struct.unpack(">" + "Q24x" * (count - 1), blocks)]

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        """Fisher and Yates from the last place down: place i changes with place 0 … i (Knuth, TAOCP 2, 3.4.2 P)."""
        order = list(items)
        last = len(order) - 1
        for i, j in zip(range(last, 0, -1), self.integers(label, range(last + 1, 1, -1)), strict=True):
            order[i], order[j] = order[j], order[i]
        return order

    def dice(self, label: str, count: int) -> list[int]:
        """`count` six-sided dice."""
        return [1 + number for number in self.integers(label, [6] * count)]


def commitment(salt: bytes, seed: bytes) -> str:
    """What a game's first event promises about its seed: SHA-256(salt ‖ seed), in hex."""
    return hashlib.sha256(salt + seed).hexdigest()


def bot_random(seed: bytes, seat: int, version: int) -> random.Random:
    """The chance of the house bot at `seat` when it is asked at `version`: the same again after a worker's death."""
    return random.Random(draw(seed, f"bot/{seat}", version))
