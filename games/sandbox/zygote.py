"""A process inside the sandbox with the standard library loaded, from which bots are forked.

`root` starts it by an exec inside the sandbox's own root. It knows nothing of the host: no path, no file. No bot's
source passes through its memory, because every later bot would have what it holds. It obeys messages on one socket:
`spawn` with three pipes and maybe a socket, `reap` with a pid. A dead process is reaped only on request, so no pid is
used again while somebody may still signal it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import shutil
import socket
import sys
from types import ModuleType

from games.sandbox import address_space, child_main, kernel, namespaces, policy, seccomp, vdso

MESSAGE = 1 << 16
OURS = ("/scorebook_bot.py", "/games")  # no bot needs these once they are loaded


def main() -> None:
    """Run the zygote. The argument is JSON with the descriptors control and myself, and bot_uid, from `root`."""
    given = json.loads(sys.argv[1])
    control = socket.socket(fileno=given["control"])
    try:
        sdk = settle(given["myself"], given["bot_uid"])
    except BaseException as error:
        control.send(json.dumps({"error": f"{type(error).__name__}: {error}"[:500]}).encode())
        return
    control.send(json.dumps({"landlock": kernel.landlock_version()}).encode())
    obey(control, sdk)


def settle(myself: int, bot_uid: int | None) -> ModuleType:
    """Load what bots may import, then give up all privileges. Returns the SDK."""
    for name in (*policy.PROMISED, *policy.ALSO_LOADED):
        with contextlib.suppress(ModuleNotFoundError):  # some Pythons lack some of these modules
            importlib.import_module(name)
    sdk = load_sdk(OURS[0])
    vdso.replace(myself)
    end_first(myself)
    kernel.prctl(kernel.NO_HUGE_PAGES, 1)  # `memory` counts pages of the usual size
    address_space.bound(myself)
    os.unlink(OURS[0])
    shutil.rmtree(OURS[1])
    namespaces.settle(myself, bot_uid)
    library = os.path.dirname(os.__file__)
    sys.path[:] = [library, f"{library}/lib-dynload"]
    os.environ.clear()
    sys.argv[:] = sys.orig_argv[:] = [child_main.FILE]
    kernel.prctl(kernel.SET_DUMPABLE, 0)
    gc.collect()
    gc.freeze()
    return sdk


def end_first(myself: int) -> None:
    """Let the kernel end a bot, and no worker or database, where memory runs out. `myself` is our folder in /proc."""
    file = os.open("oom_score_adj", os.O_WRONLY, dir_fd=myself)
    os.write(file, b"1000")
    os.close(file)


def load_sdk(path: str) -> ModuleType:
    with open(path, "rb") as file:
        source = file.read()
    sdk = ModuleType("scorebook_bot")
    sdk.__file__ = "scorebook_bot.py"
    sys.modules["scorebook_bot"] = sdk
    exec(compile(source, "scorebook_bot.py", "exec", dont_inherit=True), sdk.__dict__)  # noqa: S102
    return sdk


def obey(control: socket.socket, sdk: ModuleType) -> None:
    """Obey requests until the other end is closed. Then this process ends, and every bot with it."""
    filter_program = seccomp.program()
    while True:
        message, ends, _, _ = socket.recv_fds(control, MESSAGE, 4)
        if not message:
            return
        request = json.loads(message)
        if "reap" in request:
            control.send(json.dumps(reap(request["reap"])).encode())
        else:
            spawn(control, sdk, filter_program, ends)


def reap(pid: int) -> dict[str, int]:
    """Return how a bot ended and what it used: a wait status, ms of CPU time, and its peak memory in bytes."""
    _, status, used = os.wait4(pid, 0)
    return {"status": status, "cpu_ms": round(1000 * (used.ru_utime + used.ru_stime)), "memory": used.ru_maxrss << 10}


def spawn(control: socket.socket, sdk: ModuleType, filter_program: bytes, ends: list[int]) -> None:
    """Fork a bot onto its ends (`child_main.live`), and send back its pid and a pidfd."""
    try:
        pid, pidfd = kernel.fork_into_namespace()
    except OSError as error:
        control.send(json.dumps({"error": str(error)}).encode())
    else:
        if pid == 0:
            child_main.live(filter_program, ends, sdk)
        socket.send_fds(control, [json.dumps({"pid": pid}).encode()], [pidfd])
        os.close(pidfd)
    for end in ends:
        os.close(end)
