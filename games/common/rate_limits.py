"""Rate limits of the API, counted for all web processes together.

A view names its limit as `rate_limit`. Without one, it has that of reading or of writing.

Each count is a bucket that empties evenly (the generic cell rate algorithm). A row holds the time at which it will be
empty, and one statement both checks and counts. A process counts a hundredth of a limit in advance, and uses that up
within the limit's time before it asks the database again; near the limit it counts one by one. The table is not logged,
so counting waits for no disk; after a crash of the database everybody starts again.

Responses have ``RateLimit-Policy`` and ``RateLimit`` (the IETF's draft "RateLimit header fields for HTTP"), and a
refusal has ``Retry-After``.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from games.common import clock
from games.common.errors import DomainError
from games.common.models import RateBucket
from games.common.policy import SAFE_METHODS, RateLimit, ViewFunction, stated, view_of

if TYPE_CHECKING:  # the settings, which this module reads, name things in it
    from rest_framework.views import APIView

COUNT_RETENTION: Final = timedelta(hours=1)
ADVANCE_SHARE: Final = 100  # a process counts this part of a limit in advance
MAX_ADVANCES: Final = 10_000  # whose counts a process has, of some hundred bytes each


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` requests of a class at once, and as many in `seconds`.

    `methods` are the methods of a view with this limit that count so; None means any. `words` are for
    docs/reference/api.md.
    """

    name: RateLimit
    most: int
    seconds: int
    methods: tuple[str, ...] | None
    words: str

    @property
    def policy(self) -> str:
        return f'"{self.name}";q={self.allowed};w={self.seconds}'

    @property
    def allowed(self) -> int:
        """The number of requests, with the factor in the platform's settings."""
        return max(1, round(self.most * settings.SCOREBOOK_RATE_LIMIT_FACTOR))


TOKEN_GUESS: Final = "guess"  # noqa: S105
RATE_LIMITS: Final = (
    Limit(
        TOKEN_GUESS,
        30,
        600,
        ("POST", "DELETE"),
        "creating tokens, secret addresses and invitation links, deleting the account; per IP address, wrong tokens",
    ),
    Limit("webhooks", 60, 600, ("POST",), "creating, testing and resending webhooks"),
    Limit("upload", 60, 3600, ("POST",), "uploading bot versions, comparisons, importing entrants"),
    Limit("play", 6000, 60, None, "playing a game, with the reads it needs"),
    Limit("export", 60, 60, SAFE_METHODS, "downloads and verification"),
    Limit("read", 1200, 60, SAFE_METHODS, "all other GET requests"),
    Limit("write", 300, 60, None, "all other requests"),
)
BY_NAME: Final[dict[str, Limit]] = {limit.name: limit for limit in RATE_LIMITS}

_COUNT = """
    INSERT INTO common_ratebucket AS kept (key, empty_at) VALUES (%(key)s, %(now)s + %(step)s)
    ON CONFLICT (key) DO UPDATE SET empty_at = GREATEST(kept.empty_at, %(now)s) + %(step)s
    WHERE GREATEST(kept.empty_at, %(now)s) + %(step)s <= %(now)s + %(window)s
    RETURNING empty_at
"""


@dataclass(frozen=True, slots=True)
class CountResult:
    """The state after a request. `wait` is the seconds until the next one is allowed, 0 if this one was allowed."""

    limit: Limit
    left: int
    reset: int
    wait: int

    @property
    def headers(self) -> dict[str, str]:
        state = f'"{self.limit.name}";r={self.left};t={self.reset}'
        return {"RateLimit-Policy": self.limit.policy, "RateLimit": state}


def limit_of(view: ViewFunction | None, method: str) -> Limit:
    """Return the limit of a request."""
    usual = "read" if method in SAFE_METHODS else "write"
    limit = BY_NAME[stated(view, method, "rate_limit", usual)]
    return limit if limit.methods is None or method in limit.methods else BY_NAME[usual]


@dataclass(slots=True)
class Advance:
    """Requests that this process has counted in the database before they came: how many are `left`, until when they
    may be used, and when the bucket will be empty."""

    left: int
    until: datetime
    empty_at: datetime


_advances: OrderedDict[str, Advance] = OrderedDict()
_lock = Lock()


def forget_advances() -> None:
    """Count the next request of everybody in the database."""
    with _lock:
        _advances.clear()


def count_request(limit: Limit, who: str) -> CountResult:
    """Count one request of `who`. A request that is too many is not counted."""
    now, window = clock.now(), timedelta(seconds=limit.seconds)
    step = window / limit.allowed
    key = f"{limit.name}:{who}"
    empty_at = _counted_in_advance(key, now, step)
    if empty_at is None:
        empty_at = _count_in_advance(key, now, step, window, limit.allowed // ADVANCE_SHARE)
    if empty_at is None:
        full_at = RateBucket.objects.filter(key=key).values_list("empty_at", flat=True).first() or now
        wait = max(1, math.ceil((full_at + step - window - now).total_seconds()))
        return CountResult(limit, 0, wait, wait)
    left = (now + window - empty_at) // step
    return CountResult(limit, left, math.ceil((empty_at - now).total_seconds()), 0)


def _counted_in_advance(key: str, now: datetime, step: timedelta) -> datetime | None:
    """Take one of the requests that this process has counted; return when the bucket will be empty without the rest of
    them. None if there are none left."""
    with _lock:
        known = _advances.get(key)
        if known is None or known.left < 1 or known.until < now:
            return None
        known.left -= 1
        return max(known.empty_at - known.left * step, now + step)


def _count_in_advance(key: str, now: datetime, step: timedelta, window: timedelta, several: int) -> datetime | None:
    """Count `several` requests, or one if that would be too many, and use one of them.

    Return when the bucket will be empty without the rest; None if even one is too many.
    """
    with connection.cursor() as cursor:
        for count in (several, 1) if several > 1 else (1,):
            values: dict[str, Any] = {"key": key, "now": now, "step": count * step, "window": window}
            cursor.execute(_COUNT, values)
            if row := cursor.fetchone():
                break
        else:
            return None
    empty_at: datetime = row[0]
    with _lock:
        found = Advance(count - 1, now + window, empty_at)
        known = _advances.get(key)
        if known and known.left and known.until >= now:  # another thread has counted at the same time: both are used up
            found = Advance(known.left + found.left, known.until, max(known.empty_at, empty_at))
        _advances[key] = found
        _advances.move_to_end(key)
        if len(_advances) > MAX_ADVANCES:
            _advances.popitem(last=False)
    return empty_at - (count - 1) * step


def check_allowed(found: CountResult) -> None:
    """Raise `DomainError` throttled (429, with the `limit` and `wait_s`) for a request that is too many."""
    if found.wait:
        sentence = _("Too many requests: the limit is {most} in {seconds} seconds. Try again in {wait} s.")
        words = sentence.format(most=found.limit.allowed, seconds=found.limit.seconds, wait=found.wait)
        raise DomainError(429, "throttled", words, limit=found.limit.name, wait_s=found.wait)


def count_guess(address: str) -> None:
    """Count an unknown token. Raises `DomainError` throttled."""
    if settings.SCOREBOOK_RATE_LIMIT_FACTOR:
        check_allowed(count_request(BY_NAME[TOKEN_GUESS], network_of(address)))


class RateLimitThrottle(BaseThrottle):
    """Counts each request of the API, and reports in its response what is left."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        if not settings.SCOREBOOK_RATE_LIMIT_FACTOR:
            return True
        found = getattr(request._request, "counted", None)  # already, if it has an idempotency key
        if found is None:
            found = count_request(limit_of(view_of(request), request.method or ""), requester_key(request))
            request._request.counted = found  # type: ignore[attr-defined]
        view.headers.update(found.headers)
        check_allowed(found)
        return True


def requester_key(request: Request) -> str:
    """Return who is counted: the token, else the person, else the address."""
    if request.auth is not None:  # the token of `games.accounts.bearer`; sessions have none
        return f"token {request.auth.pk}"
    if request.user.pk is not None:
        return f"person {request.user.pk}"
    return network_of(request.META.get("REMOTE_ADDR", ""))


def network_of(address: str) -> str:
    """Return the address of a client; for IPv6 its network, because a household has 2⁶⁴ addresses."""
    try:
        found = ip_address(address)
    except ValueError:  # a Unix socket
        return "address"
    if isinstance(found, IPv6Address) and not found.ipv4_mapped:
        return f"address {IPv6Address(int(found) >> 64 << 64)}"
    return f"address {found}"


def delete_empty_counts() -> int:
    """Delete empty counts; return how many."""
    return RateBucket.objects.filter(empty_at__lt=clock.now() - COUNT_RETENTION).delete()[0]
