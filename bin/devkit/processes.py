"""Asks Linux about processes, and ends them."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def state(stat: str) -> tuple[str, int]:
    """Return (state letter, start time in ticks) from /proc/PID/stat, in which the name may contain spaces and
    brackets."""
    fields = stat.rpartition(")")[2].split()
    return fields[0], int(fields[19])


def started(pid: int) -> int | None:
    """Return when the process began, in ticks since boot; None if there is none or only a zombie. A process id is
    reused after a while; together with this time it is unique."""
    try:
        letter, ticks = state(Path(f"/proc/{pid}/stat").read_text())
    except (OSError, IndexError, ValueError):
        return None
    return None if letter in "ZX" else ticks


def works_in(pid: int, folder: Path) -> bool:
    """Return whether the process is alive and has `folder` as its working directory; False if it cannot be asked."""
    try:
        return started(pid) is not None and Path(os.readlink(f"/proc/{pid}/cwd")) == folder
    except OSError:
        return False


def working_in(folder: Path) -> list[int]:
    """Return the living processes with the working directory `folder`, as a server has in its data folder."""
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*") if works_in(int(entry.name), folder)]


def dying_with_parent(number: signal.Signals) -> Callable[[], None]:
    """Return a `preexec_fn` that makes the kernel send `number` to the child when its parent ends in any way. The
    parent is the thread that started the child. So start parts in a thread that lives as long as the process: the main
    one."""
    libc, parent = ctypes.CDLL(None, use_errno=True), os.getpid()

    def ask() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != parent:  # the parent died between fork and prctl
            os._exit(1)

    return ask


def adopt_orphans() -> None:
    """Become the parent of all processes below this one whose own parent ends. So what they used counts as used by
    children of this process, once `reap` has been called."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap() -> None:
    """Take leave of all children that have ended, also of those that nobody waits for."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def give_way(by: int) -> None:
    """Let other processes go first, `by` steps as nice(1) takes them. Linux may weigh sessions, not processes, against
    each other."""
    os.nice(by)
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(by))


def launched(
    command: Sequence[str], environment: Mapping[str, str], log: Path, folder: Path, gives_way: int = 0
) -> subprocess.Popen[bytes]:
    """Start a part in its own session, so that Ctrl-C reaches only its supervisor, and so that the kernel kills it when
    the supervisor ends. It works in `folder`, its output is appended to `log`, and it `gives_way` to other parts."""
    leave = dying_with_parent(signal.SIGKILL)

    def begin() -> None:
        leave()
        if gives_way:
            give_way(gives_way)

    with log.open("ab") as output:
        return subprocess.Popen(
            list(command),
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=begin,
        )


def group_members(group: int) -> list[int]:
    """Return the living processes of a process group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
                letter, member = stat.rpartition(")")[2].split()[0:3:2]
            except (OSError, ValueError):
                continue
            if int(member) == group and letter not in "ZX":
                found.append(int(entry.name))
    return found


def end_groups(groups: Sequence[int], *, seconds: float) -> None:
    """Ask each group's leader to end, wait for the groups, then kill what is left."""
    for group in groups:
        _send(os.kill, group, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while any(group_members(group) for group in groups) and time.monotonic() < deadline:
        time.sleep(0.05)
    for group in groups:
        _send(os.killpg, group, signal.SIGKILL)


def _send(call: Callable[[int, int], None], target: int, number: int) -> None:
    try:
        call(target, number)
    except (ProcessLookupError, PermissionError):
        return
