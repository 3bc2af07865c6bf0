"""Access to the admin site: the platform's one login, with its limits on attempts, and a second factor."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from games.accounts.staff import is_admin, is_staff, lacks_second_factor


class IsAdmin(BasePermission):
    """Allows admins only; the error says what is missing."""

    message = gettext_lazy("Only admins can see this page.")

    def has_permission(self, request: Request, view: Any) -> bool:  # noqa: ARG002
        if is_staff(request.user) and lacks_second_factor(request.user):
            raise PermissionDenied(_("Set up two-factor authentication first, on your account page."))
        return is_admin(request.user)


def log_in(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:  # noqa: ARG001
    """Log in with everybody's form; an admin without a second factor sets one up first. 403 for others."""
    wanted = request.GET.get("next") or request.get_full_path()
    if not request.user.is_authenticated:
        return redirect(f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': wanted})}")
    if is_staff(request.user) and lacks_second_factor(request.user):
        messages.warning(
            request, _("The admin area requires two-factor authentication. Set it up, and keep the recovery codes.")
        )
        return redirect("mfa_activate_totp")
    if is_admin(request.user):
        return redirect("admin:index")
    raise PermissionDenied(_("Only admins can use the admin area."))


def own_password(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:  # noqa: ARG001
    """Send admins to everybody's page for changing a password, which ends streams and other sessions and notifies
    them."""
    return redirect("account_change_password")


def guard_admin() -> None:
    """Let this module guard the pages of the admin site."""
    admin.site.has_permission = lambda request: is_admin(request.user)  # type: ignore[method-assign]
    admin.site.login = log_in  # type: ignore[method-assign]
    admin.site.password_change = own_password  # type: ignore[method-assign, assignment]
