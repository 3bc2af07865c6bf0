"""A PostgreSQL cluster of this checkout: created once, started for its first user, stopped after its last one.

Every user (an `up`, a `test`, a `manage`) holds a shared lock on one file. A keeper process holds the server and stops
it when that lock is free. So a killed command leaves nothing running, and two commands at once share one server.
"""

from __future__ import annotations

import fcntl
import json
import locale
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg

from devkit import binaries, identity
from devkit.binaries import Binaries
from devkit.console import Trouble
from devkit.identity import Identity
from devkit.paths import LOCAL, LOGS, ROOT, private_folder, secret, write_private

SUPERUSER = "postgres"
PORT = 5432  # only in the socket's name: the cluster does not listen on the network
SOCKET_FOLDER_MAX_LENGTH = 90  # a socket's path has room for 107 bytes, of which the name takes up to 21


@dataclass(frozen=True)
class Place:
    """The location of a cluster: `base` contains `data` and belongs to the identity; `socket` is the folder for
    connecting."""

    base: Path
    socket: Path
    identity: Identity

    @property
    def data(self) -> Path:
        return self.base / "data"

    def url(self, user: str, password: str, name: str) -> str:
        return f"postgresql://{user}:{password}@/{name}?host={quote(str(self.socket))}&port={PORT}"

    def superuser_url(self, name: str = "postgres") -> str:
        return self.url(SUPERUSER, secret("postgres"), name)


HOME = LOCAL / "postgres"


@contextmanager
def joined(home: Path = HOME) -> Iterator[Place]:
    """Keep a cluster running for the duration of the block. The last user waits until the server has stopped."""
    private_folder(home)
    with (home / "users.lock").open("w") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield start(home)
        finally:
            _leave(home, users.fileno())


def is_kept(home: Path = HOME) -> bool:
    """Return whether a keeper holds the server, so that it is running or starting."""
    with (home / "keeper.lock").open("a") as keeper:
        try:
            fcntl.flock(keeper, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def socket_folder(base: Path) -> Path:
    """Return `base`, or a private folder with a short path if `base` is too long for a socket."""
    if len(os.fsencode(base)) <= SOCKET_FOLDER_MAX_LENGTH:
        return base
    return Path(tempfile.mkdtemp(prefix="scorebook-", dir="/tmp"))


def start(home: Path = HOME) -> Place:
    """Create the cluster if there is none, and start it if it is not running. The caller holds the users' lock."""
    with (home / "start.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        place = known(home)
        if place and is_kept(home) and _answers(place):
            return place
        made_with = int((place.data / "PG_VERSION").read_text()) if place else None
        programs = binaries.find(made_with, os.environ.get("SCOREBOOK_PG_BIN", ""))
        place = _with_socket(home, place) if place else _make(home, programs)
        _start_keeper(home, place, _reachable(programs, place))
    return place


def known(home: Path) -> Place | None:
    """Return the location of this checkout's cluster; None if there is none or its creation was interrupted."""
    try:
        kept = json.loads((home / "cluster.json").read_text())
    except FileNotFoundError:
        return None
    place = Place(Path(kept["base"]), Path(kept["socket"]), identity.named(kept["identity"]))
    return place if (place.data / "PG_VERSION").exists() else None


def _keep(home: Path, place: Place) -> Place:
    kept = {"base": str(place.base), "socket": str(place.socket), "identity": place.identity.name}
    write_private(home / "cluster.json", json.dumps(kept, indent=1))
    return place


def _with_socket(home: Path, place: Place) -> Place:
    """Return the location, with a new socket folder if the checkout was moved or the short folder was deleted."""
    base = home if place.identity.name != "nobody" else place.base
    if base == place.base and place.socket.is_dir():
        return place
    socket = socket_folder(base)
    os.chown(socket, *place.identity.owner)
    return _keep(home, Place(base, socket, place.identity))


def _make(home: Path, programs: Binaries) -> Place:
    """Create a cluster in a temporary folder, which is renamed when it is complete."""
    who = identity.choose()
    base = Path(tempfile.mkdtemp(prefix="scorebook-", dir="/var/tmp")) if who.name == "nobody" else home
    socket = socket_folder(base)
    place = Place(base, socket, who)
    for folder in {base, socket}:
        os.chown(folder, *who.owner)
    fresh, password = base / "data.new", base / "password"
    shutil.rmtree(fresh, ignore_errors=True)
    write_private(password, secret("postgres"))
    os.chown(password, *who.owner)
    letters = _letters()
    options = ["-U", SUPERUSER, "--auth=scram-sha-256", f"--pwfile={password}", "--encoding=UTF8", "--lc-collate=C"]
    done = subprocess.run(
        [_reachable(programs, place).folder / "initdb", "-D", fresh, *options, f"--lc-ctype={letters}", "--locale=C"],
        preexec_fn=who.take,
        cwd=base,
        env=server_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    password.unlink()
    if done.returncode:
        raise Trouble(f"PostgreSQL's initdb failed: {done.stderr.strip()}")
    fresh.rename(place.data)
    return _keep(home, place)


def _letters() -> str:
    """Return the character type C.UTF-8, which knows upper and lower case beyond English, or C. The sort order is
    always C."""
    kept = locale.setlocale(locale.LC_CTYPE)
    try:
        return locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    except locale.Error:
        return "C"
    finally:
        locale.setlocale(locale.LC_CTYPE, kept)


def _reachable(programs: Binaries, place: Place) -> Binaries:
    """Return the programs, copied beside the data if the user nobody cannot read the checkout."""
    if place.identity.name != "nobody" or not programs.folder.is_relative_to(ROOT):
        return programs
    wheel = programs.folder.parents[1]
    copy = place.base / f"programs-{programs.major}"
    if not copy.exists():
        half = place.base / "programs.new"
        shutil.rmtree(half, ignore_errors=True)
        for folder in (wheel, wheel.with_name(f"{wheel.name}.libs")):
            shutil.copytree(folder, half / folder.name, symlinks=True)
        half.rename(copy)
    return Binaries(copy / programs.folder.relative_to(wheel.parent), programs.major)


def server_environment() -> dict[str, str]:
    """Return the environment without libpq's variables, which would redirect the programs."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}


def _answers(place: Place) -> bool:
    try:
        psycopg.connect(place.superuser_url(), connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def _start_keeper(home: Path, place: Place, programs: Binaries) -> None:
    log = private_folder(LOGS) / "postgres.log"
    with log.open("wb") as file:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "devkit.pg_holder", str(home), str(programs.folder)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    while not _answers(place):
        if keeper.poll() is not None and not is_kept(home):
            raise Trouble(f"PostgreSQL did not start. Its log, {log}, ends:\n{tail(log)}")
        time.sleep(0.05)


def tail(log: Path, lines: int = 12) -> str:
    return "\n".join(f"    {line}" for line in log.read_text(errors="replace").splitlines()[-lines:])


def _leave(home: Path, users: int) -> None:
    """Stop the keeper and wait for it, if nobody else uses the server."""
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    with (home / "keeper.lock").open("a+") as keeper:
        try:
            fcntl.flock(keeper, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            keeper.seek(0)
            os.kill(int(keeper.read()), signal.SIGTERM)
            fcntl.flock(keeper, fcntl.LOCK_EX)
