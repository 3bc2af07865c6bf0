"""Refuses query parameters that an API address does not read, instead of ignoring them.

A misspelt filter would otherwise give a list that looks right. A view reads what it declares for the OpenAPI document:
by `extend_schema`, its filters and its pagination. A view with `any_parameters` is not checked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.plumbing import ComponentRegistry
from drf_spectacular.settings import spectacular_settings

from config.http.errors import error_body
from config.http.schema_lock import one_thread_at_a_time
from games.common.policy import API_ROOT, ViewFunction, handler_of, stated

COMMON_PARAMS: Final = frozenset({"format"})  # REST framework's parameter for another output format


class UnknownParameterMiddleware:
    """Middleware that answers 400 `unknown_parameter` to a GET of the API with a parameter that nothing reads."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: ViewFunction, *_of_view: Any) -> HttpResponse | None:
        """Return the refusal; None if there is nothing to refuse."""
        sent = set(request.GET) - COMMON_PARAMS
        if not sent or request.method not in ("GET", "HEAD") or not request.path.startswith(API_ROOT):
            return None
        if stated(view, "GET", "any_parameters", False):
            return None
        known = parameters_of(view)
        unknown = sorted(sent - set(known))
        if not unknown:
            return None
        sentence = unknown_parameter_sentence(unknown[0][:60], known)
        return JsonResponse(error_body(400, "unknown_parameter", sentence, parameters=list(known)), status=400)


@cache
@one_thread_at_a_time()
def parameters_of(view: ViewFunction) -> tuple[str, ...]:
    """Return the parameters that a GET of `view` declares for the OpenAPI document."""
    if handler_of(view, "GET") is None:
        return ()
    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]  # keeps the schema of what it makes
    made = generator.create_view(view, "GET")
    made.request = spectacular_settings.GET_MOCK_REQUEST("GET", "", made, None)
    schema = made.schema
    schema.path, schema.path_regex, schema.method, schema.registry = "", "", "GET", ComponentRegistry()
    return tuple(parameter["name"] for parameter in schema._get_parameters() if parameter["in"] == "query")


def unknown_parameter_sentence(name: str, known: tuple[str, ...]) -> str:
    """Return the sentence that names the known parameters."""
    if not known:
        return _("This address has no parameters, so {name!r} is unknown.").format(name=name)
    return _("There is no parameter {name!r} here. The parameters are {known}.").format(
        name=name, known=", ".join(known)
    )
