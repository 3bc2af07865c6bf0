"""Template tags for rating pools and ratings."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games.common.labels import format_change
from tournaments.seasons.labels import pool_label

register = template.Library()
register.filter("pool_title", pool_label)


@register.simple_tag
def provisional() -> SafeString:
    """Return the mark of a provisional rating."""
    return format_html('<span title="{0}" aria-hidden="true">?</span><span class="vh"> {0}</span>', _("provisional"))


@register.simple_tag
def rating_with_change(rating: float | None, change: float) -> SafeString:
    """Return a rating and its change by a match: “rated 1512 +12”."""
    if rating is None:
        return SafeString("")
    css = "up" if change > 0 else "down" if change < 0 else ""
    return format_html('{} {} <span class="{}">{}</span>', _("rated"), f"{rating:.0f}", css, format_change(change))
