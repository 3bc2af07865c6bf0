"""All processes of a platform on one machine, with a small supervisor that restarts those that die.

PostgreSQL is a separate cluster (`devkit.cluster`, fsync on). Redis stores nothing on disk, so its messages are lost
when it dies. This module does not import Django, so that a program can start the database before it sets Django up.
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
BOT_UID: Final = 65223  # used by nothing else on this machine, so that a process left with it is an orphan of ours


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
    groups: list[int] = field(default_factory=list, init=False)  # the process group of each start

    def start(self) -> None:
        self.process = launched(self.command, self.environment, self.log, ROOT)
        self.groups.append(self.process.pid)

    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def pids(self) -> list[int]:
        """Return the pids of the process that was started last and of its children."""
        return group_members(self.groups[-1]) if self.groups else []

    def children(self) -> list[int]:
        return [pid for pid in self.pids() if pid != self.groups[-1]]


class Server:
    """PostgreSQL, run by its keeper. `start` does not wait until it answers."""

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
        """Return the pids of the processes that serve connections of the app's role."""
        return [pid for pid in working_in(self.place.data) if f"postgres: {APP} {NAME}" in words_of(pid)]

    def wait(self) -> None:
        if self._starting:
            self._starting.join()


@dataclass
class Platform:
    """The parts of a platform and their addresses. All parts have the variables of `environment`."""

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
        """Check all parts once, and restart those that have been dead for `pause` seconds. It never waits."""
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
        """Stop the parts in order, as an operator does. Kill what does not end in time."""
        groups = [part.process.pid for part in self.parts.values() if part.process and part.name != "redis"]
        for part in self.parts.values():  # a suspended process could not end
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
        """Return the command lines of processes that the platform started and that belong to none of its parts. Orphans
        become children of this process (`adopt_orphans`). Bots have a separate uid, if the platform may set one. The
        bots of a running part are in separate sessions and descend from one of its processes."""
        known = {pid for part in self.parts.values() for pid in part.pids()}
        known |= set(working_in(self.server.place.data)) | set(keepers())
        ours = {*living_children(os.getpid()), *(with_uid(BOT_UID) if os.geteuid() == 0 else [])}
        return [f"{pid}: {words_of(pid)}" for pid in sorted(ours) if not known.intersection(line_of(pid))]


def adopt_orphans(*, wanted: bool = True) -> None:
    """Make this process the parent of its descendants' orphans, or stop that."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)


def words_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ").strip()
    except OSError:
        return ""


def processes() -> Iterator[int]:
    return (int(entry.name) for entry in Path("/proc").glob("[0-9]*"))


def parent_of(pid: int) -> int:
    """Return the pid of the parent, or 0 if the process is gone or a zombie."""
    with suppress(OSError, IndexError):
        letter, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
        return 0 if letter in "ZX" else int(parent)
    return 0


def line_of(pid: int) -> Iterator[int]:
    """Yield the pids of the process, its parent, and so on."""
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
    """Return the parts of `bin/dev up` with two web processes and one process of each worker that plays."""

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
    """Provide a platform with an empty database within the block. Only PostgreSQL runs, and everything is removed at
    the end.

    The environment of this process gets the owner's address, so that it can set Django up and create the tables.
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
    """Return whether `holds()` became true within these seconds. `watch` is called meanwhile."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        watch()
        time.sleep(0.1)
    return True
