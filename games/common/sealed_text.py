"""Texts that others keep for us and can neither read nor make up: the cursors of lists.

Each is encrypted and sealed by AES-SIV (RFC 5297) with a key from `SECRET_KEY`. One text is always written alike, and
one that was changed, or belongs to another place, is none.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.utils.crypto import salted_hmac

KEY_SALT: Final = "games.common.sealed_text"


class InvalidSealedText(Exception):
    """The text was not written here, or for another place."""


def seal(text: str, place: str) -> str:
    """`text` as letters that say nothing, to be read again at `place` alone."""
    return urlsafe_b64encode(_cipher().encrypt(text.encode(), [place.encode()])).decode().rstrip("=")


def unseal(sent: str, place: str) -> str:
    """What was written. Raises `InvalidSealedText`."""
    try:
        return _cipher().decrypt(urlsafe_b64decode(sent + "=" * (-len(sent) % 4)), [place.encode()]).decode()
    except (ValueError, InvalidTag) as error:
        raise InvalidSealedText from error


def _cipher() -> AESSIV:
    return AESSIV(salted_hmac(KEY_SALT, "key", algorithm="sha256").digest())
