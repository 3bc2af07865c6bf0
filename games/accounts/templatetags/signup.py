"""Whether people can sign up."""

from __future__ import annotations

from django import template

from games.accounts import signup_switch
from games.accounts.models import SiteState

register = template.Library()


@register.simple_tag
def signup_closed() -> SiteState | None:
    """Return the state of the site, with the reason, while sign-up is closed."""
    return signup_switch.site_closed_to_signup()
