"""The addresses of moderation: pages for people and, for the API, their part of it."""

from __future__ import annotations

from django.urls import path

from games.moderation import api, exports, pages

page_urlpatterns = [
    path("report/<slug:target>/<int:pk>/", pages.report, name="report"),
    path("me/conduct/", pages.conduct, name="me-conduct"),
    path("banned/<str:token>/", pages.object_to_ban, name="ban-object"),
    path("support/end/", pages.end_support, name="support-end"),
    path("support/export/<int:pk>/", exports.download, name="support-export"),
    path("support/password/<int:pk>/", exports.new_password, name="support-password"),
    path("support/look/<int:pk>/", exports.look, name="support-look"),
]

api_urlpatterns = [
    path("reports/", api.ReportsView.as_view(), name="api-report-list"),
    path("me/conduct/", api.ConductView.as_view(), name="api-conduct"),
    path("me/conduct/<int:pk>/read/", api.ReadView.as_view(), name="api-conduct-read"),
    path("me/conduct/<int:pk>/object/", api.ObjectView.as_view(), name="api-conduct-object"),
]
