"""The addresses of a person's own pages and, for config.api_router, of their part of the API."""

from __future__ import annotations

from django.urls import path

from games.accounts import api, pages, token_pages

page_urlpatterns = [
    path("accounts/signup/", pages.signup),  # before allauth's own, which turns guests away
    path("me/", pages.me, name="me"),
    path("me/export/", pages.export, name="me-export"),
    path("me/delete/", pages.delete, name="me-delete"),
    path("me/tokens/", token_pages.tokens_page, name="me-tokens"),
    path("me/tokens/<int:pk>/revoke/", token_pages.revoke, name="me-token-revoke"),
    path("me/keep/", pages.keep, name="keep"),
    path("me/games/", pages.my_games, name="my-games"),
    path("me/notices/", pages.notice_list, name="notices"),
    path("me/notices/seen/", pages.notices_seen, name="notices-seen"),
    path("me/notices/<int:pk>/", pages.notice_open, name="notice-open"),
    path("me/notices/stop/<str:token>/", pages.notices_stop, name="notices-stop"),
]

api_urlpatterns = [
    path("me/", api.MeView.as_view(), name="api-me"),
    path("me/export/", api.ExportView.as_view(), name="api-me-export"),
    path("me/games/", api.MyGamesView.as_view(), name="api-my-games"),
    path("me/notices/", api.NoticesView.as_view(), name="api-notices"),
    path("me/notices/seen/", api.SeenView.as_view(), name="api-notices-seen"),
]
