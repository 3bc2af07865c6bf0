"""Health checks for supervisors and load balancers, without login or secrets."""

from __future__ import annotations

from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.http import errors as http_errors
from config.http.shutdown import drain
from scorebook_games import __version__, build


@never_cache
@require_safe
def live(_request: HttpRequest) -> JsonResponse:
    """Answer 200 while the process responds at all."""
    return JsonResponse({"status": "live"})


@never_cache
@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """Answer 200 if the database responds and has all tables that this code needs, and the process is not ending; else
    503 in the API's error form.

    The response has the version of Scorebook and the build of the engines (`scorebook_games.build`).
    """
    if drain.begun:
        return not_ready("ending", "This process is stopping. Ask another one.")
    try:
        executor = MigrationExecutor(connection)
        waiting = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except Error:
        return not_ready("database_unreachable", "The database does not answer. Start it, or correct its address.")
    if waiting:
        return not_ready(
            "migrations_waiting",
            f"{waiting} migrations have not been applied. Run `manage migrate` as the database's owner.",
        )
    return JsonResponse({"status": "ready", "version": __version__, "engines": build.current_build()})


def not_ready(code: str, sentence: str) -> JsonResponse:
    return JsonResponse(http_errors.error_body(503, code, sentence), status=503)
