"""Addresses of the pages of webhooks."""

from __future__ import annotations

from django.urls import path

from tournaments.webhooks import views as webhook_views

page_urlpatterns = [
    path("me/webhooks/", webhook_views.my_webhooks, name="my-webhooks"),
    path("me/webhooks/<int:pk>/", webhook_views.my_webhook, name="my-webhook"),
    path("clubs/<slug:club>/webhooks/", webhook_views.club_webhooks, name="club-webhooks"),
    path("clubs/<slug:club>/webhooks/<int:pk>/", webhook_views.club_webhook, name="club-webhook"),
]
