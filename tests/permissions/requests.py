"""Sends a real request to one address as a given user, and rolls back its changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any, Final
from urllib.parse import quote

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.http import HttpResponse, HttpResponseBase
from django.test import Client

from games.common.errors import DomainError
from replays.stream.game_tail import SSE
from replays.stream.stream_access import (
    ASKS_PATH,
    MY_GAMES_PATH,
    admit_bot,
    admit_to_my_games,
    admit_watcher,
    content_type_of,
)
from tests.permissions.table_rows import NAMED

WRITES: Final = re.compile(r'\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?(\w+)', re.IGNORECASE)
# Rows that any request may write: when a token or a calendar's address was used, what an admin looked at, rate limits.
ABOUT_ASKING: Final = {
    "accounts_accesstoken",
    "moderation_impersonationpageview",
    "accounts_session",
    "common_ratebucket",
    "cache",
    "calendar_calendaraddress",
}
# Rows of a calendar, which a request for the calendar brings up to date.
BROUGHT_UP: Final = {"calendar_calendarentry", "calendar_calendarstate"}
LOGIN: Final = ("/accounts/login/", "/admin/login/")


@dataclass
class Answer:
    """An answer. `outcome` is its status, `login` for a redirect to the login, or `done` for a redirect after a change.
    `changed` are the tables whose rows differ."""

    outcome: str
    response: HttpResponseBase
    changed: list[str] = field(default_factory=list)


@dataclass
class Asker:
    """A person with a browser, or a program with a token."""

    cookies: SimpleCookie = field(default_factory=SimpleCookie)
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def signed_in(cls, user: User | None) -> Asker:
        client = Client()
        if user is not None:
            client.force_login(user)
        return cls(cookies=client.cookies)

    @classmethod
    def looking_on(cls, admin: User, view: int) -> Asker:
        """Return an admin who impersonates somebody in this view."""
        client = Client()
        client.force_login(admin)
        client.post(f"/support/look/{view}/")
        return cls(cookies=client.cookies)

    @classmethod
    def with_token(cls, secret: str) -> Asker:
        return cls(headers={"Authorization": f"Bearer {secret}"})

    def browser(self, *, from_elsewhere: bool = False) -> Client:
        """Return a new browser, because a response may change its cookies. With `from_elsewhere`, requests come from
        another site, without a CSRF token."""
        client = Client(enforce_csrf_checks=from_elsewhere, raise_request_exception=False)
        client.cookies = SimpleCookie({name: each.value for name, each in self.cookies.items()})
        return client

    def ask(self, method: str, address: str, body: Any = None, *, from_elsewhere: bool = False) -> Answer:
        """Send a request, record which rows it changes, and roll them back. The method STREAM is a GET of live
        events."""
        with transaction.atomic(), noting() as written:
            response = self._sent(method, address, body, from_elsewhere=from_elsewhere)
            after = rows_of(written - ABOUT_ASKING - BROUGHT_UP)
            transaction.set_rollback(True)
        before = rows_of(after)
        changed = sorted(name for name in after if after[name] != before[name])
        return Answer(outcome_of(response, changed), response, changed)

    def _sent(self, method: str, address: str, body: Any, *, from_elsewhere: bool) -> HttpResponseBase:
        browser, headers = self.browser(from_elsewhere=from_elsewhere), dict(self.headers)
        if method == "STREAM":
            return opened(address, {**headers, "Cookie": self.cookies.output(header="", sep=";")})
        if method in ("GET", "HEAD", "OPTIONS"):
            return getattr(browser, method.lower())(address, headers=headers)  # type: ignore[no-any-return]
        if address.startswith("/api/") or method != "POST":
            send = getattr(browser, method.lower())
            return send(address, body or {}, content_type="application/json", headers=headers)  # type: ignore[no-any-return]
        return browser.post(address, body or {}, headers=headers)


def opened(address: str, headers: Mapping[str, str]) -> HttpResponse:
    """Return the answer of the stream application by its check of access (`replays.stream.stream_access`). The stream
    itself is not read."""
    path, _mark, query = address.partition("?")
    sent = [(b"accept", SSE.encode()), *((name.lower().encode(), each.encode()) for name, each in headers.items())]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": sent}
    assert content_type_of(scope), "it goes to the stream application"
    admitted = admit_to_my_games if MY_GAMES_PATH.match(path) else admit_bot if ASKS_PATH.match(path) else admit_watcher
    try:
        admitted(scope, SSE)
    except DomainError as error:
        return HttpResponse(status=error.status)
    return HttpResponse()


def outcome_of(response: HttpResponseBase, changed: list[str]) -> str:
    location = response.get("Location", "")
    if response.status_code == 302 and location.startswith(LOGIN):
        return "login"
    return "done" if response.status_code == 302 and changed else str(response.status_code)


@contextmanager
def noting() -> Iterator[set[str]]:
    """Collect the names of the tables to which the block writes."""
    written: set[str] = set()

    def look(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        if found := WRITES.match(str(sql)):
            written.add(found[1])
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        yield written


def rows_of(tables: Iterable[str]) -> dict[str, str]:
    """Return table → a digest of its rows. Writes that were rolled back do not count."""
    found = {}
    with connection.cursor() as cursor:
        for name in tables:
            cursor.execute(f"SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM \"{name}\" AS t")
            (found[name],) = cursor.fetchone()
    return found


@contextmanager
def quietly() -> Iterator[None]:
    """Roll back everything that the block does."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def filled(text: str, at: Mapping[str, Any]) -> str:
    """Return an address with values for its <names>."""
    return NAMED.sub(lambda found: quote(str(at[found[1]]), safe=""), text)


def filled_body(body: Any, at: Mapping[str, Any]) -> Any:
    """Return a body with values for its <names>. A text that is only one <name> becomes the value, which may be a
    number."""
    if isinstance(body, dict):
        return {key: filled_body(each, at) for key, each in body.items()}
    if isinstance(body, list):
        return [filled_body(each, at) for each in body]
    if isinstance(body, str) and (whole := NAMED.fullmatch(body)):
        return at[whole[1]]
    return body
