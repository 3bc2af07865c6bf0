"""All addresses of Scorebook, by the app that answers them."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from config import logs
from config.admin_site import access, search
from config.admin_site import actions as admin_action_views
from config.docs import documents
from config.http import health, robots, service_worker, time_zone, words
from config.monitoring import dashboard
from config.monitoring import metrics as operations_metrics
from games.accounts import urls as accounts
from games.accounts import vacation_views as clock_views
from games.bots.remote import urls as remote
from games.lobby import urls as lobby
from games.moderation import urls as moderation
from games.talk import urls as talk
from replays import urls as replays
from tournaments.bot_pages import urls as bots
from tournaments.calendar import urls as dates
from tournaments.commentary import urls as commentary
from tournaments.importexport import urls as files
from tournaments.organiser import urls as organiser_urls

access.guard_admin()

urlpatterns = [
    path("health/live/", health.live, name="health-live"),
    path("health/ready/", health.ready, name="health-ready"),
    path("robots.txt", robots.robots, name="robots"),
    path("service-worker.js", service_worker.service_worker, name="service-worker"),
    path("metrics", operations_metrics.metrics_page, name="metrics"),
    path("admin/dashboard/", admin.site.admin_view(dashboard.dashboard_page), name="dashboard"),
    path("admin/find/", admin.site.admin_view(search.search_page), name="admin-find"),
    path("admin/do/<slug:code>/", admin.site.admin_view(admin_action_views.action_page), name="admin-do"),
    path("admin/do/<slug:code>/<path:target>/", admin.site.admin_view(admin_action_views.action_page), name="admin-do"),
    path("admin/", admin.site.urls),
    path("api/v1/", include(files.api_urlpatterns)),
    path("api/v1/", include("config.api_router")),
    path("api/v1/", include(accounts.api_urlpatterns)),
    path("api/v1/", include(moderation.api_urlpatterns)),
    path("api/v1/", include(talk.api_urlpatterns)),
    path("api/v1/", include(organiser_urls.api_urlpatterns)),
    path("api/v1/", include(replays.api_urlpatterns)),
    path("api/v1/", include(dates.api_urlpatterns)),
    path("api/v1/", include(bots.api_urlpatterns)),
    path("api/v1/", include(commentary.api_urlpatterns)),
    path("", include(accounts.page_urlpatterns)),
    path("", include(moderation.page_urlpatterns)),
    path("", include(talk.page_urlpatterns)),
    path("", include(lobby.page_urlpatterns)),
    path("", include(remote.page_urlpatterns)),
    path("accounts/", include("allauth.urls")),
    path("words/<slug:language>/<slug:version>.js", words.words, name="javascript-catalog"),
    path("zone/", time_zone.choose_zone, name="zone"),
    path("me/vacation/", clock_views.vacation, name="vacation"),
    path("me/vacation/<int:number>/end/", clock_views.end_vacation, name="end-vacation"),
    path("api/", require_safe(RedirectView.as_view(url="/help/reference/api/")), name="api"),
    path("learn/", documents.learn, name="learn"),
    path("help/", require_safe(RedirectView.as_view(pattern_name="learn"))),
    path("rules/", require_safe(RedirectView.as_view(pattern_name="learn"))),
    path("help/<path:name>/", documents.help_document, name="help-document"),
    path("help/<path:name>", documents.help_file, name="help-file"),
    path("games/<str:public_id>/check-in/", clock_views.check_in_page, name="check-in"),
    path("fairness/", documents.fairness, name="fairness"),
    path("rules/<slug:kind>/", documents.rules_page, name="rules"),
    path("", include("tournaments.urls")),
    path("", include(replays.page_urlpatterns)),
]

logs.mask_addresses(urlpatterns)

handler400 = "config.http.errors.bad_request"
handler404 = "config.http.errors.not_found"
handler429 = "config.http.errors.too_many_requests"  # allauth's
handler500 = "config.http.errors.server_error"
