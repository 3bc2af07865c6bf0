"""The progress of the seasons under way, shown beside the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery

from games.common.prepared import prepared
from tournaments.clubs.models import Club
from tournaments.seasons.models import GOING_ON, Match, Round, Season

SEASONS_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class SeasonProgress:
    """A season with its latest round, the number of its matches, and how many of them are played."""

    season: Season
    round: int
    played: int
    of: int

    @property
    def percent(self) -> int:
        return 100 * self.played // self.of if self.of else 0

    @property
    def rest(self) -> int:
        return 100 - self.percent


def season_progress_rows(clubs: Sequence[Club]) -> list[SeasonProgress]:
    """Return the seasons under way of `clubs` with the progress of their latest rounds. One query."""
    seasons: Any = _seasons(SEASONS_SHOWN, clubs=[club.pk for club in clubs])
    return [SeasonProgress(season, season.last or 0, season.played or 0, season.of or 0) for season in seasons]


@prepared
def _seasons(count: int, *, clubs: list[int]) -> QuerySet[Season]:
    latest = Round.objects.filter(division__season=OuterRef("pk")).order_by().values("division__season")
    standing = Match.objects.exclude(round__status=Round.Status.UNDONE)
    of_last = standing.filter(round__division__season=OuterRef("pk"), round__number=OuterRef("last"))
    counted = of_last.order_by().values("round__number")
    return (
        Season.objects.filter(league__club__in=clubs, status__in=GOING_ON)
        .select_related("league__club")
        .annotate(last=Subquery(latest.annotate(n=Max("number")).values("n")))
        .annotate(
            of=Subquery(counted.annotate(n=Count("pk")).values("n")),
            played=Subquery(counted.annotate(n=Count("finished_at")).values("n")),
        )
        .order_by("league__name", "pk")[:count]
    )
