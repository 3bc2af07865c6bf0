"""Games, players and workers in the admin. What is made from a log is shown and never edited."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy
from unfold.admin import TabularInline

from games.accounts import notices, tokens
from games.accounts.models import AccessToken, DatasetConsent, Notice, Profile, PushDevice, PushMessage, SiteState
from games.accounts.subjects import SUBJECTS
from games.admin_actions import audit
from games.admin_actions.lists import (
    KindFilter,
    LargeListAdmin,
    SubjectFilter,
    found_games,
    found_games_of,
    found_users,
    found_versions,
)
from games.admin_actions.model_admin import ReadOnlyModelAdmin
from games.admin_actions.models import AdminAction
from games.clocks.models import Heartbeat, PlatformOutage, Vacation
from games.common.models import Incident
from games.lobby.models import Chair, OpenTable
from games.models import Bot, BotVersion, Game, Player, Seat, Trial
from games.moderation import admin as moderation_admin  # noqa: F401  registers its lists
from games.operations.models import AdminJob, DailyCount
from games.play.faults import tellable
from games.play.models import Fault, RematchWish
from games.visibility import observe
from games.visibility.models import Presence
from games.workers.models import Worker
from scorebook_games import registry
from scorebook_games.gamelog import visibility


class SeatInline(TabularInline):  # type: ignore[misc]
    model = Seat
    extra = 0
    fields = ["seat", "player", "shown_score", "shown_placing", "shown_left"]
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @admin.display(description="score")
    def shown_score(self, seat: Seat) -> int | None:
        return seat.score if observe.is_result_public(seat.game) else None

    @admin.display(description="placing")
    def shown_placing(self, seat: Seat) -> int | None:
        return seat.placing if observe.is_result_public(seat.game) else None

    @admin.display(description="left")
    def shown_left(self, seat: Seat) -> str:
        return seat.left if observe.is_progress_public(seat.game) else ""


@admin.register(Game)
class GameAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = [
        "public_id",
        "kind_title",
        "status",
        "so_far",
        "attempt",
        "failures",
        "leased_by",
        "opened_at",
        "page",
    ]
    list_select_related = ["deal"]
    list_filter = ["status", KindFilter, "played_by_workers"]
    search_fields = ["public_id"]
    search_help_text = gettext_lazy("A game's id or a player's name.")
    found_by = {"pk": found_games_of}
    inlines = [SeatInline]
    fields = [
        "public_id",
        "kind_title",
        "rules_version",
        "options",
        "terms",
        "status",
        "so_far",
        "shown_outcome",
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

    @admin.display(description="version")
    def so_far(self, game: Game) -> int | None:
        return game.version if observe.is_progress_public(game) else None

    @admin.display(description="outcome")
    def shown_outcome(self, game: Game) -> str:
        """Return how the game ended, once everybody may know. An admin may play in the league too."""
        return str(game.outcome or "–") if observe.is_result_public(game) else "–"

    @admin.display(description="replay")
    def page(self, game: Game) -> str:
        return format_html('<a href="{}">watch</a>', reverse("replay", args=[game.public_id]))

    @admin.display(description="log")
    def events(self, game: Game) -> str:
        """Return the log as the public may read it now.

        An admin may play too, and sees no hidden card before the end.
        """
        rules = registry.rules_for(game.kind, game.rules_version)
        if observe.is_sealed(game):
            return "Sealed until all games of this deal are over."
        entries = observe.known_events(game, visibility.PUBLIC, after=0)
        lines = [
            f"{entry.version:4}  {entry.ms:8} ms  {visibility.readable_event(rules, entry.event)}" for entry in entries
        ]
        return format_html('<pre class="game-log">{}</pre>', "\n".join(lines))


@admin.register(Player)
class PlayerAdmin(ReadOnlyModelAdmin):
    date_hierarchy = "created"
    list_display = ["name", "user", "bot_version", "created"]
    search_fields = ["name"]
    list_select_related = ["user__player", "bot_version__bot"]


class BotVersionInline(TabularInline):  # type: ignore[misc]
    model = BotVersion
    extra = 0
    fields = ["number", "transport", "program", "state", "reason", "kinds", "size", "sha256", "created"]
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Bot)
class BotAdmin(ReadOnlyModelAdmin):
    list_display = ["name", "owner", "visibility", "plays", "created"]
    list_filter = ["visibility"]
    list_select_related = ["owner__player", "plays__bot"]
    search_fields = ["name", "owner__username"]
    inlines = [BotVersionInline]
    fields = ["name", "owner", "description", "visibility", "source_published", "plays", "created"]
    readonly_fields = fields


@admin.register(BotVersion)
class BotVersionAdmin(ReadOnlyModelAdmin):
    list_display = ["__str__", "transport", "state", "kinds", "size", "quarantines", "created"]
    list_filter = ["transport", "state"]
    list_select_related = ["bot"]
    search_fields = ["bot__name", "sha256"]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[BotVersion], search_term: str
    ) -> tuple[QuerySet[BotVersion], bool]:
        """Also finds versions by a text such as "Gannet v2"."""
        name, _space, number = search_term.strip().rpartition(" v")
        if name and number.isdecimal() and len(number) < 6:
            return queryset.filter(bot__name__icontains=name, number=int(number)), False
        return super().get_search_results(request, queryset, search_term)  # type: ignore[no-any-return]

    fields = ["bot", "number", "transport", "program", "state", "reason", "quarantines", "kinds", "size", "sha256"]
    readonly_fields = fields


@admin.register(Trial)
class TrialAdmin(ReadOnlyModelAdmin):
    list_display = [
        "what",
        "version",
        "against",
        "kind_title",
        "state",
        "created",
        "finished_at",
        "leased_by",
        "failures",
    ]
    list_filter = ["what", "state"]
    list_select_related = ["version__bot", "against__bot"]
    search_fields = ["version__bot__name"]
    date_hierarchy = "created"


@admin.register(Fault)
class FaultAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    fields = [
        "at",
        "bot_version",
        "kind",
        "cost",
        "game",
        "seat",
        "position",
        "sentence",
    ]  # the evidence is only for the bot's author
    list_display = ["at", "bot_version", "kind", "cost", "game", "seat", "position", "sentence"]
    list_filter = ["kind", "cost"]
    list_select_related = ["bot_version__bot", "game"]
    search_fields = ["bot_version__bot__name", "game__public_id"]
    search_help_text = gettext_lazy("A bot's name or a game's id.")
    found_by = {"bot_version": found_versions, "game": found_games}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Fault]:
        return tellable(super().get_queryset(request))


@admin.register(Worker)
class WorkerAdmin(ReadOnlyModelAdmin):
    list_display = ["name", "queues", "started_at", "heartbeat_at", "games_played", "tier", "tier_reason", "stopped_at"]
    list_filter = ["tier"]
    search_fields = ["name"]


@admin.register(Incident)
class IncidentAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    fields = ["at", "cause", "game", "player", "sentence", "detail", "times"]
    readonly_fields = fields
    list_display = ["at", "cause", "game", "times", "sentence"]
    list_filter = ["cause"]
    list_select_related = ["game"]
    search_fields = ["game__public_id"]
    search_help_text = gettext_lazy("A game's id.")
    found_by = {"game": found_games}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Incident]:
        return super().get_queryset(request).select_related("game", "player")  # type: ignore[no-any-return]


def game_link(game: Game | None) -> str:
    """Return a link to the game's page in the admin."""
    if game is None:
        return "–"
    return format_html('<a href="{}">{}</a>', reverse("admin:games_game_change", args=[game.pk]), game.public_id)


class GameRowAdmin(ReadOnlyModelAdmin):
    """Rows about a game, with a link to it."""

    @admin.display(description="game", ordering="game")
    def of_game(self, row: Notice | Presence | RematchWish) -> str:
        return game_link(row.game)


@admin.register(Profile)
class ProfileAdmin(ReadOnlyModelAdmin):
    list_display = ["user", "name", "zone", "guest"]
    list_filter = ["guest"]
    list_select_related = ["user__player"]
    search_fields = ["user__username", "user__player__name"]

    @admin.display(description="player")
    def name(self, profile: Profile) -> str:
        player = getattr(profile.user, "player", None)
        if player is None:
            return "–"
        return format_html('<a href="{}">{}</a>', reverse("admin:games_player_change", args=[player.pk]), player.name)


@admin.register(AccessToken)
class AccessTokenAdmin(ReadOnlyModelAdmin):
    list_display = ["prefix", "user", "bot", "name", "scopes", "created", "used_at", "expires_at", "revoked_at"]
    list_select_related = ["user__player", "bot"]
    search_fields = ["prefix", "name", "user__username", "user__player__name", "bot__name"]
    search_help_text = gettext_lazy("A token, its first eight characters after sb_, its name, or its owner's name.")
    exclude = ["digest"]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AccessToken], search_term: str
    ) -> tuple[QuerySet[AccessToken], bool]:
        """Also finds a token by its whole secret, for an admin who has found one somewhere."""
        found = tokens.TOKEN_PATTERN.search(search_term)
        return super().get_search_results(request, queryset, found[1] if found else search_term)  # type: ignore[no-any-return]


@admin.register(Notice)
class NoticeAdmin(LargeListAdmin, GameRowAdmin):
    list_display = ["created", "user", "subject_title", "of_game", "send_state", "send_at", "tries", "seen_at"]
    list_filter = ["send_state", SubjectFilter]
    list_select_related = ["user__player", "game"]
    search_fields = ["user__username", "user__player__name", "game__public_id"]
    search_help_text = gettext_lazy("A person's name or a game's id.")
    found_by = {"user": found_users, "game": found_games}
    fields = [
        *("user", "subject_title", "of_game", "by", "words", "url", "about_at", "key"),
        *("created", "seen_at", "send_state", "send_at", "tries", "send_error"),
    ]
    readonly_fields = fields

    @admin.display(description="subject")
    def subject_title(self, notice: Notice) -> str:
        return str(SUBJECTS[notice.subject].title) if notice.subject in SUBJECTS else notice.subject

    @admin.display(description="text")
    def words(self, notice: Notice) -> str:
        """Return what the person reads."""
        return notices.notice_row(notice).words if notice.subject in SUBJECTS else notice.text


@admin.register(PushDevice)
class PushDeviceAdmin(ReadOnlyModelAdmin):
    list_display = ["user", "name", "created", "failing_since"]
    list_select_related = ["user__player"]
    search_fields = ["user__username", "user__player__name"]
    exclude = ["endpoint", "p256dh", "auth"]


@admin.register(PushMessage)
class PushMessageAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = ["notice", "device", "send_state", "send_at", "tries"]
    list_filter = ["send_state"]
    list_select_related = ["notice__user__player", "device__user__player"]
    search_fields = ["device__user__username"]
    search_help_text = gettext_lazy("A person's name.")
    found_by = {"device__user": found_users}


class ChairInline(TabularInline):  # type: ignore[misc]
    model = Chair
    extra = 0
    fields = ["number", "player", "taken_at", "ready"]
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(OpenTable)
class OpenTableAdmin(ReadOnlyModelAdmin):
    list_display = ["created", "kind_title", "chairs_wanted", "host", "access", "status", "expires", "opened_game"]
    list_filter = ["status", "access", KindFilter]
    list_select_related = ["host", "game"]
    search_fields = ["host__name", "token", "game__public_id"]
    inlines = [ChairInline]

    @admin.display(description="game", ordering="game")
    def opened_game(self, table: OpenTable) -> str:
        return game_link(table.game)


@admin.register(Vacation)
class VacationAdmin(ReadOnlyModelAdmin):
    list_display = ["user", "start", "end", "zone", "announced_at"]
    list_select_related = ["user__player"]
    search_fields = ["user__username", "user__player__name"]


@admin.register(DatasetConsent)
class DatasetConsentAdmin(ReadOnlyModelAdmin):
    list_display = ["user", "given", "at"]
    list_select_related = ["user__player"]
    list_filter = ["given"]
    search_fields = ["user__username", "user__player__name"]


@admin.register(PlatformOutage)
class OutageAdmin(ReadOnlyModelAdmin):
    list_display = ["start", "end", "part", "settled"]
    list_filter = ["part", "settled"]
    search_fields = ["part"]


@admin.register(Heartbeat)
class LifeSignAdmin(ReadOnlyModelAdmin):
    list_display = ["part", "at"]
    search_fields = ["part"]


@admin.register(Presence)
class PresenceAdmin(LargeListAdmin, GameRowAdmin):
    list_display = ["of_game", "seat", "process", "seen_at"]
    list_select_related = ["game"]
    search_fields = ["game__public_id"]
    found_by = {"game": found_games}


@admin.register(RematchWish)
class RematchWishAdmin(LargeListAdmin, GameRowAdmin):
    list_display = ["at", "of_game", "seat", "wanted"]
    list_filter = ["wanted"]
    list_select_related = ["game"]
    search_fields = ["game__public_id"]
    found_by = {"game": found_games}


@admin.register(AdminAction)
class AdminActionAdmin(ReadOnlyModelAdmin):
    fields = ["at", "by", "action", "target_type", "target_id", "fields", "reason", "outcome", "key"]
    readonly_fields = fields
    list_display = ["at", "by", "action", "target_type", "called", "reason", "outcome"]
    list_filter = ["action", "target_type"]
    list_select_related = ["by__player"]
    search_fields = ["action", "target", "reason", "sentences", "old_outcome", "by__username"]
    date_hierarchy = "at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[AdminAction]:
        return audit.with_targets(super().get_queryset(request))

    @admin.display(description="target")
    def called(self, done: Any) -> str:
        return str(done.target)


@admin.register(AdminJob)
class JobAdmin(ReadOnlyModelAdmin):
    fields = [
        *("what", "fields", "by", "state", "asked_at", "begun_at", "heard_at", "finished_at", "progress"),
        *("summary", "result"),
    ]
    readonly_fields = fields
    list_display = ["what", "state", "by", "asked_at", "begun_at", "finished_at", "progress", "summary"]
    search_fields = ["by__username", "result"]
    list_filter = ["what", "state"]
    list_select_related = ["by__player"]
    date_hierarchy = "asked_at"


@admin.register(DailyCount)
class DayAdmin(ReadOnlyModelAdmin):
    list_display = ["day", "games", "sign_ups", "uploads", "refused", "log_bytes"]
    search_fields = ["day"]
    date_hierarchy = "day"


@admin.register(SiteState)
class SiteStateAdmin(ReadOnlyModelAdmin):
    list_display = ["__str__", "signup_closed_at", "signup_reason"]
    search_fields = ["signup_reason"]
