"""Games, players and workers in the admin. What follows from a log is shown, never edited."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from unfold.admin import ModelAdmin, TabularInline

from games import kinds, observe
from games.models import Bot, BotVersion, Game, Incident, Player, Seat, Worker


class Shown(ModelAdmin):  # type: ignore[misc]  # unfold is untyped
    """Rows that the product writes and an admin reads."""

    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class SeatInline(TabularInline):  # type: ignore[misc]
    model = Seat
    extra = 0
    fields = ["seat", "player", "score", "placing", "left"]
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Game)
class GameAdmin(Shown):
    list_display = ["public_id", "kind", "status", "version", "attempt", "failures", "leased_by", "opened_at", "page"]
    list_filter = ["status", "kind", "local"]
    search_fields = ["public_id"]
    inlines = [SeatInline]
    fields = [
        "public_id",
        "kind",
        "rules_version",
        "options",
        "terms",
        "status",
        "version",
        "outcome",
        "opened_at",
        "moved_at",
        "finished_at",
        "deadline",
        "attempt",
        "leased_by",
        "leased_until",
        "failures",
        "retry_at",
        "events",
    ]
    readonly_fields = fields

    @admin.display(description="replay")
    def page(self, game: Game) -> str:
        return format_html('<a href="{}">watch</a>', reverse("replay", args=[game.public_id]))

    @admin.display(description="log")
    def events(self, game: Game) -> str:
        """The log as the public may read it now: an admin plays here too, and sees no hidden card before the end."""
        rules = kinds.rules_for(game.kind, game.rules_version)
        entries = observe.known_events(game, observe.PUBLIC, after=0)
        lines = [f"{entry.version:4}  {entry.ms:8} ms  {observe.readable(rules, entry.event)}" for entry in entries]
        return format_html('<pre class="whitespace-pre-wrap">{}</pre>', "\n".join(lines))


@admin.register(Player)
class PlayerAdmin(Shown):
    list_display = ["name", "user", "bot_version", "created"]
    search_fields = ["name"]
    list_select_related = ["user", "bot_version__bot"]


class BotVersionInline(TabularInline):  # type: ignore[misc]
    model = BotVersion
    extra = 0
    readonly_fields = ["number", "transport", "program", "created"]

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Bot)
class BotAdmin(Shown):
    list_display = ["name", "owner", "created"]
    search_fields = ["name"]
    inlines = [BotVersionInline]


@admin.register(Worker)
class WorkerAdmin(Shown):
    list_display = ["name", "started_at", "heartbeat_at", "games_played", "stopped_at"]


@admin.register(Incident)
class IncidentAdmin(Shown):
    list_display = ["at", "cause", "game", "sentence"]
    list_filter = ["cause"]
    list_select_related = ["game"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Incident]:
        return super().get_queryset(request).select_related("game", "player")  # type: ignore[no-any-return]
