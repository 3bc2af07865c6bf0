"""Addresses of the inbox and of a person's own seasons: the pages, and the API for `config.urls`."""

from __future__ import annotations

from django.urls import path

from tournaments.organiser import api as organiser_api
from tournaments.organiser import my_views
from tournaments.organiser import views as organiser_views

page_urlpatterns = [
    path("inbox/", organiser_views.inbox_page, name="inbox"),
    path("clubs/<slug:club>/inbox/", organiser_views.club_inbox_page, name="club-inbox"),
    path("clubs/<slug:club>/audit-log/", organiser_views.club_audit_log, name="club-audit-log"),
    path("me/seasons/", my_views.my_seasons_page, name="my-seasons"),
]

api_urlpatterns = [
    path("inbox/", organiser_api.InboxView.as_view(), name="api-inbox"),
    path("upcoming/", organiser_api.UpcomingView.as_view(), name="api-upcoming"),
    path("clubs/<slug:club>/inbox/", organiser_api.ClubInboxView.as_view(), name="api-club-inbox"),
    path("clubs/<slug:club>/upcoming/", organiser_api.ClubUpcomingView.as_view(), name="api-club-upcoming"),
    path("clubs/<slug:club>/audit-log/", organiser_api.ClubAuditLogView.as_view(), name="api-club-audit-log"),
    path("matches/<int:match_id>/nudge/", organiser_api.NudgeView.as_view(), name="api-match-nudge"),
    path("me/seasons/", organiser_api.MySeasonsView.as_view(), name="api-my-seasons"),
]
