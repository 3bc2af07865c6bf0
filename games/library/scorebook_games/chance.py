"""Random draws made from a seed and a label. docs/explanation/fairness.md gives every step to the byte, with vectors.

Draw k of a label is ``HMAC-SHA256(seed, label ‖ 0x00 ‖ k)``, k as 8 bytes big-endian (HMAC: RFC 2104). Its first 8
bytes, big-endian, are a number x. For a bound b, the result is x modulo b if x lies below the greatest multiple of b
that is at most 2**64. Otherwise x is rejected and draw k + 1 is used (rejection sampling, which has no bias).
"""

from __future__ import annotations

import hashlib
import hmac
import random

from scorebook_games.draws import SeedDealer

__all__ = ["SALT_BYTES", "SEED_BYTES", "SeedDealer", "bot_random", "commitment", "draw"]

SEED_BYTES = 32
SALT_BYTES = 16


def draw(seed: bytes, label: str, k: int) -> bytes:
    """Return the 32 bytes of draw `k` of `label`, an ASCII text without NUL."""
    return hmac.digest(seed, label.encode("ascii") + b"\x00" + k.to_bytes(8, "big"), "sha256")


def commitment(salt: bytes, seed: bytes) -> str:
    """Return the commitment to a seed that a game's first event publishes: SHA-256(salt ‖ seed), in hex."""
    return hashlib.sha256(salt + seed).hexdigest()


def bot_random(seed: bytes, seat: int, version: int) -> random.Random:
    """Return the random source of the built-in bot at `seat` when it moves at `version` of the game's stream.

    It depends on nothing else, so another worker that goes on with the game gets the same moves.
    """
    return random.Random(draw(seed, f"bot/{seat}", version))
