"""The addresses of the pages of clubs, seasons, matches and players."""

from __future__ import annotations

from django.urls import path

from tournaments import pages, setup_pages, workshop_pages

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
    path("bots/", workshop_pages.bots, name="bots"),
    path("bots/new/", workshop_pages.new, name="bot-new"),
    path("bots/<str:name>/", workshop_pages.bot, name="bot"),
    path("bots/<str:name>/upload/", workshop_pages.upload, name="bot-upload"),
    path("bots/<str:name>/change/", workshop_pages.change, name="bot-change"),
    path("bots/<str:name>/challenge/", workshop_pages.challenge, name="bot-challenge"),
    path("bots/<str:name>/compare/", workshop_pages.compare, name="bot-compare"),
    path("bots/<str:name>/v<int:number>/play/", workshop_pages.play, name="bot-play"),
    path("bots/<str:name>/again/<int:pk>/", workshop_pages.again, name="bot-again"),
    path("bots/<str:name>/v<int:number>/source/", workshop_pages.source, name="bot-source"),
    path("matches/<int:match_id>/", pages.match, name="match"),
    path("ratings/", pages.leaderboards, name="ratings"),
    path("players/<int:player_id>/", pages.player, name="player"),
]
