"""The open streams of one web process: how many each person or address has, and when they must end.

A stream is opened with credentials: an account, a token, a session (`games.accounts.access`). It ends as soon as one of
these does. Signed-in users are counted one by one, so that a club's members behind one address do not block one
another; only anonymous users are counted by address.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from games.accounts import access, tokens
from games.accounts.models import Session
from games.common import clock
from games.common.errors import DomainError

# The reasons for which an incomplete stream ends, sent in its last line.
ENDED_LEFT: Final = "left"  # the seat has left a game that goes on; from now on it sees what everybody sees
ENDED_ACCESS: Final = "access"  # the account, token or session that opened it may have ended
ENDED_NOT_VISIBLE: Final = "not_shown"  # the watcher may not see the game any more
ENDED_CLOSING: Final = "closing"  # the web process ends
ENDED_SLOW: Final = "slow"  # the client has taken nothing for a while
ENDED_FAULT: Final = "fault"  # an error of the platform
RETRY_AFTER_SECONDS: Final = 30


@dataclass(frozen=True)
class Credentials:
    """What a stream was opened with: `keys` must all stay valid; streams are counted under `who`."""

    who: str = ""
    keys: tuple[str, ...] = ()


NO_CREDENTIALS: Final = Credentials()


class OpenStream(Protocol):
    """A stream after the check of access (`replays.stream.game_tail.Ticket`, `replays.stream.player_feed.Watcher`)."""

    @property
    def by(self) -> Credentials:
        """Return the credentials with which it was opened."""


class Connections:
    """The open streams of this process. Each has a future that is set to the reason when the stream must end.
    `pending_sends` has those whose client has not yet taken the last bytes, and since when (seconds of the machine's
    monotonic clock)."""

    def __init__(self) -> None:
        self.streams: dict[asyncio.Future[str], OpenStream] = {}
        self.pending_sends: dict[asyncio.Future[str], float] = {}
        self.counts: Counter[str] = Counter()
        self.closing = False

    @contextmanager
    def registered(self, stream: OpenStream) -> Iterator[asyncio.Future[str]]:
        """Register `stream`, and return the future that is set to the reason when it must end.

        Raises `DomainError` too_many_streams (429).
        """
        who = stream.by.who
        check_stream_quota(who, self.counts[who])
        over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.streams[over] = stream
        self.counts[who] += 1
        if self.closing:
            over.set_result(ENDED_CLOSING)
        try:
            yield over
        finally:
            del self.streams[over]
            self.pending_sends.pop(over, None)
            self.counts[who] -= 1
            if not self.counts[who]:
                del self.counts[who]

    def keys(self) -> set[str]:
        """Return all keys with which streams are open."""
        return {key for stream in self.streams.values() for key in stream.by.keys}

    def end(self, keys: Collection[str]) -> None:
        """End the streams that were opened with any of these keys."""
        wanted = set(keys)
        for over, stream in self.streams.items():
            if not wanted.isdisjoint(stream.by.keys):
                set_reason(over, ENDED_ACCESS)

    def end_slow(self, patience: float) -> None:
        """End the streams whose clients have taken nothing for `patience` seconds."""
        for over, since in self.pending_sends.items():
            if time.monotonic() - since > patience:
                set_reason(over, ENDED_SLOW)

    def close(self) -> None:
        """End all present and future streams, because the process ends."""
        self.closing = True
        for over in self.streams:
            set_reason(over, ENDED_CLOSING)


def set_reason(over: asyncio.Future[str], why: str) -> None:
    """Set the reason, unless one is set already."""
    if not over.done():
        over.set_result(why)


def check_stream_quota(who: str, count: int) -> None:
    """Raise `DomainError` too_many_streams (429) if `who`, with `count` open streams, may have no more."""
    by_address = who.startswith("address")
    most = settings.SCOREBOOK_MAX_STREAMS_PER_IP if by_address else settings.SCOREBOOK_MAX_STREAMS_PER_ACCOUNT
    if not most or count < most:
        return
    if who.startswith("address"):
        words = _(
            "{n} streams are open from your IP address without a login, which is the limit. Log in, or try again later."
        )
    else:
        words = _("You have {n} open streams, which is the limit. Close some and try again.")
    raise DomainError(429, "too_many_streams", words.format(n=most), wait_s=RETRY_AFTER_SECONDS)


def still_valid(keys: Collection[str]) -> set[str]:
    """Return the keys that are still valid."""
    names: dict[str, set[str]] = {"user": set(), "token": set(), "session": set()}
    for key in keys:
        kind, _space, name = key.partition(" ")
        names[kind].add(name)
    users = get_user_model().objects.filter(pk__in=map(int, names["user"]), is_active=True)
    sessions = Session.objects.filter(session_key__in=names["session"], expire_date__gt=clock.now())
    return {
        *map(access.key_of_user, users.values_list("pk", flat=True)),
        *map(access.key_of_token, tokens.still_valid([int(name) for name in names["token"]])),
        *map(access.key_of_session, sessions.values_list("session_key", flat=True)),
    }
