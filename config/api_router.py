"""The addresses of the API, version 1, collected from the apps."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from django.urls import include, path
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.routers import APIRootView, DefaultRouter

from config.admin_site import actions as admin_action_views
from config.http.schema_lock import one_thread_at_a_time
from config.monitoring import dashboard
from games.accounts import token_api
from games.accounts.push import api as push
from games.bots import api as bots_api
from games.bots.remote import api as remote
from games.lobby import api as lobby
from games.lobby import seek_api
from games.play import api as games
from tournaments import api as tournaments
from tournaments.clubs import api as clubs
from tournaments.ratings import api as ratings
from tournaments.webhooks import api as webhooks


@cache
@one_thread_at_a_time()
def schema_document() -> dict[str, Any]:
    """Return the OpenAPI document, the same for everybody and in English; generating it takes a second."""
    with translation.override(settings.LANGUAGE_CODE):
        made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return made


class CachedSchemaGenerator(SchemaGenerator):
    """Generates the document once for each process."""

    def get_schema(self, request: Any = None, public: bool = False) -> dict[str, Any]:
        return schema_document()


class ApiRootView(APIRootView):
    """What there is, by its first addresses."""

    remote_bots = "read"
    visible_in_impersonation = False
    any_parameters = True


class DocumentView(SpectacularAPIView):
    """The OpenAPI document."""

    remote_bots = "read"
    visible_in_impersonation = False
    any_parameters = True


class DocumentPage(SpectacularSwaggerSplitView):
    """The OpenAPI document as a page."""

    remote_bots = "nothing"
    visible_in_impersonation = False
    any_parameters = True


router = DefaultRouter()
router.APIRootView = ApiRootView
router.include_format_suffixes = False  # each address once, because the permission table lists it once
router.register("kinds", games.KindViewSet, "api-kind")
router.register("tables", lobby.TableViewSet, "api-table")
router.register("bots", bots_api.BotViewSet, "api-bot")
router.register("games", tournaments.SeasonGameViewSet, "api-game")
router.register("players", games.PlayerViewSet, "api-player")
router.register("me/vacations", games.VacationViewSet, "api-vacation")
router.register("me/tokens", token_api.TokenViewSet, "api-token")
router.register("me/push-devices", push.PushDeviceViewSet, "api-push-device")
router.register("me/webhooks", webhooks.MyWebhookViewSet, "api-my-webhook")
router.register(r"clubs/(?P<club>[-\w]+)/webhooks", webhooks.ClubWebhookViewSet, "api-club-webhook")
router.register("remote-bots", remote.RemoteBotViewSet, "api-remote-bot")
router.register("clubs", tournaments.ClubViewSet, "api-club")
router.register("club-invitations", clubs.ClubInvitationViewSet, "api-club-invitation")
router.register("seasons", tournaments.SeasonViewSet, "api-season")
router.register("matches", tournaments.MatchViewSet, "api-match")
router.register("rating-pools", ratings.RatingPoolViewSet, "api-rating-pool")
router.register("ratings", ratings.RatingViewSet, "api-rating")

urlpatterns = [
    path("", include(router.urls)),
    path("admin/actions/", admin_action_views.AdminActionsView.as_view(), name="api-admin-actions"),
    path("admin/action-kinds/", admin_action_views.AdminActionKindsView.as_view(), name="api-admin-action-kinds"),
    path("seek/", seek_api.SeekView.as_view(), name="api-seek"),
    path("seek/bot/", seek_api.SeekBotView.as_view(), name="api-seek-bot"),
    path("status/", dashboard.StatusView.as_view(), name="api-status"),
    path("schema/", DocumentView.as_view(generator_class=CachedSchemaGenerator), name="api-schema"),
    path(
        "docs/",
        DocumentPage.as_view(
            url_name="api-schema",
            template_name="config/api_docs.html",
            authentication_classes=[],  # a page for everybody, which could not tell a program why its token is invalid
        ),
        name="api-docs",
    ),
]
