"""The addresses of agreed times and calendars: pages and, for config.api_router, the API."""

from __future__ import annotations

from django.urls import path, re_path

from tournaments.dates import api, feeds, pages

page_urlpatterns = [
    path("matches/<int:match_id>/times/", pages.times, name="match-times"),
    path("me/calendar/", pages.calendar, name="me-calendar"),
    path("clubs/<slug:club>/calendar.ics", feeds.of_club, name="club-calendar-feed"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/calendar.ics", feeds.of_season, name="season-calendar-feed"),
    path("players/<int:player_id>/calendar.ics", feeds.of_player, name="player-calendar-feed"),
    re_path(r"^calendar/(?P<secret>[\w-]{20,60})/(?P<rest>[\w/-]{2,200}\.ics)$", feeds.secret, name="calendar-secret"),
]

api_urlpatterns = [
    path("matches/<int:match_id>/times/", api.TimesView.as_view(), name="api-match-times"),
    path("matches/<int:match_id>/times/<int:proposal_id>/", api.ProposalView.as_view(), name="api-match-proposal"),
    path("matches/<int:match_id>/times/<int:proposal_id>/accept/", api.AcceptView.as_view(), name="api-match-accept"),
    path(
        "matches/<int:match_id>/times/<int:proposal_id>/decline/", api.DeclineView.as_view(), name="api-match-decline"
    ),
    path("me/matches/", api.MyMatchesView.as_view(), name="api-my-matches"),
    path("me/calendar/", api.MyCalendarView.as_view(), name="api-my-calendar"),
]
