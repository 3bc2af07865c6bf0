"""What a view allows and reveals: its policy, stated on the view itself.

A view class states the attributes of `Policy` for all its methods. The decorator `policy` states them for one method or
action, which takes precedence, and for a page that is a function. `stated` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, TypedDict, TypeVar, Unpack

from django.urls import Resolver404, ResolverMatch, URLPattern, resolve

PARAMETER: Final = re.compile(r"<(?:\w+:)?(\w+)>")  # in the pattern of an address, of either sort
API_ROOT: Final = "/api/v1/"
SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")

ViewFunction = Callable[..., Any]
Scope = Literal["read", "play", "bots", "organise", "account", "admin"]
RemoteBots = Literal["nothing", "read", "everything", "people only"]
RateLimit = Literal["guess", "webhooks", "upload", "play", "export", "read", "write"]
Stating = TypeVar("Stating", bound=ViewFunction)


class Policy(TypedDict, total=False):
    """What a view may state.

    - `read_scope`, `write_scope`: the scopes that a token needs to read ("read" unless stated) and to change something;
      None takes no tokens (`games.accounts.scopes`).
    - `remote_bots`: what a remote bot may do here: read what is public or its own, do everything, or nothing, because
      its owner does it or people look for people here.
    - `rate_limit`: the class of its requests (`games.common.rate_limits`).
    - `any_parameters`: whether query parameters that it does not declare are accepted (`config.http.query_params`).
    - `secret_answer`: the answer to a POST holds a secret, which is stored nowhere (`config.http.idempotency`).
    - `secret_parameters`: the secret parameters of its address. From the first of them on, logs mask a part of the
      address (`config.logs`).
    - `visible_in_impersonation`: whether an admin in impersonation sees it (`games.moderation.impersonation`).
    """

    read_scope: Scope
    write_scope: Scope | None
    remote_bots: RemoteBots
    rate_limit: RateLimit
    any_parameters: bool
    secret_answer: bool
    secret_parameters: tuple[str, ...]
    visible_in_impersonation: bool


def policy(**attributes: Unpack[Policy]) -> Callable[[Stating], Stating]:
    """State these attributes for one page, or for one method or action of a class."""

    def stating(view: Stating) -> Stating:
        vars(view).update(attributes)
        return view

    return stating


def stated(view: ViewFunction | None, method: str, name: str, default: Any) -> Any:
    """Return what `view`, as a URL names it, states as `name` for this method, or else for its whole class."""
    value = getattr(view, name, default)
    views = class_of(view)
    return value if views is None else getattr(handler_of(view, method), name, getattr(views, name, value))


def view_of(request: Any) -> ViewFunction | None:
    """Return the view that answers a request, as a URL names it; None before it is resolved."""
    found: ResolverMatch | None = getattr(request, "resolver_match", None)
    return found.func if found else None


def view_at(path: str) -> ViewFunction | None:
    """Return the view at an address; None if there is none."""
    try:
        return resolve(path).func
    except Resolver404:
        return None


def addresses(patterns: Iterable[Any], above: str = "") -> Iterator[tuple[str, ViewFunction]]:
    """Yield each address below these entries of a URL table, as its whole pattern, with its view."""
    for pattern in patterns:
        route = above + str(pattern.pattern).replace("^", "")
        if isinstance(pattern, URLPattern):
            yield route, pattern.callback
        else:
            yield from addresses(pattern.url_patterns, route)


def class_of(view: ViewFunction | None) -> type | None:
    """Return the class of `view`; None if it is a function."""
    found: type | None = getattr(view, "cls", None) or getattr(view, "view_class", None)
    return found


def handler_of(view: ViewFunction | None, method: str) -> ViewFunction | None:
    """Return the method or action of a class that answers `method`; None if there is none."""
    name = "get" if method in SAFE_METHODS else method.lower()
    actions: dict[str, str] = getattr(view, "actions", None) or {}
    handler: ViewFunction | None = getattr(class_of(view), actions.get(name, name), None)
    return handler
