"""`python -m devkit.pg_holder HOME PROGRAMS` is the process that holds the PostgreSQL server; `cluster` starts it.

It stops the server on SIGTERM, and when nobody holds the users' lock any more, for example after kill −9 of an `up`. If
it is killed itself, the kernel stops the server.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NoReturn, TextIO

from devkit.cluster import PORT, Place, known, server_environment
from devkit.processes import dying_with_parent, working_in

SECONDS_FOR_FAST_STOP = 2
SECONDS_FOR_LEFTOVERS = 10


def wait_for_leftovers(data: Path) -> None:
    """Wait for the helper processes of a killed server, or for a server whose keeper was killed; they end by
    themselves."""
    deadline = time.monotonic() + SECONDS_FOR_LEFTOVERS
    while left := working_in(data):
        if time.monotonic() > deadline:
            raise SystemExit(f"An earlier server still works in {data}: end the processes {left}, then try again.")
        time.sleep(0.1)


def remove_stale(place: Place) -> None:
    """Delete the lock files of a killed server. No process may work in its data folder.

    PostgreSQL only checks whether the process id in them exists. This fails with a zombie, or if another process has
    got the same id.
    """
    names = (f".s.PGSQL.{PORT}.lock", f".s.PGSQL.{PORT}")
    for path in (place.data / "postmaster.pid", *(place.socket / name for name in names)):
        path.unlink(missing_ok=True)


def serve(place: Place, programs: Path) -> subprocess.Popen[bytes]:
    die = dying_with_parent(signal.SIGINT)

    def prepare() -> None:
        place.identity.take()
        die()  # after that, because a change of user resets it

    settings = [
        "listen_addresses=",
        f"port={PORT}",
        f"unix_socket_directories={place.socket}",
        "unix_socket_permissions=0700",
    ]
    options = [part for setting in settings for part in ("-c", setting)]
    command = [str(programs / "postgres"), "-D", str(place.data), *options]
    return subprocess.Popen(command, preexec_fn=prepare, cwd=place.base, env=server_environment())


def stop(server: subprocess.Popen[bytes]) -> None:
    """Stop the server fast, and immediately after a while. Committed work is safe either way."""
    server.send_signal(signal.SIGINT)
    try:
        server.wait(SECONDS_FOR_FAST_STOP)
    except subprocess.TimeoutExpired:
        server.send_signal(signal.SIGQUIT)
        server.wait()


def keep(server: subprocess.Popen[bytes], is_unwanted: Callable[[], bool]) -> int:
    """Wait until the server ends, and stop it when `is_unwanted` says so; return its exit code."""
    while True:
        try:
            return server.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            if is_unwanted():
                stop(server)


def takes(lock: TextIO) -> bool:
    """Take the keeper's lock; try for a second, because a process that asks whether it is held holds it for a
    moment."""
    deadline = time.monotonic() + 1
    while time.monotonic() < deadline:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.05)
        else:
            return True
    return False


def main(home: Path, programs: Path) -> NoReturn:
    place = known(home)
    if place is None:
        raise SystemExit(f"{home} holds no cluster")
    with (
        (home / "keeper.lock").open("r+" if (home / "keeper.lock").exists() else "w+") as lock,
        (home / "users.lock").open() as users,
    ):
        if not takes(lock):
            os._exit(0)  # another keeper holds the server
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        wait_for_leftovers(place.data)
        remove_stale(place)
        server, stop_requested = serve(place, programs), False

        def end(_number: int, _frame: FrameType | None) -> None:
            nonlocal stop_requested
            stop_requested = True
            server.send_signal(signal.SIGINT)

        def is_unwanted() -> bool:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return stop_requested
            return True

        signal.signal(signal.SIGTERM, end)
        code = keep(server, is_unwanted)
        os._exit(code)  # exits with the lock, so that no process is left when the lock is free


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
