"""The admin's search field for anything: a game's id, a name, an address, a leaked token, a message's id.

Results come from the searches of the admin's lists, so they are as fast as those and respect the same permissions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from urllib.parse import urlencode

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import capfirst

from games.lobby.models import OpenTable
from games.models import Game
from scorebook_games.registry import KINDS

MAX_ROWS_PER_MODEL: Final = 5  # results of each sort; the list shows the rest
QUERY_MIN_LENGTH: Final = 2  # characters; fewer are in everything
QUERY_MAX_LENGTH: Final = 200
SEARCHED_MODELS: Final = (
    *("games.Game", "auth.User", "games.Player", "games.Bot", "games.BotVersion"),
    *("clubs.Club", "seasons.League", "seasons.Season", "seasons.Match", "seasons.Entrant"),
    *("lobby.OpenTable", "accounts.AccessToken", "webhooks.Webhook", "webhooks.Delivery", "clubs.Invitation"),
    *(
        "moderation.Report",
        "accounts.Sanction",
        "accounts.ReservedName",
        "common.Incident",
        "admin_actions.AdminAction",
        "workers.Worker",
    ),
)


@dataclass(frozen=True)
class SearchGroup:
    """The results of one sort: (admin page, name) of the first few, and the list with all of them."""

    title: str
    rows: Sequence[tuple[str, str]]
    listed: str
    more: bool


def search_all(request: HttpRequest, words: str) -> Iterator[SearchGroup]:
    """Return what matches `words`, by sort, as far as the admin of `request` may see it."""
    for label in SEARCHED_MODELS:
        model_admin: Any = admin.site.get_model_admin(apps.get_model(label))
        if not model_admin.has_view_permission(request):
            continue
        rows, doubled = model_admin.get_search_results(request, model_admin.get_queryset(request), words)
        hits = list(islice(rows.distinct() if doubled else rows, MAX_ROWS_PER_MODEL + 1))
        if hits:
            yield _search_group(model_admin.opts, hits, words)


def _search_group(opts: Any, rows: Sequence[Any], words: str) -> SearchGroup:
    path = f"admin:{opts.app_label}_{opts.model_name}"
    shown = [(reverse(f"{path}_change", args=[row.pk]), _row_name(row)) for row in rows[:MAX_ROWS_PER_MODEL]]
    listed = f"{reverse(f'{path}_changelist')}?{urlencode({'q': words})}"
    return SearchGroup(str(capfirst(opts.verbose_name_plural)), shown, listed, len(rows) > MAX_ROWS_PER_MODEL)


def _row_name(row: Any) -> str:
    """Return the name of a row; of a game or a table with the title of its kind: “Plates, game VYJ16T7J”."""
    return f"{KINDS[row.kind].spec.title}, {row}" if isinstance(row, Game | OpenTable) else str(row)


def search_page(request: HttpRequest) -> HttpResponse:
    """Show the results for `?q=`."""
    words = request.GET.get("q", "").replace("\0", "").strip()[:QUERY_MAX_LENGTH]
    found = list(search_all(request, words)) if len(words) >= QUERY_MIN_LENGTH else []
    context = {
        **admin.site.each_context(request),
        "words": words,
        "found": found,
        "short": len(words) < QUERY_MIN_LENGTH,
    }
    return render(request, "operations/find.html", context)
