"""Django admin for clubs, seasons and ratings, read only. Admins change a club through admin actions, which its log
shows."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import TabularInline

from games.admin_actions.lists import MAX_FOUND, KindFilter, LargeListAdmin, found_games, found_players
from games.admin_actions.model_admin import ReadOnlyModelAdmin
from tournaments.calendar.models import CalendarAddress, CalendarEntry, CalendarState, Proposal, ProposalAnswer
from tournaments.clubs.models import Club, ClubEvent, ClubPost, Invitation, JoinRequest, Membership
from tournaments.ratings.models import Rating, RatingPool, Strength
from tournaments.rulings.models import Dispute
from tournaments.seasons.labels import format_label
from tournaments.seasons.models import (
    BoardPlayer,
    Division,
    EmptyBoard,
    Entrant,
    ImportedGame,
    League,
    Match,
    MatchEntrant,
    MatchGame,
    Note,
    OrganiserAction,
    Round,
    Season,
    TeamMember,
)
from tournaments.standings.models import Standing
from tournaments.webhooks.models import Delivery, Webhook


class ShownInline(TabularInline):  # type: ignore[misc]  # unfold is untyped
    """Rows shown below their parent, read only."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Club)
class ClubAdmin(ReadOnlyModelAdmin):
    list_display = ["name", "owner", "visibility", "joining", "zone", "created", "archived_at", "page"]
    list_filter = ["visibility", "joining"]
    list_select_related = ["owner__player"]
    search_fields = ["name", "slug", "owner__username", "owner__player__name"]

    @admin.display(description=gettext_lazy("page"))
    def page(self, club: Club) -> str:
        return format_html('<a href="{}">{}</a>', reverse("club-settings", args=[club.slug]), _("settings"))


@admin.register(Membership)
class MembershipAdmin(ReadOnlyModelAdmin):
    list_display = ["user", "club", "role"]
    list_filter = ["role"]
    list_select_related = ["user__player", "club"]
    search_fields = ["user__username", "club__name"]


@admin.register(JoinRequest)
class JoinRequestAdmin(ReadOnlyModelAdmin):
    list_display = ["user", "club", "state", "created", "answered_at"]
    list_filter = ["state"]
    list_select_related = ["user__player", "club"]
    search_fields = ["user__username", "club__name"]


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyModelAdmin):
    list_display = ["prefix", "club", "by", "used", "max_uses", "send_state", "expires_at", "revoked_at"]
    list_filter = ["send_state"]
    list_select_related = ["club", "by__player"]
    search_fields = ["prefix", "club__name"]
    exclude = ["digest", "address"]


@admin.register(ClubPost)
class ClubPostAdmin(ReadOnlyModelAdmin):
    list_display = ["title", "club", "by", "created", "edited_at"]
    list_select_related = ["club", "by__player"]
    search_fields = ["title", "text", "club__name"]


@admin.register(ClubEvent)
class ClubEventAdmin(ReadOnlyModelAdmin):
    list_display = ["at", "club", "type", "by", "about", "reason"]
    list_filter = ["type"]
    list_select_related = ["club", "by__player", "about__player"]
    search_fields = ["club__name", "by__username", "about__username"]


@admin.register(League)
class LeagueAdmin(ReadOnlyModelAdmin):
    list_display = ["name", "club"]
    list_select_related = ["club"]
    search_fields = ["name", "club__name"]


class DivisionInline(ShownInline):
    model = Division


@admin.register(Season)
class SeasonAdmin(ReadOnlyModelAdmin):
    list_display = ["name", "league", "kind_title", "format_title", "status", "starts_at"]
    list_filter = ["status", KindFilter]
    list_select_related = ["league__club"]
    search_fields = ["name", "slug", "league__name", "league__slug", "league__club__name", "league__club__slug"]
    search_help_text = gettext_lazy("Words from the season's name, league or club, or club/league/season.")
    date_hierarchy = "starts_at"
    inlines = [DivisionInline]

    @admin.display(description=gettext_lazy("format"))
    def format_title(self, season: Season) -> str:
        return format_label(season.format)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Season], search_term: str
    ) -> tuple[QuerySet[Season], bool]:
        return super().get_search_results(request, queryset, search_term.replace("/", " "))  # type: ignore[no-any-return]


@admin.register(Dispute)
class DisputeAdmin(ReadOnlyModelAdmin):
    list_display = ["raised_at", "match", "entrant", "status", "note"]
    list_filter = ["status"]
    list_select_related = ["match", "entrant__player", "note"]
    search_fields = ["entrant__player__name", "note__text"]
    date_hierarchy = "raised_at"


class TeamMemberInline(ShownInline):
    model = TeamMember


@admin.register(Entrant)
class EntrantAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = ["player", "season", "division", "number", "status", "joined_at"]
    list_filter = ["status"]
    list_select_related = ["player", "season__league", "division__season__league"]
    search_fields = ["player__name"]
    found_by = {"player": found_players}
    inlines = [TeamMemberInline]


@admin.register(Note)
class NoteAdmin(ReadOnlyModelAdmin):
    list_display = ["text", "season", "author", "created"]
    list_select_related = ["season__league", "author__player"]
    search_fields = ["text", "author__username", "season__name"]
    date_hierarchy = "created"


@admin.register(Round)
class RoundAdmin(ReadOnlyModelAdmin):
    list_display = ["number", "season", "division", "status", "opened_at", "closes_at", "closed_at"]
    list_filter = ["status"]
    list_select_related = ["division__season__league"]
    search_fields = ["division__season__name", "division__season__league__name"]
    date_hierarchy = "opened_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Round]:
        return Round.with_undone.all()  # includes rounds that were undone

    @admin.display(description=gettext_lazy("season"))
    def season(self, row: Round) -> Season:
        return row.division.season


class MatchEntrantInline(ShownInline):
    model = MatchEntrant


class MatchGameInline(ShownInline):
    model = MatchGame


class ImportedGameInline(ShownInline):
    model = ImportedGame


class BoardPlayerInline(ShownInline):
    model = BoardPlayer


class EmptyBoardInline(ShownInline):
    model = EmptyBoard


def search_matches(words: str) -> Collection[int]:
    """Find the match of the game with that id, and the latest matches of players whose names contain `words`."""
    of_game = MatchGame.objects.filter(game__in=found_games(words)).values_list("match", flat=True)
    of_players = MatchEntrant.objects.filter(entrant__player__in=found_players(words)).order_by("-match")
    return [*of_game, *of_players.values_list("match", flat=True)[:MAX_FOUND]]


@admin.register(Match)
class MatchAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = ["id", "season", "round", "table", "reason_text", "finished_at"]
    list_select_related = ["round__division__season__league"]
    search_fields = ["match_games__game__public_id"]
    search_help_text = gettext_lazy("A player's name or a game's id.")
    found_by = {"pk": search_matches}
    inlines = [MatchEntrantInline, MatchGameInline, ImportedGameInline, BoardPlayerInline, EmptyBoardInline]

    @admin.display(description=gettext_lazy("season"))
    def season(self, match: Match) -> Season:
        return match.round.division.season


@admin.register(Standing)
class StandingAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = ["entrant", "season", "place", "points"]
    list_select_related = ["entrant__player", "entrant__season__league"]
    search_fields = ["entrant__player__name"]
    found_by = {"entrant__player": found_players}

    @admin.display(description=gettext_lazy("season"))
    def season(self, row: Standing) -> Season:
        return row.entrant.season


@admin.register(Strength)
class StrengthAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = ["entrant", "season", "place", "interval", "games"]
    list_select_related = ["entrant__player", "entrant__season__league"]
    search_fields = ["entrant__player__name"]
    found_by = {"entrant__player": found_players}

    @admin.display(description=gettext_lazy("season"))
    def season(self, row: Strength) -> Season:
        return row.entrant.season

    @admin.display(description=gettext_lazy("strength, 95 % interval"))
    def interval(self, row: Strength) -> str:
        return f"{row.rating:.0f} ± {row.half:.0f}"


class AnswerInline(ShownInline):
    model = ProposalAnswer


@admin.register(Proposal)
class ProposalAdmin(ReadOnlyModelAdmin):
    list_display = ["match", "by", "status", "made_at", "answer_by"]
    list_filter = ["status"]
    list_select_related = ["match", "by__player"]
    search_fields = ["by__player__name"]
    date_hierarchy = "made_at"
    inlines = [AnswerInline]


@admin.register(CalendarEntry)
class CalendarEntryAdmin(ReadOnlyModelAdmin):
    list_display = ["key", "what", "club", "season", "match"]
    list_filter = ["what"]
    list_select_related = ["club", "season__league", "match"]
    search_fields = ["key"]


@admin.register(CalendarState)
class CalendarStateAdmin(ReadOnlyModelAdmin):
    list_display = ["season", "version"]
    list_select_related = ["season__league"]
    search_fields = ["season__name"]


@admin.register(CalendarAddress)
class CalendarAddressAdmin(ReadOnlyModelAdmin):
    list_display = ["user", "created", "used_at"]
    list_select_related = ["user__player"]
    search_fields = ["user__username"]
    exclude = ["digest"]


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyModelAdmin):
    list_display = ["shown_url", "channel", "club", "user", "off", "failures", "failing_since", "taken_at"]
    list_filter = ["off"]
    list_select_related = ["club", "user__player"]
    search_fields = ["url", "club__name", "user__username"]
    exclude = ["url", "nonce", "old_nonce"]


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyModelAdmin):
    list_display = ["created", "type", "webhook", "send_state", "tries", "send_at"]
    list_filter = ["send_state", "type"]
    list_select_related = ["webhook"]
    search_fields = ["message_id", "webhook__url"]


@admin.register(OrganiserAction)
class ActAdmin(ReadOnlyModelAdmin):
    list_display = ["at", "what", "stream", "match", "by"]
    list_filter = ["what"]
    list_select_related = ["stream", "match", "by__player"]
    search_fields = ["by__username"]


@admin.register(RatingPool)
class RatingPoolAdmin(ReadOnlyModelAdmin):
    list_display = ["kind_title", "pool"]
    list_filter = [KindFilter]
    search_fields = ["kind", "pool"]


@admin.register(Rating)
class RatingAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = ["player", "pool", "rating", "games"]
    list_select_related = ["player", "pool"]
    search_fields = ["player__name"]
    found_by = {"player": found_players}
