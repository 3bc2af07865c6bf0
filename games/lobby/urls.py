"""The addresses of the ways to a game."""

from __future__ import annotations

from django.urls import path, re_path

from games.lobby import pages

page_urlpatterns = [
    path("play/", pages.play, name="play"),
    path("play/now/", pages.now, name="play-now"),
    path("play/<str:token>/", pages.open_table, name="open-table"),
    path("games/<str:public_id>/again/", pages.again, name="again"),
    re_path(r"^play/(?P<token>[^/]+)/(?P<what>sit|leave|decline|close|fill|ready)/$", pages.act, name="open-table-act"),
]
