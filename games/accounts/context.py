"""What every page's head needs to know of who looks at it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from games.accounts import notices
from games.accounts.models import Profile
from games.models import Player


def person(request: HttpRequest) -> dict[str, Any]:
    """`me` (the player), `is_guest` and `unseen` notices of who is signed in: two queries; where mail goes."""
    said: dict[str, Any] = {"mail_is_logged": "console" in settings.EMAIL_BACKEND}
    user = getattr(request, "user", None)
    if user is None or user.pk is None:
        return said
    me = Player.objects.filter(user=user.pk).select_related("user__profile").first()
    profile = getattr(me.user, "profile", None) if me and me.user else None
    is_guest = isinstance(profile, Profile) and profile.guest
    return {**said, "person": me, "is_guest": is_guest, "unseen": notices.unseen(user)}
