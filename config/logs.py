"""What the parts write about themselves: a line a record, for people or as JSON, each with the ids that it is about.

Names, addresses, tokens and cards have no place there. The ids come from `games.common.log_context`; what slips into a
message or an exception is masked on the way out (`mask_secrets`). Which parts of an address are secret its view says
(`secret_parameters`). Nothing of a query string is ever written.
"""

from __future__ import annotations

import json
import logging
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, Final, cast

from celery.signals import beat_init, setup_logging, task_postrun, task_prerun, worker_init
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils.encoding import escape_uri_path
from django.utils.functional import SimpleLazyObject
from django.utils.log import log_response

from games.common import log_context
from games.common.policy import PARAMETER, addresses, stated

access_log = logging.getLogger("scorebook.access")
task_log = logging.getLogger("scorebook.tasks")

REQUEST_ID_HEADER: Final = "X-Request-ID"
REQUEST_ID_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")  # an id that a proxy may have given already
HEADER_ENCODING: Final = "latin-1"  # of headers (RFC 9110)
ACCESS_LOGGED: Final = "scorebook.told"  # in an ASGI scope: Django has written the access line
HUNG_UP: Final = "scorebook.hung_up"  # there too: a function that says whether whoever asked has hung up
CLIENT_CLOSED: Final = 499  # the status that nginx's logs have for a request whose client has hung up
SEASON_URL_ARGS: Final = ("club", "league", "season")

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_MASKS: Final = (
    (re.compile(r"\bsb_[0-9A-Za-z]{8,}"), "***"),  # access tokens
    (re.compile(r"\bwhsec_[0-9A-Za-z+/=]{8,}"), "***"),  # secrets of webhooks
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), "***"),  # e-mail
    (re.compile(r"\b[0-9a-fA-F]{64}\b"), "***"),  # seeds, heads of logs, hashes of tokens
    (re.compile(r"(?i)\b((?:bearer|authorization:?|password|token|secret)[=\s:]+)[^\s,;'\"]{8,}"), r"\1***"),
    # PostgreSQL quotes rows when it refuses them.
    (re.compile(r"(DETAIL:\s+).*"), r"\1***"),
)


_addresses: list[re.Pattern[str]] = []  # what stands before the secret in addresses that have one


def mask_addresses(patterns: Iterable[Any]) -> None:
    """From now on mask the `secret_parameters` of these entries of the URL table."""
    found = set()
    for route, view in addresses(patterns):
        secret = stated(view, "GET", "secret_parameters", ())
        at = next((each.start() for each in PARAMETER.finditer(route) if each[1] in secret), None)
        if at is not None:
            before = PARAMETER.split(route[:at].removesuffix("(?P"))[::2]
            assert "(" not in "".join(before), f"The position of the secret in {route} was not found."
            found.add(r"[^/\s]+".join(map(re.escape, before)))
    _addresses[:] = [re.compile(rf"(/(?:{'|'.join(sorted(found))}))[^/\s\"'?]+")]


@worker_init.connect  # type: ignore[untyped-decorator]
@beat_init.connect  # type: ignore[untyped-decorator]
def load_addresses(**_signal: Any) -> None:
    """Load the URL table, so that a process writes no address down before it is known what to mask."""
    import_module(settings.ROOT_URLCONF)


def mask_secrets(text: str) -> str:
    """`text` without the secrets that can be told by their form, or by the address in which they stand."""
    for address in _addresses:
        text = address.sub(r"\1***", text)
    for pattern, instead in _MASKS:
        text = pattern.sub(instead, text)
    return text


class TextFormatter(logging.Formatter):
    """For people: time, level, logger, ids, message; an exception below."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  logging's own name
        ids = " ".join(f"{name}={each}" for name, each in record_ids(record).items())
        head = f"{record_time(record)} {record.levelname} {record.name}"
        return f"{head} [{ids}]: {record.message}" if ids else f"{head}: {record.message}"

    def format(self, record: logging.LogRecord) -> str:
        return mask_secrets(super().format(record))


class JsonFormatter(logging.Formatter):
    """For machines: one object a line. An exception is a field of it."""

    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, object] = {
            "time": record_time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": mask_secrets(record.getMessage()),
            **record_ids(record),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            facts["exception"] = mask_secrets(self.formatException(record.exc_info))
        return json.dumps(facts, default=str, ensure_ascii=False)


class ContextFilter(logging.Filter):
    """Notes with each record what it is about, while that is known."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.about = log_context.current()
        return True


def record_time(record: logging.LogRecord) -> str:
    """When it was, in UTC (ISO 8601)."""
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def record_ids(record: logging.LogRecord) -> Mapping[str, object]:
    """The ids of a record."""
    return getattr(record, "about", {})


class RequestLogMiddleware:
    """The outermost middleware: gives each request its id, sends it back, and writes the access line."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        load_addresses()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        queries, began = QueryCounter(), time.monotonic()
        name = str(log_context.current().get("request") or request_id(request.headers.get(REQUEST_ID_HEADER, "")))
        ids = {
            "user": lambda: user_id_of(request),
            "game": lambda: game_id_of(request),
            "season": lambda: season_path_of(request),
        }
        with log_context.bound_log_context(request=name, **ids):
            with connection.execute_wrapper(queries):
                response = self.get_response(request)
            response[REQUEST_ID_HEADER] = name
            if response.status_code >= 500:  # Django would do so later, when nobody knows the id; never twice
                log_response("%s: %s", response.reason_phrase, request.path, response=response, request=request)
            status = CLIENT_CLOSED if has_hung_up(request) else response.status_code
            write_access_line(request.method or "", request.path, status, began, queries.count)
        if isinstance(request, ASGIRequest):
            cast(Scope, request.scope)[ACCESS_LOGGED] = True
        return response


def has_hung_up(request: HttpRequest) -> bool:
    """Whether nobody takes the answer any more."""
    asked: Callable[[], bool] | None = (
        cast(Scope, request.scope).get(HUNG_UP) if isinstance(request, ASGIRequest) else None
    )
    return asked is not None and asked()


class QueryCounter:
    """Counts what is asked of the database."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, execute: Callable[..., Any], *asked: Any) -> Any:
        self.count += 1
        return execute(*asked)


async def log_requests(app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Run `app`, an ASGI application, with an id; what Django does not see gets its access line and header here."""
    given = dict(scope["headers"]).get(REQUEST_ID_HEADER.lower().encode(HEADER_ENCODING), b"").decode(HEADER_ENCODING)
    name, status, began = request_id(given), CLIENT_CLOSED, time.monotonic()

    async def marked(message: Mapping[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
            if ACCESS_LOGGED not in scope:
                headers = [
                    *message.get("headers", ()),
                    (REQUEST_ID_HEADER.lower().encode(HEADER_ENCODING), name.encode(HEADER_ENCODING)),
                ]
                message = {**message, "headers": headers}
        await send(message)

    with log_context.bound_log_context(request=name):
        try:
            await app(scope, receive, marked)
        except Exception:
            status = 500
            raise
        finally:
            if ACCESS_LOGGED not in scope:
                write_access_line(scope["method"], scope["path"], status, began)


def request_id(given: str) -> str:
    """The id that came with a request, if it is a sane one, else a new one."""
    return given if REQUEST_ID_PATTERN.fullmatch(given) and mask_secrets(given) == given else uuid.uuid4().hex


def write_access_line(method: str, path: str, status: int, began: float, queries: int | None = None) -> None:
    """Write the access line of a request that began then (monotonic)."""
    facts: dict[str, object] = {
        "method": method,
        "path": mask_secrets(escape_uri_path(path)),
        "status": status,
        "ms": round(1000 * (time.monotonic() - began)),
    }
    asked = "" if queries is None else f", {queries} queries"
    facts |= {} if queries is None else {"queries": queries}
    access_log.info("%(method)s %(path)s %(status)s in %(ms)s ms" + asked, facts, extra={"facts": facts})


def user_id_of(request: HttpRequest) -> object:
    """The id of whoever asks, if it has been looked up by now; None for nobody, and for one not yet known."""
    user = request.__dict__.get("user")
    known = request.__dict__.get("_cached_user") if isinstance(user, SimpleLazyObject) else user
    return getattr(known, "pk", None)


def game_id_of(request: HttpRequest) -> str | None:
    """The game that the address names."""
    found = request.resolver_match
    return found.kwargs.get("public_id") if found else None


def season_path_of(request: HttpRequest) -> str | None:
    """The season that the address names, as club/league/season."""
    parts = request.resolver_match.kwargs if request.resolver_match else {}
    return (
        "/".join(str(parts[each]) for each in SEASON_URL_ARGS)
        if all(each in parts for each in SEASON_URL_ARGS)
        else None
    )


_running_tasks: dict[str, tuple[ExitStack, float]] = {}


@setup_logging.connect  # type: ignore[untyped-decorator]
def keep_django_logging(**_signal: Any) -> None:
    """Celery asks who sets up logging: Django has, by the settings."""


@task_prerun.connect  # type: ignore[untyped-decorator]
def bind_task_context(task_id: str = "", task: Any = None, **_signal: Any) -> None:
    """From here on lines are about the task."""
    stack = ExitStack()
    stack.enter_context(log_context.bound_log_context(task=task.name, task_id=task_id))
    _running_tasks[task_id] = stack, time.monotonic()


@task_postrun.connect  # type: ignore[untyped-decorator]
def write_task_line(task_id: str = "", task: Any = None, state: str | None = None, **_signal: Any) -> None:
    """Write the task's line."""
    stack, began = _running_tasks.pop(task_id)
    with stack:
        facts = {"state": state or "", "ms": round(1000 * (time.monotonic() - began))}
        task_log.info("%s %s in %s ms", task.name, *facts.values(), extra={"facts": facts})
