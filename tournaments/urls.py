"""The addresses of the pages of clubs, seasons, matches and players."""

from __future__ import annotations

from django.urls import path

from tournaments import corrections_pages, pages, setup_pages, step_pages, workshop_pages
from tournaments.clubs import owner_pages
from tournaments.clubs import pages as club_pages
from tournaments.clubs.gate import for_members
from tournaments.dates import urls as dates
from tournaments.desk import urls as desk
from tournaments.files import pages as files
from tournaments.webhooks import urls as webhooks

SEASON = "clubs/<slug:club>/<slug:league>/<slug:season>/"
MATCH = "matches/<int:match_id>/"

urlpatterns = [
    *dates.page_urlpatterns,
    path("", pages.home, name="home"),
    path("watch/", pages.watch, name="watch"),
    path("clubs/", club_pages.club_list, name="club-list"),
    path("new-club/", club_pages.new, name="club-new"),
    path("clubs/<slug:club>/", club_pages.club, name="club"),
    path("clubs/<slug:club>/news/", club_pages.news_page, name="club-news"),
    path("clubs/<slug:club>/change-news/", club_pages.change_news, name="club-change-news"),
    path("clubs/<slug:club>/calendar/", club_pages.calendar_page, name="club-calendar"),
    path("clubs/<slug:club>/members/", club_pages.members_page, name="club-members"),
    path("clubs/<slug:club>/remove-member/", club_pages.remove_member, name="club-remove-member"),
    path("clubs/<slug:club>/join/", club_pages.join, name="club-join"),
    path("clubs/<slug:club>/leave/", club_pages.leave, name="club-leave"),
    path("clubs/<slug:club>/log/", club_pages.log, name="club-log"),
    path("clubs/<slug:club>/settings/", owner_pages.settings_page, name="club-settings"),
    path("clubs/<slug:club>/invitations/", owner_pages.invitations_page, name="club-invitations"),
    path("clubs/<slug:club>/transfer/", owner_pages.transfer_page, name="club-transfer"),
    path("clubs/<slug:club>/archive/", owner_pages.archive, name="club-archive"),
    path("invitations/<str:token>/", owner_pages.invitation, name="invitation"),
    path("my-invitations/<int:pk>/", owner_pages.own_invitation, name="own-invitation"),
    *desk.page_urlpatterns,
    *webhooks.page_urlpatterns,
    path("clubs/<slug:club>/<slug:league>/<slug:season>/", pages.season, name="season"),
    path("clubs/<slug:club>/new-season/", setup_pages.new, name="season-new"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/step/", step_pages.step, name="season-step"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/change/", setup_pages.edit, name="season-change"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/start/", setup_pages.start, name="season-start"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/join/", setup_pages.join, name="season-join"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/remove/", setup_pages.remove, name="season-remove"),
    path("clubs/<slug:club>/import-season/", files.import_season, name="season-import"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/export/", files.export, name="season-export"),
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
    path(f"{SEASON}decisions/", corrections_pages.audit, name="season-decisions"),
    path(f"{SEASON}undo-round/", corrections_pages.undo_round, name="season-undo-round"),
    path(f"{SEASON}pair-anew/", corrections_pages.pair_anew, name="season-pair-anew"),
    path(f"{MATCH}decide/", corrections_pages.decide, name="match-decide"),
    path(f"{MATCH}games/<int:number>/annul/", corrections_pages.annul, name="match-annul"),
    path(f"{MATCH}games/<int:number>/replay/", corrections_pages.replay, name="match-replay"),
    path(f"{MATCH}dispute/", corrections_pages.dispute, name="match-dispute"),
    path(f"{MATCH}disputes/<int:dispute_id>/decline/", corrections_pages.decline, name="dispute-decline"),
    path("ratings/", pages.leaderboards, name="ratings"),
    path("players/<int:player_id>/", pages.player, name="player"),
]

# A club that is closed to somebody is so with all that is below it, whoever adds an address here.
for each in urlpatterns:
    each.callback = for_members(each.callback)
