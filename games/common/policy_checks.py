"""Django checks, run before it migrates or serves: every view states its policy, in known values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, get_args

from django.core.checks import CheckMessage, Error, Tags, register
from django.urls import get_resolver

from games.common.policy import (
    API_ROOT,
    PARAMETER,
    SAFE_METHODS,
    RateLimit,
    RemoteBots,
    Scope,
    ViewFunction,
    addresses,
    class_of,
    handler_of,
    stated,
)

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
VALUES: Final[dict[str, tuple[object, ...]]] = {
    "read_scope": get_args(Scope),
    "write_scope": (*get_args(Scope), None),
    "remote_bots": get_args(RemoteBots),
    "rate_limit": get_args(RateLimit),
    "any_parameters": (True, False),
    "secret_answer": (True, False),
    "visible_in_impersonation": (True, False),
}
SECRET: Final = frozenset({"token", "secret", "key"})  # names of parameters in addresses that are secrets
MISSING: Final = object()


@register(Tags.urls)
def views_state_their_policy(**_options: Any) -> list[CheckMessage]:
    """Check that each API view states which tokens may use it, what remote bots may do, and whether support sees it."""
    found = {fault for route, view in addresses(get_resolver().url_patterns) for fault in faults(route, view)}
    hint = "Declare it on the view as an attribute, or with @policy. See games/common/policy.py."
    return [Error(fault, hint=hint, id="games.E003") for fault in sorted(found)]


def faults(route: str, view: ViewFunction) -> Iterator[str]:
    """Yield what the view at this address does not state, or states in unknown values."""
    if SECRET & set(PARAMETER.findall(route)) - set(stated(view, "GET", "secret_parameters", ())):
        yield f"{name_of(view)} at /{route} does not declare secret_parameters."
    if not f"/{route}".startswith(API_ROOT):
        return
    for method in METHODS:
        handler = handler_of(view, method)
        if handler is None:
            continue
        name = name_of(view, handler)
        for attribute in ("remote_bots", "visible_in_impersonation" if method in SAFE_METHODS else "write_scope"):
            if stated(view, method, attribute, MISSING) is MISSING:
                yield f"{name} does not declare {attribute}."
        # What a class shows in its lists says nothing about its other actions.
        if method in SAFE_METHODS and hasattr(handler, "mapping") and not hasattr(handler, "visible_in_impersonation"):
            yield f"{name} does not declare its own visible_in_impersonation."
        for attribute, values in VALUES.items():
            value = stated(view, method, attribute, values[0])
            if value not in values:
                yield f"{name} declares {attribute}={value!r}. Allowed are {', '.join(map(str, values))}."


def name_of(view: ViewFunction, handler: ViewFunction | None = None) -> str:
    """Return where to find the view."""
    found: Any = class_of(view) or view
    action = f".{getattr(handler, '__name__', '')}" if handler else ""
    return f"{found.__module__}.{found.__qualname__}{action}"
