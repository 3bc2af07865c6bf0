"""Chance, keyed by what it is for: docs/explanation/fairness.md gives every step to the byte, with vectors.

Draw k of a label is ``HMAC-SHA256(seed, label ‖ 0x00 ‖ k)``, k as 8 bytes big-endian (HMAC: RFC 2104). Its first 8
bytes, big-endian, are a number x; for a bound b, x is taken modulo b if it lies below the greatest multiple of b that
is at most 2**64, else it is passed over and draw k + 1 is looked at (rejection sampling: no bias at all).
"""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Sequence

from games.engines.draws import Draws, shuffled

SEED_BYTES = 32
SALT_BYTES = 16


def draw(seed: bytes, label: str, k: int) -> bytes:
    """The 32 bytes of draw `k` of `label`. A label is ASCII, without NUL."""
    return hmac.digest(seed, label.encode("ascii") + b"\x00" + k.to_bytes(8, "big"), "sha256")


class SeedDealer:
    """The dealer of one deal: whoever asks for the same label gets the same answer, in whatever order."""

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self._draws = Draws(seed)

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """For each bound b an integer 0 … b−1, from the label's draws 0, 1, 2 … in turn."""
        if len(bounds) == 1:
            return [self._draws.integer(label, bounds[0])]
        return self._draws.integers(label, bounds)

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        """Place i changes with place 0 … i, from the last place down (`draws.shuffled`)."""
        return shuffled(items, self.integers(label, range(len(items), 1, -1)))

    def dice(self, label: str, count: int) -> list[int]:
        """`count` six-sided dice, all from one number; 24 at most."""
        return self._draws.dice(label, count)


def commitment(salt: bytes, seed: bytes) -> str:
    """What a game's first event promises about its seed: SHA-256(salt ‖ seed), in hex."""
    return hashlib.sha256(salt + seed).hexdigest()


def bot_random(seed: bytes, seat: int, version: int) -> random.Random:
    """The chance of the built-in bot at `seat` when it is asked at `version`: the same again after a worker's death."""
    return random.Random(draw(seed, f"bot/{seat}", version))
