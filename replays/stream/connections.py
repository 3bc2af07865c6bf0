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
from games.common.errors import TableError

# Why a stream ends that is not whole: the last line says so.
LEFT: Final = "left"  # the seat has left a game that goes on; the rest is for everybody's eyes
ACCESS: Final = "access"  # what it was opened by may be over
NOT_SHOWN: Final = "not_shown"  # the game is not for who watches it any more
CLOSING: Final = "closing"  # the web process ends
SLOW: Final = "slow"  # nothing was taken for a while
FAULT: Final = "fault"  # ours
AGAIN_SECONDS: Final = 30


@dataclass(frozen=True)
class Pass:
    """By what a stream is opened: `keys` that have to stay good, and `who` is counted."""

    who: str = ""
    keys: tuple[str, ...] = ()


NOBODY: Final = Pass()


class Stream(Protocol):
    """What the check of access found (`replays.stream.game_tail.Ticket`, `replays.stream.player_feed.Watcher`)."""

    @property
    def by(self) -> Pass:
        """By what it is opened."""


class Holding:
    """The streams that are open; each has what is set, to why, when it has to end. `handing` are those that have not
    taken yet what they were handed, and since when (s, of the machine's steady clock)."""

    def __init__(self) -> None:
        self.streams: dict[asyncio.Future[str], Stream] = {}
        self.handing: dict[asyncio.Future[str], float] = {}
        self.counts: Counter[str] = Counter()
        self.closing = False

    @contextmanager
    def held(self, stream: Stream) -> Iterator[asyncio.Future[str]]:
        """What is set when `stream` has to end. Raises `TableError` too_many_streams (429)."""
        who = stream.by.who
        check_room(who, self.counts[who])
        over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.streams[over] = stream
        self.counts[who] += 1
        if self.closing:
            over.set_result(CLOSING)
        try:
            yield over
        finally:
            del self.streams[over]
            self.handing.pop(over, None)
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
                finish(over, ACCESS)

    def end_slow(self, patience: float) -> None:
        """End those that have taken nothing for so many seconds."""
        for over, since in self.handing.items():
            if time.monotonic() - since > patience:
                finish(over, SLOW)

    def close(self) -> None:
        """End all of them, since the process ends, and those that are still to come."""
        self.closing = True
        for over in self.streams:
            finish(over, CLOSING)


def finish(over: asyncio.Future[str], why: str) -> None:
    """Set it, unless it is."""
    if not over.done():
        over.set_result(why)


def check_room(who: str, count: int) -> None:
    """Raise `TableError` too_many_streams (429) where `who` has `count` streams open, and that is all they may."""
    most = settings.SCOREBOOK_STREAMS if who.startswith("address") else settings.SCOREBOOK_STREAMS_EACH
    if not most or count < most:
        return
    if who.startswith("address"):
        words = _("{n} streams are open from your address by people who are not signed in. Sign in, or come later.")
    else:
        words = _("You have {n} streams open. Close some, and try again.")
    raise TableError(429, "too_many_streams", words.format(n=most), wait_s=AGAIN_SECONDS)


def still_good(keys: Collection[str]) -> set[str]:
    """Those of the keys that somebody may still come in by."""
    found: dict[str, set[str]] = {"user": set(), "token": set(), "session": set()}
    for key in keys:
        kind, _space, name = key.partition(" ")
        found[kind].add(name)
    users = get_user_model().objects.filter(pk__in=map(int, found["user"]), is_active=True)
    sessions = Session.objects.filter(session_key__in=found["session"], expire_date__gt=clock.now())
    return {
        *map(access.of_user, users.values_list("pk", flat=True)),
        *map(access.of_token, tokens.still_good([int(name) for name in found["token"]])),
        *map(access.of_session, sessions.values_list("session_key", flat=True)),
    }
