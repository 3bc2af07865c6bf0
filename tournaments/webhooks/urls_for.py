"""The address of a webhook's page, and its owners."""

from __future__ import annotations

from django.urls import reverse

from tournaments.clubs.locking import club_organisers
from tournaments.webhooks.models import Webhook


def webhook_url(hook: Webhook) -> str:
    """Return the address of its page."""
    if hook.club is None:
        return reverse("my-webhook", args=[hook.pk])
    return reverse("club-webhook", args=[hook.club.slug, hook.pk])


def webhook_owners(hook: Webhook) -> list[int]:
    """Return the users who are notified about it."""
    if hook.club is not None:
        return club_organisers(hook.club)
    return [hook.user_id] if hook.user_id else []
