"""Addresses of the pages of clubs, seasons, matches, bots and players."""

from __future__ import annotations

from django.urls import path

from tournaments import link_pictures
from tournaments import views as league_views
from tournaments.bot_pages import lab
from tournaments.bot_pages import views as bot_views
from tournaments.calendar import urls as dates
from tournaments.club_pages import owner_views
from tournaments.club_pages import views as club_pages
from tournaments.clubs.visibility import members_only
from tournaments.commentary import urls as commentary
from tournaments.importexport import views as files
from tournaments.match_pages import views as match_views
from tournaments.organiser import urls as organiser_urls
from tournaments.rulings import views as ruling_views
from tournaments.season_pages import action_views, availability_views, setup_views, team_views
from tournaments.season_pages import views as season_views
from tournaments.webhooks import urls as webhooks

SEASON_PATH = "clubs/<slug:club>/<slug:league>/<slug:season>/"
MATCH_PATH = "matches/<int:match_id>/"

urlpatterns = [
    *dates.page_urlpatterns,
    path("", league_views.home, name="home"),
    path("watch/", league_views.live_games_page, name="watch"),
    path("clubs/", club_pages.club_list, name="club-list"),
    path("new-club/", club_pages.create_club, name="club-new"),
    path("clubs/<slug:club>/", club_pages.club_page, name="club"),
    path("clubs/<slug:club>/picture.png", link_pictures.club_picture, name="club-picture"),
    path("clubs/<slug:club>/news/", club_pages.posts_page, name="club-news"),
    path("clubs/<slug:club>/change-news/", club_pages.change_post, name="club-change-news"),
    path("clubs/<slug:club>/calendar/", club_pages.calendar_page, name="club-calendar"),
    path("clubs/<slug:club>/members/", club_pages.members_page, name="club-members"),
    path("clubs/<slug:club>/remove-member/", club_pages.remove_member, name="club-remove-member"),
    path("clubs/<slug:club>/join/", club_pages.join_page, name="club-join"),
    path("clubs/<slug:club>/leave/", club_pages.leave_page, name="club-leave"),
    path("clubs/<slug:club>/log/", club_pages.activity_page, name="club-log"),
    path("clubs/<slug:club>/settings/", owner_views.settings_page, name="club-settings"),
    path("clubs/<slug:club>/invitations/", owner_views.invitations_page, name="club-invitations"),
    path("clubs/<slug:club>/transfer/", owner_views.transfer_page, name="club-transfer"),
    path("clubs/<slug:club>/archive/", owner_views.archive_page, name="club-archive"),
    path("invitations/<str:token>/", owner_views.invitation_page, name="invitation"),
    path("my-invitations/<int:pk>/", owner_views.own_invitation, name="own-invitation"),
    *organiser_urls.page_urlpatterns,
    *webhooks.page_urlpatterns,
    *commentary.page_urlpatterns,
    path(SEASON_PATH, season_views.overview_page, name="season"),
    path(f"{SEASON_PATH}picture.png", link_pictures.season_picture, name="season-picture"),
    path(f"{SEASON_PATH}standings/", season_views.standings_page, name="season-standings"),
    path(f"{SEASON_PATH}rounds/", season_views.rounds_page, name="season-rounds"),
    path(f"{SEASON_PATH}hall/", season_views.hall_page, name="season-hall"),
    path(f"{SEASON_PATH}activity/", season_views.activity_page, name="season-activity"),
    path(f"{SEASON_PATH}settings/", season_views.settings_page, name="season-settings"),
    path("clubs/<slug:club>/new-season/", setup_views.create_season_page, name="season-new"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/step/", action_views.perform_action, name="season-step"),
    path(f"{SEASON_PATH}availability/", availability_views.grid_page, name="season-availability"),
    path("availability/<str:token>/", availability_views.link_page, name="availability-link"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/change/", setup_views.edit_season_page, name="season-change"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/start/", setup_views.start_season_page, name="season-start"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/join/", setup_views.enter_season_page, name="season-join"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/remove/", setup_views.cancel_season_page, name="season-remove"),
    path(f"{SEASON_PATH}register-team/", team_views.register_team_page, name="season-team-new"),
    path(f"{SEASON_PATH}teams/<int:number>/", team_views.team_page, name="season-team"),
    path(f"{SEASON_PATH}teams/<int:number>/picture.png", link_pictures.team_picture, name="season-team-picture"),
    path(f"{SEASON_PATH}teams/<int:number>/change/", team_views.change_team_page, name="season-team-change"),
    path(f"{SEASON_PATH}teams/<int:number>/leave/", team_views.leave_team_page, name="season-team-leave"),
    path(f"{MATCH_PATH}substitute/", ruling_views.substitute_page, name="match-substitute"),
    path(f"{MATCH_PATH}lineup/", team_views.lineup_page, name="match-lineup"),
    path("clubs/<slug:club>/import-season/", files.import_season_page, name="season-import"),
    path("clubs/<slug:club>/<slug:league>/<slug:season>/export/", files.export_season, name="season-export"),
    path("bots/", bot_views.bot_list, name="bots"),
    path("kit/<str:name>", bot_views.kit_file, name="kit"),
    path("bots/new/", bot_views.create_bot, name="bot-new"),
    path("bots/lab/", lab.lab, name="lab"),
    path("bots/lab/frame/", lab.frame, name="lab-frame"),
    path("bots/lab/starters/<slug:kind>/<slug:size>.py", lab.starter_file, name="lab-starter"),
    path("bots/<str:name>/", bot_views.bot_detail_page, name="bot"),
    path("bots/<str:name>/results/", bot_views.results_page, name="bot-results"),
    path("bots/<str:name>/analysis/", bot_views.analysis_page, name="bot-analysis"),
    path("bots/<str:name>/badge.svg", bot_views.badge, name="bot-badge"),
    path("bots/<str:name>/picture.png", link_pictures.bot_picture, name="bot-picture"),
    path("bots/<str:name>/upload/", bot_views.upload_version, name="bot-upload"),
    path("bots/<str:name>/change/", bot_views.edit_bot, name="bot-change"),
    path("bots/<str:name>/challenge/", bot_views.play_built_in_bots, name="bot-challenge"),
    path("bots/<str:name>/compare/", bot_views.compare, name="bot-compare"),
    path("bots/<str:name>/v<int:number>/play/", bot_views.choose_version, name="bot-play"),
    path("bots/<str:name>/again/<int:pk>/", bot_views.rerun_trial, name="bot-rerun-trial"),
    path("bots/<str:name>/v<int:number>/source/", bot_views.source, name="bot-source"),
    path("matches/<int:match_id>/", match_views.match_page, name="match"),
    path(f"{MATCH_PATH}picture.png", link_pictures.match_picture, name="match-picture"),
    path(f"{SEASON_PATH}decisions/", ruling_views.audit_page, name="season-rulings"),
    path(f"{SEASON_PATH}results/", ruling_views.results_page, name="season-results"),
    path(f"{SEASON_PATH}undo-round/", ruling_views.undo_round_page, name="season-undo-round"),
    path(f"{SEASON_PATH}pair-again/", ruling_views.pair_again_page, name="season-pair-again"),
    path(f"{MATCH_PATH}times/", match_views.match_times_page, name="match-times"),
    path(f"{MATCH_PATH}decide/", ruling_views.adjudicate_page, name="match-decide"),
    path(f"{MATCH_PATH}games/<int:number>/annul/", ruling_views.annul_page, name="match-annul"),
    path(f"{MATCH_PATH}games/<int:number>/replay/", ruling_views.replay_page, name="match-replay"),
    path(f"{MATCH_PATH}dispute/", ruling_views.dispute_page, name="match-dispute"),
    path(f"{MATCH_PATH}disputes/<int:dispute_id>/decline/", ruling_views.decline_page, name="dispute-decline"),
    path("ratings/", league_views.leaderboards, name="ratings"),
    path("players/<int:player_id>/picture.png", link_pictures.player_picture, name="player-picture"),
    path("players/<int:player_id>/", league_views.player_page, name="player"),
]

# Whoever may not see a club sees none of the pages below it, including those added later.
for urlpattern in urlpatterns:
    urlpattern.callback = members_only(urlpattern.callback)
