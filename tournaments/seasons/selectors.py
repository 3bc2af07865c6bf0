"""Queries for lists of seasons."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from tournaments.seasons.models import PLAYING, Entrant, Round, Season


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
