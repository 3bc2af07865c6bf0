"""Impersonation in support: an admin sees the pages and API responses that a person sees, to help them.

It lasts half an hour, asks for a reason, records each page, and changes nothing: whatever a request writes is rolled
back. The person's secrets stay hidden. There are no hidden cards of running games (`games.visibility.observe` treats
the admin as the public), and only views that are `visible_in_impersonation` are shown. None of them has tokens,
addresses, email, sources or files.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from games.accounts import bearer, tokens
from games.common import clock
from games.common.errors import DomainError
from games.common.policy import API_ROOT, SAFE_METHODS, ViewFunction, stated, view_at
from games.moderation.models import ImpersonationPageView, ImpersonationSession
from games.moderation.sanctions import check_may
from games.visibility import acting

IMPERSONATION_DURATION: Final = timedelta(minutes=30)
IMPERSONATION_RETENTION: Final = timedelta(days=365)
SESSION_KEY: Final = "support_view"
IMPERSONATION_HEADER: Final = "Support-View"
# Where an admin remains the admin. These are prefixes and not attributes of views (`games.common.policy`), because
# middleware asks for the user before a view is known, the health checks must not read a session for it, and most of
# these views belong to Django and allauth. `tests/permissions` compares them with the table.
PREFIXES_AS_ADMIN: Final = ("/admin/", "/support/", "/accounts/logout/", "/health/", "/static/", "/api/v1/admin/")


def begin_impersonation(*, admin: User, user: User, reason: str) -> ImpersonationSession:
    """Let `admin` see what `user` sees, for half an hour; one such session at a time.

    Raises as `sanctions.check_may` does.
    """
    check_may(admin, user)
    now = clock.now()
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=admin.pk)
        active_impersonations(admin).update(ended_at=now)
        return ImpersonationSession.objects.create(
            admin=admin, user=user, reason=reason, created=now, until=now + IMPERSONATION_DURATION
        )


def active_impersonations(admin: User) -> QuerySet[ImpersonationSession]:
    """Return the sessions of `admin` that are not over."""
    return ImpersonationSession.objects.filter(admin=admin, ended_at=None, until__gt=clock.now())


def end_impersonation(admin: User) -> bool:
    """End an admin's impersonation; return whether there was one."""
    return active_impersonations(admin).update(ended_at=clock.now()) > 0


def delete_old_impersonations() -> int:
    """Delete records that are more than a year old; return how many sessions."""
    return ImpersonationSession.objects.filter(created__lt=clock.now() - IMPERSONATION_RETENTION).delete()[0]


def impersonation_of(request: HttpRequest) -> ImpersonationSession | None:
    """Return the impersonation of `request`: the session's, or that of the header with an admin's token.

    Raises `DomainError` as `bearer.user_of_token` does, and no_support_view, bad_scope (403).
    """
    wanted = request.headers.get(IMPERSONATION_HEADER)
    if wanted is not None:
        return _of_token(request, wanted)
    pk = request.session.get(SESSION_KEY)
    admin = request.user
    if pk is None or not isinstance(admin, User) or not admin.is_staff:
        return None
    return _active_impersonation(admin, pk)


def _of_token(request: HttpRequest, wanted: str) -> ImpersonationSession:
    secret = tokens.secret_in(request.META.get("HTTP_AUTHORIZATION", ""))
    if secret is None:
        raise DomainError(403, "no_support_view", _("Send an admin’s token with the request."))
    address = request.META.get("REMOTE_ADDR", "")
    admin, token = bearer.user_of_token(secret, view_at(request.path_info), request.method or "", address)
    if "admin" not in token.scopes:
        raise DomainError(403, "bad_scope", _('This needs a token with the scope "admin".'), scope="admin")
    found = _active_impersonation(admin, int(wanted)) if wanted.isdecimal() and len(wanted) < 16 else None
    if found is None or not admin.is_staff:
        raise DomainError(403, "no_support_view", _("You have no such support view, or it has ended."))
    return found


def _active_impersonation(admin: User, pk: int) -> ImpersonationSession | None:
    return active_impersonations(admin).select_related("user__player").filter(pk=pk).first()


class ImpersonationMiddleware:
    """Makes the impersonated person the user of an admin's request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(PREFIXES_AS_ADMIN):
            return self.get_response(request)
        try:
            view = impersonation_of(request)
        except DomainError as error:
            return refusal_response(request, error)
        if view is None:
            if request.path.startswith(API_ROOT):  # it shows no messages; the next page does
                return self.get_response(request)
            if request.session.pop(SESSION_KEY, None) is not None:
                messages.info(request, _("The support view has ended. You see your own pages again."))
            return self.get_response(request)
        return self.looked(request, view)

    def looked(self, request: HttpRequest, view: ImpersonationSession) -> HttpResponse:
        """Return what the person of `view` would see. Nothing that it writes is stored."""
        ImpersonationPageView.objects.create(view=view, path=request.get_full_path()[:200], at=clock.now())
        acting.mark_impersonated(view.user)
        request.user, request.impersonation = view.user, view  # type: ignore[attr-defined]
        with transaction.atomic():
            response = self.get_response(request)
            transaction.set_rollback(True)
        response["Cache-Control"] = "private, no-store"
        return response

    def process_view(self, request: HttpRequest, view: ViewFunction, *_of_view: Any) -> HttpResponse | None:
        """Refuse requests that change something, and pages with secrets."""
        if getattr(request, "impersonation", None) is None:
            return None
        if request.method not in SAFE_METHODS:
            sentence = _("You cannot change anything in a support view. End the view first.")
            return refusal_response(request, DomainError(403, "only_looking", sentence))
        if not stated(view, "GET", "visible_in_impersonation", False):
            sentence = _("This page is private, so a support view does not show it.")
            return refusal_response(request, DomainError(403, "not_shown", sentence))
        return None


def refusal_response(request: HttpRequest, error: DomainError) -> HttpResponse:
    """Return the refusal as a page or, under /api/, as an error of the API."""
    if request.path.startswith("/api/"):
        body = {"status": error.status, "code": error.code, "sentence": error.sentence, **error.extra}
        return JsonResponse({"error": body}, status=error.status)
    context = {"sentence": error.sentence, "support": getattr(request, "impersonation", None)}
    return render(request, "moderation/not_shown.html", context, status=error.status)


def enter_impersonation(request: HttpRequest, view: ImpersonationSession) -> HttpResponse:
    """Begin impersonation in this browser, and go to the person's first page."""
    request.session[SESSION_KEY] = view.pk
    return redirect("my-games")
