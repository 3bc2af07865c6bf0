"""A second implementation of chance, from docs/explanation/fairness.md alone: nothing of the project is imported here.

HMAC is built by hand from SHA-256, the numbers are read from bytes by hand, and the shuffle swaps in its own way, so
that a mistake in the one implementation is not likely to be in the other too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

RANKS = list("A23456789TJQK")
SUITS = list("SHDC")
PACK = [rank + suit for rank in RANKS for suit in SUITS]


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """RFC 2104, section 2, with the block size of SHA-256."""
    if len(key) > 64:
        key = hashlib.sha256(key).digest()
    key += b"\x00" * (64 - len(key))
    inner = hashlib.sha256(bytes(k ^ 0x36 for k in key) + message).digest()
    return hashlib.sha256(bytes(k ^ 0x5C for k in key) + inner).digest()


def draw(seed: bytes, label: str, k: int) -> bytes:
    """Return draw number k of a label."""
    counter = bytes((k >> (8 * place)) % 256 for place in (7, 6, 5, 4, 3, 2, 1, 0))
    return hmac_sha256(seed, bytes(map(ord, label)) + b"\x00" + counter)


def numbers(seed: bytes, label: str, bounds: list[int]) -> list[int]:
    """Return a number below each bound, from the label's draws in order."""
    draws = endless(seed, label)
    return [next(x % bound for x in draws if x < (2**64 // bound) * bound) for bound in bounds]


def endless(seed: bytes, label: str) -> Iterator[int]:
    """Yield the first eight bytes of each draw of a label as a number."""
    k = 0
    while True:
        x = 0
        for byte in draw(seed, label, k)[:8]:
            x = 256 * x + byte
        yield x
        k += 1


def dice(seed: bytes, label: str, count: int) -> list[int]:
    """Return a roll of so many six-sided dice."""
    [number] = numbers(seed, label, [6**count])
    return [number // 6**place % 6 + 1 for place in range(count)]


def shuffle(seed: bytes, label: str, packs: int) -> list[str]:
    """Return so many packs of cards, shuffled together."""
    row = PACK * packs
    shuffled: list[str] = []
    for number in numbers(seed, label, list(range(len(row), 1, -1))):
        last = row.pop()  # the thing at the last place …
        if number < len(row):
            row[number], last = last, row[number]  # … changes with the one that was drawn
        shuffled.insert(0, last)
    return row + shuffled


def commitment(salt: bytes, seed: bytes) -> str:
    """Return the commitment in a game's first event."""
    return hashlib.sha256(salt + seed).hexdigest()
