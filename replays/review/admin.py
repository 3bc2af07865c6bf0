"""Luck ledgers and reviews in the admin: whether they are computed. Games' pages have them, once these are open."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from games.admin_actions.lists import LargeListAdmin, found_games
from games.admin_actions.model_admin import ReadOnlyModelAdmin
from replays.review.models import GameReview, LuckLedger


@admin.register(LuckLedger)
class LuckLedgerAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = ["game", "kind_title", "finished_at", "state", "reason", "attempts", "value_version", "value_hash"]
    fields = [*list_display, "due_at"]
    readonly_fields = fields
    list_filter = ["state", "reason"]
    list_select_related = ["game"]
    search_fields = ["game__public_id"]
    search_help_text = gettext_lazy("A game's id.")
    found_by = {"game": found_games}


@admin.register(GameReview)
class GameReviewAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = ["game", "seat", "state", "progress", "attempts", "asked_by", "method"]
    fields = [*list_display, "due_at"]
    readonly_fields = fields
    list_filter = ["state"]
    list_select_related = ["game", "asked_by"]
    search_fields = ["game__public_id"]
    search_help_text = gettext_lazy("A game's id.")
    found_by = {"game": found_games}
