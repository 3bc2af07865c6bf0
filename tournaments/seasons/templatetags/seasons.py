"""Template tags for seasons: status, number of players, points."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games.common import labels
from games.common.templatetags.display import status
from tournaments.seasons import labels as league_labels
from tournaments.seasons.addresses import season_url
from tournaments.seasons.labels import format_points
from tournaments.seasons.models import Season

register = template.Library()
register.filter("figure", format_points)
register.simple_tag(season_url)


@register.simple_tag
def season_state(season: Season) -> SafeString:
    """Return the status mark of a season in a list."""
    states = {
        "open": ("next", _("Open for entries")),
        "running": ("live", _("In progress")),
        "paused": ("pause", _("Paused")),
        "finished": ("done", _("Finished")),
        "abandoned": ("fault", _("Abandoned")),
    }
    return status(*states[season.status])


@register.filter
def repeat_text(season: Season) -> str:
    """Return when another season follows this one, which repeats."""
    return league_labels.repeat_text(season.settings["entry"]["players"], season.settings["calendar"])


@register.simple_tag
def who_plays(season: Season, entrants: int | None, bots: int | None) -> str:
    """Return the number of entrants of a season, as “7 people, 4 bots” or “5 teams”."""
    if entrants and season.competition.by_teams:
        return labels.number_label(entrants, "team")
    people = (entrants or 0) - (bots or 0)
    parts = [labels.number_label(people, "person")] if people else []
    parts += [labels.number_label(bots or 0, "bot")] if bots else []
    return ", ".join(parts) or _("nobody yet")
