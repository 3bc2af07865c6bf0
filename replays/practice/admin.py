"""Exercises and puzzles in the admin: whether they are made."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from games.admin_actions.lists import LargeListAdmin, found_games
from games.admin_actions.model_admin import ReadOnlyModelAdmin
from replays.practice.models import Exercise, Puzzle


@admin.register(Exercise)
class ExerciseAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = ["game", "seat", "event", "player", "state", "attempts", "ask_at"]
    fields = [*list_display, "due_at"]
    readonly_fields = fields
    list_filter = ["state"]
    list_select_related = ["game", "player"]
    search_fields = ["game__public_id"]
    search_help_text = gettext_lazy("A game's id.")
    found_by = {"game": found_games}


@admin.register(Puzzle)
class PuzzleAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = ["date", "kind", "game", "state", "agreed", "withdrawn", "attempts"]
    fields = [*list_display, "seat", "event", "due_at"]
    readonly_fields = fields
    list_filter = ["state", "withdrawn"]
    list_select_related = ["game"]
    search_fields = ["game__public_id"]
    search_help_text = gettext_lazy("A game's id.")
    found_by = {"game": found_games}
