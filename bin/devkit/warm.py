"""`python -m devkit.warm ARGUMENTS` is the web process of `bin/dev up --reload`, with the arguments of uvicorn.

More than half of a start is the import of libraries. This process imports them once and runs uvicorn in a fork. On
SIGHUP it starts another fork, which imports Scorebook's modules as they are now. A fork that ends because of an error
in a source is not started again before the next SIGHUP.
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

LIBRARIES = LOCAL / "libraries.txt"  # modules that the last fork imported, except Scorebook's
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
            warm = warm or import_libraries()  # by now the first fork of this folder may have written the list
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
    """Import the libraries that an earlier fork needed; return False if no list exists. Libraries that need settings
    are imported by forks."""
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
    """Start a fork that serves; return its process id."""
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
