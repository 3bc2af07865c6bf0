"""The addresses of a person's own pages and, for config.api_router, of their part of the API."""

from __future__ import annotations

from allauth.account import views as allauth_views
from django.urls import path

from games.accounts import api, shortcut_views, token_views
from games.accounts import views as account_views
from games.common.policy import policy

# Linked by allauth's emails.
for each in (allauth_views.confirm_email, allauth_views.password_reset_from_key):
    policy(secret_parameters=("key", "uidb36"))(each)

page_urlpatterns = [
    path("accounts/signup/", account_views.signup),  # before allauth's own, which turns guests away
    path("me/", account_views.profile_page, name="me"),
    path("me/turn/", account_views.my_turn, name="my-turn"),
    path("me/export/", account_views.export_page, name="me-export"),
    path("me/delete/", account_views.delete_account_page, name="me-delete"),
    path("me/tokens/", token_views.tokens_page, name="me-tokens"),
    path("me/tokens/<int:pk>/revoke/", token_views.revoke_page, name="me-token-revoke"),
    path("me/keep/", account_views.guest_signup, name="guest-signup"),
    path("shortcuts/", shortcut_views.shortcuts_page, name="shortcuts"),
    path("me/games/", account_views.my_games, name="my-games"),
    path("me/notices/", account_views.notice_list, name="notices"),
    path("me/notices/seen/", account_views.notices_seen, name="notices-seen"),
    path("me/notices/<int:pk>/", account_views.notice_open, name="notice-open"),
    path("me/notices/stop/<str:token>/", account_views.unsubscribe, name="notices-stop"),
]

api_urlpatterns = [
    path("me/", api.MeView.as_view(), name="api-me"),
    path("me/export/", api.AccountExportView.as_view(), name="api-me-export"),
    path("me/games/", api.MyGamesView.as_view(), name="api-my-games"),
    path("me/notices/", api.NoticesView.as_view(), name="api-notices"),
    path("me/notices/seen/", api.SeenView.as_view(), name="api-notices-seen"),
]
