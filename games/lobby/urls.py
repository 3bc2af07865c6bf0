"""The addresses of the lobby."""

from __future__ import annotations

from django.urls import path, re_path

from games.lobby import views as lobby_views

page_urlpatterns = [
    path("play/", lobby_views.play_page, name="play"),
    path("play/now/", lobby_views.play_now, name="play-now"),
    path("play/seek/", lobby_views.seek_page, name="seek"),
    path("play/<str:token>/", lobby_views.table_page, name="open-table"),
    path("games/<str:public_id>/again/", lobby_views.play_again, name="play-again"),
    re_path(
        r"^play/(?P<token>[^/]+)/(?P<what>sit|leave|decline|close|fill|ready)/$",
        lobby_views.table_action,
        name="open-table-act",
    ),
]
