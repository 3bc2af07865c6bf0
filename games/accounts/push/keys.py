"""The key by which push services recognise this platform (VAPID, RFC 8292).

It is computed from SECRET_KEY, as the secrets of webhooks are: there is no second secret to store, to copy to each
process or to lose. With another SECRET_KEY devices must be added again, as people must log in again.
"""

from __future__ import annotations

import base64
from datetime import timedelta
from email.utils import parseaddr
from typing import Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, derive_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.utils.crypto import salted_hmac

from games.common import clock

SALT: Final = "scorebook.push"
ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of the curve P-256 (FIPS 186-5)
TOKEN_LIFETIME: Final = timedelta(hours=12)  # RFC 8292, 2: at most a day


def private_key() -> EllipticCurvePrivateKey:
    """Return the platform's key."""
    digest = salted_hmac(SALT, "vapid", algorithm="sha512").digest()
    return derive_private_key(1 + int.from_bytes(digest, "big") % (ORDER - 1), SECP256R1())


def public_key() -> str:
    """Return what browsers are given, which push services compare."""
    point = private_key().public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


def authorization(endpoint: str) -> str:
    """Return the header by which the push service at `endpoint` knows who sends."""
    from py_vapid import Vapid02  # noqa: PLC0415  only what sends needs it

    parts = urlsplit(endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int((clock.now() + TOKEN_LIFETIME).timestamp()),
        "sub": contact(),
    }
    return str(Vapid02(private_key()).sign(claims)["Authorization"])


def contact() -> str:
    """Return where a push service reaches those who run this platform."""
    if settings.HTTPS:
        return str(settings.SCOREBOOK_BASE_URL)
    return f"mailto:{parseaddr(settings.DEFAULT_FROM_EMAIL)[1]}"
