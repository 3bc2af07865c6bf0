"""The addresses of commentators: pages and, for config.api_router, the API."""

from __future__ import annotations

from django.urls import path

from tournaments.commentary import api, views

page_urlpatterns = [
    path("clubs/<slug:club>/<slug:league>/<slug:season>/commentary/", views.address_page, name="season-commentary"),
    path("commentary/<str:secret>/", views.games_page, name="commentary-games"),
]

api_urlpatterns = [path("commentary/<str:secret>/", api.CommentaryGamesView.as_view(), name="api-commentary-games")]
