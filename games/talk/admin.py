"""Messages in the admin. Private notes and whom somebody mutes are not for admins."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from games.admin_actions.lists import LargeListAdmin, found_users
from games.admin_actions.model_admin import ReadOnlyModelAdmin
from games.talk.models import Message
from games.talk.selectors import words_of


@admin.register(Message)
class MessageAdmin(LargeListAdmin, ReadOnlyModelAdmin):
    list_display = ["created", "author", "words", "place", "place_id", "removed_at", "removed_by"]
    list_filter = [("removed_at", admin.EmptyFieldListFilter)]
    list_select_related = ["author__player", "removed_by__player"]
    search_fields = ["author__username", "author__player__name"]
    search_help_text = gettext_lazy("A person's name.")
    found_by = {"author": found_users}
    fields = ["created", "author", "words", "place", "place_id", "removed_at", "removed_by"]
    readonly_fields = fields

    @admin.display(description=gettext_lazy("text"))
    def words(self, message: Message) -> str:
        """Return what it said, also if it was removed."""
        return words_of(message)
