"""What an admin may do with what is on the page."""

from __future__ import annotations

from typing import Any

from django import template
from django.db.models import Model

from games.admin_actions import registry

register = template.Library()


@register.simple_tag(takes_context=True)
def admin_actions_of(context: template.Context, row: Model | None = None) -> list[tuple[str, str]]:
    """(address, title) of each confirm page, for the admin who looks."""
    user: Any = context["request"].user
    return registry.links(row, user)
