"""Secrets and signatures as in Standard Webhooks 1.0 (standardwebhooks.com).

The secret is the HMAC-SHA256 of the webhook's nonce with the platform's SECRET_KEY. Somebody with only the database
cannot sign, and nobody can read a secret a second time.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import datetime, timedelta
from typing import Final

from django.utils.crypto import salted_hmac

from tournaments.webhooks.models import Webhook

OLD_SECRET_VALID_FOR: Final = timedelta(days=1)  # how long after a new secret the old one signs too
_SALT: Final = "scorebook.webhooks"


def secret_of(nonce: str) -> str:
    """Return the secret as its owner sees it: ``whsec_`` and 32 bytes in base64."""
    return "whsec_" + base64.b64encode(_signing_key(nonce)).decode()


def _signing_key(nonce: str) -> bytes:
    return salted_hmac(_SALT, nonce, algorithm="sha256").digest()


def headers(hook: Webhook, message_id: str, body: bytes, at: datetime) -> dict[str, str]:
    """Return the headers for `body`, with a signature by every secret that is valid now."""
    seconds = str(int(at.timestamp()))
    signed = f"{message_id}.{seconds}.".encode() + body
    nonces = [hook.nonce]
    if hook.old_nonce and hook.old_until and at < hook.old_until:
        nonces.append(hook.old_nonce)
    digests = [hmac.new(_signing_key(nonce), signed, hashlib.sha256).digest() for nonce in nonces]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests),
    }
