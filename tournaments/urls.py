"""The addresses of the pages of clubs, seasons, matches and players."""

from __future__ import annotations

from django.urls import path

from tournaments import pages

urlpatterns = [
    path("", pages.home, name="home"),
    path("watch/", pages.watch, name="watch"),
    path("clubs/", pages.club_list, name="club-list"),
    path("clubs/<slug:club>/", pages.club, name="club"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/", pages.season, name="season"),
    path("matches/<int:match_id>/", pages.match, name="match"),
    path("players/<int:player_id>/", pages.player, name="player"),
]
