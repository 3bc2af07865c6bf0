"""The addresses of the pages of clubs, seasons, matches and players."""

from __future__ import annotations

from django.urls import path

from tournaments import pages, setup_pages

urlpatterns = [
    path("", pages.home, name="home"),
    path("watch/", pages.watch, name="watch"),
    path("clubs/", pages.club_list, name="club-list"),
    path("clubs/<slug:club>/", pages.club, name="club"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/", pages.season, name="season"),
    path("clubs/<slug:club>/new-season/", setup_pages.new, name="season-new"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/change/", setup_pages.edit, name="season-change"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/start/", setup_pages.start, name="season-start"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/join/", setup_pages.join, name="season-join"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/remove/", setup_pages.remove, name="season-remove"),
    path("matches/<int:match_id>/", pages.match, name="match"),
    path("players/<int:player_id>/", pages.player, name="player"),
]
