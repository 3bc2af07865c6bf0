"""The groups of the admin's sidebar, in which every list has a place."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _

OTHER: Final = "Other"


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return what the admin of `request` may see, in the order of `settings.ADMIN_GROUPS`; lists without a group come
    last."""
    lists = {
        model._meta.model_name: (str(capfirst(model._meta.verbose_name_plural)), of.opts)
        for model, of in admin.site._registry.items()
        if of.has_view_permission(request)
    }
    groups = {**settings.ADMIN_GROUPS}
    named = {name for names in groups.values() for name in names}
    groups[OTHER] = sorted(name for name in lists if name and name not in named)
    shown = []
    for title, names in groups.items():
        icon = settings.ADMIN_ICONS.get(title, "list")
        items = [_item(name, lists, icon) for name in names if name == "dashboard" or name in lists]
        if items:
            shown.append({"title": title, "separator": True, "collapsible": title != "Now", "items": items})
    return shown


def _item(name: str, lists: dict[str | None, tuple[str, Any]], icon: str) -> dict[str, Any]:
    if name == "dashboard":
        return {"title": _("Dashboard"), "icon": "monitoring", "link": reverse("dashboard")}
    title, opts = lists[name]
    return {"title": title, "icon": icon, "link": reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist")}
