"""Queries for lists of seasons, and for the people behind teams."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from games.common.prepared import prepared
from tournaments.seasons.models import PLAYING, Entrant, Round, Season, TeamMember


def captains(entrants: Iterable[int]) -> dict[int, int]:
    """Return the id of each team among `entrants` → its captain's user: the person, or the owner of the bot. A team
    whose captain is a built-in bot has none."""
    rows = TeamMember.objects.filter(entrant__in=list(entrants), is_captain=True)
    whose = rows.annotate(whose=Coalesce("player__user", "player__bot_version__bot__owner"))
    return {team: user for team, user in whose.values_list("entrant", "whose") if user is not None}


@prepared
def playing(some: str, *, division: int) -> QuerySet[Entrant]:
    """Return the entrants who play in a division, "everybody" or the "bots" among them."""
    found = Entrant.objects.filter(division=division, status__in=PLAYING).order_by()
    # Bots are counted from the bots, because they are few.
    return found.filter(player__bot_version__isnull=False) if some == "bots" else found


def seasons_for_lists() -> QuerySet[Any]:
    """Return seasons with the number of entrants, the number of bots among them, and the latest round."""
    entrants = Entrant.objects.filter(season=OuterRef("pk"), status__in=PLAYING).order_by().values("season")
    bots = entrants.filter(player__bot_version__isnull=False)
    rounds = Round.objects.filter(division__season=OuterRef("pk")).order_by().values("division__season")
    return (
        Season.objects.select_related("league__club")
        .annotate(
            entrants=Subquery(entrants.annotate(n=Count("pk")).values("n")),
            bots=Coalesce(Subquery(bots.annotate(n=Count("pk")).values("n")), 0),
            round=Subquery(rounds.annotate(n=Max("number")).values("n")),
        )
        .order_by("-starts_at", "-pk")
    )
