"""The addresses of agreed times and calendars: pages and, for config.api_router, the API."""

from __future__ import annotations

from django.urls import path, re_path

from tournaments.calendar import api as calendar_api
from tournaments.calendar import feeds
from tournaments.calendar import views as calendar_views

page_urlpatterns = [
    path("me/calendar/", calendar_views.my_calendar, name="me-calendar"),
    path("clubs/<slug:club>/calendar.ics", feeds.club_feed, name="club-calendar-feed"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/calendar.ics", feeds.season_feed, name="season-calendar-feed"),
    path("players/<int:player_id>/calendar.ics", feeds.player_feed, name="player-calendar-feed"),
    re_path(
        r"^calendar/(?P<secret>[\w-]{20,60})/(?P<rest>[\w/-]{2,200}\.ics)$", feeds.secret_feed, name="calendar-secret"
    ),
]

api_urlpatterns = [
    path("matches/<int:match_id>/times/", calendar_api.TimesView.as_view(), name="api-match-times"),
    path(
        "matches/<int:match_id>/times/<int:proposal_id>/",
        calendar_api.ProposalView.as_view(),
        name="api-match-proposal",
    ),
    path(
        "matches/<int:match_id>/times/<int:proposal_id>/accept/",
        calendar_api.AcceptView.as_view(),
        name="api-match-accept",
    ),
    path(
        "matches/<int:match_id>/times/<int:proposal_id>/decline/",
        calendar_api.DeclineView.as_view(),
        name="api-match-decline",
    ),
    path("me/matches/", calendar_api.MyMatchesView.as_view(), name="api-my-matches"),
    path("me/calendar/", calendar_api.MyCalendarView.as_view(), name="api-my-calendar"),
]
