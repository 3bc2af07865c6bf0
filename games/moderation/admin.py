"""Reports, measures, held names and support views in the admin: the queue of what waits, each with what can be done."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import TabularInline
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from games.admin import Acted, OfPerson, Shown
from games.moderation import reports
from games.moderation.models import HeldName, Measure, Report, SupportLook, SupportView


class Waiting(admin.SimpleListFilter):
    """What waits for an admin, at first; all else on demand."""

    title = gettext_lazy("state")
    parameter_name = "is"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("all", gettext_lazy("All")), *Report.State.choices[1:]]

    def choices(self, changelist: Any) -> Any:
        first = next(super().choices(changelist))
        yield {**first, "display": _("Waiting")}
        for code, title in self.lookup_choices:
            yield {
                "selected": self.value() == code,
                "query_string": changelist.get_query_string({self.parameter_name: code}),
                "display": title,
            }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        wanted = self.value()
        return queryset if wanted == "all" else queryset.filter(state=wanted or Report.State.OPEN)


@admin.register(Report)
class ReportAdmin(Shown):
    list_display = ["created", "cause", "target", "about", "words_begin", "state", "answered_by"]
    list_filter = [Waiting, "cause", "target"]
    list_select_related = ["about", "answered_by"]
    search_fields = ["words", "answer", "about__username", "about__player__name"]
    date_hierarchy = "created"
    fields = ["created", "cause", "target", "thing", "person", "words", "by", "others", "state", "answer"]
    readonly_fields = fields

    @admin.display(description=gettext_lazy("what"))
    def thing(self, report: Report) -> str:
        target = reports.TARGETS.get(report.target)
        found = target.find(report.target_id, None) if target else None
        if target is None or found is None:
            return _("gone by now")
        return format_html('<a href="{}">{}</a>', target.address(found), target.name(found))

    @admin.display(description=gettext_lazy("who answers for it"))
    def person(self, report: Report) -> str:
        if report.about is None:
            return "–"
        address = reverse("admin:auth_user_change", args=[report.about.pk])
        return format_html('<a href="{}">{}</a>', address, report.about)

    @admin.display(description=gettext_lazy("words"))
    def words_begin(self, report: Report) -> str:
        return report.words[:80]

    @admin.display(description=gettext_lazy("other reports of it"))
    def others(self, report: Report) -> str:
        same = Report.objects.filter(target=report.target, target_id=report.target_id).exclude(pk=report.pk)
        return ", ".join(f"{each.pk} ({each.state})" for each in same[:20]) or "–"


@admin.register(Measure)
class MeasureAdmin(OfPerson):
    list_display = ["created", "kind", "user", "by", "until", "ended_at", "seen_at", "objected_at", "answered_at"]
    list_filter = ["kind", ("ended_at", admin.EmptyFieldListFilter), ("objected_at", admin.EmptyFieldListFilter)]
    list_select_related = ["user", "by"]
    search_fields = ["user__username", "user__player__name", "reason", "objection"]
    date_hierarchy = "created"


@admin.register(HeldName)
class HeldNameAdmin(Shown):
    list_display = ["key", "user", "since"]
    list_select_related = ["user"]
    search_fields = ["key", "user__username"]


class LookInline(TabularInline):  # type: ignore[misc]  # unfold is untyped
    model = SupportLook
    extra = 0
    fields = ["at", "path"]
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(SupportView)
class SupportViewAdmin(OfPerson):
    list_display = ["created", "admin", "user", "reason", "until", "ended_at"]
    list_select_related = ["admin", "user"]
    search_fields = ["admin__username", "user__username", "user__player__name", "reason"]
    date_hierarchy = "created"
    inlines = [LookInline]


admin.site.unregister(User)


@admin.register(User)
class PersonAdmin(UserAdmin, Acted):  # type: ignore[type-arg, misc]  # no class to subscript as the program runs
    """People with an account. Who is an admin, and what they may, is a superuser's to say; so is all about admins."""

    form, add_form, change_password_form = UserChangeForm, UserCreationForm, AdminPasswordChangeForm
    list_display = ["username", "called", "email", "is_active", "is_staff", "date_joined", "last_login"]
    list_select_related = ["player"]
    search_fields = ["username", "player__name", "email", "emailaddress__email"]
    date_hierarchy = "date_joined"

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        found: QuerySet[User] = super().get_queryset(request)
        return found.prefetch_related("measures")

    @admin.display(description=gettext_lazy("name"), ordering="player__name")
    def called(self, user: User) -> str:
        player = getattr(user, "player", None)
        return player.name if player else "–"

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        if request.user.is_superuser:
            return []
        return ["is_active", "is_staff", "is_superuser", "groups", "user_permissions", "last_login", "date_joined"]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        own = obj is None or not (obj.is_staff or obj.is_superuser) or bool(request.user.is_superuser)
        return own and bool(super().has_change_permission(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Others delete an account by the action, which asks why."""
        return bool(request.user.is_superuser)
