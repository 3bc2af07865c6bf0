"""The addresses of the desk and of a person's own seasons: pages and, for config.urls, the API."""

from __future__ import annotations

from django.urls import path

from tournaments.desk import api, my_pages, pages

page_urlpatterns = [
    path("desk/", pages.desk, name="desk"),
    path("clubs/<slug:club>/desk/", pages.club_desk, name="club-desk"),
    path("clubs/<slug:club>/desk-log/", pages.club_done, name="club-desk-log"),
    path("me/seasons/", my_pages.seasons, name="my-seasons"),
]

api_urlpatterns = [
    path("desk/", api.DeskView.as_view(), name="api-desk"),
    path("desk-next/", api.NextView.as_view(), name="api-desk-next"),
    path("clubs/<slug:club>/desk/", api.ClubDeskView.as_view(), name="api-club-desk"),
    path("clubs/<slug:club>/desk-next/", api.ClubNextView.as_view(), name="api-club-desk-next"),
    path("clubs/<slug:club>/desk-log/", api.ClubDoneView.as_view(), name="api-club-desk-log"),
    path("matches/<int:match_id>/nudge/", api.NudgeView.as_view(), name="api-match-nudge"),
    path("me/seasons/", api.MySeasonsView.as_view(), name="api-my-seasons"),
]
