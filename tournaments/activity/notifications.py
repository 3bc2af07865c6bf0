"""Notifications of seasons: on the site at once, and by email as each person has chosen; one for each `key`."""

from __future__ import annotations

from collections.abc import Iterable

from games.accounts import notices
from tournaments.activity.subjects import REGISTRATION, SEASON_NEEDS_YOU
from tournaments.clubs.models import Membership
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import Entrant, Season


def notify_entrants(entrants: Iterable[Entrant], key: str, sentence: str) -> None:
    """Notify the people among `entrants`, and the owners of the bots among them. `sentence` holds no person's name."""
    for entrant in entrants:
        bot = entrant.player.bot_version.bot if entrant.player.bot_version else None
        user = bot.owner_id if bot else entrant.player.user_id
        if user is not None:
            named = f"{key}:{entrant.season_id}:{entrant.number}"
            notices.notify_users([user], REGISTRATION, key=named, note=sentence, url=season_url(entrant.season))


def notify_organisers(season: Season, key: str, sentence: str) -> None:
    """Notify the owner and the organisers of the club that something needs them."""
    club = season.league.club
    organising = club.memberships.filter(role__in=[Membership.Role.OWNER, Membership.Role.ORGANISER])
    users = {club.owner_id, *organising.values_list("user", flat=True)}
    notices.notify_users(users, SEASON_NEEDS_YOU, key=f"{key}:{season.pk}", note=sentence, url=season_url(season))
