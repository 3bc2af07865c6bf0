"""The actions of admins, for templates."""

from __future__ import annotations

from typing import Any

from django import template
from django.db.models import Model

from games.admin_actions import registry

register = template.Library()


@register.simple_tag(takes_context=True)
def admin_actions_of(context: template.Context, row: Model | None = None) -> list[tuple[str, str]]:
    """Return (address, title) of each confirmation page, for the admin who looks."""
    user: Any = context["request"].user
    return registry.links(row, user)
