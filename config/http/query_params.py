"""Which parameters each address of the API reads: what it does not read is refused, and never silently ignored.

A misspelt filter would otherwise give a list that looks right. The table is that of the OpenAPI document, by the names
of the addresses; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from config.http.errors import error_body
from games.common.policy import API_ROOT

CURSOR_PARAMS: Final = ("cursor", "page_size")
PAGE_PARAMS: Final = ("page", "page_size")
COMMON_PARAMS: Final = frozenset({"format"})  # how REST framework is asked for another way of writing the same
UNCHECKED_NAMES: Final = frozenset({"api-schema", "api-docs", "api-root"})  # not ours
PARAMS_BY_URL_NAME: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        (
            "api-bot-comparisons",
            "api-bot-faults",
            "api-bot-versions",
            "api-club-events",
            "api-club-invitation-list",
            "api-club-invitations",
            "api-club-members",
            "api-club-news",
            "api-club-requests",
            "api-club-webhook-deliveries",
            "api-club-webhook-list",
            "api-conduct",
            "api-my-webhook-deliveries",
            "api-my-webhook-list",
            "api-notices",
            "api-player-list",
            "api-report-list",
            "api-season-entrants",
            "api-season-rounds",
            "api-season-standings",
            "api-season-strengths",
        ),
        CURSOR_PARAMS,
    ),
    **dict.fromkeys(("api-club-desk", "api-club-desk-next", "api-desk", "api-desk-next", "api-my-games"), PAGE_PARAMS),
    "api-admin-actions": (*CURSOR_PARAMS, "action", "by", "q", "target_id", "target_type"),
    "api-club-desk-log": (*PAGE_PARAMS, "by", "match", "season", "what"),
    "api-asks": ("after", "want"),
    "api-bot-list": (*CURSOR_PARAMS, "mine"),
    "api-club-calendar": ("month",),
    "api-club-list": (*CURSOR_PARAMS, "mine"),
    "api-export": ("as",),
    "api-game-events": ("eyes", "since"),
    "api-game-list": (*CURSOR_PARAMS, "kind", "player", "status"),
    "api-game-turn": ("after",),
    "api-game-why": ("move",),
    "api-match-list": (*CURSOR_PARAMS, "round", "round__division__season"),
    "api-my-games-events": ("since",),
    "api-rating-list": (*CURSOR_PARAMS, "player", "player__name__icontains", "pool__kind", "pool__pool"),
    "api-rating-pool-list": (*CURSOR_PARAMS, "kind", "pool"),
    "api-replay": ("eyes", "since", "until"),
    "api-season-export": ("as",),
    "api-season-happened": ("cursor",),
    "api-season-list": (*CURSOR_PARAMS, "kind", "league__club__slug", "status"),
    "api-season-what-if": ("division", "end"),
    "api-table-list": ("cursor", "mine"),
}


class UnknownParameterMiddleware:
    """The middleware: answers 400 `unknown_parameter` where a GET of the API names one that nothing reads."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """The refusal; None where there is nothing to refuse."""
        name = request.resolver_match.url_name if request.resolver_match else None
        if request.method not in ("GET", "HEAD") or not request.path.startswith(API_ROOT) or name in UNCHECKED_NAMES:
            return None
        known = PARAMS_BY_URL_NAME.get(name or "", ())
        unknown = sorted(set(request.GET) - set(known) - COMMON_PARAMS)
        if not unknown:
            return None
        sentence = unknown_parameter_sentence(unknown[0][:60], known)
        return JsonResponse(error_body(400, "unknown_parameter", sentence, parameters=list(known)), status=400)


def unknown_parameter_sentence(name: str, known: tuple[str, ...]) -> str:
    """What there is instead."""
    if not known:
        return _("This address reads no parameters, and so not {name!r}.").format(name=name)
    return _("There is no parameter {name!r} here; there are {known}.").format(name=name, known=", ".join(known))
