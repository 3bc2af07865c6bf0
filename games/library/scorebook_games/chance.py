"""Random draws made from a seed and a label. docs/explanation/fairness.md gives every step to the byte, with vectors.

Draw k of a label is ``HMAC-SHA256(seed, label ‖ 0x00 ‖ k)``, k as 8 bytes big-endian (HMAC: RFC 2104). Its first 8
bytes, big-endian, are a number x. For a bound b, the result is x modulo b if x lies below the greatest multiple of b
that is at most 2**64. Otherwise x is rejected and draw k + 1 is used (rejection sampling, which has no bias).
"""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Sequence

from scorebook_games.draws import Draws, shuffled

SEED_BYTES = 32
SALT_BYTES = 16


def draw(seed: bytes, label: str, k: int) -> bytes:
    """Return the 32 bytes of draw `k` of `label`, an ASCII text without NUL."""
    return hmac.digest(seed, label.encode("ascii") + b"\x00" + k.to_bytes(8, "big"), "sha256")


class SeedDealer:
    """The dealer of one seed. The same label always gets the same answer, in whatever order labels are asked for."""

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self._draws = Draws(seed)

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """Return for each bound b an integer 0 … b−1, from the label's draws 0, 1, 2 … in turn."""
        if len(bounds) == 1:
            return [self._draws.integer(label, bounds[0])]
        return self._draws.integers(label, bounds)

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        """Return `items` in random order: from the last place down, place i is swapped with one of 0 … i
        (`shuffled`)."""
        return shuffled(items, self.integers(label, range(len(items), 1, -1)))

    def dice(self, label: str, count: int) -> list[int]:
        """Return `count` rolls of a six-sided die (1 … 6), all made from one number; at most 24."""
        return self._draws.dice(label, count)


def commitment(salt: bytes, seed: bytes) -> str:
    """Return the commitment to a seed that a game's first event publishes: SHA-256(salt ‖ seed), in hex."""
    return hashlib.sha256(salt + seed).hexdigest()


def bot_random(seed: bytes, seat: int, version: int) -> random.Random:
    """Return the random source of the built-in bot at `seat` when it moves at `version` of the game's stream.

    It depends on nothing else, so another worker that goes on with the game gets the same moves.
    """
    return random.Random(draw(seed, f"bot/{seat}", version))
