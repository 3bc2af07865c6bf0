"""What people are told of a season: on the site at once and by e-mail as each wishes, once for each key."""

from __future__ import annotations

from collections.abc import Iterable

from django.urls import reverse

from games.accounts import notices
from tournaments.models import Entrant, Membership, Season

NEWS = "registration"
CALLS = "season_needs_you"


def address(season: Season) -> str:
    """The season's page."""
    return reverse("season", args=[season.league.club.slug, season.league.slug, season.slug])


def tell(entrants: Iterable[Entrant], key: str, sentence: str) -> None:
    """Tell the people among `entrants`, or whoever owns their bots. `sentence` holds no person's name."""
    for entrant in entrants:
        bot = entrant.player.bot_version.bot if entrant.player.bot_version else None
        user = bot.owner_id if bot else entrant.player.user_id
        if user is not None:
            named = f"{key}:{entrant.season_id}:{entrant.number}"
            notices.tell([user], NEWS, key=named, note=sentence, url=address(entrant.season))


def call(season: Season, key: str, sentence: str) -> None:
    """Tell the owner and the organisers of the club that something waits for them."""
    club = season.league.club
    organising = club.memberships.filter(role__in=[Membership.Role.OWNER, Membership.Role.ORGANISER])
    users = {club.owner_id, *organising.values_list("user", flat=True)}
    notices.tell(users, CALLS, key=f"{key}:{season.pk}", note=sentence, url=address(season))
