"""What the leagues have to say when a person goes, or asks for their data."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from games.models import Player
from tournaments.models import PLAYING, Club, Entrant, Rating


def hand_over_first(sender: type[User], user: User, **_signal: Any) -> str | None:  # noqa: ARG001
    """A club has an owner: who owns one hands it over before going."""
    clubs = list(Club.objects.filter(owner=user).values_list("name", flat=True))
    if not clubs:
        return None
    sentence = _("You own {clubs}. Hand over what you own to somebody else first; an admin can do it for you.")
    return sentence.format(clubs=", ".join(clubs))


def data_of(sender: type[Player], player: Player, **_signal: Any) -> dict[str, Any]:  # noqa: ARG001
    """The seasons that `player` entered, with the place, and their ratings."""
    entries = Entrant.objects.filter(player=player, status__in=PLAYING).select_related(
        "division__season__league__club", "standing"
    )
    ratings = Rating.objects.filter(player=player).select_related("pool")
    return {
        "seasons": [
            {
                "club": entry.division.season.league.club.name,
                "season": str(entry.division.season),
                "joined": entry.joined_at,
                "place": entry.standing.place if hasattr(entry, "standing") else None,
            }
            for entry in entries
        ],
        "ratings": [
            {"kind": each.pool.kind, "pool": each.pool.pool, "rating": each.rating, "games": each.games}
            for each in ratings
        ],
    }
