"""The addresses of the pages of clubs, seasons, matches and players."""

from __future__ import annotations

from django.urls import path

from tournaments import views as league_views
from tournaments.bots import views as bot_views
from tournaments.calendar import urls as dates
from tournaments.clubs import owner_views
from tournaments.clubs import views as club_pages
from tournaments.clubs.visibility import for_members
from tournaments.importexport import views as files
from tournaments.organiser import urls as desk
from tournaments.rulings import views as ruling_views
from tournaments.season_pages import setup_views, step_views
from tournaments.webhooks import urls as webhooks

SEASON = "clubs/<slug:club>/<slug:league>/<slug:season>/"
MATCH = "matches/<int:match_id>/"

urlpatterns = [
    *dates.page_urlpatterns,
    path("", league_views.home, name="home"),
    path("watch/", league_views.watch, name="watch"),
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
    path("clubs/<slug:club>/settings/", owner_views.settings_page, name="club-settings"),
    path("clubs/<slug:club>/invitations/", owner_views.invitations_page, name="club-invitations"),
    path("clubs/<slug:club>/transfer/", owner_views.transfer_page, name="club-transfer"),
    path("clubs/<slug:club>/archive/", owner_views.archive, name="club-archive"),
    path("invitations/<str:token>/", owner_views.invitation, name="invitation"),
    path("my-invitations/<int:pk>/", owner_views.own_invitation, name="own-invitation"),
    *desk.page_urlpatterns,
    *webhooks.page_urlpatterns,
    path("clubs/<slug:club>/<slug:league>/<slug:season>/", league_views.season, name="season"),
    path("clubs/<slug:club>/new-season/", setup_views.new, name="season-new"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/step/", step_views.step, name="season-step"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/change/", setup_views.edit, name="season-change"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/start/", setup_views.start, name="season-start"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/join/", setup_views.join, name="season-join"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/remove/", setup_views.remove, name="season-remove"),
    path("clubs/<slug:club>/import-season/", files.import_season, name="season-import"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/export/", files.export, name="season-export"),
    path("bots/", bot_views.bots, name="bots"),
    path("bots/new/", bot_views.new, name="bot-new"),
    path("bots/<str:name>/", bot_views.bot, name="bot"),
    path("bots/<str:name>/upload/", bot_views.upload, name="bot-upload"),
    path("bots/<str:name>/change/", bot_views.change, name="bot-change"),
    path("bots/<str:name>/challenge/", bot_views.challenge, name="bot-challenge"),
    path("bots/<str:name>/compare/", bot_views.compare, name="bot-compare"),
    path("bots/<str:name>/v<int:number>/play/", bot_views.play, name="bot-play"),
    path("bots/<str:name>/again/<int:pk>/", bot_views.again, name="bot-again"),
    path("bots/<str:name>/v<int:number>/source/", bot_views.source, name="bot-source"),
    path("matches/<int:match_id>/", league_views.match, name="match"),
    path(f"{SEASON}decisions/", ruling_views.audit, name="season-decisions"),
    path(f"{SEASON}undo-round/", ruling_views.undo_round, name="season-undo-round"),
    path(f"{SEASON}pair-anew/", ruling_views.pair_anew, name="season-pair-anew"),
    path(f"{MATCH}decide/", ruling_views.decide, name="match-decide"),
    path(f"{MATCH}games/<int:number>/annul/", ruling_views.annul, name="match-annul"),
    path(f"{MATCH}games/<int:number>/replay/", ruling_views.replay, name="match-replay"),
    path(f"{MATCH}dispute/", ruling_views.dispute, name="match-dispute"),
    path(f"{MATCH}disputes/<int:dispute_id>/decline/", ruling_views.decline, name="dispute-decline"),
    path("ratings/", league_views.leaderboards, name="ratings"),
    path("players/<int:player_id>/", league_views.player, name="player"),
]

# A club that is closed to somebody is so with all that is below it, whoever adds an address here.
for each in urlpatterns:
    each.callback = for_members(each.callback)
