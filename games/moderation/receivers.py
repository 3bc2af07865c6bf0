"""The receivers of signals in moderation."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse

from games.moderation import reports, sanctions, views
from games.moderation.models import ImpersonationSession

VIEW_FIELDS = ("reason", "created", "until", "ended_at")


def data_of(sender: type[User], user: User, **_signal: Any) -> dict[str, Any]:  # noqa: ARG001
    """Return what `user` has reported, sanctions about them, and who has seen their pages in support."""
    return {
        "reports": [reports.report_data(each) for each in reports.reports_of(user)],
        "measures": [sanctions.sanction_data(each) for each in sanctions.sanctions_about(user)],
        "support_views": list(ImpersonationSession.objects.filter(user=user).values(*VIEW_FIELDS)),
    }


def page_of_ban(sender: type[User], request: HttpRequest, user: User, **_signal: Any) -> HttpResponse | None:  # noqa: ARG001
    """Return the page that says why `user` is banned; None if they are not banned."""
    return views.ban_response(request, user)
