"""The addresses of the desk and of a person's own seasons: pages and, for config.urls, the API."""

from __future__ import annotations

from django.urls import path

from tournaments.organiser import api as organiser_api
from tournaments.organiser import my_views
from tournaments.organiser import views as organiser_views

page_urlpatterns = [
    path("desk/", organiser_views.desk, name="desk"),
    path("clubs/<slug:club>/desk/", organiser_views.club_desk, name="club-desk"),
    path("clubs/<slug:club>/desk-log/", organiser_views.club_done, name="club-desk-log"),
    path("me/seasons/", my_views.seasons, name="my-seasons"),
]

api_urlpatterns = [
    path("desk/", organiser_api.DeskView.as_view(), name="api-desk"),
    path("desk-next/", organiser_api.NextView.as_view(), name="api-desk-next"),
    path("clubs/<slug:club>/desk/", organiser_api.ClubDeskView.as_view(), name="api-club-desk"),
    path("clubs/<slug:club>/desk-next/", organiser_api.ClubNextView.as_view(), name="api-club-desk-next"),
    path("clubs/<slug:club>/desk-log/", organiser_api.ClubDoneView.as_view(), name="api-club-desk-log"),
    path("matches/<int:match_id>/nudge/", organiser_api.NudgeView.as_view(), name="api-match-nudge"),
    path("me/seasons/", organiser_api.MySeasonsView.as_view(), name="api-my-seasons"),
]
