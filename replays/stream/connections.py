"""Which streams are open through one web process: how many of one person or address, and when they have to end.

A stream is open by an account, a token, a session (`games.accounts.access`): where one of those is over it ends at
once. Whoever is signed in is counted by themselves, so that a club's people behind one address don't take each other's
room; only who is nobody is counted by address.
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

# Why a stream ends that is not whole: the last line says so.
ENDED_LEFT: Final = "left"  # the seat has left a game that goes on; the rest is for everybody's eyes
ENDED_ACCESS: Final = "access"  # what it was opened by may be over
ENDED_NOT_VISIBLE: Final = "not_shown"  # the game is not for who watches it any more
ENDED_CLOSING: Final = "closing"  # the web process ends
ENDED_SLOW: Final = "slow"  # nothing was taken for a while
ENDED_FAULT: Final = "fault"  # ours
RETRY_AFTER_SECONDS: Final = 30


@dataclass(frozen=True)
class Credentials:
    """By what a stream is opened: `keys` that have to stay good, and `who` is counted."""

    who: str = ""
    keys: tuple[str, ...] = ()


NO_CREDENTIALS: Final = Credentials()


class OpenStream(Protocol):
    """What the check of access found (`replays.stream.game_tail.Ticket`, `replays.stream.player_feed.Watcher`)."""

    @property
    def by(self) -> Credentials:
        """By what it is opened."""


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
        """What is set when `stream` has to end. Raises `DomainError` too_many_streams (429)."""
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
        """By what the streams are open."""
        return {key for stream in self.streams.values() for key in stream.by.keys}

    def end(self, keys: Collection[str]) -> None:
        """End the streams that are open by any of these."""
        wanted = set(keys)
        for over, stream in self.streams.items():
            if not wanted.isdisjoint(stream.by.keys):
                set_reason(over, ENDED_ACCESS)

    def end_slow(self, patience: float) -> None:
        """End those that have taken nothing for so many seconds."""
        for over, since in self.pending_sends.items():
            if time.monotonic() - since > patience:
                set_reason(over, ENDED_SLOW)

    def close(self) -> None:
        """End all of them, since the process ends, and those that are still to come."""
        self.closing = True
        for over in self.streams:
            set_reason(over, ENDED_CLOSING)


def set_reason(over: asyncio.Future[str], why: str) -> None:
    """Set it, unless it is."""
    if not over.done():
        over.set_result(why)


def check_stream_quota(who: str, count: int) -> None:
    """Raise `DomainError` too_many_streams (429) where `who` has `count` streams open, and that is all they may."""
    by_address = who.startswith("address")
    most = settings.SCOREBOOK_MAX_STREAMS_PER_IP if by_address else settings.SCOREBOOK_MAX_STREAMS_PER_ACCOUNT
    if not most or count < most:
        return
    if who.startswith("address"):
        words = _(
            "{n} streams are open from your IP address without signing in, which is the limit. Sign in, or try "
            "again later."
        )
    else:
        words = _("You have {n} open streams, which is the limit. Close some and try again.")
    raise DomainError(429, "too_many_streams", words.format(n=most), wait_s=RETRY_AFTER_SECONDS)


def still_valid(keys: Collection[str]) -> set[str]:
    """Those of the keys that somebody may still come in by."""
    found: dict[str, set[str]] = {"user": set(), "token": set(), "session": set()}
    for key in keys:
        kind, _space, name = key.partition(" ")
        found[kind].add(name)
    users = get_user_model().objects.filter(pk__in=map(int, found["user"]), is_active=True)
    sessions = Session.objects.filter(session_key__in=found["session"], expire_date__gt=clock.now())
    return {
        *map(access.key_of_user, users.values_list("pk", flat=True)),
        *map(access.key_of_token, tokens.still_valid([int(name) for name in found["token"]])),
        *map(access.key_of_session, sessions.values_list("session_key", flat=True)),
    }
