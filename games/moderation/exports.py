"""What an admin can fetch for an hour after an action: a person's data, a password link, an impersonation."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from rest_framework.utils.encoders import JSONEncoder

from games.accounts.export import account_data
from games.admin_actions.models import AdminAction
from games.common import clock
from games.moderation import account_recovery, impersonation

ACTION_VALID_FOR: Final = timedelta(hours=1)


def as_file(user: User) -> HttpResponse:
    """Return all that the platform stores about `user`, as a file."""
    text = json.dumps(account_data(user), cls=JSONEncoder, ensure_ascii=False, indent=2)
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="scorebook.json"'
    return response


def _admin(request: HttpRequest) -> User:
    """Return the admin of the request. Raises Http404 for anybody else, who need not know of these addresses."""
    if not isinstance(request.user, User) or not admin.site.has_permission(request):
        raise Http404(_("There is nothing at this address."))
    return request.user


def _allowed(request: HttpRequest, pk: int, action: str) -> User:
    """Return the person with this number, to whom the admin has done `action` within the last hour. Raises Http404."""
    by = _admin(request)
    user = get_object_or_404(User, pk=pk)
    recent_actions = AdminAction.objects.filter(
        by=by, action=action, target_id=str(user.pk), at__gt=clock.now() - ACTION_VALID_FOR
    )
    if not recent_actions.exists():
        raise Http404(_("Use the admin action that leads here and give a reason. It is valid for one hour."))
    return user


@never_cache
def download(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the data of a person (`export_person`)."""
    return as_file(_allowed(request, pk, "export_person"))


@never_cache
def password_link_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the link by which a person chooses a password, which the admin passes on (`new_password`)."""
    user = _allowed(request, pk, "new_password")
    if user.has_usable_password():
        raise Http404(_("The link has been used to choose a password."))
    link = settings.SCOREBOOK_BASE_URL + account_recovery.link_for(user)
    return render(request, "moderation/new_password.html", {"person": user, "link": link})


@never_cache
def impersonation_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether to begin impersonation, and begin it in this browser on POST."""
    by = _admin(request)
    view = get_object_or_404(impersonation.active_impersonations(by).select_related("user__player"), pk=pk)
    if request.method == "POST":
        return impersonation.enter_impersonation(request, view)
    return render(request, "moderation/impersonate.html", {"view": view})
