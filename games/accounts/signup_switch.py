"""Whether new people can sign up."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from games.accounts.models import SiteState
from games.common import clock
from games.common.errors import DomainError


def site_closed_to_signup() -> SiteState | None:
    """Return the platform's row, with the reason, while sign-up is closed; else None."""
    return SiteState.objects.filter(pk=1, signup_closed_at__isnull=False).first()


def close_signup(*, words: str) -> None:
    """Close sign-up; `words` explain it on the page. Raises `DomainError` signup_closed (409)."""
    with transaction.atomic():
        site = _locked_site()
        if site.signup_closed_at:
            raise DomainError(409, "signup_closed", _("Sign-up is already closed."))
        site.signup_closed_at, site.signup_reason = clock.now(), words
        site.save()


def open_signup() -> None:
    """Open sign-up again. Raises `DomainError` signup_open (409)."""
    with transaction.atomic():
        site = _locked_site()
        if not site.signup_closed_at:
            raise DomainError(409, "signup_open", _("Sign-up is already open."))
        site.signup_closed_at, site.signup_reason = None, ""
        site.save()


def _locked_site() -> SiteState:
    SiteState.objects.bulk_create([SiteState(pk=1)], ignore_conflicts=True)
    return SiteState.objects.select_for_update().get(pk=1)
