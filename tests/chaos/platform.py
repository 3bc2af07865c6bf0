"""All processes of a platform on one machine, for those who kill them: a small supervisor starts again whatever dies.

PostgreSQL is a cluster of its own (`devkit.cluster`, fsync on), Redis keeps nothing: with it dies what it held.
Nothing here needs Django, so that a program may bring the database before it sets Django up.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from devkit import cluster
from devkit.cluster import Place
from devkit.database import APP, NAME, OWNER, make_roles
from devkit.paths import ROOT, secret
from devkit.processes import end_groups, group_members, launched, started, working_in

LEASE_SECONDS: Final = 3
PAUSE_SECONDS: Final = 0.5  # pause before a dead process is started again, as in `bin/dev up`
PR_SET_CHILD_SUBREAPER: Final = 36
CELERY: Final = ("-m", "celery", "-A", "config")
QUIET: Final = ("-l", "INFO", "--without-gossip", "--without-mingle", "--without-heartbeat")
BOT_UID: Final = 65223  # used by nobody else on this machine: a process that has it and survives is an orphan of ours


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Part:
    """A process in its own group, which is started again when it dies."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    port: int = 0
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    groups: list[int] = field(default_factory=list, init=False)  # of all its lives

    def start(self) -> None:
        self.process = launched(self.command, self.environment, self.log, ROOT)
        self.groups.append(self.process.pid)

    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def pids(self) -> list[int]:
        """Return the processes of this life: the one that was started, and its children."""
        return group_members(self.groups[-1]) if self.groups else []

    def children(self) -> list[int]:
        return [pid for pid in self.pids() if pid != self.groups[-1]]


class Server:
    """PostgreSQL, held by its keeper. Its start waits until it answers."""

    name = "database"

    def __init__(self, home: Path, place: Place) -> None:
        self.home, self.place = home, place
        self._starting: threading.Thread | None = None

    def start(self) -> None:
        self._starting = threading.Thread(target=cluster.start, args=[self.home])
        self._starting.start()

    def runs(self) -> bool:
        return bool(self._starting and self._starting.is_alive()) or cluster.is_kept(self.home)

    def postmaster(self) -> int:
        """Return the postmaster's pid. Raises OSError or IndexError if there is none."""
        return int((self.place.data / "postmaster.pid").read_text().splitlines()[0])

    def backends(self) -> list[int]:
        """Return the processes that serve connections."""
        return [pid for pid in working_in(self.place.data) if f"postgres: {APP} {NAME}" in words_of(pid)]

    def wait(self) -> None:
        if self._starting:
            self._starting.join()


@dataclass
class Platform:
    """The parts, and how they are reached. `environment` is that of each part."""

    folder: Path
    server: Server
    parts: dict[str, Part]
    environment: dict[str, str]
    broker: str
    due: dict[str, float] = field(default_factory=dict)
    pause: float = PAUSE_SECONDS

    @property
    def webs(self) -> list[Part]:
        return [part for part in self.parts.values() if part.port and part.name.startswith("web")]

    def watch(self) -> None:
        """Check everything once, and restart what has been dead for a moment. It never waits."""
        now = time.monotonic()
        watched: list[Server | Part] = [self.server, *self.parts.values()]
        for part in watched:
            if part.name in self.due:
                if now >= self.due[part.name]:
                    del self.due[part.name]
                    part.start()
            elif not part.runs():
                self.due[part.name] = now + self.pause

    def stop(self) -> None:
        """Stop the parts in order, as an operator does. What does not end in time is killed."""
        groups = [part.process.pid for part in self.parts.values() if part.process and part.name != "redis"]
        for part in self.parts.values():  # a stopped process could not end
            for pid in part.pids():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
        end_groups(groups, seconds=10)
        end_groups([part.process.pid for part in self.parts.values() if part.process], seconds=5)
        for part in self.parts.values():
            if part.process:
                part.process.wait()
        self.server.wait()

    def strays(self) -> list[str]:
        """Return the command lines of living processes that the platform started and that belong to none of its parts.
        Orphans become children of this process (`adopt_orphans`); bots have a uid of their own if the platform may set
        one. A part's bots are in a session of their own, and descend from one of its processes."""
        known = {pid for part in self.parts.values() for pid in part.pids()}
        known |= set(working_in(self.server.place.data)) | set(keepers())
        ours = {*living_children(os.getpid()), *(with_uid(BOT_UID) if os.geteuid() == 0 else [])}
        return [f"{pid}: {words_of(pid)}" for pid in sorted(ours) if not known.intersection(line_of(pid))]


def adopt_orphans(*, wanted: bool = True) -> None:
    """Let the kernel give this process the orphans of its descendants, or stop that."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)


def words_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ").strip()
    except OSError:
        return ""


def processes() -> Iterator[int]:
    return (int(entry.name) for entry in Path("/proc").glob("[0-9]*"))


def parent_of(pid: int) -> int:
    """Return the parent; 0 for a process that is gone or a zombie."""
    with suppress(OSError, IndexError):
        letter, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
        return 0 if letter in "ZX" else int(parent)
    return 0


def line_of(pid: int) -> Iterator[int]:
    """Return the process, its parent, and so on."""
    while pid:
        yield pid
        pid = parent_of(pid)


def living_children(parent: int) -> list[int]:
    return [pid for pid in processes() if parent_of(pid) == parent]


def with_uid(uid: int) -> list[int]:
    found = []
    for pid in processes():
        with suppress(OSError):
            if os.stat(f"/proc/{pid}").st_uid == uid and started(pid) is not None:
                found.append(pid)
    return found


def keepers() -> list[int]:
    return [pid for pid in living_children(os.getpid()) if "devkit.pg_holder" in words_of(pid)]


def parts_of(folder: Path, environment: Mapping[str, str], redis: int) -> dict[str, Part]:
    """Return the parts of `bin/dev up` with two web processes. One process of each playing worker is enough."""

    def part(name: str, *command: str, port: int = 0) -> Part:
        return Part(name, [sys.executable, *command], environment, folder / f"{name}.log", port)

    def worker(queue: str, processes: int, prefetch: int) -> Part:
        wanted = ("-n", f"{queue}@%h", "-Q", queue, "-c", str(processes), "--prefetch-multiplier", str(prefetch))
        return part(queue, *CELERY, "worker", *wanted, *QUIET)

    def web(number: int) -> Part:
        port = free_port()
        served = ("--host", "127.0.0.1", "--port", str(port), "--no-access-log", "--timeout-graceful-shutdown", "2")
        return part(f"web {number}", "-m", "uvicorn", "config.asgi:application", *served, port=port)

    beat = part("beat", *CELERY, "beat", "-s", str(folder / "beat-schedule"), "--pidfile=")
    made = [web(1), web(2), worker("play", 2, 1), worker("sandbox", 1, 1), worker("short", 1, 8), worker("hooks", 1, 1)]
    made.append(worker("review", 1, 1))
    if redis:
        keeps_nothing = ("--save", "", "--appendonly", "no", "--dir", str(folder))
        command = ["redis-server", "--port", str(redis), "--bind", "127.0.0.1", *keeps_nothing]
        made.insert(0, Part("redis", command, environment, folder / "redis.log", redis))
    return {each.name: each for each in (*made, beat)}


@contextmanager
def built(folder: Path, broker: str) -> Iterator[Platform]:
    """A platform with an empty database, nothing of it started but that; everything is gone after the block.

    This process' own environment gets the owner's address, so that Django may be set up and the tables be made.
    """
    adopt_orphans()
    home = folder / "postgres"
    home.mkdir(mode=0o700)
    with cluster.joined(home) as place:
        make_roles(place)
        redis = free_port() if broker == "redis" else 0
        owner, app = place.url(OWNER, secret("owner"), NAME), place.url(APP, secret("app"), NAME)
        ours = {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SECRET_KEY": secrets.token_hex(24),
            "SCOREBOOK_LEASE_SECONDS": str(LEASE_SECONDS),
            "SCOREBOOK_ALLOWED_HOSTS": "127.0.0.1,localhost",
            "SCOREBOOK_RATE_LIMIT_FACTOR": "0",
            "SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS": "1",
            "SCOREBOOK_BOTS_SHARE_UID": "1",
            "SCOREBOOK_BOT_UID": str(BOT_UID),
            **({"CELERY_BROKER_URL": f"redis://127.0.0.1:{redis}/0"} if redis else {}),
        }
        dropped = {"DATABASE_URL", "DATABASE_APP_URL", "SCOREBOOK_AS_OWNER", "SCOREBOOK_DEBUG", "CELERY_BROKER_URL"}
        clean = {name: value for name, value in os.environ.items() if name not in dropped} | ours
        as_owner = clean | {"DATABASE_URL": owner, "DATABASE_APP_URL": app, "SCOREBOOK_AS_OWNER": "1"}
        for name in dropped:
            os.environ.pop(name, None)
        os.environ.update(as_owner)
        environment = clean | {"DATABASE_APP_URL": app}
        platform = Platform(folder, Server(home, place), parts_of(folder, environment, redis), environment, broker)
        try:
            yield platform
        finally:
            platform.stop()


def until(holds: Callable[[], bool], seconds: float, watch: Callable[[], None]) -> bool:
    """Return whether that became true within these seconds, while the platform is watched."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        watch()
        time.sleep(0.1)
    return True
