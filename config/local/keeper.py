"""The process that holds our PostgreSQL server: `python -m config.local.keeper HOME PROGRAMS`. `cluster` starts it.

It stops the server when told to (SIGTERM), and when nobody holds the users' lock any more, as after kill −9 of an `up`.
If it is killed itself, the kernel tells the server to stop.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType

from config.local.cluster import PORT, Place, known, server_environment
from config.local.processes import dying_with_parent, works_in

SECONDS_FOR_FAST_STOP = 3


def remove_stale(data: Path, socket: Path) -> bool:
    """Takes away the lock files of a server that was killed; returns whether one is still running.

    PostgreSQL itself asks only whether the process id exists, and is misled by a zombie or by another process that got
    the same number. A server of ours works in its data folder, which neither does.
    """
    pid_file = data / "postmaster.pid"
    with suppress(FileNotFoundError, ValueError):
        if works_in(int(pid_file.read_text().split("\n")[0]), data):
            return True
    for path in (pid_file, socket / f".s.PGSQL.{PORT}.lock", socket / f".s.PGSQL.{PORT}"):
        path.unlink(missing_ok=True)
    return False


def serve(place: Place, programs: Path) -> subprocess.Popen[bytes]:
    die = dying_with_parent(signal.SIGINT)

    def prepare() -> None:
        place.identity.take()
        die()  # after it: a change of user takes the wish back

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
    """Fast, and after a while at once: either way committed work is safe."""
    server.send_signal(signal.SIGINT)
    try:
        server.wait(SECONDS_FOR_FAST_STOP)
    except subprocess.TimeoutExpired:
        server.send_signal(signal.SIGQUIT)
        server.wait()


def keep(server: subprocess.Popen[bytes], is_unused: Callable[[], bool]) -> int:
    """Waits until the server ends, is told to or has no user left; returns its exit code."""
    while True:
        try:
            return server.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            if is_unused():
                stop(server)


def main(home: Path, programs: Path) -> int:
    place = known(home)
    if place is None:
        raise SystemExit(f"{home} holds no cluster")
    with (
        (home / "keeper.lock").open("r+" if (home / "keeper.lock").exists() else "w+") as lock,
        (home / "users.lock").open() as users,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        if remove_stale(place.data, place.socket):
            raise SystemExit(
                f"A server that no keeper holds still runs in {place.data}; it is about to stop. Try again."
            )
        server = serve(place, programs)

        def end(_number: int, _frame: FrameType | None) -> None:
            stop(server)

        def is_unused() -> bool:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

        signal.signal(signal.SIGTERM, end)
        return keep(server, is_unused)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
