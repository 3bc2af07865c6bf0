"""The API of clubs, seasons and matches, combined from the actions of each package."""

from __future__ import annotations

from decimal import Decimal

import django_filters
from django.db.models import F, Max, Min, QuerySet
from rest_framework import viewsets
from rest_framework.permissions import IsAuthenticatedOrReadOnly

from games.common.cursor_pagination import NewestFirstPagination
from games.common.filters import MomentFilter, StrictChoiceFilter, of_kind
from games.models import Game
from games.play.api import GameFilter, GameViewSet
from tournaments.activity.api import TimelineActions
from tournaments.calendar.club_api import ClubCalendarActions
from tournaments.clubs.api import ClubActions
from tournaments.clubs.permissions import listed_for, visible_to
from tournaments.commentary.api import CommentaryActions
from tournaments.entries.api import EntryActions
from tournaments.lifecycle.api import LifecycleActions
from tournaments.matches.api import MatchReads, RoundActions
from tournaments.ratings.api import StrengthActions
from tournaments.rulings.api import MatchRulingActions, RulingActions
from tournaments.seasons.api import SeasonSerializer
from tournaments.seasons.models import MatchGame, Season
from tournaments.standings.api import StandingActions
from tournaments.teams.api import LineupActions, TeamActions


class SeasonFilter(django_filters.FilterSet):  # type: ignore[misc]  # untyped
    status = StrictChoiceFilter(Season.Status.values, label="The state of the season.")
    kind = of_kind()
    club = django_filters.CharFilter(field_name="league__club__slug", label="The slug of its club.")
    starts_after = MomentFilter("starts_at", "gte", "Starts at this time or later.")
    starts_before = MomentFilter("starts_at", "lt", "Starts before this time.")

    class Meta:
        model = Season
        fields = ["status", "kind", "club"]


class SeasonGameFilter(GameFilter):
    """Adds a filter by season to the filters of games."""

    season = django_filters.NumberFilter(method="of_season", label="The id of the season that it belongs to.")

    def of_season(self, games: QuerySet[Game], _name: str, season: Decimal) -> QuerySet[Game]:
        """Return the season's games. The range of ids keeps PostgreSQL from scanning every game opened since."""
        season_games = MatchGame.objects.filter(match__round__division__season=int(season))
        # The sums keep PostgreSQL from finding the smallest and largest id by such a scan.
        ends = season_games.aggregate(first=Min(F("game") + 0), last=Max(F("game") + 0))
        first, last = ends["first"] or 0, ends["last"] or 0
        season_games = season_games.filter(game__gte=first, game__lte=last)
        return games.filter(pk__range=(first, last), pk__in=season_games.values("game"))


class SeasonGameViewSet(GameViewSet):
    filterset_class = SeasonGameFilter


class SeasonViewSet(
    LifecycleActions,
    EntryActions,
    TeamActions,
    RulingActions,
    StandingActions,
    StrengthActions,
    RoundActions,
    TimelineActions,
    CommentaryActions,
    viewsets.ReadOnlyModelViewSet[Season],
):
    """Seasons, newest first. Organisers of a club set them up, run them, and decide about their results."""

    write_scope = "organise"
    remote_bots = "read"
    visible_in_impersonation = True

    queryset = Season.objects.none()
    serializer_class = SeasonSerializer
    permission_classes = [IsAuthenticatedOrReadOnly]
    lookup_value_regex = "[0-9]{1,18}"
    pagination_class = NewestFirstPagination
    filterset_class = SeasonFilter

    def get_queryset(self) -> QuerySet[Season]:
        """Return the seasons of clubs that the user may see. Seasons of archived clubs are found only by id."""
        clubs = listed_for(self.request.user) if self.action == "list" else visible_to(self.request.user)
        seasons = Season.objects.filter(league__club__in=clubs)
        return seasons.select_related("league__club").prefetch_related("divisions")


class ClubViewSet(ClubCalendarActions, ClubActions):
    """Clubs, with their members, news, invitations and settings."""


class MatchViewSet(MatchRulingActions, LineupActions, MatchReads):
    """Matches, newest first. Organisers decide about their results; players of a match can dispute it."""

    write_scope = "organise"
    remote_bots = "read"
    visible_in_impersonation = True

    permission_classes = [IsAuthenticatedOrReadOnly]
