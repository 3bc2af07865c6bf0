"""The addresses of seasons as files, for config.api_router."""

from __future__ import annotations

from django.urls import path

from tournaments.files import api

api_urlpatterns = [
    path("seasons/import/", api.ImportView.as_view(), name="api-season-import"),
    path("seasons/<int:season_id>/export/", api.ExportView.as_view(), name="api-season-export"),
]
