"""The admin's dashboard, as a page of the admin and as one operation of the API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.utils.formats import number_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.admin_site.access import IsAdmin
from config.monitoring import alerts, platform_conditions
from config.monitoring.sparkline import bars
from config.monitoring.status_api import StatusSerializer
from games.admin_actions import registry as admin_actions
from games.operations.daily_counts import DayCount
from tournaments.maintenance import status as league_status


@dataclass(frozen=True)
class Chart:
    """A chart of days: its title, yesterday's figure, the picture, and all figures for readers who do not see it."""

    title: str
    yesterday: str
    picture: SafeString
    figures: list[tuple[DayCount, str]]


def dashboard_page(request: HttpRequest) -> HttpResponse:
    """Show what runs, what waits and what is wrong, with actions. The page refreshes itself every few seconds."""
    template = "maintenance/dashboard_part.html" if request.headers.get("HX-Request") else "maintenance/dashboard.html"
    now = league_status.collect_status()
    shown = {
        "condition": now,
        "alerts": alerts.all_alerts(now),
        "charts": charts(now.days),
        "waiting_oldest": min((each.oldest for each in now.waiting_for), default=None),
        "sandboxes": [worker for worker in now.workers if worker.alive and worker.tier],
        "serving": platform_conditions.workers_by_queue(now),
        "late": [queue for queue in now.queues if queue.place == "due" and queue.waiting],
        "causes": sorted(now.causes.items(), key=lambda item: -item[1]),
        "faults_in_all": sum(fault.times for fault in now.faults) + sum(now.causes.values()),
        "platform_actions": admin_actions.links(None, request.user),
        "key": uuid4().hex,
    }
    return render(request, template, {**admin.site.each_context(request), **shown})


def charts(days: Sequence[DayCount]) -> list[Chart]:
    """Return the charts of games, sign-ups, uploads and log growth per day."""
    return [
        _chart(_("Games per day"), days, [day.games for day in days], number_format),
        _chart(_("Sign-ups per day"), days, [day.sign_ups for day in days], number_format),
        _chart(_("Uploads per day"), days, [day.uploads for day in days], number_format),
        _chart(_("Log growth per day"), days, [day.log_growth for day in days], filesizeformat),
    ]


def _chart(title: str, days: Sequence[DayCount], values: Sequence[int | None], words: Any) -> Chart:
    labels = [str(words(value)) if value is not None else "–" for value in values]
    yesterday = _("yesterday {figure}").format(figure=labels[-2]) if len(labels) > 1 else _("counted from today")
    # It has numbers only, nothing that a user wrote.
    return Chart(title, yesterday, mark_safe(bars(values)), list(zip(days, labels, strict=True)))  # noqa: S308


class StatusView(APIView):
    """How the platform is doing; for admins."""

    read_scope = "admin"
    remote_bots = "nothing"
    visible_in_impersonation = False

    permission_classes = [IsAdmin]

    @extend_schema(responses=StatusSerializer)
    def get(self, request: Request) -> Response:
        """The platform's problems with the action for each; games playing, waiting and stuck, with reasons; queues,
        workers, faults, emails, daily counts and the latest actions of admins."""
        now = league_status.collect_status()
        return Response(StatusSerializer({**vars(now), "alerts": alerts.all_alerts(now)}).data)
