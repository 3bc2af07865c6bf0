"""Texts that clients keep for us and can neither read nor forge: the cursors of lists.

Each is encrypted and authenticated by AES-SIV (RFC 5297) with a key from `SECRET_KEY`. The same text always has the
same sealed form. A text that was changed, or belongs to another place, is invalid.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.utils.crypto import salted_hmac

KEY_SALT: Final = "games.common.sealed_text"


class InvalidSealedText(Exception):
    """The text was not sealed here, or was sealed for another place."""


def seal(text: str, place: str) -> str:
    """Return `text` as letters that reveal nothing and can be read again only for `place`."""
    return urlsafe_b64encode(_cipher().encrypt(text.encode(), [place.encode()])).decode().rstrip("=")


def unseal(sent: str, place: str) -> str:
    """Return the text that was sealed. Raises `InvalidSealedText`."""
    try:
        return _cipher().decrypt(urlsafe_b64decode(sent + "=" * (-len(sent) % 4)), [place.encode()]).decode()
    except (ValueError, InvalidTag) as error:
        raise InvalidSealedText from error


def _cipher() -> AESSIV:
    return AESSIV(salted_hmac(KEY_SALT, "key", algorithm="sha256").digest())
