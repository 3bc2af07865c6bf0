"""API addresses for exporting and importing seasons; included by `config.api_router`."""

from __future__ import annotations

from django.urls import path

from tournaments.importexport import api as importexport_api

api_urlpatterns = [
    path("seasons/import/", importexport_api.ImportView.as_view(), name="api-season-import"),
    path("seasons/<int:season_id>/export/", importexport_api.SeasonExportView.as_view(), name="api-season-export"),
]
