"""What the dashboard always writes in the same way: times ago, shares, counts, causes of incidents."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.common.models import Incident

register = template.Library()


@register.filter
def ago(moment: datetime | None, now: datetime) -> str:
    """Return how long ago, as short as is clear: "8 s", "3 min", "5 h" or "2 days"."""
    return seconds((now - moment).total_seconds()) if moment else "–"


@register.filter
def seconds(number: float | None) -> str:
    """Return a number of seconds in its largest unit: "8 s", "3 min", "5 h" or "2 days"."""
    if number is None:
        return "–"
    whole = max(int(number), 0)
    if whole < 90:
        return _("{n} s").format(n=whole)
    if whole < 90 * 60:
        return _("{n} min").format(n=whole // 60)
    if whole < 48 * 3600:
        return _("{n} h").format(n=whole // 3600)
    return ngettext("{n} day", "{n} days", whole // 86400).format(n=whole // 86400)


@register.filter
def of(counts: dict[str, int], name: str) -> str:
    """Return the count of this name; a dash if nobody has counted."""
    return str(counts.get(name, "–"))


@register.filter
def percent(share: float) -> str:
    """Return 0.38 as "38 %"."""
    return f"{round(100 * share)} %"


@register.filter
def cause_words(cause: str) -> str:
    """Return a cause of incidents in words."""
    return str(Incident.Cause(cause).label)
