"""Logging: one line a record, for people or as JSON, with the ids of what it is about.

Names, addresses, tokens and cards must not be logged. The ids come from `games.common.log_context`. Secrets that slip
into a message or an exception are masked (`mask_secrets`). A view declares which parts of its address are secret
(`secret_parameters`). Query strings are never logged.
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
REQUEST_ID_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")  # an id that a proxy may have set
HEADER_ENCODING: Final = "latin-1"  # of headers (RFC 9110)
ACCESS_LOGGED: Final = "scorebook.told"  # in an ASGI scope: Django has written the access line
HUNG_UP: Final = "scorebook.hung_up"  # also there: a function that says whether the client has hung up
CLIENT_CLOSED: Final = 499  # the status that nginx's logs have for a request whose client has hung up
SEASON_URL_ARGS: Final = ("club", "league", "season")

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_MASKS: Final = (
    (re.compile(r"\bsb_[0-9A-Za-z]{8,}"), "***"),  # access tokens
    (re.compile(r"\bwhsec_[0-9A-Za-z+/=]{8,}"), "***"),  # secrets of webhooks
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), "***"),  # email
    (re.compile(r"\b[0-9a-fA-F]{64}\b"), "***"),  # seeds, heads of logs, hashes of tokens
    (re.compile(r"(?i)\b((?:bearer|authorization:?|password|token|secret)[=\s:]+)[^\s,;'\"]{8,}"), r"\1***"),
    # PostgreSQL quotes rows when it refuses them.
    (re.compile(r"(DETAIL:\s+).*"), r"\1***"),
)


_addresses: list[re.Pattern[str]] = []  # what stands before the secret in an address


def mask_addresses(patterns: Iterable[Any]) -> None:
    """Mask the `secret_parameters` of these URL patterns from now on."""
    prefixes = set()
    for route, view in addresses(patterns):
        secret = stated(view, "GET", "secret_parameters", ())
        at = next((each.start() for each in PARAMETER.finditer(route) if each[1] in secret), None)
        if at is not None:
            before = PARAMETER.split(route[:at].removesuffix("(?P"))[::2]
            assert "(" not in "".join(before), f"The position of the secret in {route} was not found."
            prefixes.add(r"[^/\s]+".join(map(re.escape, before)))
    _addresses[:] = [re.compile(rf"(/(?:{'|'.join(sorted(prefixes))}))[^/\s\"'?]+")]


@worker_init.connect  # type: ignore[untyped-decorator]
@beat_init.connect  # type: ignore[untyped-decorator]
def load_addresses(**_signal: Any) -> None:
    """Load the URL patterns, so that no address is logged before the process knows what to mask."""
    import_module(settings.ROOT_URLCONF)


def mask_secrets(text: str) -> str:
    """Return `text` without secrets, recognised by their form or by the address they stand in."""
    for address in _addresses:
        text = address.sub(r"\1***", text)
    for pattern, instead in _MASKS:
        text = pattern.sub(instead, text)
    return text


class TextFormatter(logging.Formatter):
    """Formats for people: time, level, logger, ids, message, then an exception."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  logging's own name
        ids = " ".join(f"{name}={value}" for name, value in record_ids(record).items())
        head = f"{record_time(record)} {record.levelname} {record.name}"
        return f"{head} [{ids}]: {record.message}" if ids else f"{head}: {record.message}"

    def format(self, record: logging.LogRecord) -> str:
        return mask_secrets(super().format(record))


class JsonFormatter(logging.Formatter):
    """Formats for programs: one JSON object a line, with an exception as a field."""

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
    """Adds the current ids to each record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.about = log_context.current()
        return True


def record_time(record: logging.LogRecord) -> str:
    """Return the record's time in UTC (ISO 8601)."""
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def record_ids(record: logging.LogRecord) -> Mapping[str, object]:
    """Return the record's ids."""
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
            if response.status_code >= 500:  # Django would log it later, without the id; never twice
                log_response("%s: %s", response.reason_phrase, request.path, response=response, request=request)
            status = CLIENT_CLOSED if has_hung_up(request) else response.status_code
            write_access_line(request.method or "", request.path, status, began, queries.count)
        if isinstance(request, ASGIRequest):
            cast(Scope, request.scope)[ACCESS_LOGGED] = True
        return response


def has_hung_up(request: HttpRequest) -> bool:
    """Return whether the client has disconnected."""
    asked: Callable[[], bool] | None = (
        cast(Scope, request.scope).get(HUNG_UP) if isinstance(request, ASGIRequest) else None
    )
    return asked is not None and asked()


class QueryCounter:
    """Counts database queries."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, execute: Callable[..., Any], *asked: Any) -> Any:
        self.count += 1
        return execute(*asked)


async def log_requests(app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Run `app`, an ASGI application, with a request id. Requests that do not reach Django get their access line and
    header here."""
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
    """Return the id that came with a request if it is well-formed, else a new one."""
    return given if REQUEST_ID_PATTERN.fullmatch(given) and mask_secrets(given) == given else uuid.uuid4().hex


def write_access_line(method: str, path: str, status: int, began: float, queries: int | None = None) -> None:
    """Write the access line of a request; `began` is in monotonic seconds."""
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
    """Return the id of the user if it is loaded by now; None for anonymous and for not yet known users."""
    user = request.__dict__.get("user")
    known = request.__dict__.get("_cached_user") if isinstance(user, SimpleLazyObject) else user
    return getattr(known, "pk", None)


def game_id_of(request: HttpRequest) -> str | None:
    """Return the id of the game in the address."""
    match = request.resolver_match
    return match.kwargs.get("public_id") if match else None


def season_path_of(request: HttpRequest) -> str | None:
    """Return the season in the address, as club/league/season."""
    parts = request.resolver_match.kwargs if request.resolver_match else {}
    return (
        "/".join(str(parts[name]) for name in SEASON_URL_ARGS)
        if all(name in parts for name in SEASON_URL_ARGS)
        else None
    )


_running_tasks: dict[str, tuple[ExitStack, float]] = {}


@setup_logging.connect  # type: ignore[untyped-decorator]
def keep_django_logging(**_signal: Any) -> None:
    """Keep Django's logging: Celery asks who sets it up, and the settings have done so."""


@task_prerun.connect  # type: ignore[untyped-decorator]
def bind_task_context(task_id: str = "", task: Any = None, **_signal: Any) -> None:
    """Bind the ids of later log lines to the task."""
    stack = ExitStack()
    stack.enter_context(log_context.bound_log_context(task=task.name, task_id=task_id))
    _running_tasks[task_id] = stack, time.monotonic()


@task_postrun.connect  # type: ignore[untyped-decorator]
def write_task_line(task_id: str = "", task: Any = None, state: str | None = None, **_signal: Any) -> None:
    """Write the task's log line."""
    stack, began = _running_tasks.pop(task_id)
    with stack:
        facts = {"state": state or "", "ms": round(1000 * (time.monotonic() - began))}
        task_log.info("%s %s in %s ms", task.name, *facts.values(), extra={"facts": facts})
