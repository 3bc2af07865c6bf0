"""Kills parts of a platform, and detects when they work again."""

from __future__ import annotations

import os
import random
import signal
import socket
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from django.db import Error, connection

from games.common import clock
from games.eventlog.models import Batch
from games.models import Game
from games.workers.models import Worker
from tests.chaos.platform import LEASE_SECONDS, Part, Platform

# The share of kills of each target.
VICTIMS: Final = {
    "web": 4,
    "play, parent": 2,
    "play, child": 4,
    "play, all": 2,
    "play, stopped": 2,
    "sandbox, parent": 1,
    "sandbox, child": 3,
    "sandbox, all": 2,
    "sandbox, stopped": 1,
    "short, parent": 1,
    "short, child": 3,
    "hooks, parent": 1,
    "hooks, child": 2,
    "beat": 3,
    "PostgreSQL, postmaster": 3,
    "PostgreSQL, backend": 3,
    "Redis": 4,
}


@dataclass
class Killed:
    """A kill, with the check that all works again. `wake` has the stopped processes, which are woken at `wake_at`."""

    what: str
    works: Callable[[], bool]
    begun: float = field(default_factory=time.monotonic)
    wake: list[int] = field(default_factory=list)
    wake_at: float = 0.0


def asked(question: Callable[[], bool]) -> bool:
    """Return the answer to a question to the database, or False if the database does not answer."""
    try:
        return question()
    except Error:
        connection.close()
        return False


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready/", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def takes_part(part: Part, gone: set[int]) -> bool:
    """Return whether all processes of a worker report themselves, without counting killed ones."""
    names = {f"{socket.gethostname()}:{pid}" for pid in part.children() if pid not in gone}
    wanted = int(part.command[part.command.index("-c") + 1])
    return asked(lambda: Worker.objects.filter(name__in=names, stopped_at=None).count() >= wanted)


def held_by(pids: set[int]) -> dict[int, int]:
    """Return game → version for the games that these processes play."""
    names = [f"{socket.gethostname()}:{pid}" for pid in pids]
    try:
        return dict(Game.objects.filter(status="playing", leased_by__in=names).values_list("pk", "version"))
    except Error:
        connection.close()
        return {}


def go_on(held: dict[int, int]) -> bool:
    """Return whether all these games have new events or wait for a person."""

    def look() -> bool:
        waiting = Game.objects.filter(pk__in=held, status="playing", awaits_worker=True).values_list("pk", "version")
        return not any(version <= held[pk] for pk, version in waiting)

    return asked(look)


def ticked(platform: Platform, part: Part, life: int) -> Callable[[], bool]:
    """Return a function that checks whether beat works again after `part` was restarted: a worker has done a task that
    beat sends each second."""
    short, at = platform.parts["short"], [0]

    def look() -> bool:
        if len(part.groups) <= life or not part.runs():
            return False
        at[0] = at[0] or short.log.stat().st_size
        return has_done(short, at[0])

    return look


# The task that beat sends to a worker every few seconds, as the worker logs it.
OFTEN: Final = {"short": b"games.tick SUCCESS", "hooks": b"tournaments.call_webhooks SUCCESS"}


def has_done(part: Part, at: int) -> bool:
    """Return whether a worker has logged its usual task since its log had `at` bytes. Workers without such a task are
    checked by their games."""
    with part.log.open("rb") as file:
        file.seek(at)
        return part.name not in OFTEN or OFTEN[part.name] in file.read()


def stored_after(moment: datetime) -> bool:
    return asked(
        lambda: Batch.objects.filter(at__gt=moment).exists() or not Game.objects.filter(status="playing").exists()
    )


# killing


@dataclass
class Killer:
    """Chooses a process at random, kills it, and returns how to detect that all works again."""

    platform: Platform
    chance: random.Random
    names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        wanted = [name for name in VICTIMS if name != "Redis" or "redis" in self.platform.parts]
        self.names = [name for name in wanted for _ in range(VICTIMS[name])]

    def kill(self) -> Killed | None:
        """Kill a process. Return None if there is none of the chosen sort now."""
        what = self.chance.choice(self.names)
        name, _comma, which = what.partition(", ")
        with suppress(OSError, IndexError, ValueError):
            if name == "web":
                return self._web(self.chance.choice(self.platform.webs))
            if name == "beat":
                return self._beat_or_redis(what, self.platform.parts["beat"])
            if name == "Redis":
                return self._beat_or_redis(what, self.platform.parts["redis"])
            if name == "PostgreSQL":
                return self._server(what, which)
            return self._worker(what, self.platform.parts[name], which)
        return None

    def _web(self, part: Part) -> Killed:
        os.kill(part.groups[-1], signal.SIGKILL)
        life = len(part.groups)
        return Killed("web", lambda: len(part.groups) > life and answers(part.port))

    def _beat_or_redis(self, what: str, part: Part) -> Killed:
        os.kill(part.groups[-1], signal.SIGKILL)
        return Killed(what, ticked(self.platform, part, len(part.groups)))

    def _server(self, what: str, which: str) -> Killed:
        victim = self.platform.server.postmaster()
        os.kill(
            victim if which == "postmaster" else self.chance.choice(self.platform.server.backends()), signal.SIGKILL
        )
        after = clock.now() + timedelta(seconds=0.3)  # work that is running now may still be committed until then

        def works() -> bool:
            if which == "postmaster" and not another(self.platform, victim):
                return False
            return stored_after(after)

        return Killed(what, works)

    def _worker(self, what: str, part: Part, which: str) -> Killed:
        parent, children = part.groups[-1], part.children()
        gone = {"parent": {parent}, "child": {self.chance.choice(children)}}.get(which, {parent, *children})
        held = held_by(set(children) if which != "child" else gone)
        for pid in gone:
            os.kill(pid, signal.SIGSTOP if which == "stopped" else signal.SIGKILL)
        if which == "stopped":
            wake_at = time.monotonic() + LEASE_SECONDS + self.chance.uniform(1, 3)
            return Killed(what, lambda: go_on(held), wake=sorted(gone), wake_at=wake_at)
        before = {parent, *children} if which != "child" else gone
        at = part.log.stat().st_size
        return Killed(what, lambda: takes_part(part, before) and has_done(part, at) and go_on(held))


def another(platform: Platform, victim: int) -> bool:
    try:
        return platform.server.postmaster() != victim
    except (OSError, IndexError, ValueError):
        return False
