"""Adds and removes the devices on which a person is notified."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _

from games.accounts.models import PushDevice
from games.common import clock
from games.common.errors import DomainError
from games.common.outgoing_http import clean_url

MAX_DEVICES: Final = 10  # of a person
AUTH_BYTES: Final = 16  # RFC 8291, 3.2
SESSION_KEY: Final = "push_device"  # where a browser's session remembers its device


@transaction.atomic
def add_device(*, user: User, endpoint: str, p256dh: str, auth: str, name: str = "") -> PushDevice:
    """Send a person's notices to a browser too, whose subscription has these keys. The browser's former user, if there
    was one, is no longer notified there.

    Raises `DomainError`: bad_url, bad_subscription (400), too_many_devices (409).
    """
    endpoint = clean_url(endpoint, "endpoint")
    check_keys(p256dh, auth)
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if PushDevice.objects.filter(user=user).exclude(endpoint=endpoint).count() >= MAX_DEVICES:
        sentence = _("There are already {n} devices. Remove one first.").format(n=MAX_DEVICES)
        raise DomainError(409, "too_many_devices", sentence)
    columns = {"user": user, "p256dh": p256dh, "auth": auth, "name": name[:60], "created": clock.now()}
    return PushDevice.objects.update_or_create(endpoint=endpoint, defaults={**columns, "failing_since": None})[0]


def check_keys(p256dh: str, auth: str) -> None:
    """Raise `DomainError` bad_subscription (400) unless these are a browser's keys: a point of P-256 and 16 bytes."""
    try:
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), decoded(p256dh))
        fits = len(decoded(auth)) == AUTH_BYTES
    except (ValueError, binascii.Error):
        fits = False
    if not fits:
        raise DomainError(400, "bad_subscription", _("The browser's keys are missing or damaged. Turn it on again."))


def decoded(text: str) -> bytes:
    """Return the bytes of base64url without padding. Raises ValueError."""
    return base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))


def remove_device(device: PushDevice) -> None:
    """Send no more notices to a device."""
    device.delete()


def on_logged_out(sender: Any, request: HttpRequest, user: User | None, **_signal: Any) -> None:  # noqa: ARG001
    """End notices on the device at which somebody logs out."""
    pk = request.session.get(SESSION_KEY)
    if pk is not None and user is not None:
        PushDevice.objects.filter(pk=pk, user=user).delete()
