"""The addresses of webhooks: pages."""

from __future__ import annotations

from django.urls import path

from tournaments.webhooks import pages

page_urlpatterns = [
    path("me/webhooks/", pages.of_mine, name="my-webhooks"),
    path("me/webhooks/<int:pk>/", pages.one_of_mine, name="my-webhook"),
    path("clubs/<slug:club>/webhooks/", pages.of_club, name="club-webhooks"),
    path("clubs/<slug:club>/webhooks/<int:pk>/", pages.one_of_club, name="club-webhook"),
]
