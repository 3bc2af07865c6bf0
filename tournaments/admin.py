"""Clubs, seasons and ratings in the admin. Clubs and leagues are edited here; what follows from a stream is shown."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline

from games.admin import Shown
from tournaments.models import (
    Club,
    Division,
    Entrant,
    League,
    Match,
    MatchEntrant,
    MatchGame,
    Membership,
    Rating,
    RatingPool,
    Round,
    Season,
    Standing,
)


class ShownInline(TabularInline):  # type: ignore[misc]  # unfold is untyped
    """Rows below their parent, to be read."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Club)
class ClubAdmin(ModelAdmin):  # type: ignore[misc]
    list_display = ["name", "owner", "zone", "created"]
    search_fields = ["name"]
    prepopulated_fields = {"slug": ["name"]}


@admin.register(Membership)
class MembershipAdmin(ModelAdmin):  # type: ignore[misc]
    list_display = ["user", "club", "role"]
    list_filter = ["role"]
    list_select_related = ["user", "club"]
    search_fields = ["user__username", "club__name"]


@admin.register(League)
class LeagueAdmin(ModelAdmin):  # type: ignore[misc]
    list_display = ["name", "club"]
    list_select_related = ["club"]
    search_fields = ["name", "club__name"]
    prepopulated_fields = {"slug": ["name"]}


class DivisionInline(ShownInline):
    model = Division


@admin.register(Season)
class SeasonAdmin(Shown):
    list_display = ["name", "league", "kind", "format", "status", "starts_at"]
    list_filter = ["status", "kind"]
    list_select_related = ["league__club"]
    search_fields = ["name", "league__name"]
    inlines = [DivisionInline]


@admin.register(Entrant)
class EntrantAdmin(Shown):
    list_display = ["player", "division", "number", "joined_at"]
    list_select_related = ["player", "division"]
    search_fields = ["player__name"]


@admin.register(Round)
class RoundAdmin(Shown):
    list_display = ["number", "division", "status", "opened_at", "closed_at"]
    list_filter = ["status"]
    list_select_related = ["division__season__league"]


class MatchEntrantInline(ShownInline):
    model = MatchEntrant


class MatchGameInline(ShownInline):
    model = MatchGame


@admin.register(Match)
class MatchAdmin(Shown):
    list_display = ["id", "round", "table", "reason", "finished_at"]
    list_select_related = ["round"]
    inlines = [MatchEntrantInline, MatchGameInline]


@admin.register(Standing)
class StandingAdmin(Shown):
    list_display = ["entrant", "place", "points"]
    list_select_related = ["entrant__player"]


@admin.register(RatingPool)
class RatingPoolAdmin(Shown):
    list_display = ["kind", "pool"]


@admin.register(Rating)
class RatingAdmin(Shown):
    list_display = ["player", "pool", "rating", "games"]
    list_select_related = ["player", "pool"]
    search_fields = ["player__name"]
