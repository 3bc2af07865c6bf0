"""The addresses of the pages of remote bots."""

from __future__ import annotations

from django.urls import path

from games.remote import pages

page_urlpatterns = [
    path("me/remote-bots/", pages.bots, name="remote-bots"),
    path("me/remote-bots/<int:pk>/", pages.bot, name="remote-bot"),
]
