"""Who is an admin: staff, with a second factor if the platform requires one."""

from __future__ import annotations

from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from games.visibility import acting


def is_staff(user: AbstractBaseUser | AnonymousUser | Any) -> bool:
    """Return whether `user` is an admin by role. A remote bot is not, even if its owner is."""
    active_staff = getattr(user, "is_active", False) and getattr(user, "is_staff", False)
    return bool(active_staff) and acting.bot_of(user) is None


def is_admin(user: AbstractBaseUser | AnonymousUser | Any) -> bool:
    """Return whether `user` may act as an admin, which includes a second factor if the platform requires one."""
    return is_staff(user) and not lacks_second_factor(user)


def lacks_second_factor(user: Any) -> bool:
    """Return whether `user` lacks a second factor that the platform requires. Looked up once for each `user` object."""
    if not settings.SCOREBOOK_ADMIN_MFA_REQUIRED:
        return False
    if not hasattr(user, "_has_second_factor"):
        user._has_second_factor = is_mfa_enabled(user)
    return not user._has_second_factor
