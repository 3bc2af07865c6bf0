"""Who is an admin: staff, with a second factor where the platform asks for one."""

from __future__ import annotations

from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from games.visibility import acting


def is_staff(user: AbstractBaseUser | AnonymousUser | Any) -> bool:
    """Whether the platform has made `user` one of its admins. A remote bot is none, even if its owner is."""
    active_staff = getattr(user, "is_active", False) and getattr(user, "is_staff", False)
    return bool(active_staff) and acting.bot_of(user) is None


def is_admin(user: AbstractBaseUser | AnonymousUser | Any) -> bool:
    """Whether `user` may use what admins may: without the second factor that the platform asks for, nobody may."""
    return is_staff(user) and not lacks_second_factor(user)


def lacks_second_factor(user: Any) -> bool:
    """Whether the platform asks `user` for a second factor, and they have none. Looked up once for each `user`
    object."""
    if not settings.SCOREBOOK_ADMIN_MFA_REQUIRED:
        return False
    if not hasattr(user, "_has_second_factor"):
        user._has_second_factor = is_mfa_enabled(user)
    return not user._has_second_factor
