"""The addresses of the pages for remote bots."""

from __future__ import annotations

from django.urls import path

from games.bots.remote import views as remote_views

page_urlpatterns = [
    path("me/remote-bots/", remote_views.bot_list, name="remote-bots"),
    path("me/remote-bots/<int:pk>/", remote_views.bot_detail, name="remote-bot"),
]
