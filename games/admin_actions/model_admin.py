"""What all lists and pages of rows in the admin share."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.translation import gettext as _
from unfold.admin import ModelAdmin

from games.admin_actions import registry as admin_actions
from games.admin_actions.lists import BoundedPaginator
from scorebook_games.registry import KINDS


class ActionModelAdmin(ModelAdmin):  # type: ignore[misc]  # unfold is untyped
    """Rows with actions (`games.admin_actions.registry`). They stand above a row's page and beside it in the list.

    If `listed` is set, the list shows only those.
    """

    listed: ClassVar[tuple[str, ...]] = ()
    change_form_outer_before_template = "admin_actions/links.html"
    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 50

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        columns = list(super().get_list_display(request))
        if not any(each.target and each.target.model is self.model for each in admin_actions.every_action()):
            return columns

        @admin.display(description=_("actions"))
        def do(row: Model) -> str:
            found = admin_actions.actions_for(row, request.user)
            wanted = [each for each in found if not self.listed or each.code in self.listed]
            return format_html_join(" · ", '<a href="{}">{}…</a>', admin_actions.addresses(wanted, row))

        return [*columns, do]


class ReadOnlyModelAdmin(ActionModelAdmin):
    """Rows that the platform writes and admins only read."""

    @admin.display(description="kind", ordering="kind")
    def kind_title(self, row: Any) -> str:
        """The title of a row's kind of game."""
        return KINDS[row.kind].spec.title if row.kind in KINDS else row.kind

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
