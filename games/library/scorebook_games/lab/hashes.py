"""What `hashlib` lacks where Python was built without OpenSSL, as in a browser."""

from __future__ import annotations

import hashlib
import hmac


def pbkdf2_hmac(name: str, password: bytes, salt: bytes, iterations: int, length: int) -> bytes:
    """Return a derived key of `length` bytes (RFC 8018, section 5.2), as `hashlib.pbkdf2_hmac` does."""
    keyed = hmac.new(password, digestmod=name)
    blocks = []
    for number in range(1, -(-length // keyed.digest_size) + 1):
        first = keyed.copy()
        first.update(salt + number.to_bytes(4, "big"))
        last = first.digest()
        block = int.from_bytes(last, "big")
        for _ in range(iterations - 1):
            following = keyed.copy()
            following.update(last)
            last = following.digest()
            block ^= int.from_bytes(last, "big")
        blocks.append(block.to_bytes(keyed.digest_size, "big"))
    return b"".join(blocks)[:length]


def complete_hashlib() -> None:
    """Give `hashlib` what it lacks: draws need it (`scorebook_games.draws`)."""
    if not hasattr(hashlib, "pbkdf2_hmac"):
        hashlib.pbkdf2_hmac = pbkdf2_hmac  # type: ignore[assignment]  # it takes fewer types
