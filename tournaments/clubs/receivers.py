"""What happens in clubs when an account is deleted."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.translation import gettext as _

from tournaments.clubs.models import Club, ClubEvent


def check_owns_no_club(sender: type[User], user: User, **_signal: Any) -> str | None:  # noqa: ARG001
    """Object to the deletion of a user who owns a club: they must transfer it first."""
    clubs = list(Club.objects.filter(owner=user).values_list("name", "slug"))
    if not clubs:
        return None
    pages = [f"{name}: {settings.SCOREBOOK_BASE_URL}{reverse('club-transfer', args=[slug])}" for name, slug in clubs]
    sentence = _("You own a club. Transfer it to a member first, or ask an admin to do it: {pages}")
    return sentence.format(pages=" · ".join(pages))


def forget_reasons(sender: type[User], instance: User, **_signal: Any) -> None:  # noqa: ARG001
    """Blank the reasons that were written about a deleted user."""
    ClubEvent.objects.filter(about=instance).exclude(reason="").update(reason="")
