"""What the head of every page needs to know about its reader."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.utils.translation import get_language

from games.accounts import notices
from games.accounts.languages import offered_languages
from games.accounts.models import Profile, Sanction
from games.models import Player


def other_languages() -> dict[str, str]:
    """Return the languages in which the page could be read too, each named in itself."""
    return {code: name for code, name in offered_languages().items() if code != get_language()}


def account_context(request: HttpRequest) -> dict[str, Any]:
    """Return what a page's head shows of the signed-in user, with two queries.

    These are `account_context` (the player), `is_guest`, `unseen` notices, where mail goes, `is_warned` for a warning
    to read, and `support`, through which an admin looks on. It is looked up when a template prints it, because the
    admin's lists render dozens of templates that do not.
    """
    context: dict[str, Any] = {
        "mail_is_logged": "console" in settings.EMAIL_BACKEND,
        "other_languages": other_languages,
    }
    user = getattr(request, "user", None)
    if user is None or user.pk is None:
        return context

    @cache
    def me() -> Any:
        unread = Sanction.objects.filter(user=OuterRef("user"), kind=Sanction.Kind.WARNING, seen_at=None)
        rows = Player.objects.filter(user=user.pk).annotate(warned=Exists(unread))
        return rows.select_related("user__profile").first()

    def is_guest() -> bool:
        profile = getattr(me().user, "profile", None) if me() and me().user else None
        return isinstance(profile, Profile) and profile.guest

    return {
        **context,
        "person": me,
        "is_guest": is_guest,
        "unseen": cache(lambda: notices.unseen_count(user)),
        "is_warned": lambda: me() is not None and me().warned,
        "support": getattr(request, "support", None),
    }
