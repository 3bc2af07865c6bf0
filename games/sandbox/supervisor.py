"""The worker's end of a zygote: starts it, has it fork bots, and asks how they ended.

A zygote belongs to the process that started it and to all its threads. It is started by exec and never forked from a
worker, which has Django loaded, a database open and secrets in its environment.
"""

from __future__ import annotations

import contextlib
import grp
import json
import os
import pwd
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from games.sandbox.faults import Fault

PROJECT = Path(__file__).resolve().parents[2]
# read and never imported: the process that sets up a sandbox has no packages
SDK = "scorebook_games.bots.sdk.scorebook_bot"
BOOT = "import sys; sys.path.insert(0, sys.argv.pop()); from games.sandbox.root import main; main()"
START_SECONDS = 20
REPLY_SECONDS = 10
MAX_UID = 2**32 - 2
BOT_UID = 65123  # reserved by Debian's policy, lower than the uids that containers map, and belongs to no account


class CannotStart(Exception):
    """The sandbox cannot start here. The sentence says what was refused."""


class Spawned(NamedTuple):
    pid: int
    pidfd: int


def whose_uid() -> tuple[str, int | None]:
    """Return ("own", the uid for bots) if we are root and can give one; else ("shared", None): bots keep ours."""
    if os.geteuid() != 0:
        return "shared", None
    uid = given_uid()
    with contextlib.suppress(KeyError):
        raise CannotStart(_TAKEN.format(uid=uid, whose=pwd.getpwuid(uid).pw_name))
    with contextlib.suppress(KeyError):
        raise CannotStart(_TAKEN.format(uid=uid, whose=f"the group {grp.getgrgid(uid).gr_name}"))
    return "own", uid


_TAKEN = "Bots would run as uid {uid}, which belongs to {whose}. Set SCOREBOOK_BOT_UID to a uid without an account"


def given_uid() -> int:
    """Return the uid in SCOREBOOK_BOT_UID. Raises `CannotStart` unless the kernel takes it for a uid.

    0 is root. To the kernel, 2**32 - 1 is -1 and means "unchanged", which would be root too.
    """
    given = os.environ.get("SCOREBOOK_BOT_UID", str(BOT_UID))
    if given.isdecimal() and len(given) <= 10 and 0 < int(given) <= MAX_UID:
        return int(given)
    raise CannotStart(
        f"SCOREBOOK_BOT_UID is {given!r}. It must be unset or a number from 1 to {MAX_UID} that belongs to no account"
    )


def sdk_file() -> Path:
    """Return the file that bots may import, from the installed library of games."""
    spec = find_spec(SDK)
    assert spec
    assert spec.origin
    return Path(spec.origin)


class Zygote:
    """One running zygote. `hash_seed` is the PYTHONHASHSEED of all bots that it forks.

    Without `holds_reads`, bots are stopped only by signals, as on a kernel that cannot hold them (`flow_control`).
    """

    def __init__(self, hash_seed: int = 0, sdk: Path | None = None, *, holds_reads: bool = True) -> None:
        self.uid, bot_uid = whose_uid()
        self.hash_seed = hash_seed
        self.holds_reads = holds_reads
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(START_SECONDS)
        given = {"bot_uid": bot_uid, "hash_seed": hash_seed, "sdk": str(sdk or sdk_file())}
        python = os.path.realpath(sys.executable)
        arguments = [python, "-I", "-S", "-B", "-c", BOOT, str(theirs.fileno()), json.dumps(given), str(PROJECT)]
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603
                arguments,
                env={},
                pass_fds=[theirs.fileno()],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.landlock: int = self._settled()["landlock"]
        self._control.settimeout(REPLY_SECONDS)

    def _settled(self) -> dict[str, Any]:
        try:
            reply = self._receive()[0]
        except OSError as error:
            self.close()
            raise CannotStart(f"the zygote did not start: {error}") from error
        if "error" in reply:
            self.close()
            raise CannotStart(str(reply["error"]))
        return reply

    def alive(self) -> bool:
        return self.process.poll() is None

    def spawn(self, ends: Sequence[int]) -> Spawned:
        """Fork a bot onto the `ends` for `child_main.live`, which stay open here. Raises `Fault` (infrastructure)."""
        reply, given = self._request({"spawn": True}, ends)
        if "error" in reply:
            raise Fault("infrastructure", {"reason": f"The zygote could not fork: {reply['error']}."})
        return Spawned(reply["pid"], given[0])

    def reap(self, pid: int) -> dict[str, int]:
        """Wait until a bot has ended; return its status, cpu_ms and memory. Raises `Fault` (infrastructure)."""
        return self._request({"reap": pid})[0]

    def _request(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> tuple[dict[str, Any], list[int]]:
        """Send a request and return the answer. A zygote that does not answer is ended, with its bots."""
        with self._lock:
            try:
                socket.send_fds(self._control, [json.dumps(message).encode()], descriptors)
                return self._receive()
            except OSError as error:
                self.close()
                raise Fault("infrastructure", {"reason": f"The zygote does not answer: {error}."}) from error

    def _receive(self) -> tuple[dict[str, Any], list[int]]:
        message, given, _, _ = socket.recv_fds(self._control, 1 << 16, 1)
        if not message:
            raise ConnectionResetError("It has ended")
        return json.loads(message), given

    def close(self) -> None:
        """End the zygote and every bot that it has forked."""
        self._control.close()
        self.process.kill()
        self.process.wait()
