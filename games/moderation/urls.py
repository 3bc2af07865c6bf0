"""The addresses of moderation: pages for people, and their part of the API."""

from __future__ import annotations

from django.urls import path

from games.moderation import api, exports
from games.moderation import views as moderation_views

page_urlpatterns = [
    path("report/<slug:target>/<int:pk>/", moderation_views.report_page, name="report"),
    path("me/conduct/", moderation_views.conduct_page, name="me-conduct"),
    path("banned/<str:token>/", moderation_views.object_to_ban, name="ban-object"),
    path("support/end/", moderation_views.end_impersonation_page, name="support-end"),
    path("support/export/<int:pk>/", exports.download, name="support-export"),
    path("support/password/<int:pk>/", exports.password_link_page, name="support-password"),
    path("support/look/<int:pk>/", exports.impersonation_page, name="impersonation"),
]

api_urlpatterns = [
    path("reports/", api.ReportsView.as_view(), name="api-report-list"),
    path("me/conduct/", api.ConductView.as_view(), name="api-conduct"),
    path("me/conduct/<int:pk>/read/", api.ReadView.as_view(), name="api-conduct-read"),
    path("me/conduct/<int:pk>/object/", api.ObjectView.as_view(), name="api-conduct-object"),
]
