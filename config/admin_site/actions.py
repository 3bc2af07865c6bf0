"""Admin actions (`games.admin_actions.registry`) as a page, which asks for the reason, and in the API."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.admin_site.access import IsAdmin
from config.http.errors import error_data
from games.accounts import people
from games.admin_actions import audit
from games.admin_actions import registry as admin_actions
from games.admin_actions.models import AdminAction
from games.common.cursor_pagination import NewestFirstPagination
from games.common.policy import policy
from games.common.service_views import ErrorSerializer


@policy(secret_parameters=("target",))
def action_page(request: HttpRequest, code: str, target: str = "") -> HttpResponse:
    """Show what an admin action will do and ask for the reason; a POST does it. No other page does anything as an
    admin."""
    action = admin_actions.find_action(code)
    row = admin_actions.find_target(action, target)
    if not admin_actions.is_permitted(action, request.user):
        raise PermissionDenied(_("You do not have the right to do this."))
    refused: dict[str, Any] = {}
    if request.method == "POST":
        try:
            done = _perform(request, action, target)
        except Exception as error:
            described = error_data(error)
            if described is None:
                raise
            refused = described["error"]
        else:
            messages.success(request, _outcome_html(done.outcome))
            return HttpResponseRedirect(_return_url(request))
    form = action.form(request.POST if refused else None, initial=request.GET.dict())
    shown = {
        **admin.site.each_context(request),
        "action": action,
        "target": target,
        "target_name": _target_name(target, row),
        "row": row,
        "form": form,
        "refused": refused,
        "fits": action.fits(row),
        "reason": request.POST.get("reason", request.GET.get("reason", "")),
        "key": request.POST.get("key") or uuid4().hex,
        "back": _return_url(request),
    }
    return render(request, "admin_actions/admin_action.html", shown, status=refused.get("status", 200))


def _target_name(target: str, row: Any) -> str:
    """Return how people call the target: Laura (laura), 3 (mute of laura), lantern-street."""
    name = people.display(row) if isinstance(row, User) else str(row) if target.isdecimal() else target
    return target if name == target else f"{name} ({target})" if isinstance(row, User) else f"{target} ({name})"


def _perform(request: HttpRequest, action: admin_actions.Action, target: str) -> AdminAction:
    sent = {name: request.POST.get(name, "") for name in action.fields}
    return admin_actions.perform_sent(
        action.code,
        target,
        reason=request.POST.get("reason", ""),
        by=request.user,
        key=request.POST.get("key", ""),
        fields=sent,
    )


def _outcome_html(outcome: str) -> str:
    """Return the outcome as HTML; if it ends with the address of a page, as a link."""
    words, _space, last = outcome.rpartition(" ")
    return format_html('{} <a href="{}">{}</a>', words, last, last) if last.startswith("/") else outcome


def _return_url(request: HttpRequest) -> str:
    """Return the page that the admin came from, if it is one of this site; else the dashboard."""
    asked = request.POST.get("next") or request.GET.get("next") or ""
    if url_has_allowed_host_and_scheme(asked, allowed_hosts={request.get_host()}, require_https=request.is_secure()):
        return asked
    return reverse("dashboard")


class AdminActionSerializer(serializers.ModelSerializer[AdminAction]):
    """An action of an admin: when, who, what, the target, the reason and the result."""

    by = serializers.CharField(source="by.username", default=None, allow_null=True)
    target = serializers.CharField(help_text="The target's name; of deleted accounts and other targets, `target_id`.")
    fields_sent = serializers.DictField(source="fields", help_text="Further fields of the request; names as hashes.")
    outcome = serializers.CharField(help_text="The result, in a sentence.")

    class Meta:
        model = AdminAction
        fields = ["id", "at", "by", "action", "target_type", "target_id", "target", "fields_sent", "reason", "outcome"]


class AdminActionRequestSerializer(serializers.Serializer[Any]):
    """The action, its target and the reason. `key` is an idempotency key: with the same key the action runs once,
    and the answer is the same."""

    action = serializers.CharField(help_text="A code from `admin/action-kinds/`.")
    target = serializers.CharField(
        default="", allow_blank=True, help_text="The target's public name or id, such as a game's id."
    )
    reason = serializers.CharField(max_length=admin_actions.REASON_MAX_LENGTH)
    key = serializers.CharField(max_length=admin_actions.KEY_MAX_LENGTH, default="", allow_blank=True)
    fields_sent = serializers.DictField(default=dict, help_text="Further fields of this action.")


class AdminActionKindSerializer(serializers.Serializer[Any]):
    """An admin action: its code, the type of its target, and its fields besides the reason."""

    code = serializers.CharField()
    title = serializers.CharField()
    target_type = serializers.CharField(help_text="game, bot-version …; empty: the platform.")
    help = serializers.CharField()
    fields_asked = serializers.ListField(child=serializers.CharField(), source="fields")


class AdminActionFilter(filters.FilterSet):  # type: ignore[misc]  # untyped
    """By what was done, to what, and by whom."""

    by = filters.CharFilter(field_name="by__username", label="The name of the admin.")
    action = filters.CharFilter(label="The code of the action.")
    target_type = filters.CharFilter(label="The type of the target.")
    target_id = filters.CharFilter(label="The id of the target.")
    q = filters.CharFilter(
        method="with_words", label="Words in the action, the target, the admin's name or the reason."
    )

    class Meta:
        model = AdminAction
        fields = ["action", "target_type", "target_id", "by"]

    def with_words(self, found: QuerySet[AdminAction], name: str, words: str) -> QuerySet[AdminAction]:  # noqa: ARG002
        return found.filter(audit.searched(words))


class AdminActionsView(generics.ListAPIView[AdminAction]):
    """Actions of admins, newest first (admins)."""

    read_scope = "admin"
    write_scope = "admin"
    remote_bots = "nothing"
    visible_in_impersonation = False

    permission_classes = [IsAdmin]
    serializer_class = AdminActionSerializer
    pagination_class = NewestFirstPagination
    filterset_class = AdminActionFilter
    queryset = audit.with_targets(AdminAction.objects.all())

    @extend_schema(
        request=AdminActionRequestSerializer,
        responses={
            201: AdminActionSerializer,
            **dict.fromkeys((400, 403, 404, 409), ErrorSerializer),
        },
    )
    def post(self, request: Request) -> Response:
        """Perform an admin action and log it. Errors: 400 no_reason, bad_fields; 403 not_admin; 404 unknown_action,
        no_target; 409 key_reused; and those of the action itself."""
        asked = AdminActionRequestSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        wish = asked.validated_data
        done = admin_actions.perform_sent(
            wish["action"],
            wish["target"],
            reason=wish["reason"],
            by=request.user,
            key=wish["key"],
            fields=wish["fields_sent"],
        )
        return Response(AdminActionSerializer(self.queryset.get(pk=done.pk)).data, 201)


class AdminActionKindsView(APIView):
    """What admins can do."""

    read_scope = "admin"
    remote_bots = "nothing"
    visible_in_impersonation = False

    permission_classes = [IsAdmin]

    @extend_schema(responses=AdminActionKindSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The admin actions that you may perform, with their fields (admins)."""
        kinds = [each for each in admin_actions.every_action() if admin_actions.is_permitted(each, request.user)]
        return Response(AdminActionKindSerializer(kinds, many=True).data)
