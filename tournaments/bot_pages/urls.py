"""The addresses of bots in the API that know of ratings and results; config.urls puts them under /api/v1/."""

from __future__ import annotations

from django.urls import path

from tournaments.bot_pages import api

api_urlpatterns = [
    path("bots/<str:name>/results/", api.BotResultsView.as_view(), name="api-bot-results"),
    path("bots/<str:name>/ratings/", api.BotRatingsView.as_view(), name="api-bot-ratings"),
    path("bots/<str:name>/analysis/", api.BotAnalysisView.as_view(), name="api-bot-analysis"),
]
