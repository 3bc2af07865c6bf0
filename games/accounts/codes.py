"""The forms for the second factor's code.

People who see them have already given the password, so wrong codes are counted for the account. A browser in which the
account was used before is counted by itself, and only its own wrong codes lock it out.
"""

from __future__ import annotations

from typing import Any

from allauth.core import context, ratelimit
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as allauth
from allauth.mfa.models import Authenticator

from games.accounts import devices
from games.accounts.login_attempts import ACCOUNT_LOCK_SECONDS, too_many_attempts_error


class KnownDevices:
    """What both forms add."""

    user: Any
    cleaned_data: dict[str, Any]

    def clean_code(self) -> str:
        device = devices.known_device(context.request, self.user)
        if device is None:
            usual: str = super().clean_code()  # type: ignore[misc]  # allauth's
            return usual
        limit: dict[str, str] = {"action": "login_failed", "key": f"code {self.user.pk} {device}"}
        if not ratelimit.consume(context.request, **limit):
            raise too_many_attempts_error(context.request, ACCOUNT_LOCK_SECONDS)
        code: str = self.cleaned_data["code"]
        for found in Authenticator.objects.filter(user=self.user).exclude(type=Authenticator.Type.WEBAUTHN):
            if found.wrap().validate_code(code):
                self.authenticator = found
                ratelimit.clear(context.request, **limit)
                return code
        raise get_adapter().validation_error("incorrect_code")


class AuthenticateForm(KnownDevices, allauth.AuthenticateForm):  # type: ignore[misc]  # allauth is untyped
    """The form at login."""


class ReauthenticateForm(KnownDevices, allauth.ReauthenticateForm):  # type: ignore[misc]
    """The form before a sensitive change."""
