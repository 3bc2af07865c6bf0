"""The admin's pages for people, reports, sanctions, reserved names and impersonation. Lists show open cases first."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import TabularInline
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextareaWidget

from games.accounts.models import ReservedName, Sanction
from games.admin_actions import registry as admin_actions
from games.admin_actions.lists import SearchedModelAdmin, found_people
from games.admin_actions.model_admin import ActionModelAdmin, ReadOnlyModelAdmin
from games.moderation import reports
from games.moderation.models import ImpersonationPageView, ImpersonationSession, Report
from games.moderation.subjects import group_rights


class WaitingFilter(admin.SimpleListFilter):
    """Shows at first what waits for an admin; everything on demand."""

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
class ReportAdmin(ReadOnlyModelAdmin):
    list_display = ["created", "cause", "target", "about", "words_begin", "state", "answered_by"]
    list_filter = [WaitingFilter, "cause", "target"]
    list_select_related = ["about__player", "answered_by__player"]
    search_fields = ["words", "answer", "about__username", "about__player__name"]
    date_hierarchy = "created"
    fields = ["created", "cause", "target", "thing", "person", "words", "by", "others", "state", "answer"]
    readonly_fields = fields

    @admin.display(description=gettext_lazy("reported item"))
    def thing(self, report: Report) -> str:
        target = reports.TARGETS.get(report.target)
        found = target.find(report.target_id, None) if target else None
        if target is None or found is None:
            return _("deleted")
        return format_html('<a href="{}">{}</a>', target.address(found), target.name(found))

    @admin.display(description=gettext_lazy("responsible person"))
    def person(self, report: Report) -> str:
        if report.about is None:
            return "–"
        address = reverse("admin:auth_user_change", args=[report.about.pk])
        return format_html('<a href="{}">{}</a>', address, report.about)

    @admin.display(description=gettext_lazy("text"))
    def words_begin(self, report: Report) -> str:
        return report.words[:80]

    @admin.display(description=gettext_lazy("other reports about the same item"))
    def others(self, report: Report) -> str:
        same = Report.objects.filter(target=report.target, target_id=report.target_id).exclude(pk=report.pk)
        return ", ".join(f"{each.pk} ({each.state})" for each in same[:20]) or "–"


@admin.register(Sanction)
class MeasureAdmin(ReadOnlyModelAdmin):
    list_display = ["created", "kind", "user", "by", "until", "ended_at", "seen_at", "objected_at", "answered_at"]
    list_filter = ["kind", ("ended_at", admin.EmptyFieldListFilter), ("objected_at", admin.EmptyFieldListFilter)]
    list_select_related = ["user__player", "by__player"]
    search_fields = ["user__username", "user__player__name", "reason", "objection"]
    date_hierarchy = "created"


@admin.register(ReservedName)
class HeldNameAdmin(ReadOnlyModelAdmin):
    list_display = ["key", "user", "since"]
    list_select_related = ["user__player"]
    search_fields = ["key", "user__username"]


class LookInline(TabularInline):  # type: ignore[misc]  # unfold is untyped
    model = ImpersonationPageView
    extra = 0
    fields = ["at", "path"]
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(ImpersonationSession)
class SupportViewAdmin(ReadOnlyModelAdmin):
    list_display = ["created", "admin", "user", "reason", "until", "ended_at"]
    list_select_related = ["admin__player", "user__player"]
    search_fields = ["admin__username", "user__username", "user__player__name", "reason"]
    date_hierarchy = "created"
    inlines = [LookInline]


for model in (User, Group, EmailAddress, Authenticator):
    admin.site.unregister(model)


@admin.register(User)
class PersonAdmin(SearchedModelAdmin, ReadOnlyModelAdmin):
    """People with an account. Everything that is done about a person is an action, which asks for a reason."""

    listed = ("warn", "mute", "unmute", "ban", "unban")
    list_display = ["called", "username", "email", "is_active", "is_staff", "date_joined", "last_login"]
    list_filter = ["is_staff", "is_superuser", "is_active", "groups"]
    list_select_related = ["player"]
    search_fields = ["username", "player__name", "email", "emailaddress__email"]
    search_help_text = gettext_lazy("A name or an email address.")
    found_by = {"pk": found_people}
    date_hierarchy = "date_joined"
    fields = [
        *("called", "username", "email", "is_active", "is_staff", "is_superuser", "groups"),
        *("date_joined", "last_login"),
    ]
    readonly_fields = fields
    help_texts = {  # instead of Django's, which speak of forms
        "username": gettext_lazy("The name to log in with."),
        "is_active": gettext_lazy("Whether this person can log in."),
        "is_staff": gettext_lazy("Whether this person is an admin and may open these pages."),
        "is_superuser": gettext_lazy("Whether this admin has all permissions, whatever the groups say."),
        "groups": gettext_lazy("An admin has the permissions of these groups."),
    }

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        return super().get_form(request, obj, change, help_texts=self.help_texts, **options)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        found: QuerySet[User] = super().get_queryset(request)
        return found.prefetch_related("sanctions", "authenticator_set", "emailaddress_set")

    @admin.display(description=gettext_lazy("name"), ordering="player__name")
    def called(self, user: User) -> str:
        player = getattr(user, "player", None)
        return player.name if player else "–"


@admin.register(EmailAddress)
class AddressAdmin(ReadOnlyModelAdmin):
    list_display = ["email", "user", "primary", "verified"]
    list_filter = ["primary", "verified"]
    list_select_related = ["user__player"]
    search_fields = ["email", "user__username", "user__player__name"]


@admin.register(Authenticator)
class SecondFactorAdmin(ReadOnlyModelAdmin):
    """Who has a second factor, and of what sort. Its secret is only the owner's."""

    list_display = ["user", "type", "created_at", "last_used_at"]
    list_filter = ["type"]
    list_select_related = ["user__player"]
    search_fields = ["user__username", "user__player__name"]
    date_hierarchy = "created_at"
    exclude = ["data"]


class Rights(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # no class to subscript as the program runs
    """Permissions in few words, such as "view game" or "change game"."""

    def label_from_instance(self, right: Model) -> str:
        return str(right.name).removeprefix("Can ") if isinstance(right, Permission) else str(right)


class GroupForm(forms.ModelForm):  # type: ignore[type-arg]  # likewise
    """The permissions of a group, and the reason for a change."""

    why = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=admin_actions.REASON_MAX_LENGTH,
        widget=UnfoldAdminTextareaWidget,
        help_text=gettext_lazy("All admins can read it, with your name and the time."),
    )

    permissions = Rights(
        label=gettext_lazy("Permissions"),
        queryset=Permission.objects.filter(
            Q(codename__startswith="view_") | Q(codename__startswith="change_") | Q(codename="add_adminaction")
        ).select_related("content_type"),
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=gettext_lazy(
            "“View” shows a list and its rows. “Change” also allows their actions. Actions that concern the "
            "whole platform need “add admin action”."
        ),
    )

    class Meta:
        model = Group
        fields = ["name", "permissions"]


@admin.register(Group)
class GroupAdmin(ActionModelAdmin):
    """The permissions of admins who are not superusers: the only thing that is changed in a form.

    It asks for a reason too.
    """

    form = GroupForm
    search_fields = ["name"]

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        group = form.instance
        rights = [
            f"{permission.content_type.app_label}.{permission.codename}" for permission in group.permissions.all()
        ]
        admin_actions.write_down(
            by=request.user,
            action="change_group",
            target_type="group",
            target_id=group.name,
            reason=form.cleaned_data["why"],
            sentence=group_rights(rights),
        )

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """Return False: an action deletes, because it asks for a reason."""
        return False
