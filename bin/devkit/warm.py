"""The web process of `bin/dev up --reload`: `python -m devkit.warm ARGUMENTS`, as of uvicorn.

More than half of a start goes into the import of libraries. This process imports them once, runs uvicorn in a fork, and
on SIGHUP in another fork, which then imports our own modules as they are now. A fork that ends by itself, for an error
in a source, is not started again before the next SIGHUP.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from collections.abc import Sequence

from devkit.paths import LOCAL, write_private
from devkit.processes import dying_with_parent

LIBRARIES = LOCAL / "libraries.txt"  # modules that the last fork had imported and that are not ours
OURS = ("config", "devkit", "games", "replays", "tournaments", "__main__")
AWAITED = {signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}
SECONDS_BETWEEN_LOOKS = 0.5


def main(arguments: Sequence[str]) -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    warm = import_libraries()
    child = fork(arguments)
    while True:
        caught = signal.sigtimedwait(AWAITED, SECONDS_BETWEEN_LOOKS)
        if caught is None:
            warm = warm or import_libraries()  # the first fork of this folder has told by now which
        elif caught.si_signo == signal.SIGCHLD:
            if child and os.waitpid(child, os.WNOHANG)[0]:
                child = 0
        elif caught.si_signo == signal.SIGHUP:
            end(child, signal.SIGKILL)
            child = fork(arguments)
        else:
            end(child, signal.SIGTERM)
            return 0


def import_libraries() -> bool:
    """Imports what the last fork needed; False where none has told yet. What wants settings, forks import."""
    if not LIBRARIES.exists():
        return False
    for name in LIBRARIES.read_text().split():
        try:
            importlib.import_module(name)
        except Exception:  # noqa: S112  whatever it lacks here, a fork has
            continue
    gc.collect()
    gc.freeze()
    return True


def fork(arguments: Sequence[str]) -> int:
    """The process id of a fork that serves."""
    die = dying_with_parent(signal.SIGKILL)
    if pid := os.fork():
        return pid
    die()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED)
    serve(arguments)
    os._exit(0)


def serve(arguments: Sequence[str]) -> None:
    import uvicorn  # noqa: PLC0415  in the fork, unless the libraries are there already
    from django.urls import get_resolver  # noqa: PLC0415

    importlib.import_module("config.asgi")
    assert get_resolver().url_patterns  # loads all views, as the first request would
    if not LIBRARIES.exists():
        libraries = [name for name in sys.modules if name.partition(".")[0] not in OURS]
        write_private(LIBRARIES, "\n".join(libraries))
    uvicorn.main(list(arguments), standalone_mode=False)


def end(child: int, number: signal.Signals) -> None:
    if child:
        os.kill(child, number)
        os.waitpid(child, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
